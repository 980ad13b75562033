"""Passes about tensors that loops update slice by slice."""
