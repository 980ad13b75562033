"""Structured ops as loop nests: indexing maps, payloads, reductions, tile sizes, fusion."""
