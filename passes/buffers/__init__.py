"""Passes on memrefs: deallocation, hoisting of allocations, clones, copies, counters."""
