"""Passes that expand arithmetic which LLVM would round differently or not at all."""
