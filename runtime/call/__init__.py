"""Calls of compiled functions: argument checks, packing, results, bound calls."""
