"""A module in the LLVM dialect in two parts of equal size, which two threads compile at once.

LLVM takes a third of a compilation. What `inplace-outline-kernels` and its like have made are functions of their own,
which LLVM inlines nowhere: half of them are compiled elsewhere, and their code is what it would be in one module. Each
part declares what the other one defines; `LoadedObject` brings them together. Constants that both read are in both.

Each part is in a context of its own, where nothing else happens while Python's lock is free. Linear.
"""

from __future__ import annotations

import io
import os
import threading
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from mlir import ir

from ...dialects.support.frozen_classes import frozen
from ...passes.framework.entered_context import empty_context
from .engine import CheckedCode
from .loaded_object import LoadedObject
from .object_code import compiles_without_lock, object_code

__all__ = ["FEWEST_OPS", "compiled_in_parts", "copied_to", "make_visible"]

FEWEST_OPS = 2000
"""A module of fewer is compiled as it is: another context, and the way there, take as long as 500."""

_FUNCTION, _GLOBAL = "llvm.func", "llvm.mlir.global"
_OURS = "inplace_"
"""How names of functions begin that may be seen by the other part: LLVM takes a visible `exp` for the library's."""
_UNKNOWN = ""
_REFERENCES = {
    "llvm.call": "callee",
    "llvm.mlir.addressof": "global_name",
    "llvm.invoke": _UNKNOWN,
    "llvm.blockaddress": _UNKNOWN,
    "llvm.dso_local_equivalent": _UNKNOWN,
}
"""By op that refers to a symbol: the attribute that has its name."""


@frozen
class _Symbol:
    """A function or global of the module.

    Attributes:
        name: of the symbol.
        op: which defines or declares it.
        size: how many ops are in it.
        is_local: whether only this module sees it.
        uses: the names of the symbols that it refers to; None if that is not known.
    """

    name: str
    op: ir.Operation
    size: int
    is_local: bool
    uses: frozenset[str] | None

    @property
    def is_defined(self) -> bool:
        """Whether the module defines it; otherwise it is in the process or in a library."""
        return self.size > 0 or (self.op.name == _GLOBAL and (self.is_local or "value" in self.op.attributes))

    @property
    def is_copied(self) -> bool:
        """Whether each part may have one: it is a constant."""
        return self.op.name == _GLOBAL and self.is_local and "constant" in self.op.attributes and not self.uses

    @property
    def may_be_seen(self) -> bool:
        """Whether the other part may refer to it."""
        return not self.is_local or self.name.startswith(_OURS)

    @property
    def is_kernel(self) -> bool:
        """Whether it is a function that is inlined nowhere, and has a name of ours."""
        return (
            self.op.name == _FUNCTION
            and self.size > 0
            and self.uses is not None
            and self.is_local
            and self.may_be_seen
            and "no_inline" in self.op.attributes
        )


def compiled_in_parts(
    module: ir.Module, opt_level: int, shared_libs: Sequence[str], callbacks: Mapping[str, Any]
) -> LoadedObject | None:
    """Compile a module on two threads; None if it is not to be divided.

    The arguments are those of `Engine`, and so are the exceptions until it is divided. Afterwards the module lacks what
    is in the other part, and `UnsupportedObjectError` is raised if the code cannot be made or loaded.
    """
    if not compiles_without_lock() or len(os.sched_getaffinity(0)) < 2:
        return None
    symbols = _symbols(module)
    second = _second_part(symbols)
    if not second:
        return None
    checked = CheckedCode(module, shared_libs, callbacks)
    if checked.has_assembly:
        return None  # What is wrong with it, only `Engine` finds out.
    parts = [_Part(*part) for part in _divide(module, symbols, second)]
    codes: list[bytes | None] = [None] * len(parts)

    def compile_part(number: int) -> None:
        codes[number] = parts[number].code(opt_level, shared_libs, callbacks)

    other = threading.Thread(target=compile_part, args=(1,), name="inplace-compile")
    other.start()
    try:
        compile_part(0)
    finally:
        other.join()
    return LoadedObject([code or b"" for code in codes], checked.libraries, callbacks)


class _Part:
    """A module copied into a context of its own, and what it declares that the other part defines."""

    def __init__(self, module: ir.Module, undefined: Sequence[str]) -> None:
        self._module = copied_to(empty_context(), module)
        self._undefined = undefined

    def code(self, opt_level: int, shared_libs: Sequence[str], callbacks: Iterable[str]) -> bytes | None:
        return object_code(self._module, opt_level, shared_libs, (*self._undefined, *callbacks))


