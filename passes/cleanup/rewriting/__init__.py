"""Folds of canonicalization besides those of upstream."""
