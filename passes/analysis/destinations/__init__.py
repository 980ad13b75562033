"""Where each tensor is wanted, and whether it can be computed there."""
