"""Passes that tile, fuse, pack and distribute linalg ops on tensors."""
