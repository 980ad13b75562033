"""Ops without a model, with allow-unknown-ops: taken for the worst, and right when they are lowered to just that.

`test.mystery` keeps its tensors through bufferization. Afterwards it becomes, in turn, what it may be: an op that
returns its first operand's own buffer, one that returns a copy, and one that computes something new. The results are
compared with NumPy, so a write in place that the analysis had no right to shows.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from mlir import ir
from mlir.dialects import arith, linalg, memref

import mlir_inplace as mi
from mlir_inplace.passes.framework.errors import PassError

PASS = "builtin.module(inplace-one-shot-bufferize{bufferize-function-boundaries=true allow-unknown-ops=true})"
Array = np.ndarray[Any, Any]
Lowering = Callable[[ir.Value], ir.Value]


def same(buffer: ir.Value) -> ir.Value:
    return buffer


def copied(buffer: ir.Value) -> ir.Value:
    type_ = ir.MemRefType(buffer.type)
    new = memref.alloc(ir.MemRefType.get(type_.shape, type_.element_type), [], [])
    linalg.copy(buffer, outs=[new])
    return new


def doubled(buffer: ir.Value) -> ir.Value:
    new = copied(buffer)
    linalg.add(buffer, buffer, outs=[new])
    return new


LOWERINGS: dict[str, tuple[Lowering, float]] = {"same": (same, 1), "copied": (copied, 1), "doubled": (doubled, 2)}


def lower(module: ir.Module, lowering: Lowering) -> None:
    """Replace every test.mystery, from to_tensor to to_buffer, by what `lowering` makes of its first buffer."""
    found: list[ir.Operation] = []

    def note(op: ir.Operation) -> ir.WalkResult:
        if op.name in ("test.mystery", "test.look"):
            found.append(op)
        return ir.WalkResult.ADVANCE

    module.operation.walk(note)
    for op in found:
        with ir.InsertionPoint(op), op.location:
            buffer = buffer_of(op.operands[0])
            if op.name == "test.look":
                zero = arith.constant(ir.IndexType.get(), 0)
                memref.store(memref.load(buffer, [zero]), op.operands[1], [zero])
            else:
                replace(op.results[0], lowering(buffer))
        op.erase()


def buffer_of(tensor: ir.Value) -> ir.Value:
    owner = tensor.owner
    assert not isinstance(owner, ir.Block)
    assert owner.operation.name == "bufferization.to_tensor"
    return owner.operation.operands[0]


def replace(tensor: ir.Value, buffer: ir.Value) -> None:
    for use in list(tensor.uses):
        user = use.owner.operation
        assert user.name == "bufferization.to_buffer"
        with ir.InsertionPoint(user):
            user.results[0].replace_all_uses_with(memref.cast(user.results[0].type, buffer))
        user.erase()


def run(body: str, results: str, lowering: Lowering, *given: Any) -> list[Any]:
    arguments = "%t: tensor<4xf32>, %u: tensor<4xf32>, %f: f32, %i: index, %p: i1"
    text = f"""func.func @main({arguments}) -> ({results}) {{
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c3 = arith.constant 3 : index
      {body}
    }}"""
    context = ir.Context()
    context.allow_unregistered_dialects = True
    with context, ir.Location.unknown():
        module = ir.Module.parse(text)
        mi.run_pipeline(module, PASS)
        lower(module, lowering)
        mi.run_pipeline(module, "builtin.module(canonicalize)")  # The to_tensors that nobody uses go.
        program = mi.compile(module, opt_level=0)
        kept = [np.copy(value) for value in given]
        found = program.main(*(np.copy(value) if isinstance(value, np.ndarray) else value for value in kept))
        return [np.copy(value) for value in (found if isinstance(found, tuple) else (found,))]


def put(tensor: Array, index: Any, value: Any) -> Array:
    changed = tensor.copy()
    changed[index] = value
    return changed


V = "tensor<4xf32>"
MYSTERY = '"test.mystery"(%t) : (tensor<4xf32>) -> tensor<4xf32>'

PROGRAMS: dict[str, tuple[str, str, Callable[..., tuple[Any, ...]]]] = {
    "operand written later": (
        f"""%r = {MYSTERY}
        %w = tensor.insert %f into %t[%i] : {V}
        return %r, %w : {V}, {V}""",
        f"{V}, {V}",
        lambda t, u, f, i, p, k: (k * t, put(t, i, f)),
    ),
    "result written, operand read": (
        f"""%r = {MYSTERY}
        %w = tensor.insert %f into %r[%i] : {V}
        %x = tensor.extract %t[%i] : {V}
        return %w, %x : {V}, f32""",
        f"{V}, f32",
        lambda t, u, f, i, p, k: (put(k * t, i, f), t[i]),
    ),
    "operand written first": (
        f"""%w = tensor.insert %f into %t[%i] : {V}
        %r = "test.mystery"(%w) : ({V}) -> {V}
        %v = tensor.insert %f into %r[%c0] : {V}
        return %v, %w : {V}, {V}""",
        f"{V}, {V}",
        lambda t, u, f, i, p, k: (put(k * put(t, i, f), 0, f), put(t, i, f)),
    ),
    "one of several operands": (
        f"""%r = "test.mystery"(%t, %u) : ({V}, {V}) -> {V}
        %w = tensor.insert %f into %u[%i] : {V}
        %v = tensor.insert %f into %t[%c1] : {V}
        return %r, %w, %v : {V}, {V}, {V}""",
        f"{V}, {V}, {V}",
        lambda t, u, f, i, p, k: (k * t, put(u, i, f), put(t, 1, f)),
    ),
    "a view of the operand": (
        f"""%s = tensor.extract_slice %t[1] [2] [1] : {V} to tensor<2xf32>
        %r = "test.mystery"(%s) : (tensor<2xf32>) -> tensor<2xf32>
        %w = tensor.insert %f into %t[%c1] : {V}
        %x = tensor.extract %r[%c0] : tensor<2xf32>
        return %w, %x : {V}, f32""",
        f"{V}, f32",
        lambda t, u, f, i, p, k: (put(t, 1, f), k * t[1]),
    ),
    "in a loop": (
        f"""%r = scf.for %k = %c0 to %c3 step %c1 iter_args(%a = %t) -> {V} {{
          %m = "test.mystery"(%a) : ({V}) -> {V}
          %w = tensor.insert %f into %a[%k] : {V}
          %s = linalg.add ins(%m, %w : {V}, {V}) outs(%w : {V}) -> {V}
          scf.yield %s : {V}
        }}
        return %r, %t : {V}, {V}""",
        f"{V}, {V}",
        lambda t, u, f, i, p, k: (looped(t, f, k), t),
    ),
    "in a branch": (
        f"""%r = scf.if %p -> {V} {{
          %m = {MYSTERY}
          scf.yield %m : {V}
        }} else {{
          scf.yield %u : {V}
        }}
        %w = tensor.insert %f into %t[%i] : {V}
        %v = tensor.insert %f into %r[%c1] : {V}
        return %r, %w, %v : {V}, {V}, {V}""",
        f"{V}, {V}, {V}",
        lambda t, u, f, i, p, k: (k * t if p else u, put(t, i, f), put(k * t if p else u, 1, f)),
    ),
    "no result, before a write": (
        f"""%m = memref.alloc() : memref<1xf32>
        "test.look"(%t, %m) : ({V}, memref<1xf32>) -> ()
        %w = tensor.insert %f into %t[%c0] : {V}
        %x = memref.load %m[%c0] : memref<1xf32>
        return %w, %x : {V}, f32""",
        f"{V}, f32",
        lambda t, u, f, i, p, k: (put(t, 0, f), t[0]),
    ),
    "no result, after a write": (
        f"""%m = memref.alloc() : memref<1xf32>
        %w = tensor.insert %f into %t[%c0] : {V}
        "test.look"(%t, %m) : ({V}, memref<1xf32>) -> ()
        %x = memref.load %m[%c0] : memref<1xf32>
        return %w, %x : {V}, f32""",
        f"{V}, f32",
        lambda t, u, f, i, p, k: (put(t, 0, f), t[0]),
    ),
    "a constant": (
        f"""%k = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : {V}
        %r = "test.mystery"(%k) : ({V}) -> {V}
        %w = tensor.insert %f into %r[%i] : {V}
        return %w, %k : {V}, {V}""",
        f"{V}, {V}",
        lambda t, u, f, i, p, k: (put(k * NUMBERS, i, f), NUMBERS),
    ),
}
NUMBERS = np.array([1, 2, 3, 4], np.float32)


def looped(t: Array, f: float, k: float) -> Array:
    carried = t
    for index in range(3):
        carried = k * carried + put(carried, index, f)
    return carried


@pytest.mark.each_value
@pytest.mark.parametrize("lowering", LOWERINGS)
@pytest.mark.parametrize("name", PROGRAMS)
def test_values(name: str, lowering: str) -> None:
    body, results, expected = PROGRAMS[name]
    lowered, factor = LOWERINGS[lowering]
    for flag in (True, False):
        given = (np.array([3, 1, 4, 2], np.float32), np.array([7, 8, 6, 5], np.float32), 99.0, 2, flag)
        found = run(body, results, lowered, *given)
        for one, other in zip(found, expected(*given, factor), strict=True):
            np.testing.assert_array_equal(one, other)


def test_an_unknown_branch_is_refused() -> None:
    """Nobody knows which of its operands the blocks receive; it ended the process."""
    text = f"""func.func @main(%t: {V}) -> {V} {{
      "test.branch"(%t)[^next, ^next] : ({V}) -> ()
    ^next:
      return %t : {V}
    }}"""
    message = r"op 'test\.branch' branches on tensors but has no bufferization model; register one \(entry point "
    with ir.Context() as context, pytest.raises(PassError, match=message):
        context.allow_unregistered_dialects = True
        mi.run_pipeline(ir.Module.parse(text), PASS)
