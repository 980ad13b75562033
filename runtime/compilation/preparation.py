"""What precedes all steps of a compilation: a source that can be compiled for the host, and its signatures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

from mlir import ir

from ...passes.analysis.ir.traversal import first_op
from ...passes.dispatch.rewriting.host_memory import to_default_space
from ...passes.framework.attribute_checks import drop_results_of_passes
from ...passes.framework.diagnostics import located
from ...passes.framework.entered_context import entered
from ...passes.framework.errors import PassError
from ...passes.pipeline.pipeline import Pipeline, run_pipeline
from ..interface.boundary import entry_functions
from ..interface.dtypes import UnsupportedTypeError
from ..interface.signature import Signature
from ..interface.signature_reading import NameOf, name_in_location, read_signature
from .settings import Settings
from .type_limits import require_host_layout, require_possible_types

__all__ = ["Prepared", "prepare"]

_NOTHING = "builtin.module()"


class Prepared(NamedTuple):
    """A source without dispatch ops, how to compile it, and its entry points by name.

    `unsupported` has the errors of those with types that cannot cross the boundary.
    """

    source: ir.Module
    settings: Settings
    signatures: Mapping[str, Signature]
    unsupported: Mapping[str, UnsupportedTypeError]


def prepare(
    source: ir.Module, settings: Settings, *, verified: bool = False, name_of: NameOf = name_in_location
) -> Prepared:
    """Check `source`, which is the caller's to give away, and read its signatures.

    Raises `PassError` for what cannot be compiled for the host.
    """
    if not settings.ranks:
        _refuse_messages(source.operation)
    # Verifies the attributes that are read here, and the IR unless the parser has verified it.
    run_pipeline(source, _NOTHING, verify_each=not verified)
    require_host_layout(source.operation)
    is_lowered_here = settings.pipeline is None
    if require_possible_types(source.operation, lowered_here=is_lowered_here) and is_lowered_here:
        to_default_space(source.operation)  # The host has one memory space; a pipeline may still use others before.
    finished = False
    with entered(source.context):
        drop_results_of_passes(source.operation)
        if source.context.is_dialect_loaded("dispatch"):
            from .dispatch_functions import lower_dispatch_functions

            source, finished = lower_dispatch_functions(source, settings.pipeline)
    if finished:
        settings = replace(settings, pipeline=Pipeline.parse(_NOTHING))
    with entered(source.context):
        return Prepared(source, settings, *_read_signatures(source, name_of))


def _refuse_messages(module: ir.Operation) -> None:
    """Refuse a program of several ranks, which is one where it is compiled with a communicator."""
    loaded = [name for name in ("mpi", "shard") if module.context.is_dialect_loaded(name)]
    prefixes = tuple(f"{name}." for name in loaded)
    found = first_op(module, lambda op: op.name.startswith(prefixes)) if prefixes else None
    if found is not None:
        what = "it sends messages to other ranks" if found.name.startswith("mpi.") else "it is for the ranks of a grid"
        advice = f"{what}; compile it with comm=MPI.COMM_WORLD of mpi4py, or run it: mpiexec -n N inplace-run --grid …"
        raise PassError(located(found.location, f"'{found.name}': {advice}"))


def _read_signatures(
    module: ir.Module, name_of: NameOf
) -> tuple[dict[str, Signature], dict[str, UnsupportedTypeError]]:
    signatures: dict[str, Signature] = {}
    unsupported: dict[str, UnsupportedTypeError] = {}
    for name, function in entry_functions(module.operation).items():
        try:
            signatures[name] = read_signature(function, name_of)
        except UnsupportedTypeError as error:
            # Other functions can still be called; looking up this one raises the error.
            unsupported[name] = error
    return signatures, unsupported
