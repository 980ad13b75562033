"""From a program to the object file of a library, whose functions C calls.

The module in the LLVM dialect has, for each processor, a version of the program; a C function for each entry point,
which checks what it is given; and what these need at run time. The JIT makes machine code of it that may be loaded
anywhere, which is never run here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from typing import Any

import numpy as np
from mlir import ir

from ...dialects.support.frozen_classes import frozen
from ...passes.framework.contract import MESSAGE_TABLE
from ...passes.framework.entered_context import entered
from ...passes.framework.errors import PassError
from ...passes.framework.shard_attributes import read_grid
from ..compilation.preparation import Prepared
from ..interface.forms import Form
from ..memory.pool_code import OWN_POOL, RELEASE, SHARED_POOL
from ..native.engine import MOST_ELEMENTS, Engine
from ..native.linking import link
from ..native.packed_entries import ENTRY_PREFIX
from ..native.shorthand import declaration
from .cpu_code import version_function
from .entry_code import NativeEntry, entry_function, held_symbol
from .interface import CFunction, Errors, c_functions
from .library_code import cpu_function, error_function, message_function, run_function
from .message_code import TABLE_KIND, MessageErrors, Messages, link_library_messages
from .symbols import hide_symbols
from .targets import LEVELS, Target, set_target
from .thread_keys import key_functions
from .versions import Version, add_version, definitions

__all__ = ["Library", "Wanted", "common_forms", "compile_library", "require_same_results"]

Weights = Mapping[str, Mapping[int, "np.ndarray[Any, Any]"]]
"""Arrays that the library holds itself, by entry point and the number of the argument."""


@frozen
class Wanted:
    """What a library is to have.

    Attributes:
        prefix: what the names of all its functions and types begin with, an identifier of C.
        targets: the processors, lower levels first.
        any_strides: whether arrays may have any strides, for which there is code of its own then.
        weights: arrays that it holds itself.
    """

    prefix: str
    targets: Sequence[Target]
    any_strides: bool = False
    weights: Weights = field(default_factory=dict)


@frozen
class Library:
    """A compiled library.

    Attributes:
        code: its object file.
        functions: the C functions.
        forms: for contiguous arrays (True) and other strides, the native signature of each entry point.
        owns_results: for the same whether callers free what is returned.
        errors: the texts and names of its errors, by number.
        pooled: whether it keeps large temporaries for later calls.
        guarded: whether calls may be given up where memory is refused.
        messages: what it needs of MPI, if it sends messages to other ranks.
    """

    wanted: Wanted
    code: bytes
    functions: Sequence[CFunction]
    forms: Mapping[bool, Mapping[str, Form]]
    owns_results: Mapping[bool, bool]
    errors: Errors
    pooled: bool
    guarded: bool
    messages: Messages | None = None


def compile_library(program: Prepared, wanted: Wanted) -> Library:
    """Compile the entry points of `program` to an object file.

    Raises `PassError` if a pass refuses the program, or it cannot be a library, and `OSError` if a library that it
    needs cannot be loaded.
    """
    for error in program.unsupported.values():
        raise PassError(f"{error}; leave that function out, or make it private")
    if not program.signatures:
        raise PassError("the program has no entry points; make a function with a body public")
    if program.settings.ranks and wanted.any_strides:
        raise PassError(
            "the program sends messages to other ranks, which must all run the same code, so arrays of any strides are "
            "not for it; leave out --any-strides"
        )
    with entered(program.source.context):
        return _Builder(program, wanted).library()


class _Builder:
    def __init__(self, program: Prepared, wanted: Wanted) -> None:
        self._program = program
        self._wanted = wanted
        self._prefix = wanted.prefix
        self._errors = Errors()
        self._messages: Messages | None = None
        self._module = ir.Module.create(ir.Location.unknown())

    def library(self) -> Library:
        """Build everything."""
        layouts = (True, False) if self._wanted.any_strides else (True,)
        versions = {contiguous: self._versions(contiguous) for contiguous in layouts}
        forms = {contiguous: common_forms([one.forms for one in found]) for contiguous, found in versions.items()}
        require_same_results(forms)
        held = {name: [*arrays] for name, arrays in self._wanted.weights.items()}
        exported = {f"{self._prefix}_message", f"{self._prefix}_cpu"}
        if self._program.settings.ranks:
            exported |= self._add_messages()
        signatures, prefix = self._program.signatures, self._prefix
        functions = c_functions(signatures, forms[True], held, prefix, self._errors, self._whole_of)
        listed = [one for found in versions.values() for one in found]
        pooled, guarded = any(one.pooled for one in listed), any(one.guarded for one in listed)
        if pooled:
            exported.add(self._add_pool())
        self._add_functions(functions, versions, forms, exported)
        exported |= {held_symbol(function, index) for function in functions for index in function.held}
        self._add_weights(functions)
        code = self._object_code(exported)
        owns = {contiguous: found[0].owns_results for contiguous, found in versions.items()}
        return Library(self._wanted, code, functions, forms, owns, self._errors, pooled, guarded, self._messages)

    def _versions(self, contiguous: bool) -> list[Version]:
        program = self._program
        return [
            add_version(
                self._module,
                program.source,
                program.signatures,
                program.settings,
                target,
                contiguous=contiguous,
                prefix=self._prefix,
                errors=self._errors,
            )
            for target in self._wanted.targets
        ]

    def _add_weights(self, functions: Sequence[CFunction]) -> None:
        """Define the arrays that the library holds, which are declared."""
        for function in functions:
            for index, array in self._wanted.weights.get(function.signature.name, {}).items():
                ir.SymbolTable(self._module.operation)[held_symbol(function, index)].operation.erase()
                if array.nbytes > MOST_ELEMENTS:
                    label = f"{function.signature.parameters[index].label} of '{function.signature.name}'"
                    raise PassError(f"{label} holds {array.nbytes} bytes, and a library can hold {MOST_ELEMENTS}")
                content = np.ascontiguousarray(array).tobytes() or b"\0"
                ir.Operation.create(
                    "llvm.mlir.global",
                    attributes={
                        "sym_name": ir.StringAttr.get(held_symbol(function, index)),
                        "global_type": ir.TypeAttr.get(ir.Type.parse(f"!llvm.array<{len(content)} x i8>")),
                        "linkage": ir.Attribute.parse("#llvm.linkage<external>"),
                        "value": ir.StringAttr.get(content),
                        "addr_space": ir.IntegerAttr.get(ir.IntegerType.get_signless(32), 0),
                        "alignment": ir.IntegerAttr.get(ir.IntegerType.get_signless(64), 64),
                        "constant": ir.UnitAttr.get(),
                    },
                    regions=1,
                    loc=ir.Location.unknown(),
                    ip=ir.InsertionPoint(self._module.body),
                )

    def _add_messages(self) -> set[str]:
        """Add what sends messages, in place of declarations; returns the C functions for the header."""
        program, prefix = self._program, self._prefix
        errors = MessageErrors.added_to(self._errors, prefix, read_grid(program.source.operation))
        self._messages, exported = link_library_messages(
            self._module, program.source, program.signatures, errors, prefix
        )
        return exported

    def _whole_of(self, function: str, index: int) -> str:
        shard = self._messages and self._messages.parameter(function, index)
        return shard.whole.spelling if shard else ""

    def _add_pool(self) -> str:
        """Add a pool of the library's own; returns the C function that empties it."""
        release = f"{self._prefix}_release_memory"
        pool = ir.Module.parse(OWN_POOL)
        for op in definitions(pool.operation):
            name = ir.StringAttr(op.attributes["sym_name"]).value
            if name not in (SHARED_POOL.allocate, SHARED_POOL.free):
                new = release if name == RELEASE else f"{self._prefix}.pool.{name}"
                ir.SymbolTable.replace_all_symbol_uses(name, new, pool.operation)
                ir.SymbolTable.set_symbol_name(op, new)
        link(self._module, str(pool))
        return release

    def _add_functions(
        self,
        functions: Sequence[CFunction],
        versions: Mapping[bool, Sequence[Version]],
        forms: Mapping[bool, Mapping[str, Form]],
        exported: set[str],
    ) -> None:
        """Add the C functions, and what they need of the library; their names go to `exported`."""
        prefix, targets = self._prefix, self._wanted.targets
        version, error = f"{prefix}.version" if targets[-1].level else None, f"{prefix}.error"
        guarded = any(one.guarded for found in versions.values() for one in found)
        texts = [*self._declarations(functions, versions), message_function(prefix, self._errors.texts)]
        texts.append(cpu_function(prefix, [target.name for target in targets], version))
        texts.append(error_function(error, prefix, len(self._errors.texts), guarded=guarded))
        if guarded:
            exported.add(f"{prefix}_refused_bytes")
            texts.append(key_functions(f"{prefix}_refused_bytes"))
        texts += [version_function(version, [target.level for target in targets])] if version else []
        for function in functions:
            otherwise, name = None, function.signature.name
            for contiguous, found in sorted(versions.items()):
                run = function.run_symbol(contiguous=contiguous)
                natives = [one.entries[name] for one in found]
                texts.append(run_function(run, prefix, natives, version, guarded=guarded))
                owns, messages = found[0].owns_results, self._messages
                entry = NativeEntry(forms[contiguous][name], run, error, owns, otherwise, messages)
                otherwise = function.name if contiguous else f"{function.name}.otherwise"
                texts.append(entry_function(otherwise, function, entry, external=contiguous))
                exported.add(run)
            exported.add(function.name)
        link(self._module, "\n".join(texts))

    def _declarations(self, functions: Sequence[CFunction], versions: Mapping[bool, Sequence[Version]]) -> list[str]:
        """Declarations of what the C functions refer to."""
        found = [one for listed in versions.values() for one in listed]
        texts = [f"llvm.func @{symbol}(!llvm.ptr) -> i64" for one in found for symbol in one.entries.values()]
        symbols = [held_symbol(function, index) for function in functions for index in sorted(function.held)]
        table = [declaration(MESSAGE_TABLE, TABLE_KIND)] if self._messages else []
        return [
            *texts,
            *table,
            *(f"llvm.mlir.global external constant @{symbol}() : !llvm.array<1 x i8>" for symbol in symbols),
        ]

    def _object_code(self, exported: set[str]) -> bytes:
        """Machine code of the module, of which others see the functions `exported`."""
        has_levels = self._wanted.targets[-1].level > 0
        for op in definitions(self._module.operation):
            if ir.StringAttr(op.attributes["sym_name"]).value not in exported:
                op.attributes["linkage"] = ir.Attribute.parse("#llvm.linkage<internal>")
            if has_levels and op.name == "llvm.func" and "target_cpu" not in op.attributes:
                set_target(op, LEVELS[0])
        settings = self._program.settings
        engine = Engine(self._module, settings.opt_level, settings.shared_libs, pic=True)
        engine.function(f"{self._prefix}_message")
        code = engine.object_code()
        if code is None:
            raise PassError("the bindings in use make no object files")
        return hide_symbols(code, ENTRY_PREFIX)


