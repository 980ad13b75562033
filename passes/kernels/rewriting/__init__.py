"""Outlining of repeated code into functions."""