def copied_to(context: ir.Context, module: ir.Module) -> ir.Module:
    """A copy of a module in another context."""
    text = io.BytesIO()
    module.operation.write_bytecode(text)
    with context:
        return ir.Module.parse(text.getvalue())


def _symbols(module: ir.Module) -> dict[str, _Symbol]:
    """What the module defines and declares, by name; nothing if it has anything else."""
    found: dict[str, _Symbol] = {}
    for view in module.body.operations:
        op = view.operation
        if op.name not in (_FUNCTION, _GLOBAL):
            return {}
        linkage = str(op.attributes["linkage"])
        uses, size = _uses_and_size(op)
        name = ir.StringAttr(op.attributes["sym_name"]).value
        found[name] = _Symbol(name, op, size, "internal" in linkage or "private" in linkage, uses)
    return found


def _uses_and_size(op: ir.Operation) -> tuple[frozenset[str] | None, int]:
    uses: set[str] = set()
    size, known, advance = -1, True, ir.WalkResult.ADVANCE  # `op` itself does not count.

    def visit(inner: ir.Operation) -> ir.WalkResult:
        nonlocal size, known
        size += 1
        attribute = _REFERENCES.get(inner.name)
        if attribute is None:
            return advance
        known = known and attribute != _UNKNOWN
        if attribute in inner.attributes:  # An indirect call has none.
            uses.add(ir.FlatSymbolRefAttr(inner.attributes[attribute]).value)
        return advance

    op.walk(visit)
    return frozenset(uses) if known else None, size


def _second_part(symbols: Mapping[str, _Symbol]) -> frozenset[str]:
    """The kernels that are compiled apart, with about half of all ops; none if the module is small."""
    total = sum(symbol.size for symbol in symbols.values())
    movable = [symbol for symbol in symbols.values() if symbol.is_kernel and _may_move(symbol, symbols)]
    if total < FEWEST_OPS:
        return frozenset()
    chosen: set[str] = set()
    apart, here = 0, total - sum(symbol.size for symbol in movable)
    for symbol in sorted(movable, key=lambda symbol: -symbol.size):
        if apart < here:
            apart += symbol.size
            chosen.add(symbol.name)
        else:
            here += symbol.size
    return frozenset(chosen)


def _may_move(kernel: _Symbol, symbols: Mapping[str, _Symbol]) -> bool:
    """Whether nothing that `kernel` refers to is inlined into it, or cannot be seen by another part."""
    return all(
        not one.is_defined
        or one.is_copied
        or (one.may_be_seen and (one.op.name == _GLOBAL or "no_inline" in one.op.attributes))
        for one in (symbols[name] for name in kernel.uses or ())
    )


def _divide(
    module: ir.Module, symbols: Mapping[str, _Symbol], second: frozenset[str]
) -> list[tuple[ir.Module, list[str]]]:
    """Both parts, and what each declares that the other one defines; `module` is the first one."""
    with module.context, ir.Location.unknown():
        other = ir.Module.create()
        for attribute in module.operation.attributes:
            other.operation.attributes[attribute] = module.operation.attributes[attribute]
        needed = sorted({name for kernel in second for name in symbols[kernel].uses or ()} - second)
        for symbol in map(symbols.__getitem__, needed):
            if symbol.is_copied or not symbol.is_defined:
                other.body.append(symbol.op.clone())
            else:
                other.body.append(_declaration(symbol.op))
                make_visible(symbol.op)
        for symbol in map(symbols.__getitem__, sorted(second)):
            module.body.append(_declaration(symbol.op))
            symbol.op.detach_from_parent()
            other.body.append(symbol.op)
            make_visible(symbol.op)
    undefined = [name for name in needed if symbols[name].is_defined and not symbols[name].is_copied]
    return [(module, sorted(second)), (other, undefined)]


def _declaration(op: ir.Operation) -> ir.Operation:
    """A declaration of what `op` defines."""
    attributes = {name: op.attributes[name] for name in op.attributes if name not in ("value", "visibility_")}
    declared = ir.Operation.create(op.name, attributes=attributes, regions=len(op.regions), loc=op.location)
    make_visible(declared)
    return declared


def make_visible(op: ir.Operation) -> None:
    """Let other parts see a function or global of the LLVM dialect."""
    op.attributes["linkage"] = ir.Attribute.parse("#llvm.linkage<external>")
