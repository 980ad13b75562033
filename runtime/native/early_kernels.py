"""Kernels that are compiled while the rest of their module is still lowered to the LLVM dialect.

Two thirds of the last steps of a compilation are LLVM's. What `inplace-outline-kernels` and its like have made are
functions of their own, which LLVM inlines nowhere. So some of them become modules of their own before they are loops
and addresses; these are lowered one after the other, and other threads compile each of them as soon as it is:

    this thread    lower A    ...    lower B    lower the rest    compile the rest    bring all together
    another                   compile A         compile B

A are kernels that were optimized by themselves: nothing that comes before the last steps changes them.

The rest declares them, and `LoadedObject` brings them together: their code is what it would be in one module. Taken are
kernels that name no symbols but those of small constants, of which each part has its own, that can neither fail nor
allocate, and that take addresses and numbers: so nothing outside depends on what is in them. Each module is in a
context of its own, where nothing else happens while Python's lock is free. Linear.
"""

from __future__ import annotations

import math
import os
import threading
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from mlir import ir

from ...dialects.support.cloning import attributes_of
from ...dialects.support.frozen_classes import frozen
from ...passes.framework.entered_context import empty_context, new_context
from .code_parts import copied_to, make_visible
from .engine import CheckedCode
from .loaded_object import LoadedObject, UnsupportedObjectError
from .object_code import CodeEmitter, compiles_without_lock

__all__ = ["LEAST_WORK", "EarlyKernels"]

LEAST_WORK = 500
"""Kernels with fewer ops are not taken: contexts, and the passes for one module more, take as long as these."""

_FIRST_SHARES = (0.4, 0.3, 0.3)
"""What parts have of all ops that are taken first: whoever has nothing else to do compiles them."""
_SHARES = (0.3, 0.2)
"""The same for the last ones: another thread compiles them while this one lowers the rest, then compiles it."""

_OURS = "inplace_"
_LINKAGE = "llvm.linkage"
_PREFIXES = ("arith.", "linalg.", "math.", "memref.", "scf.", "ub.", "vector.")
_OTHERS = frozenset(
    {
        *("affine.apply", "builtin.unrealized_conversion_cast", "func.return"),
        *("llvm.insertvalue", "llvm.mlir.constant", "llvm.mlir.poison"),
    }
)
_STAY = frozenset(
    {
        *("arith.ceildivsi", "arith.ceildivui", "arith.divsi", "arith.divui", "arith.floordivsi"),
        *("arith.remsi", "arith.remui"),
        *("memref.alloc", "memref.copy", "memref.dealloc", "memref.realloc"),
        *("scf.forall", "scf.parallel", "vector.print"),
    }
)
"""Ops that may fail, allocate, name symbols, or start threads."""


_LARGEST_CONSTANT = 1 << 14
"""The most elements of a constant that parts have copies of."""


@frozen
class _Kernel:
    """A function, how many ops are in it, and the constants that it reads."""

    op: ir.Operation
    size: int
    constants: Mapping[str, ir.Operation]


class EarlyKernels:
    """The kernels of one module that are compiled early; none until they are taken."""

    def __init__(self, opt_level: int, shared_libs: Sequence[str], callbacks: Mapping[str, Any]) -> None:
        self._opt_level = opt_level
        self._shared_libs = shared_libs
        self._callbacks = callbacks
        self._names: list[str] = []
        self._parts = 0
        self._waiting: deque[tuple[int, ir.Module, Sequence[str]]] = deque()
        self._codes: dict[int, bytes | None] = {}
        self._threads: list[threading.Thread] = []
        self._error: Exception | None = None
        """What was raised in one of them."""

    def __bool__(self) -> bool:
        return bool(self._names)

    def take_first(self, module: ir.Module, lower: Callable[[ir.Module], None]) -> None:
        """Take all kernels there are in a module that has not come to the last steps; else as `take` does."""
        self._take(module, lower, _FIRST_SHARES)

    def take(self, module: ir.Module, lower: Callable[[ir.Module], None]) -> None:
        """Take kernels out of a module on memrefs, `lower` them to LLVM, and let other threads compile them.

        Raises what `lower` does.
        """
        self._take(module, lower, _SHARES)

    def _take(self, module: ir.Module, lower: Callable[[ir.Module], None], shares: Sequence[float]) -> None:
        cores = len(os.sched_getaffinity(0))
        if cores < 2 or not compiles_without_lock():
            return
        for kernels in _groups(module.operation, shares):
            names, part = _moved(module, kernels)
            lower(part)
            CheckedCode(part, self._shared_libs, self._callbacks)
            for op in part.body.operations:
                if op.operation.name == "llvm.func" and len(op.operation.regions[0].blocks):
                    make_visible(op.operation)
            self._names += names
            self._parts += 1
            self._waiting.append((self._parts, part, ()))
            if sum(thread.is_alive() for thread in self._threads) < cores - 1:
                self._threads.append(threading.Thread(target=self._compile_beside, name="inplace-compile"))
                self._threads[-1].start()

    def finish(self, module: ir.Module) -> LoadedObject:
        """Compile the rest, and bring all together; raises `UnsupportedObjectError`, and what `CheckedCode` does."""
        try:
            checked = CheckedCode(module, self._shared_libs, {**dict.fromkeys(self._names), **self._callbacks})
            if checked.has_assembly:
                raise UnsupportedObjectError("inline assembly")  # What is wrong with it, only `Engine` finds out.
            rest = copied_to(empty_context(), module)
            self._waiting.appendleft((0, rest, self._names))
            self._compile()
        finally:
            self.stop()
        if self._error is not None:
            raise UnsupportedObjectError(f"kernels were not compiled early: {self._error}") from self._error
        codes = [self._codes.get(number) or b"" for number in sorted(self._codes)]
        return LoadedObject(codes, checked.libraries, self._callbacks)

    def stop(self) -> None:
        """Compile nothing more; returns when no thread does."""
        self._waiting.clear()
        for thread in self._threads:
            thread.join()

    def _compile_beside(self) -> None:
        """In another thread: nothing is printed there, and `finish` tells what was raised."""
        try:
            self._compile()
        except Exception as error:  # noqa: BLE001  # `Engine` compiles all of it then, and raises what is wrong.
            self._error = error

    def _compile(self) -> None:
        """Compile what is waiting, until nothing is."""
        with CodeEmitter() as emitter:
            while self._waiting:
                try:
                    number, module, undefined = self._waiting.popleft()
                except IndexError:
                    return  # Another thread was faster.
                undefined = (*undefined, *self._callbacks)
                self._codes[number] = emitter.code(module, self._opt_level, self._shared_libs, undefined)


