"""Loads and stores of bindings that get in each other's way: the values are right, and what is copied is what must be.

Every program runs, and its arrays are compared with the same steps in NumPy, on distinct numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from mlir import ir

import mlir_inplace as mi
from mlir_inplace.dialects import dispatch
from mlir_inplace.dialects.dispatch.parsing import import_text

Array = np.ndarray[Any, Any]

A = "%a = dispatch.binding set(0) binding(0) : !dispatch.readwrite<tensor<16xf32>>\n"
B = "%b = dispatch.binding set(0) binding(1) : !dispatch.readwrite<tensor<16xf32>>\n"
NUMBERS = "".join(f"%c{n} = arith.constant {n} : index\n" for n in (0, 1, 2, 3, 4, 8, 12))
TILE, ALL = "tensor<4xf32>", "tensor<16xf32>"


def load(name: str, binding: str, offset: str | None = None) -> str:
    """A load of four elements from `offset` on, or of the whole."""
    type_ = f"!dispatch.readwrite<{ALL}>"
    if offset is None:
        return f"%{name} = dispatch.load %{binding} : {type_} -> {ALL}\n"
    return f"%{name} = dispatch.load %{binding}[{offset}] [4] [1] : {type_} -> {TILE}\n"


def store(value: str, binding: str, offset: str | None = None) -> str:
    """A store of four elements from `offset` on, or of the whole."""
    type_ = f"!dispatch.readwrite<{ALL}>"
    if offset is None:
        return f"dispatch.store %{value}, %{binding} : {ALL} -> {type_}\n"
    return f"dispatch.store %{value}, %{binding}[{offset}] [4] [1] : {TILE} -> {type_}\n"


def double(name: str, value: str, size: int = 4) -> str:
    """Twice the `value`, computed in a tensor of its own."""
    type_ = f"tensor<{size}xf32>"
    return (
        f"%{name}_e = tensor.empty() : {type_}\n%{name} = linalg.add ins(%{value}, %{value} : {type_}, {type_}) "
        f"outs(%{name}_e : {type_}) -> {type_}\n"
    )


def kernel(*body: str) -> str:
    return f"func.func @main() {{\n{A}{B}{NUMBERS}{''.join(body)}return\n}}"


def load_store_use(a: Array, b: Array) -> None:
    old = a[0:4].copy()
    a[2:6] = 2 * b[0:4]
    b[8:12] = 2 * old


def swap(a: Array, b: Array) -> None:
    a[:], b[:] = b.copy(), a.copy()


def swap_slices(a: Array, _b: Array) -> None:
    a[0:4], a[8:12] = a[8:12].copy(), a[0:4].copy()


def shift(a: Array, _b: Array) -> None:
    for i in range(0, 12, 4):
        a[i + 4 : i + 8] = 2 * a[i : i + 4]


def shift_by_one(a: Array, _b: Array) -> None:
    for i in range(12):
        a[i + 1 : i + 5] = 2 * a[i : i + 4]


def twice(a: Array, b: Array) -> None:
    a[4:8] = 2 * b[0:4]
    a[4:8] = 2 * b[4:8]


def disjoint(a: Array, _b: Array) -> None:
    a[4:8] = 2 * a[0:4]
    a[12:16] = 2 * a[8:12]


def hoisted(a: Array, b: Array) -> None:
    value = 2 * b[0:4]
    for i in range(0, 12, 4):
        a[i : i + 4] = value


def stale(a: Array, b: Array) -> None:
    value = a[0:4].copy()
    for i in range(0, 12, 4):
        a[i : i + 4] = 2 * b[i : i + 4]
    b[12:16] = 2 * value


def carried(a: Array, b: Array) -> None:
    value = b[0:4].copy()
    for i in range(0, 12, 4):
        old = a[i : i + 4].copy()
        a[i : i + 4] = 2 * value
        value = old
    b[4:8] = 2 * value


def changed_value(a: Array, b: Array) -> None:
    b[:] = a
    b[3] = 7


def scratch(a: Array, b: Array) -> None:
    b[:] = a + a


LOOP = "scf.for %i = %c0 to %c12 step %c4 {\n"
ONES = "scf.for %i = %c0 to %c12 step %c1 {\n"
NEXT = "%j = arith.addi %i, %c1 : index\n"
INSERTED = f"%y = tensor.insert %f into %x[%c3] : {ALL}\n"
SHIFTED = "%j = arith.addi %i, %c4 : index\n"


def check(text: str, expected: Callable[[Array, Array], None], *arguments: object) -> None:
    """Run `text` and `expected` on distinct numbers and compare both arrays."""
    a, b = (np.arange(start, start + 16, dtype=np.float32) for start in (1, 100))
    wanted_a, wanted_b = a.copy(), b.copy()
    expected(wanted_a, wanted_b)
    mi.compile(text).main(a, b, *arguments)
    np.testing.assert_array_equal(a, wanted_a)
    np.testing.assert_array_equal(b, wanted_b)


def costs(text: str) -> tuple[int, int]:
    """How many allocations and copies `text` has when it is bufferized."""
    with ir.Context() as context:
        dispatch.register(context)
        report = mi.bufferize(ir.Module.parse(import_text(text)))
    return len(report.allocations), len(report.copies)


UPDATE = double("y", "x") + store("y", "a", "%i")

CASES: dict[str, tuple[str, Callable[[Array, Array], None], int, int]] = {
    # What was loaded is needed after the memory changed: one copy, of the slice.
    "load_store_use": (
        kernel(
            load("x", "a", "0"),
            load("y", "b", "0"),
            double("z", "y"),
            store("z", "a", "2"),
            double("w", "x"),
            store("w", "b", "8"),
        ),
        load_store_use,
        1,
        1,
    ),
    "swap": (kernel(load("x", "a"), load("y", "b"), store("x", "b"), store("y", "a")), swap, 1, 3),
    "swap_slices": (
        kernel(load("x", "a", "0"), load("y", "a", "8"), store("x", "a", "8"), store("y", "a", "0")),
        swap_slices,
        1,
        3,
    ),
    # Each iteration loads what the one before it stored.
    "shift": (
        kernel(LOOP, load("x", "a", "%i"), double("y", "x"), SHIFTED, store("y", "a", "%j"), "}\n"),
        shift,
        0,
        0,
    ),
    "shift_by_one": (
        kernel(ONES, load("x", "a", "%i"), double("y", "x"), NEXT, store("y", "a", "%j"), "}\n"),
        shift_by_one,
        1,
        1,
    ),
    "twice": (
        kernel(
            load("x", "b", "0"),
            double("y", "x"),
            store("y", "a", "4"),
            load("u", "b", "4"),
            double("v", "u"),
            store("v", "a", "4"),
        ),
        twice,
        0,
        0,
    ),
    "disjoint": (
        kernel(
            load("x", "a", "0"),
            load("u", "a", "8"),
            double("y", "x"),
            store("y", "a", "4"),
            double("v", "u"),
            store("v", "a", "12"),
        ),
        disjoint,
        0,
        0,
    ),
    "hoisted": (kernel(load("x", "b", "0"), double("y", "x"), LOOP, store("y", "a", "%i"), "}\n"), hoisted, 1, 1),
    "stale": (
        kernel(load("v", "a", "0"), LOOP, load("x", "b", "%i"), UPDATE, "}\n", double("w", "v"), store("w", "b", "12")),
        stale,
        1,
        1,
    ),
    # The loop carries what was loaded, which the next iteration needs after a store.
    "carried": (
        kernel(
            load("v", "b", "0"),
            f"%r = scf.for %i = %c0 to %c12 step %c4 iter_args(%t = %v) -> ({TILE}) {{\n",
            load("old", "a", "%i"),
            double("y", "t"),
            store("y", "a", "%i"),
            f"scf.yield %old : {TILE}\n}}\n",
            double("w", "r"),
            store("w", "b", "4"),
        ),
        carried,
        2,
        2,
    ),
    # What was loaded is changed as a tensor: the memory it came from keeps its content.
    "scratch": (kernel(load("x", "a"), double("y", "x", 16), store("y", "b")), scratch, 0, 0),
    "changed_value": (
        kernel(load("x", "a"), "%f = arith.constant 7.0 : f32\n", INSERTED, store("y", "b")),
        changed_value,
        0,
        1,
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_hazards(name: str) -> None:
    text, expected, allocations, copies = CASES[name]
    check(text, expected)
    assert costs(text) == (allocations, copies)


CONDITION = "%p = dispatch.push_constant 0 : index\n%q = arith.cmpi sgt, %p, %c2 : index\n"


@pytest.mark.parametrize("number", [2, 3])
def test_a_store_under_a_condition(number: int) -> None:
    def expected(a: Array, b: Array) -> None:
        if number > 2:
            a[4:8] = 2 * a[0:4]
        b[0:4] = 2 * a[6:10]

    body = [
        CONDITION,
        "scf.if %q {\n",
        load("x", "a", "0"),
        double("y", "x"),
        store("y", "a", "4"),
        "}\n",
        load("u", "a", "6"),
        double("v", "u"),
        store("v", "b", "0"),
    ]
    text = kernel(*body)
    check(text, expected, number)
    assert costs(text) == (0, 0)


@pytest.mark.parametrize("count", [0, 1, 3])
def test_a_loop_that_may_run_no_iteration(count: int) -> None:
    def expected(a: Array, b: Array) -> None:
        for i in range(count):
            a[4 * i : 4 * i + 4] = 2 * b[0:4]
        b[8:12] = 2 * a[0:4]

    body = [
        "%p = dispatch.push_constant 0 : index\n",
        "scf.for %k = %c0 to %p step %c1 {\n%i = arith.muli %k, %c4 : index\n",
        load("x", "b", "0"),
        UPDATE,
        "}\n",
        load("u", "a", "0"),
        double("v", "u"),
        store("v", "b", "8"),
    ]
    text = kernel(*body)
    check(text, expected, count)
    assert costs(text) == (0, 0)


@pytest.mark.parametrize("number", [0, 1, 2, 3])
def test_branches_between_blocks(number: int) -> None:
    def expected(a: Array, b: Array) -> None:
        old = a[0:4].copy()
        a[0:4] = 2 * b[0:4]
        for i in range(number + 1):
            a[4 * i : 4 * i + 4] = 2 * a[0:4]
        b[4:8] = 2 * old

    body = [
        "%p = dispatch.push_constant 0 : index\n",
        load("old", "a", "0"),
        load("x", "b", "0"),
        double("y", "x"),
        store("y", "a", "0"),
        "cf.br ^loop(%c0 : index)\n^loop(%k: index):\n%i = arith.muli %k, %c4 : index\n",
        load("u", "a", "0"),
        double("v", "u"),
        store("v", "a", "%i"),
        "%next = arith.addi %k, %c1 : index\n%more = arith.cmpi ule, %next, %p : index\n",
        "cf.cond_br %more, ^loop(%next : index), ^end\n^end:\n",
        double("w", "old"),
        store("w", "b", "4"),
    ]
    check(kernel(*body), expected, number)


def test_threads_update_their_slices_and_load_what_they_stored() -> None:
    def expected(a: Array, b: Array) -> None:
        a *= 2
        b[:] = 2 * a

    body = [
        "scf.forall (%i) = (0) to (16) step (4) {\n",
        load("x", "a", "%i"),
        UPDATE,
        load("u", "a", "%i"),
        double("v", "u"),
        store("v", "b", "%i"),
        "}\n",
    ]
    text = kernel(*body)
    check(text, expected)
    assert costs(text) == (0, 0)


WORKGROUPS = "%w = dispatch.workgroup_id 0 : index\n%i = arith.muli %w, %c4 : index\n"


@pytest.mark.parametrize("options", ["", "analysis-heuristic=top-down", "copy-before-write"])
def test_a_workgroup_never_writes_what_others_store(options: str) -> None:
    """Three loads that would be copied one by one: writing a copy of all of the memory back would be cheaper."""
    loads = [load(f"x{n}", "a", "%i") for n in range(3)]
    uses = [double(f"w{n}", f"x{n}") + store(f"w{n}", "b", f"{4 * n}") for n in range(3)]
    text = kernel(WORKGROUPS, *loads, load("v", "b", "%i"), store("v", "a", "%i"), *uses)
    with ir.Context() as context:
        dispatch.register(context)
        module = ir.Module.parse(import_text(text))
        mi.run_pipeline(module, f"builtin.module(inplace-one-shot-bufferize{{{options}}})")
    assert "-> memref<16xf32>" in str(module)
    assert "memref.alloc() {alignment = 64 : i64} : memref<16xf32>" not in str(module)


def test_bindings_are_not_left_out() -> None:
    text = kernel(load("x", "a", "0"), store("x", "b", "0"))
    with ir.Context() as context:
        dispatch.register(context)
        module = ir.Module.parse(import_text(text))
        before = str(module)
        with pytest.raises(
            mi.PassError, match="dialect-filter leaves out dispatch, whose bindings hold what is loaded"
        ):
            mi.run_pipeline(module, "builtin.module(inplace-one-shot-bufferize{dialect-filter=tensor})")
        assert str(module) == before


def test_a_refusal_leaves_loads_and_stores() -> None:
    """The analysis refuses the op after a copy was promoted."""
    text = kernel(load("x", "a", "0"), '%y = "sparse_tensor.convert"(%x) : (tensor<4xf32>) -> tensor<4xf32>\n')
    with ir.Context() as context:
        dispatch.register(context)
        module = ir.Module.parse(import_text(text))
        before = str(module)
        with pytest.raises(mi.PassError, match=r"op 'sparse_tensor.convert' works on tensors"):
            mi.run_pipeline(module, "builtin.module(inplace-one-shot-bufferize)")
        assert str(module) == before
        module.operation.verify()
