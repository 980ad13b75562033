"""The registry of passes: the built-in ones and those of other distributions.

A pass is imported when it is first needed, so that a pipeline pays for the passes it names and for no others. Another
distribution adds passes through the entry-point group `mlir_inplace.passes`, the entry's name being the argument:

    [project.entry-points."mlir_inplace.passes"]
    inplace-my-pass = "my_package.my_pass:MyPass"

Two owners of one argument are an error that names both: which of them should run is not ours to guess. `register_pass`
adds a pass that only this process knows.
"""

from __future__ import annotations

import importlib
import inspect
import re
from collections.abc import Iterable, Mapping
from dataclasses import field
from typing import TYPE_CHECKING, Any, TypeVar

from ...dialects.support.frozen_classes import record
from ...dialects.support.plugins import entry_points
from ..framework.base import Pass
from ..framework.errors import RegistryError, nearest
from ..framework.options import PassOptions
from ..framework.upstream import find_problem

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

PassClass = TypeVar("PassClass", bound=type[Pass[Any]])

ENTRY_POINT_GROUP = "mlir_inplace.passes"

FAMILIES = {
    "bufferization": "explain one-shot-bufferize plan-bufferize",
    "buffers": (
        "count-memory deallocate expand-clones expand-poison expand-strided-copies hoist-allocations plan-memory"
    ),
    "caches": "fence-streams nontemporal-stores prefetch-panels prefetch-rows",
    "cleanup": "canonicalize",
    "destinations": (
        "convert-to-destination-style detach-inits eliminate-empty-tensors move-reads remove-outs-dependency"
    ),
    "destructive_updates": "print-destructive-updates rewrite-destructive-updates",
    "dispatch": "lower-dispatch promote-bindings",
    "functions": (
        "check-accesses check-divisions contiguous-arguments drop-equivalent-results expand-memref-arguments "
        "raise-assertions results-to-out-params"
    ),
    "kernels": "mark-kernels outline-groups outline-kernels outline-layers tabulate-calls",
    "message_passing": "exchange-in-turn keep-waits lower-mpi overlap-messages receive-in-place",
    "numerics": (
        "convert-bf16-to-i16 expand-bf16-extremes expand-classifications expand-expm1 expand-small-floats "
        "expand-truncations extend-fma keep-roundings unpack-vector-memory"
    ),
    "scheduling": (
        "balance-threads branch-on-selects channels-last compact-slices distribute fuse pack pack-weights ping-pong "
        "schedule serialize-reductions skew-time tile transpose-operands unfold-windows widen-operands"
    ),
    "sharding": "pack-messages shard",
    "stablehlo": (
        "erase-signedness fold-index-bounds inline-scalar-generics lower-hlo-branches "
        "lower-hlo-factorizations lower-hlo-fft lower-hlo-loops lower-hlo-scatter lower-hlo-sort lower-hlo-top-k "
        "lower-hlo-windows refuse-hlo saturate-conversions simplify-hlo widen-product-results "
        "widen-unsigned-operands"
    ),
    "vectorization": "keep-loops vector-math vectorize vectorize-sorts",
}
"""The passes of each family: `count-memory` of `buffers` is `CountMemoryPass` in `buffers/count_memory.py`."""


def _target(family: str, name: str) -> tuple[str, str]:
    return f"{family}.{name.replace('-', '_')}", "".join(map(str.capitalize, name.split("-"))) + "Pass"


_TARGETS = {f"inplace-{name}": _target(family, name) for family, names in FAMILIES.items() for name in names.split()}

BUILT_IN: Mapping[str, tuple[str, str]] = dict(sorted(_TARGETS.items()))
"""Argument -> (module below `passes`, class), in alphabetical order."""

_OWN_NAME = "mlir-inplace"


@record
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
        self._entries[cls.argument].loaded = cls  # A cell of a notebook that is run again has a new class.

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
                " rename or uninstall one of them"
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
    except Exception as error:  # A third party's module may raise anything.
        found = f"{type(error).__name__}: {error}"
        raise RegistryError(f"pass '{argument}' of {entry.owner} cannot be loaded: {found}") from error
    if not (isinstance(cls, type) and issubclass(cls, Pass)):
        raise RegistryError(f"pass '{argument}' of {entry.owner} is no Pass class: {entry.target}")
    if cls.argument != argument:
        raise RegistryError(f"pass '{argument}' of {entry.owner} calls itself '{cls.argument}' ({entry.target})")
    return cls


registry = Registry(BUILT_IN)
"""The registry that `run_pipeline` and the tools use unless they are given another."""


_ARGUMENT = re.compile(r"[A-Za-z_][\w.-]*")


def register_pass(cls: PassClass) -> PassClass:
    """Adds a pass to the pipelines of this process, under its `argument`; a decorator of the class.

        @mi.register_pass
        class CountAllocationsPass(mi.Pass):
            argument = "my-count-allocations"
            summary = "count allocations"

            def run(self, op: ir.Operation) -> None:
                ...

        mi.run_pipeline(module, "builtin.module(inplace-one-shot-bufferize,my-count-allocations,canonicalize)")

    A class of the same module and name takes the place of an earlier one. For the command-line tools, a package names
    its passes in an entry point instead.

    Raises `TypeError` for a class that is no complete pass, and `RegistryError` if another pass, ours, upstream's or a
    package's, has the argument.
    """
    _check_class(cls)
    if (problem := find_problem("any", cls.argument)) is None or not problem.unknown:
        raise RegistryError(f"pass '{cls.argument}' is one of upstream's; choose another argument")
    registry.arguments()  # Reads the entry points, so that a clash is found now.
    registry.register(cls, cls.__module__)
    return cls


def _check_class(cls: Any) -> None:
    if not (isinstance(cls, type) and issubclass(cls, Pass)):
        raise TypeError(f"expected a class derived from Pass, got {cls!r:.60}")
    _check_declarations(cls)


def _check_declarations(cls: type[Pass[Any]]) -> None:
    for name in ("argument", "summary"):
        if not isinstance(getattr(cls, name, None), str):
            raise TypeError(f"{cls.__qualname__} needs a class attribute '{name}', a string")
    if not _ARGUMENT.fullmatch(cls.argument):
        raise TypeError(f"{cls.__qualname__}.argument is {cls.argument!r}, but must be letters, digits and hyphens")
    if inspect.isabstract(cls):
        raise TypeError(f"{cls.__qualname__} needs a method run(self, op)")
    options: object = cls.Options
    if not (isinstance(options, type) and issubclass(options, PassOptions)):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise TypeError(f"{cls.__qualname__}.Options must be a class derived from PassOptions, got {options!r:.60}")
    options.specs()  # raises TypeError for a field that is no option
