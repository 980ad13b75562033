"""Random programs by subject: those features of the generator that are to meet in them."""

from __future__ import annotations

from mlir_inplace.checking.fuzzing import Campaign, Trial
from mlir_inplace.checking.generator import FEATURES, GeneratedProgram, generate

__all__ = ["SUBJECTS", "attempt", "program"]

SUBJECTS: dict[str, frozenset[str]] = {
    "everything": frozenset(FEATURES),
    "blocks": frozenset(("blocks", "slices", "generic")),
    "buffers": frozenset(("bufferization", "buffers", "slices", "named", "loops", "branches")),
    "calls": frozenset(("calls", "recursion", "slices", "generic", "branches", "select")),
    "called blocks": frozenset(("blocks", "recursion", "calls", "slices", "named", "branches")),
    "destinations": frozenset(("slices", "generic", "named", "creation", "branches", "loops")),
    "generic": frozenset(("generic", "named", "slices", "creation")),
    "globals": frozenset(("globals", "calls", "slices", "named", "loops")),
    "indexed": frozenset(("indexed", "packing", "slices", "generic", "elementwise")),
    "loops": frozenset(("loops", "parallel", "slices", "generic", "select", "bufferization")),
    "parallel": frozenset(("parallel", "slices", "named")),
    "sweeps": frozenset(("indices",)),
    "sweeps of slices": frozenset(("indices", "slices", "loops", "generic")),
    "vectors": frozenset(("vectors", "slices", "named", "loops")),
    "views": frozenset(("slices", "reshapes", "creation", "indexed", "generic", "loops")),
}
"""By name; `mutations/sources.py` looks for wrong programs in the same subjects."""


def program(subject: str, seed: int, size: int = 6) -> GeneratedProgram:
    """Return the program of a subject that has this number."""
    return generate(seed, size=size, features=SUBJECTS[subject])


def attempt(subject: str, seed: int) -> Trial:
    """Bufferize a program in all ways and evaluate what comes out; compile and run one of these as well."""
    return Campaign(range(seed, seed + 1), features=SUBJECTS[subject], jit_every=1).attempt(seed)
