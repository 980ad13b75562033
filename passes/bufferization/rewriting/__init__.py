"""Rewriting tensors to memrefs after the analysis: consults decisions, derives none."""
