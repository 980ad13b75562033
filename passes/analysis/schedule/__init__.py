"""Schedules of linalg ops: tiling, fusion, packing, vectorization, distribution over threads; the machine model."""
