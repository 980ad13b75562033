"""Passes that turn linalg ops into loops of vectors, and math functions into polynomials."""
