"""What the passes for sharded programs are built from."""
