"""Which tensors loops update slice by slice, and what is certain about the slices."""
