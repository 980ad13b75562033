"""Destinations of tensors, and whether each tensor can be computed in its destination."""
