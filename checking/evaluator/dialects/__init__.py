"""The meaning of ops, by dialect."""
