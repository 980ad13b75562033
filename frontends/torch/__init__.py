"""Programs of PyTorch: `from_torch` compiles a module, and `torch.compile` takes the backend `inplace`."""
