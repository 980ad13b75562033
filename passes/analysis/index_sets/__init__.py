"""Index sets of slices: equal, disjoint, contained or unknown."""