def common_forms(versions: Sequence[Mapping[str, Form]]) -> dict[str, Form]:
    """The native signatures of entry points that all versions have, with the largest alignment that one asks for.

    Raises `PassError` if they differ otherwise.
    """
    found: dict[str, Form] = {}
    for name in versions[0]:
        first, *others = (forms[name] for forms in versions)
        for other in others:
            aligned = _aligned_like(first, other)
            if aligned != _aligned_like(other, first):
                raise PassError(f"'{name}' takes its arguments differently on different processors; compile for one")
            first = aligned
        found[name] = first
    return found


def _aligned_like(form: Form, other: Form) -> Form:
    """`form` with the alignment of `other` where that is larger."""
    layouts = (
        replace(one, alignment=max(one.alignment, two.alignment)) if one and two else one
        for one, two in zip(form.layouts, other.layouts, strict=True)
    )
    outs = (
        replace(one, alignment=max(one.alignment, two.alignment))
        for one, two in zip(form.outs, other.outs, strict=False)
    )
    return replace(form, layouts=tuple(layouts), outs=tuple(outs))


def require_same_results(forms: Mapping[bool, Mapping[str, Form]]) -> None:
    """Raise `PassError` unless results are in the same places whatever the strides, as callers see one function."""
    for name, form in forms[True].items():
        if any((one[name].results, len(one[name].outs)) != (form.results, len(form.outs)) for one in forms.values()):
            raise PassError(f"'{name}' returns its results differently for other strides; leave out --any-strides")
