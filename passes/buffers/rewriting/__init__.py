"""What the passes on buffers are made of."""
