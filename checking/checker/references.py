"""References: versions of the program that copy before every write, and the NumPy evaluator.

A copy before every write rules out wrong in-place decisions. Upstream's bufferization comes first, since it shares no
code with ours; ours serves where upstream refuses. Neither frees memory, so that deallocation cannot be wrong, and both
stop at accesses out of bounds.
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
from ...runtime.compilation.program import Program
from ...runtime.compilation.settings import Settings
from ...runtime.interface.signature import Signature
from ...runtime.source import private_copy
from ..evaluator import Evaluator
from .isolation import isolated
from .options import Options
from .outcomes import FILLS, Expected, Given, expected, run_filled

_UPSTREAM = "one-shot-bufferize{copy-before-write=true bufferize-function-boundaries=true}"
_OURS = "inplace-one-shot-bufferize{copy-before-write=true bufferize-function-boundaries=true}"
_SHAPES = "func.func(convert-shape-constraints)"

_OWN_ROUTE = 2
"""The first route with this project's bufferization."""

ROUTES: tuple[tuple[str, str], ...] = (
    ("upstream's bufferization with a copy before every write", f"{_UPSTREAM},{_SHAPES}"),
    (
        "upstream's bufferization with a copy before every write",
        f"func.func(inplace-branch-on-selects,convert-elementwise-to-linalg),{_UPSTREAM},{_SHAPES}",
    ),
    ("this project's bufferization with a copy before every write", f"{_OURS},{_SHAPES}"),
)
"""Compiled references, best first: their titles in reports, and their passes."""


class Reference(Protocol):
    """Computes the expected outcome of a call."""

    @property
    def title(self) -> str:
        """Its name in reports."""
        ...

    def run(self, name: str, arguments: Sequence[Any]) -> Expected:
        """The expected outcome of function `name` for arguments, which are not changed; raises if it rejects them."""
        ...


@dataclass(frozen=True)
class CompiledReference:
    """A reference by one of the `ROUTES`. `seconds`: run each call in a child process, with this time limit."""

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
    """The evaluator as a reference, which shares neither compiler nor op models with the checked program."""

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
    """Whether calls may have effects on later ones, through globals that the program writes."""

    def writes_state(op: ir.Operation) -> bool:
        stores = op.name in ("ml_program.global_store", "ml_program.global_store_graph")
        return stores or (op.name == "memref.global" and "constant" not in op.attributes)

    return first_op(module, writes_state) is not None


def routes(options: Options, *, stateful: bool) -> range:
    """The numbers of the routes to try, best first: upstream's lose the order of stores to globals and loads."""
    return range(max(options.first_route, _OWN_ROUTE if stateful else 0), len(ROUTES))


def compile_checked(module: ir.Module, options: Options, callbacks: Mapping[str, Any] | None = None) -> Program:
    """The program to be checked; raises what `mlir_inplace.compile` raises.

    It is compiled for several threads, but runs on one, since memory is counted.
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