def _groups(module: ir.Operation, shares: Sequence[float]) -> Iterator[list[_Kernel]]:
    """Yield kernels that are to be compiled early, in parts that have their shares of all ops."""
    ops = [op.operation for op in module.regions[0].blocks[0].operations]
    constants = {ir.StringAttr(op.attributes["sym_name"]).value: op for op in ops if _is_small_constant(op)}
    sizes = [_size(op) for op in ops]
    found = [_kernel(op, size, constants) for op, size in zip(ops, sizes, strict=True) if size and _is_kernel(op)]
    left = [kernel for kernel in found if kernel is not None]
    if sum(kernel.size for kernel in left) < LEAST_WORK:
        return
    for share in shares:
        group: list[_Kernel] = []
        while left and sum(kernel.size for kernel in group) < share * sum(sizes):
            group.append(left.pop())
        if group:
            yield group


def _size(op: ir.Operation) -> int:
    """How many ops of `op` LLVM will have work with: what builds descriptors is folded."""
    count = 0

    def visit(inner: ir.Operation) -> ir.WalkResult:
        nonlocal count
        count += not inner.name.startswith("llvm.")
        return ir.WalkResult.ADVANCE

    op.walk(visit)
    return count - 1


def _is_kernel(op: ir.Operation) -> bool:
    """Whether `op` is a function of ours that takes addresses and numbers, and is inlined nowhere."""
    if op.name != "func.func" or "llvm.no_inline" not in op.attributes or _LINKAGE not in op.attributes:
        return False
    if not ir.StringAttr(op.attributes["sym_name"]).value.startswith(_OURS) or len(op.regions[0].blocks) != 1:
        return False
    return not any(isinstance(one.type, ir.ShapedType) for one in op.regions[0].blocks[0].arguments)


def _is_small_constant(op: ir.Operation) -> bool:
    """Whether `op` is a constant that only this module sees."""
    if op.name != "memref.global" or not {"constant", "initial_value", "sym_visibility"}.issubset(op.attributes):
        return False
    type_ = ir.MemRefType(ir.TypeAttr(op.attributes["type"]).value)
    return ir.StringAttr(op.attributes["sym_visibility"]).value == "private" and (
        math.prod(type_.shape) <= _LARGEST_CONSTANT
    )


def _kernel(function: ir.Operation, size: int, constants: Mapping[str, ir.Operation]) -> _Kernel | None:
    """Return the kernel, if all ops in it are known to name `constants` only, and can neither fail nor allocate."""
    known, read = True, dict[str, ir.Operation]()

    def visit(op: ir.Operation) -> ir.WalkResult:
        nonlocal known
        name = op.name
        known = name in _OTHERS or (name.startswith(_PREFIXES) and name not in _STAY)
        if name == "memref.get_global":
            constant = ir.FlatSymbolRefAttr(op.attributes["name"]).value
            known = constant in constants
            read.update({constant: constants[constant]} if known else {})
        return ir.WalkResult.ADVANCE if known else ir.WalkResult.INTERRUPT

    for op in function.regions[0].blocks[0].operations:
        op.operation.walk(visit)
        if not known:
            return None
    return _Kernel(function, size, read)


def _moved(module: ir.Module, kernels: list[_Kernel]) -> tuple[list[str], ir.Module]:
    """Move kernels to a module of their own, in a context of its own; return their names, and the module.

    The module declares them. They end with their first new module, so `kernels` is empty then.
    """
    names: list[str] = []
    with module.context, ir.Location.unknown():
        part = ir.Module.create()
        for name in module.operation.attributes:
            part.operation.attributes[name] = module.operation.attributes[name]
        for constant in {name: one for kernel in kernels for name, one in kernel.constants.items()}.values():
            part.body.append(constant.clone(ip=False))
        for kernel in kernels:
            attributes = {name: one for name, one in attributes_of(kernel.op).items() if name != _LINKAGE}
            names.append(ir.StringAttr(attributes["sym_name"]).value)
            declared = ir.Operation.create("func.func", attributes=attributes, regions=1, loc=kernel.op.location)
            module.body.append(declared)
            kernel.op.detach_from_parent()
            part.body.append(kernel.op)
    copy = copied_to(new_context(), part)
    kernels.clear()
    return names, copy
