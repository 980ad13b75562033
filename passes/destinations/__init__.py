"""Passes that bring tensors into destination-passing style."""
