"""Ops become steps: each is decoded once, by the handler of its dialect."""
