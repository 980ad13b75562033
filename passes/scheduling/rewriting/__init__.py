"""Rewriting of linalg ops on tensors into loops around smaller ones, and packing of what those read again and again."""
