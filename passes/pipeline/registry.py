"""Which passes there are: the built-in ones and those that other distributions bring.

A pass is imported when it is first needed, so that a pipeline pays for the passes it names and for no others. Another
distribution adds passes through the entry-point group `mlir_inplace.passes`, the entry's name being the argument:

    [project.entry-points."mlir_inplace.passes"]
    inplace-my-pass = "my_package.my_pass:MyPass"

Two owners of one argument are an error that names both: which of them should run is not ours to guess.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from ..framework.base import Pass
from ..framework.errors import RegistryError, nearest

ENTRY_POINT_GROUP = "mlir_inplace.passes"

BUILT_IN: Mapping[str, tuple[str, str]] = {
    "inplace-branch-on-selects": ("scheduling.branch_on_selects", "BranchOnSelectsPass"),
    "inplace-canonicalize": ("cleanup.canonicalize", "CanonicalizePass"),
    "inplace-contiguous-arguments": ("functions.contiguous_arguments", "ContiguousArgumentsPass"),
    "inplace-convert-bf16-to-i16": ("numerics.convert_bf16_to_i16", "ConvertBf16ToI16Pass"),
    "inplace-convert-to-destination-style": (
        "destinations.convert_to_destination_style",
        "ConvertToDestinationStylePass",
    ),
    "inplace-count-memory": ("buffers.count_memory", "CountMemoryPass"),
    "inplace-deallocate": ("buffers.deallocate", "DeallocatePass"),
    "inplace-distribute": ("scheduling.distribute", "DistributePass"),
    "inplace-drop-equivalent-results": ("functions.drop_equivalent_results", "DropEquivalentResultsPass"),
    "inplace-eliminate-empty-tensors": ("destinations.eliminate_empty_tensors", "EliminateEmptyTensorsPass"),
    "inplace-expand-classifications": ("numerics.expand_classifications", "ExpandClassificationsPass"),
    "inplace-expand-clones": ("buffers.expand_clones", "ExpandClonesPass"),
    "inplace-expand-expm1": ("numerics.expand_expm1", "ExpandExpm1Pass"),
    "inplace-expand-poison": ("buffers.expand_poison", "ExpandPoisonPass"),
    "inplace-expand-small-floats": ("numerics.expand_small_floats", "ExpandSmallFloatsPass"),
    "inplace-expand-strided-copies": ("buffers.expand_strided_copies", "ExpandStridedCopiesPass"),
    "inplace-expand-truncations": ("numerics.expand_truncations", "ExpandTruncationsPass"),
    "inplace-extend-fma": ("numerics.extend_fma", "ExtendFmaPass"),
    "inplace-fence-streams": ("caches.fence_streams", "FenceStreamsPass"),
    "inplace-fuse": ("scheduling.fuse", "FusePass"),
    "inplace-hoist-allocations": ("buffers.hoist_allocations", "HoistAllocationsPass"),
    "inplace-keep-roundings": ("numerics.keep_roundings", "KeepRoundingsPass"),
    "inplace-lower-dispatch": ("dispatch.lower_dispatch", "LowerDispatchPass"),
    "inplace-mark-kernels": ("kernels.mark_kernels", "MarkKernelsPass"),
    "inplace-nontemporal-stores": ("caches.nontemporal_stores", "NontemporalStoresPass"),
    "inplace-one-shot-bufferize": ("bufferization.one_shot_bufferize", "OneShotBufferizePass"),
    "inplace-outline-kernels": ("kernels.outline_kernels", "OutlineKernelsPass"),
    "inplace-pack": ("scheduling.pack", "PackPass"),
    "inplace-ping-pong": ("scheduling.ping_pong", "PingPongPass"),
    "inplace-plan-bufferize": ("bufferization.plan_bufferize", "PlanBufferizePass"),
    "inplace-prefetch-rows": ("caches.prefetch_rows", "PrefetchRowsPass"),
    "inplace-print-destructive-updates": (
        "destructive_updates.print_destructive_updates",
        "PrintDestructiveUpdatesPass",
    ),
    "inplace-promote-bindings": ("dispatch.promote_bindings", "PromoteBindingsPass"),
    "inplace-raise-assertions": ("functions.raise_assertions", "RaiseAssertionsPass"),
    "inplace-remove-outs-dependency": ("destinations.remove_outs_dependency", "RemoveOutsDependencyPass"),
    "inplace-results-to-out-params": ("functions.results_to_out_params", "ResultsToOutParamsPass"),
    "inplace-rewrite-destructive-updates": (
        "destructive_updates.rewrite_destructive_updates",
        "RewriteDestructiveUpdatesPass",
    ),
    "inplace-schedule": ("scheduling.schedule", "SchedulePass"),
    "inplace-skew-time": ("scheduling.skew_time", "SkewTimePass"),
    "inplace-tabulate-calls": ("kernels.tabulate_calls", "TabulateCallsPass"),
    "inplace-tile": ("scheduling.tile", "TilePass"),
    "inplace-transpose-operands": ("scheduling.transpose_operands", "TransposeOperandsPass"),
    "inplace-unpack-vector-memory": ("numerics.unpack_vector_memory", "UnpackVectorMemoryPass"),
    "inplace-vector-math": ("vectorization.vector_math", "VectorMathPass"),
    "inplace-vectorize": ("vectorization.vectorize", "VectorizePass"),
    "inplace-verify-bufferization": ("verification.verify_bufferization", "VerifyBufferizationPass"),
    "inplace-widen-operands": ("scheduling.widen_operands", "WidenOperandsPass"),
}
"""Argument -> (module below `passes`, class). The module is family.name, the name the argument without prefix."""

_OWN_NAME = "mlir-inplace"


@dataclass
class _Entry:
    """A known pass that may not be imported yet: `target` is `module:class`."""

    owner: str
    target: str
    loaded: type[Pass[Any]] | None = field(default=None)


class Registry:
    """The passes that pipelines can name; `registry` is the one in use, tests make their own.

    Args:
        built_in: argument -> (module below `mlir_inplace.passes`, class name).
        group: the entry-point group to read further passes from; None for none. It is read on first use.
    """

    def __init__(
        self, built_in: Mapping[str, tuple[str, str]] | None = None, *, group: str | None = ENTRY_POINT_GROUP
    ) -> None:
        package = __name__.rsplit(".", 2)[0]
        self._group = group
        self._entries = {
            argument: _Entry(_OWN_NAME, f"{package}.{module}:{name}")
            for argument, (module, name) in (built_in or {}).items()
        }

    def register(self, cls: type[Pass[Any]], owner: str) -> None:
        """Adds a pass class; raises `RegistryError` when its argument is taken by another class."""
        target = f"{cls.__module__}:{cls.__qualname__}"
        self._add(cls.argument, _Entry(owner, target, cls))

    def arguments(self) -> tuple[str, ...]:
        """Every known argument, built-in ones first, each group in the order it was declared."""
        self._read_entry_points()
        return tuple(self._entries)

    def __contains__(self, argument: str) -> bool:
        self._read_entry_points()
        return argument in self._entries

    def get(self, argument: str) -> type[Pass[Any]]:
        """The class of `argument`, imported if need be; raises `RegistryError` when unknown or not loadable."""
        self._read_entry_points()
        entry = self._entries.get(argument)
        if entry is None:
            raise RegistryError(f"unknown pass '{argument}'{nearest(argument, self._entries)}")
        if entry.loaded is None:
            entry.loaded = _load(argument, entry)
        return entry.loaded

    def passes(self) -> Iterable[type[Pass[Any]]]:
        """Every pass class, all imported; raises `RegistryError` as `get` does."""
        return [self.get(argument) for argument in self.arguments()]

    def loadable(self) -> Iterable[type[Pass[Any]] | RegistryError]:
        """Every pass class, all imported, or what is wrong with one that cannot be loaded."""
        for argument in self.arguments():
            try:
                yield self.get(argument)
            except RegistryError as error:
                yield error

    def owner(self, argument: str) -> str:
        """The name of the distribution that brings a known pass."""
        return self._entries[argument].owner

    def _read_entry_points(self) -> None:
        if self._group is None:
            return
        found = entry_points(group=self._group)
        self._group = None
        for point in found:
            self._add(point.name, _Entry(_distribution(point), point.value))

    def _add(self, argument: str, entry: _Entry) -> None:
        known = self._entries.setdefault(argument, entry)
        # The same installation can be listed twice (an editable one beside its build); that is no clash.
        if (known.owner, known.target) != (entry.owner, entry.target):
            raise RegistryError(
                f"pass '{argument}' has two owners: {known.owner} ({known.target}) and {entry.owner} ({entry.target});"
                " uninstall one of them"
            )


def _distribution(point: EntryPoint) -> str:
    return point.dist.name if point.dist else "an unnamed distribution"


def _load(argument: str, entry: _Entry) -> type[Pass[Any]]:
    """Imports a pass class and checks that it is what its entry promises."""
    module_name, _, class_name = entry.target.partition(":")
    try:
        cls = getattr(importlib.import_module(module_name), class_name)
    except (ImportError, AttributeError) as error:
        raise RegistryError(f"pass '{argument}' of {entry.owner} cannot be loaded: {error}") from error
    except Exception as error:  # Anything may go wrong in somebody else's module.
        found = f"{type(error).__name__}: {error}"
        raise RegistryError(f"pass '{argument}' of {entry.owner} cannot be loaded: {found}") from error
    if not (isinstance(cls, type) and issubclass(cls, Pass)):
        raise RegistryError(f"pass '{argument}' of {entry.owner} is no Pass class: {entry.target}")
    if cls.argument != argument:
        raise RegistryError(f"pass '{argument}' of {entry.owner} calls itself '{cls.argument}' ({entry.target})")
    return cls


registry = Registry(BUILT_IN)
"""The registry that `run_pipeline` and the tools use unless they are given another."""
