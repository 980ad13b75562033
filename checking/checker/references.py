"""What a compiled program is compared with: versions that copy before every write, and the NumPy evaluator.

A program whose every write goes to a copy of its own cannot show a wrong in-place decision. Upstream's bufferization
makes the first choice, since it shares no code with ours; ours, told to copy, serves where upstream refuses. Neither
frees anything, so that deallocation cannot be wrong, and both stop where an access is out of bounds.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from mlir import ir

from ...passes.analysis.ir.traversal import first_op
from ...passes.pipeline.pipeline import Pipeline
from ...runtime.compilation.build import Settings
from ...runtime.compilation.program import Program
from ...runtime.interface.signature import Signature
from ...runtime.source import private_copy
from ..evaluator import Evaluator
from .isolation import isolated
from .options import Options
from .outcomes import FILLS, Expected, Given, expected, run_filled

_UPSTREAM = "one-shot-bufferize{copy-before-write=true bufferize-function-boundaries=true}"
_OURS = "inplace-one-shot-bufferize{copy-before-write=true bufferize-function-boundaries=true}"
_SHAPES = "func.func(convert-shape-constraints)"

OWN_ROUTE = 2
"""The first route that is this project's own."""

ROUTES: tuple[tuple[str, str], ...] = (
    ("upstream's bufferization with a copy before every write", f"{_UPSTREAM},{_SHAPES}"),
    (
        "upstream's bufferization with a copy before every write",
        f"func.func(inplace-branch-on-selects,convert-elementwise-to-linalg),{_UPSTREAM},{_SHAPES}",
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
    """A reference by one of the `ROUTES`. `seconds`: how long one call may take, where each has a child of its own."""

    title: str
    program: Program
    seconds: float | None = None

    def run(self, name: str, arguments: Sequence[Any]) -> Expected:
        """See `Reference.run`."""
        return expected(*(self._call(name, arguments, fill) for fill in FILLS))

    def _call(self, name: str, arguments: Sequence[Any], fill: int) -> Given:
        if self.seconds is None:
            return run_filled(self.program, name, arguments, fill)
        ended = isolated(lambda _: run_filled(self.program, name, arguments, fill), self.seconds)
        if ended.value is None:
            raise ended.error or RuntimeError(ended.cause)
        return ended.value


@dataclass(frozen=True)
class EvaluatorReference:
    """The evaluator, which compiles nothing and shares no op model with what it checks."""

    evaluator: Evaluator
    signatures: Mapping[str, Signature]
    title: str = "the NumPy evaluator"

    def run(self, name: str, arguments: Sequence[Any]) -> Expected:
        """See `Reference.run`."""
        with np.errstate(all="ignore"):
            evaluation = self.evaluator.run(name, copy.deepcopy(tuple(arguments)))
        types = self.signatures[name].results
        results = tuple(
            np.asarray(value, type_.element.dtype) for value, type_ in zip(evaluation.results, types, strict=True)
        )
        undefined = (*evaluation.undefined, *(None,) * (len(results) - len(evaluation.undefined)))
        masks = tuple(
            np.ones(result.shape, bool) if unknown is None else ~np.broadcast_to(unknown, result.shape)
            for result, unknown in zip(results, undefined, strict=True)
        )
        after = evaluation.arguments
        return Expected(results, after, masks, tuple(np.ones(np.shape(value), bool) for value in after))


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


def keeps_state(module: ir.Operation) -> bool:
    """Whether calls may leave something behind for later ones: a global that the program writes."""

    def writes_state(op: ir.Operation) -> bool:
        stores = op.name in ("ml_program.global_store", "ml_program.global_store_graph")
        return stores or (op.name == "memref.global" and "constant" not in op.attributes)

    return first_op(module, writes_state) is not None


def compile_checked(module: ir.Module, options: Options, callbacks: Mapping[str, Any] | None = None) -> Program:
    """The program as it is to be checked; raises what `mlir_inplace.compile` raises.

    It is made for so many threads, but runs on one, as counting memory takes.
    """
    settings = Settings(
        options.pipeline,
        opt_level=0,
        memory_stats=True,
        shared_libs=tuple(options.shared_libs),
        checked=True,
        callbacks=callbacks or {},
        optimize=options.optimize,
        threads=options.threads,
    )
    return Program(private_copy(module), settings)
