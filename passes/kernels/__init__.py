"""Passes that compile repeated code once, as functions."""
