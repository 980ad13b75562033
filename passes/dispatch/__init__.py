"""Passes for functions of the dispatch dialect: kernels on interface bindings."""
