"""The parts of `inplace-opt`: flags, input, output, diagnostics."""
