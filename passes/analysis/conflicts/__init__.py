"""Alias sets and RaW conflicts: whether one more tied result may share a buffer."""
