"""The other route: upstream's bufferization with a copy before every write, lowered and executed by upstream.

Of ours it uses two passes: one carries bf16 as i16, one makes branches of selects whose operands differ in size.

A program whose every write goes to a fresh copy cannot show a wrong in-place decision, which makes it the reference.
Only tests may use this: the product never calls upstream's one-shot-bufferize.
"""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np
from mlir import ir
from mlir.dialects import linalg
from mlir.execution_engine import ExecutionEngine
from mlir.passmanager import PassManager

import mlir_inplace as mi

COPY_BEFORE_WRITE = "one-shot-bufferize{copy-before-write=true bufferize-function-boundaries=true}"
# Twice, as the second finds copies of a buffer to itself only when cse has merged the views they name.
CLEAN_UP = "canonicalize,cse,canonicalize"
DEFAULT = "one-shot-bufferize{bufferize-function-boundaries=true}"
# Every way upstream's analysis can be told to decide, and the fuzzer, which is upstream's default in random orders.
HEURISTICS = (
    "bottom-up",
    "top-down",
    "bottom-up-from-terminators",
    *(f"fuzzer analysis-fuzzer-seed={seed}" for seed in (1, 7, 42, 99, 2026)),
)
LOOPS = ("scf.for", "scf.while", "scf.forall", "scf.parallel")

# Upstream does not bufferize elementwise ops on tensors; its own lowering of them to linalg then comes first. A masked
# op that needs a copy becomes one with a mask operand first.
LOWERED_FIRST = {
    "op was not bufferized": "func.func(convert-elementwise-to-linalg)",
    "failed to bufferize op": "func.func(convert-elementwise-to-linalg)",
    "op body must bufferize in-place": "func.func(lower-vector-mask)",
}
# Upstream's lowering of these ops knows unit strides only.
UNIT_STRIDES = ("vector.gather", "vector.scatter")
IDENTITY = COPY_BEFORE_WRITE.replace("}", " function-boundary-type-conversion=identity-layout-map}")

# What is assumed is checked, and an assumption that was checked disappears.
ASSUMPTIONS = "func.func(convert-shape-constraints),canonicalize"

LOWERING = (
    "convert-bufferization-to-memref,convert-linalg-to-loops,scf-forall-to-for,func.func(lower-vector-mask),convert-vector-to-scf,"
    "lower-affine,expand-strided-metadata,lower-affine,convert-scf-to-cf,"
    "arith-emulate-unsupported-floats{source-types=bf16 target-type=f32},arith-expand{include-bf16=true},"
    "func.func(llvm-request-c-wrappers),convert-vector-to-llvm,convert-math-to-llvm,convert-math-to-libm,"
    "convert-complex-to-llvm,finalize-memref-to-llvm,convert-arith-to-llvm,convert-func-to-llvm,convert-cf-to-llvm,convert-ub-to-llvm,"
    "reconcile-unrealized-casts"
)

# What is handed on as bf16 would depend on the processor.
LAST = "builtin.module(inplace-convert-bf16-to-i16)"

DTYPES = {
    "i1": np.dtype(np.bool_),
    "i8": np.dtype(np.int8),
    "i16": np.dtype(np.int16),
    "i32": np.dtype(np.int32),
    "i64": np.dtype(np.int64),
    "index": np.dtype(np.int64),
    "f16": np.dtype(np.float16),
    "bf16": np.dtype(ml_dtypes.bfloat16),
    "f32": np.dtype(np.float32),
    "f64": np.dtype(np.float64),
    "complex<f32>": np.dtype(np.complex64),
}


class Refused(Exception):
    """Upstream's bufferization does not take the program; the message is upstream's."""


