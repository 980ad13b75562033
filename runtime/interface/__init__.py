"""The boundary between NumPy arrays and compiled functions: signatures, dtypes, memref descriptors."""
