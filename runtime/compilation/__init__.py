"""Compilation of a module to machine code: passes, lowering, JIT, cache on disk."""