@dataclass(frozen=True)
class Slot:
    """One argument or result: a scalar (`rank` is None) or a tensor."""

    dtype: np.dtype[Any]
    rank: int | None

    @staticmethod
    def of(type_: ir.Type) -> Slot:
        if isinstance(type_, ir.RankedTensorType):
            return Slot(DTYPES[str(type_.element_type)], type_.rank)
        return Slot(DTYPES[str(type_)], None)

    @property
    def size(self) -> int:
        """Bytes it takes in a structure of results: a memref descriptor has 3 words and 2 for each dimension."""
        return self.dtype.itemsize if self.rank is None else 8 * (3 + 2 * self.rank)

    @property
    def alignment(self) -> int:
        return self.dtype.itemsize if self.rank is None else 8


@functools.cache
def context() -> ir.Context:
    """One context for all programs: making one costs more than bufferizing a program."""
    return ir.Context()


def parse(text: str) -> ir.Module:
    with context():
        return ir.Module.parse(text)


def run_passes(module: ir.Module, passes: str) -> None:
    with context():
        PassManager.parse(f"builtin.module({passes})").run(module.operation)


def bufferized(text: str, bufferization: str, first: Sequence[str] = ()) -> ir.Module:
    """`text` through one of upstream's bufferizations, after what has to be lowered; raises Refused with the reason."""
    module = parse(text)
    if first:
        mi.run_pipeline(module, f"builtin.module({','.join(first)})")
    try:
        run_passes(module, bufferization)
    except ir.MLIRError as error:
        for words, passes in LOWERED_FIRST.items():
            if words in str(error) and passes not in first:
                return bufferized(text, bufferization, (passes, *first))
        raise Refused(str(error)) from None
    return module


def operations(module: ir.Module) -> list[ir.Operation]:
    """All operations of a program, in order."""
    found: list[ir.Operation] = []

    def note(op: ir.Operation) -> ir.WalkResult:
        found.append(op)
        return ir.WalkResult.ADVANCE

    module.operation.walk(note)
    return found


@dataclass(frozen=True)
class Counts:
    """What the text of a bufferized program allocates and copies, and how much of that it does inside of loops."""

    allocations: int
    copies: int
    allocations_in_loops: int
    copies_in_loops: int

    @property
    def total(self) -> int:
        return self.allocations + self.copies


def count_memory_ops(module: ir.Module) -> Counts:
    """The counts of a program, which is cleaned up first: the same clean-up for us and for upstream."""
    run_passes(module, CLEAN_UP)
    return counts(module)


def counts(module: ir.Module) -> Counts:
    """The counts of a program as it is."""
    ops = operations(module)
    allocations = [op for op in ops if op.name in {"memref.alloc", "memref.alloca"}]
    copies = [op for op in ops if op.name in {"memref.copy", "linalg.copy"}]
    in_loops = [sum(_is_in_loop(op) for op in found) for found in (allocations, copies)]
    return Counts(len(allocations), len(copies), *in_loops)


def _is_in_loop(op: ir.Operation) -> bool:
    parent = op.parent
    while parent is not None:
        if parent.name in LOOPS:
            return True
        parent = parent.operation.parent
    return False


def upstream_runs(text: str) -> list[Counts]:
    """What upstream makes of `text` with each heuristic, and with loops that return buffers where it wants that.

    A run that upstream refuses is left out, so the list is empty when it takes the program in no way at all.
    """
    runs: list[Counts] = []
    for heuristic in HEURISTICS:
        try:
            runs.append(_upstream_run(text, heuristic))
        except Refused:
            continue
    return runs


def _upstream_run(text: str, heuristic: str) -> Counts:
    options = f"bufferize-function-boundaries=true analysis-heuristic={heuristic}"
    try:
        module = bufferized(text, f"one-shot-bufferize{{{options}}}")
    except Refused:
        module = bufferized(text, f"one-shot-bufferize{{{options} allow-return-allocs-from-loops=true}}")
    return count_memory_ops(module)


