"""Programs of loops and branches, by op."""
