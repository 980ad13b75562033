"""Random programs for tests of bufferization: well-typed, defined for the arguments they come with, and repeatable.

`generate(seed)` gives a program with many potential conflicts: tensors are read again after an in-place write, have
several users, and are forwarded by loops, branches and calls. No two argument sets have the same sizes, and some sizes
are 0 and 1. Slices are in bounds, loops end, and no undefined element is read; so any two correct ways to run a program
agree. `generate_kernel(seed)` gives a dispatch function, `generate_structured(seed)` a program of structured ops, and
`with_reversed_slices(program)` one whose slices are taken backwards, `with_repeated_body(program)` one that computes
the same several times, on other values.
"""

from __future__ import annotations

from .kernels import generate_kernel
from .program import FEATURES, GeneratedProgram, generate
from .repetition import with_repeated_body
from .reversal import with_reversed_slices
from .structured_programs import generate_structured

__all__ = [
    "FEATURES",
    "GeneratedProgram",
    "generate",
    "generate_kernel",
    "generate_structured",
    "with_repeated_body",
    "with_reversed_slices",
]