def execute(text: str, arguments: Sequence[Any], bufferization: str = COPY_BEFORE_WRITE) -> list[np.ndarray[Any, Any]]:
    """The results of @main, copied out. The buffers of the program are never freed."""
    source = parse(text)  # An operation does not keep its module alive.
    main = ir.FunctionType(_function(source, "main").attributes["function_type"].value)
    parameters = [Slot.of(type_) for type_ in main.inputs]
    results = [Slot.of(type_) for type_ in main.results]
    unit_strides = any(name in text for name in UNIT_STRIDES)
    module = bufferized(text, IDENTITY if unit_strides and bufferization == COPY_BEFORE_WRITE else bufferization)
    if "shape." in text:
        run_passes(module, ASSUMPTIONS)
    _copies_to_linalg(module)
    run_passes(module, LOWERING)
    mi.run_pipeline(module, LAST)
    engine = ExecutionEngine(module, opt_level=0)
    return _call(engine, parameters, arguments, results)


def _function(module: ir.Module, name: str) -> ir.Operation:
    return next(op.operation for op in module.body.operations if ir.StringAttr(op.attributes["sym_name"]).value == name)


def _copies_to_linalg(module: ir.Module) -> None:
    """A strided memref.copy would call a function of a runtime library that the wheel does not bring."""
    copies = [op for op in operations(module) if op.name == "memref.copy"]
    for copy in copies:
        with ir.InsertionPoint(copy), copy.location:
            linalg.copy(copy.operands[0], outs=[copy.operands[1]])
        copy.erase()


def _call(
    engine: ExecutionEngine, parameters: Sequence[Slot], arguments: Sequence[Any], results: Sequence[Slot]
) -> list[np.ndarray[Any, Any]]:
    keep = [_packed(slot, value) for slot, value in zip(parameters, arguments, strict=True)]
    pointers = [array.ctypes.data for array in keep]
    # Descriptors are passed by address, so the packed argument is the address of that address.
    cells = [
        ctypes.c_void_p(pointer) if slot.rank is not None else None
        for slot, pointer in zip(parameters, pointers, strict=True)
    ]
    packed = [
        ctypes.addressof(cell) if cell is not None else pointer for cell, pointer in zip(cells, pointers, strict=True)
    ]
    offsets: list[int] = []
    end = 0
    for slot in results:
        offsets.append(-(-end // slot.alignment) * slot.alignment)
        end = offsets[-1] + slot.size
    storage = np.zeros(end // 8 + 1, np.int64)
    # One scalar is returned by value, into the last packed argument; all else through a first argument.
    result_cell = ctypes.c_void_p(storage.ctypes.data)
    if len(results) == 1 and results[0].rank is None:
        packed.append(storage.ctypes.data)
    elif results:
        packed.insert(0, ctypes.addressof(result_cell))
    function = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(engine.raw_lookup("_mlir_ciface_main"))
    function((ctypes.c_void_p * len(packed))(*packed))
    return [_unpacked(slot, storage.ctypes.data + offset) for slot, offset in zip(results, offsets, strict=True)]


def _packed(slot: Slot, value: Any) -> np.ndarray[Any, Any]:
    """A scalar as an array of rank 0, a tensor as its descriptor. The caller keeps `value` alive during the call."""
    if slot.rank is None:
        return np.array(value, slot.dtype)
    assert value.dtype == slot.dtype, (value.dtype, slot.dtype)
    strides = [stride // value.itemsize for stride in value.strides]
    return np.array([value.ctypes.data, value.ctypes.data, 0, *value.shape, *strides], np.int64)


def _unpacked(slot: Slot, address: int) -> np.ndarray[Any, Any]:
    raw = (ctypes.c_char * slot.size).from_address(address)
    if slot.rank is None:
        return np.ndarray((), slot.dtype, raw).copy()
    _, data, offset, *layout = np.ndarray(slot.size // 8, np.int64, raw).tolist()
    shape, strides = layout[: slot.rank], layout[slot.rank :]
    if 0 in shape:
        return np.empty(shape, slot.dtype)
    extent = 1 + sum((size - 1) * stride for size, stride in zip(shape, strides, strict=True))
    item = slot.dtype.itemsize
    buffer = (ctypes.c_char * (extent * item)).from_address(data + offset * item)
    return np.ndarray(shape, slot.dtype, buffer, strides=[stride * item for stride in strides]).copy()
