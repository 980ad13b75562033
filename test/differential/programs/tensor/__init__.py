"""Programs of ops of the tensor dialect."""
