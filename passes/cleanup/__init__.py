"""Canonicalization."""
