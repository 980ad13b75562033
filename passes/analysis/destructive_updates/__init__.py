"""Which tensors loops update slice by slice, and what is proven of the slices."""
