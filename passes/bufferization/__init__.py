"""The passes that turn tensors into memrefs."""
