"""Rewriting of carried tensors into stores, slice by slice."""
