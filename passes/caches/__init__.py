"""Passes that order memory accesses for the caches: streaming stores, prefetches."""
