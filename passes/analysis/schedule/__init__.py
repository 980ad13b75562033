"""Schedules of linalg ops: tiles, fusion, packing, vectors, threads, and the machine they are for."""
