"""Passes that change the arguments and results of functions."""
