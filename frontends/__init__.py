"""Programs of other frameworks: from a JAX function, a torch module or an ONNX model to a compiled `Program`."""
