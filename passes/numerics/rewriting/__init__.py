"""Arithmetic, atomic updates and types of bf16 in the LLVM dialect, on integers and f32."""
