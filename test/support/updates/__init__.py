"""Programs whose loops update tensors destructively, or must not: by hand, and random nests of loops."""
