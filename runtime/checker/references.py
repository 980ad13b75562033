"""What a compiled program is compared with: versions that copy before every write, and the evaluator.

A program whose every write goes to a copy of its own cannot show a wrong in-place decision. Upstream's bufferization
makes the first choice, since it shares no code with ours; ours, told to copy, serves where upstream refuses. Neither
frees anything, so that deallocation cannot be wrong, and both stop where an access is out of bounds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from mlir import ir

from ...passes.pipeline import Pipeline
from ..program import Program, Settings
from ..source import private_copy
from .outcomes import Expected, run_reference

_UPSTREAM = "one-shot-bufferize{copy-before-write=true bufferize-function-boundaries=true}"
_OURS = "inplace-one-shot-bufferize{copy-before-write=true bufferize-function-boundaries=true}"
_SHAPES = "func.func(convert-shape-constraints)"

ROUTES: tuple[tuple[str, str], ...] = (
    ("upstream's bufferization with a copy before every write", f"{_UPSTREAM},{_SHAPES}"),
    (
        "upstream's bufferization with a copy before every write",
        f"func.func(convert-elementwise-to-linalg),{_UPSTREAM},{_SHAPES}",
    ),
    ("this project's bufferization with a copy before every write", f"{_OURS},{_SHAPES}"),
)
"""The references that are compiled, best first: what reports call them, and their passes."""


class Reference(Protocol):
    """Says what a call must give."""

    @property
    def title(self) -> str:
        """What reports call it."""
        ...

    def run(self, name: str, arguments: Sequence[Any]) -> Expected:
        """What function `name` gives for arguments, which are left alone; whatever it raises means: not these."""
        ...


@dataclass(frozen=True)
class CompiledReference:
    """A reference by one of the `ROUTES`."""

    title: str
    program: Program

    def run(self, name: str, arguments: Sequence[Any]) -> Expected:
        """See `Reference.run`."""
        return run_reference(self.program, name, arguments)


def compile_reference(
    module: ir.Module, number: int, shared_libs: Sequence[str], callbacks: Mapping[str, Any] | None = None
) -> CompiledReference:
    """The program by route `number`; raises what `mlir_inplace.compile` raises."""
    title, passes = ROUTES[number]
    settings = Settings(
        Pipeline.parse(f"builtin.module({passes})"),
        opt_level=0,
        memory_stats=True,
        shared_libs=tuple(shared_libs),
        checked=True,
        plain=True,
        callbacks=callbacks or {},
    )
    return CompiledReference(title, Program(private_copy(module), settings))


def compile_checked(
    module: ir.Module,
    pipeline: Pipeline | None,
    shared_libs: Sequence[str],
    callbacks: Mapping[str, Any] | None = None,
) -> Program:
    """The program as it is to be checked; raises what `mlir_inplace.compile` raises."""
    settings = Settings(
        pipeline,
        opt_level=0,
        memory_stats=True,
        shared_libs=tuple(shared_libs),
        checked=True,
        callbacks=callbacks or {},
    )
    return Program(private_copy(module), settings)
