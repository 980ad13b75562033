"""The Python API behind `import mlir_inplace`: the bindings gate, compiling and calling programs, reports."""
