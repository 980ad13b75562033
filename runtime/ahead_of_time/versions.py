"""Versions of a program in one module: lowered one by one, for each processor, with symbols of their own."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from mlir import ir

from ...dialects.support.frozen_classes import frozen
from ..compilation.settings import Settings
from ..compilation.steps import lower_module
from ..interface.forms import Form
from ..interface.signature import Signature
from ..memory.pool_code import SHARED_POOL
from ..native.guard_code import OTHER_KEYS, NativeAllocator
from ..native.guarded_entries import guard_entries
from ..native.library_names import native_name
from ..native.packed_entries import ENTRY_PREFIX
from .interface import Errors
from .library_code import text_symbol
from .targets import NATIVE, Target, set_target

__all__ = ["Version", "add_version", "definitions", "move_definitions"]

_PLAIN = re.compile(r"[A-Za-z_][\w$.]*", re.ASCII)
"""Symbols that text names without quotes."""
_MESSAGE = "inplace_message_"
"""How the constants are called that are texts of failed assertions."""


@frozen
class Version:
    """One version of a program: for a processor, and for contiguous arrays or any strides.

    `entries` are the symbols of the entry points by name, `guarded` says whether calls of any may be given up, and
    `pooled` whether it uses the pool of the library.
    """

    target: Target
    forms: Mapping[str, Form]
    entries: Mapping[str, str]
    owns_results: bool
    guarded: bool
    pooled: bool


def add_version(
    into: ir.Module,
    source: ir.Module,
    signatures: Mapping[str, Signature],
    settings: Settings,
    target: Target,
    *,
    contiguous: bool,
    prefix: str,
    errors: Errors,
) -> Version:
    """Lower `source`, which is not changed, and move the code into the module `into`.

    Texts of assertions become errors of the library. Raises `PassError` if a pass refuses the program.
    """
    machine = target.machine(settings.machine)
    own = replace(settings, machine=machine)
    lowered = lower_module(source, signatures, own, contiguous=contiguous, entry_sizes=False)
    module = lowered.module.operation
    entries = {name: ENTRY_PREFIX + native_name(name) for name in lowered.forms}
    allocator = SHARED_POOL if lowered.pooled else NativeAllocator()
    guarded = guard_entries(lowered.module, map(native_name, lowered.forms), allocator, OTHER_KEYS)
    suffix = f"{prefix}.{target.name.replace('-', '_')}.{'contiguous' if contiguous else 'strided'}"
    renamed: dict[str, str] = {}
    for op in definitions(module):
        old = ir.StringAttr(op.attributes["sym_name"]).value
        if old.startswith(_MESSAGE):
            text = ir.StringAttr(op.attributes["value"]).value_bytes[:-1].decode(errors="replace")
            new = text_symbol(prefix, errors.add(f"assertion_{len(errors.texts)}", text))
            _rename(module, old, new)
            op.erase()
            continue
        plain = old if _PLAIN.fullmatch(old) else str(len(renamed))
        renamed[old] = new = f"{suffix}.{plain}"
        _rename(module, old, new)
        ir.SymbolTable.set_symbol_name(op, new)
        op.attributes["linkage"] = ir.Attribute.parse("#llvm.linkage<internal>")
        if op.name == "llvm.func":
            if old in entries.values():
                op.attributes["no_inline"] = ir.UnitAttr.get()
            if target.name != NATIVE:
                set_target(op, target.name)
    move_definitions(lowered.module, into)
    return Version(
        target,
        lowered.forms,
        {name: renamed[symbol] for name, symbol in entries.items()},
        lowered.owns_results,
        guarded,
        lowered.pooled,
    )


def definitions(module: ir.Operation) -> list[ir.Operation]:
    """The functions with a body and the globals of a module in the LLVM dialect that have a symbol."""
    found = [op.operation for op in module.regions[0].blocks[0].operations]
    return [op for op in found if "sym_name" in op.attributes and not _is_declaration(op)]


def _is_declaration(op: ir.Operation) -> bool:
    if op.name == "llvm.mlir.global":
        return "value" not in op.attributes and not len(op.regions[0].blocks)
    return not len(op.regions[0].blocks)


def _rename(module: ir.Operation, old: str, new: str) -> None:
    ir.SymbolTable.replace_all_symbol_uses(old, new, module)


def move_definitions(source: ir.Module, into: ir.Module) -> None:
    """Move all operations of `source` behind those of `into`; what is declared there already is left out."""
    known = {
        ir.StringAttr(op.operation.attributes["sym_name"]).value
        for op in into.body.operations
        if "sym_name" in op.operation.attributes
    }
    for op in [op.operation for op in source.body.operations]:
        if "sym_name" in op.attributes and ir.StringAttr(op.attributes["sym_name"]).value in known:
            continue
        op.detach_from_parent()
        into.body.append(op)
