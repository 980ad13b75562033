"""Programs whose slices overlap or do not, in nests of loops and by affine maps."""
