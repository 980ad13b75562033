"""Programs that read and write tensors by vectors."""
