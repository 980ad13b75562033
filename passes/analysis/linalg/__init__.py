"""What structured ops compute: indexing maps, payloads, reductions, tile sizes."""
