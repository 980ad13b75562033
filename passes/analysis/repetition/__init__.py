"""Repeated code: equal loop nests, ops and call sequences that differ only in the values they use."""
