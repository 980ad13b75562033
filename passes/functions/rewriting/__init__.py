"""Rewriting of function results, with all callers."""
