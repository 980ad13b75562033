"""Broken inputs: MLIR files changed at random, to find crashes and missing diagnostics."""
