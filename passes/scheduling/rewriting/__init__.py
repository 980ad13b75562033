"""Rewriting of linalg ops on tensors into loops around smaller ones, and packing of slices that are read many times."""
