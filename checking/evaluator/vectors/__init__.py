"""The meaning of ops of the vector dialect."""
