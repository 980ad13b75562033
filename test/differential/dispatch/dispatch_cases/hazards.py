"""Loads and stores of one binding that could be taken for another order: every one is right in one order only."""

from __future__ import annotations

from typing import Any

import numpy as np

from .case import Case

Array = np.ndarray[Any, Any]

A8 = "%a = dispatch.binding set(0) binding(0) : readwrite 8xi32"
R8 = "%r = dispatch.binding set(0) binding(1) : writeonly 8xi32"
B8 = "%b = dispatch.binding set(0) binding(1) : readwrite 8xi32"
CONSTANTS = "\n".join(f"%c{number} = arith.constant {number} : index" for number in (0, 1, 2, 3, 4, 6, 8))


def add(result: str, x: str, y: str, init: str = "", type_: str = "tensor<4xi32>") -> str:
    """A sum; without an init, it is computed into an empty tensor."""
    empty = "" if init else f"%{result}_empty = tensor.empty() : {type_}\n"
    init = init or f"{result}_empty"
    return f"{empty}%{result} = linalg.add ins(%{x}, %{y} : {type_}, {type_}) outs(%{init} : {type_}) -> {type_}"


def assign(*pairs: tuple[Array, Any]) -> None:
    """All values are taken before any of them is stored."""
    values = [np.array(value) for _, value in pairs]
    for (target, _), value in zip(pairs, values, strict=True):
        target[...] = value


def each_prefix(a: Array) -> None:
    for i in range(7):
        a[i + 1] += a[i]


def shifted_by_loop(a: Array, i: int, j: int) -> None:
    a[j : j + 4] = a[i : i + 4]


def computed_across_a_store(a: Array, i: int) -> None:
    doubled = 2 * a[i + 4 : i + 10]
    a[i + 5 : i + 11] = a[i : i + 6].copy()
    a[5:11] = doubled


def whole_in_each_step(a: Array) -> None:
    old = a.copy()
    for i in range(0, 8, 4):
        a[i : i + 4] += old[4 - i : 8 - i]


def whole_again_in_each_step(a: Array) -> None:
    for i in range(0, 8, 4):
        a[i : i + 4] += a[4 - i : 8 - i].copy()


def two_steps(a: Array, r: Array) -> None:
    a[0:4] += a[4:8]
    a[4:8] += a[0:4]
    r[...] = a


def until(a: Array, limit: int) -> None:
    i = 0
    while i < limit:
        a[i] = a[7 - i]
        i += 1


def either(a: Array, r: Array, p: bool) -> None:
    if p:
        r[:4] = a[:4]
    else:
        r[4:] = a[:4]


def conditional_in_loop(a: Array, limit: int) -> None:
    for i in range(7):
        if i < limit:
            a[i + 1] = a[i]


CASES = [
    Case(
        "earlier_load_used_after_a_store",
        ("8xi32", "8xi32"),
        lambda a, r: assign((r[:4], a[:4]), (a[:4], a[4:])),
        f"""
        {A8}
        {R8}
        %v = dispatch.load %a[0] [4] [1] : readwrite 8xi32 -> tensor<4xi32>
        %w = dispatch.load %a[4] [4] [1] : readwrite 8xi32 -> tensor<4xi32>
        dispatch.store %w, %a[0] [4] [1] : tensor<4xi32> -> readwrite 8xi32
        dispatch.store %v, %r[0] [4] [1] : tensor<4xi32> -> writeonly 8xi32""",
        allocations=1,
        copies=3,
    ),
    Case(
        "earlier_load_computed_with_after_a_store",
        ("8xi32", "8xi32"),
        lambda a, r: assign((r[:4], a[:4] + a[4:]), (a[:4], a[4:])),
        f"""
        {A8}
        {R8}
        %v = dispatch.load %a[0] [4] [1] : readwrite 8xi32 -> tensor<4xi32>
        %w = dispatch.load %a[4] [4] [1] : readwrite 8xi32 -> tensor<4xi32>
        dispatch.store %w, %a[0] [4] [1] : tensor<4xi32> -> readwrite 8xi32
        {add("s", "v", "w")}
        dispatch.store %s, %r[0] [4] [1] : tensor<4xi32> -> writeonly 8xi32""",
        allocations=1,
        copies=2,
    ),
    Case(
        "load_sees_an_earlier_store",
        ("8xi32", "8xi32"),
        two_steps,
        f"""
        {A8}
        {R8}
        %v = dispatch.load %a[0] [4] [1] : readwrite 8xi32 -> tensor<4xi32>
        %w = dispatch.load %a[4] [4] [1] : readwrite 8xi32 -> tensor<4xi32>
        {add("s", "v", "w", "v")}
        dispatch.store %s, %a[0] [4] [1] : tensor<4xi32> -> readwrite 8xi32
        %x = dispatch.load %a[0] [4] [1] : readwrite 8xi32 -> tensor<4xi32>
        %y = dispatch.load %a[4] [4] [1] : readwrite 8xi32 -> tensor<4xi32>
        {add("t", "x", "y", "y")}
        dispatch.store %t, %a[4] [4] [1] : tensor<4xi32> -> readwrite 8xi32
        %z = dispatch.load %a : readwrite 8xi32 -> tensor<8xi32>
        dispatch.store %z, %r : tensor<8xi32> -> writeonly 8xi32""",
        copies=1,
    ),
    Case(
        "halves_swapped",
        ("8xi32",),
        lambda a: assign((a[:4], a[4:]), (a[4:], a[:4])),
        f"""
        {A8}
        %v = dispatch.load %a[0] [4] [1] : readwrite 8xi32 -> tensor<4xi32>
        %w = dispatch.load %a[4] [4] [1] : readwrite 8xi32 -> tensor<4xi32>
        dispatch.store %w, %a[0] [4] [1] : tensor<4xi32> -> readwrite 8xi32
        dispatch.store %v, %a[4] [4] [1] : tensor<4xi32> -> readwrite 8xi32""",
        allocations=1,
        copies=3,
    ),
    Case(
        "bindings_swapped",
        ("8xi32", "8xi32"),
        lambda a, b: assign((a, b), (b, a)),
        f"""
        {A8}
        {B8}
        %v = dispatch.load %a : readwrite 8xi32 -> tensor<8xi32>
        %w = dispatch.load %b : readwrite 8xi32 -> tensor<8xi32>
        dispatch.store %w, %a : tensor<8xi32> -> readwrite 8xi32
        dispatch.store %v, %b : tensor<8xi32> -> readwrite 8xi32""",
        allocations=1,
        copies=3,
    ),
    Case(
        "results_of_one_op_crossed",
        ("8xi32", "8xi32"),
        lambda a, b: assign((a, a - b), (b, a + b)),
        f"""
        {A8}
        {B8}
        %v = dispatch.load %a : readwrite 8xi32 -> tensor<8xi32>
        %w = dispatch.load %b : readwrite 8xi32 -> tensor<8xi32>
        %s:2 = linalg.generic {{indexing_maps = [#id, #id], iterator_types = ["parallel"]}}
            outs(%v, %w : tensor<8xi32>, tensor<8xi32>) {{
        ^bb0(%x: i32, %y: i32):
          %p = arith.addi %x, %y : i32
          %q = arith.subi %x, %y : i32
          linalg.yield %p, %q : i32, i32
        }} -> (tensor<8xi32>, tensor<8xi32>)
        dispatch.store %s#1, %a : tensor<8xi32> -> readwrite 8xi32
        dispatch.store %s#0, %b : tensor<8xi32> -> readwrite 8xi32""",
        attributes="#id = affine_map<(i) -> (i)>",
        allocations=1,
        copies=3,
    ),
    Case(
        "results_of_one_op_in_place",
        ("8xi32", "8xi32"),
        lambda a, b: assign((a, a + b), (b, a - b)),
        f"""
        {A8}
        {B8}
        %v = dispatch.load %a : readwrite 8xi32 -> tensor<8xi32>
        %w = dispatch.load %b : readwrite 8xi32 -> tensor<8xi32>
        %s:2 = linalg.generic {{indexing_maps = [#id, #id], iterator_types = ["parallel"]}}
            outs(%v, %w : tensor<8xi32>, tensor<8xi32>) {{
        ^bb0(%x: i32, %y: i32):
          %p = arith.addi %x, %y : i32
          %q = arith.subi %x, %y : i32
          linalg.yield %p, %q : i32, i32
        }} -> (tensor<8xi32>, tensor<8xi32>)
        dispatch.store %s#0, %a : tensor<8xi32> -> readwrite 8xi32
        dispatch.store %s#1, %b : tensor<8xi32> -> readwrite 8xi32""",
        attributes="#id = affine_map<(i) -> (i)>",
    ),
    Case(
        "overlapping_move_up",
        ("8xi32",),
        lambda a: assign((a[2:], a[:6])),
        f"""
        {A8}
        %v = dispatch.load %a[0] [6] [1] : readwrite 8xi32 -> tensor<6xi32>
        dispatch.store %v, %a[2] [6] [1] : tensor<6xi32> -> readwrite 8xi32""",
        allocations=1,
        copies=2,
    ),
    Case(
        "overlapping_move_down",
        ("8xi32",),
        lambda a: assign((a[:6], a[2:])),
        f"""
        {A8}
        %v = dispatch.load %a[2] [6] [1] : readwrite 8xi32 -> tensor<6xi32>
        dispatch.store %v, %a[0] [6] [1] : tensor<6xi32> -> readwrite 8xi32""",
        allocations=1,
        copies=2,
    ),
    Case(
        "move_to_an_offset_known_at_run_time",
        [("8xi32", i, j) for i, j in ((0, 0), (0, 4), (4, 0), (1, 2), (3, 0), (4, 4), (0, 1))],
        shifted_by_loop,
        f"""
        {A8}
        %i = dispatch.push_constant 0 : index
        %j = dispatch.push_constant 1 : index
        %v = dispatch.load %a[%i] [4] [1] : readwrite 8xi32 -> tensor<4xi32>
        dispatch.store %v, %a[%j] [4] [1] : tensor<4xi32> -> readwrite 8xi32""",
        allocations=1,
        copies=2,
    ),
    Case(
        "load_that_no_store_may_be_moved_over",
        [("16xi32", i) for i in (0, 1, 2)],
        computed_across_a_store,
        f"""
        %a = dispatch.binding set(0) binding(0) : readwrite 16xi32
        %i = dispatch.push_constant 0 : index
        %one = affine.apply affine_map<(i) -> (i + 1)>(%i)
        %j = affine.apply affine_map<(i) -> (i + 4)>(%i)
        %k = affine.apply affine_map<(i) -> (i + 5)>(%i)
        %v = dispatch.load %a[%j] [6] [1] : readwrite 16xi32 -> tensor<6xi32>
        {add("s", "v", "v", "v", "tensor<6xi32>")}
        %w = dispatch.load %a[%i] [6] [1] : readwrite 16xi32 -> tensor<6xi32>
        %x = dispatch.load %a[%one] [6] [1] : readwrite 16xi32 -> tensor<6xi32>
        dispatch.store %w, %a[%k] [6] [1] : tensor<6xi32> -> readwrite 16xi32
        {add("t", "v", "x", "v", "tensor<6xi32>")}
        dispatch.store %s, %a[5] [6] [1] : tensor<6xi32> -> readwrite 16xi32""",
        allocations=4,
        copies=5,
    ),
    Case(
        "disjoint_halves",
        ("8xi32",),
        lambda a: assign((a[4:], 2 * a[:4])),
        f"""
        {A8}
        %v = dispatch.load %a[0] [4] [1] : readwrite 8xi32 -> tensor<4xi32>
        {add("s", "v", "v")}
        dispatch.store %s, %a[4] [4] [1] : tensor<4xi32> -> readwrite 8xi32""",
    ),
    Case(
        "even_elements_to_odd_places",
        ("8xi32",),
        lambda a: assign((a[1::2], 2 * a[::2])),
        f"""
        {A8}
        %v = dispatch.load %a[0] [4] [2] : readwrite 8xi32 -> tensor<4xi32>
        {add("s", "v", "v")}
        dispatch.store %s, %a[1] [4] [2] : tensor<4xi32> -> readwrite 8xi32""",
    ),
    Case(
        "windows_of_a_stencil",
        ("8xi32",),
        lambda a: assign((a[1:7], a[:6] + a[2:])),
        f"""
        {A8}
        %v = dispatch.load %a[0] [6] [1] : readwrite 8xi32 -> tensor<6xi32>
        %w = dispatch.load %a[2] [6] [1] : readwrite 8xi32 -> tensor<6xi32>
        {add("s", "v", "w", type_="tensor<6xi32>")}
        dispatch.store %s, %a[1] [6] [1] : tensor<6xi32> -> readwrite 8xi32""",
        allocations=1,
        copies=1,
    ),
    Case(
        "transposed_in_place",
        ("3x3xi32",),
        lambda a: assign((a, a.T)),
        """
        %a = dispatch.binding set(0) binding(0) : readwrite 3x3xi32
        %v = dispatch.load %a : readwrite 3x3xi32 -> tensor<3x3xi32>
        %e = tensor.empty() : tensor<3x3xi32>
        %t = linalg.transpose ins(%v : tensor<3x3xi32>) outs(%e : tensor<3x3xi32>) permutation = [1, 0]
        dispatch.store %t, %a : tensor<3x3xi32> -> readwrite 3x3xi32""",
        allocations=1,
        copies=1,
    ),
    Case(
        "product_stored_over_its_operand",
        ("3x3xf32", "3x3xf32"),
        lambda a, b: assign((a, a @ b)),
        """
        %a = dispatch.binding set(0) binding(0) : readwrite 3x3xf32
        %b = dispatch.binding set(0) binding(1) : readonly 3x3xf32
        %v = dispatch.load %a : readwrite 3x3xf32 -> tensor<3x3xf32>
        %w = dispatch.load %b : readonly 3x3xf32 -> tensor<3x3xf32>
        %zero = arith.constant 0.0 : f32
        %e = tensor.empty() : tensor<3x3xf32>
        %f = linalg.fill ins(%zero : f32) outs(%e : tensor<3x3xf32>) -> tensor<3x3xf32>
        %t = linalg.matmul ins(%v, %w : tensor<3x3xf32>, tensor<3x3xf32>) outs(%f : tensor<3x3xf32>) -> tensor<3x3xf32>
        dispatch.store %t, %a : tensor<3x3xf32> -> readwrite 3x3xf32""",
        allocations=1,
        copies=1,
    ),
    Case(
        "stored_under_a_condition",
        [("8xi32", "8xi32", True), ("8xi32", "8xi32", False)],
        lambda a, r, p: assign((r[2:6], 2 * a[:4])) if p else None,
        f"""
        {A8}
        {R8}
        %p = dispatch.push_constant 0 : i1
        scf.if %p {{
          %v = dispatch.load %a[0] [4] [1] : readwrite 8xi32 -> tensor<4xi32>
          {add("s", "v", "v")}
          dispatch.store %s, %r[2] [4] [1] : tensor<4xi32> -> writeonly 8xi32
        }}""",
    ),
    Case(
        "stored_here_or_there",
        [("8xi32", "8xi32", True), ("8xi32", "8xi32", False)],
        either,
        f"""
        {A8}
        {R8}
        %p = dispatch.push_constant 0 : i1
        %v = dispatch.load %a[0] [4] [1] : readwrite 8xi32 -> tensor<4xi32>
        scf.if %p {{
          dispatch.store %v, %r[0] [4] [1] : tensor<4xi32> -> writeonly 8xi32
        }} else {{
          dispatch.store %v, %r[4] [4] [1] : tensor<4xi32> -> writeonly 8xi32
        }}""",
        copies=2,
    ),
    Case(
        "stored_under_a_condition_and_loaded_after",
        [("8xi32", "8xi32", True), ("8xi32", "8xi32", False)],
        lambda a, r, p: assign((a[:4], a[4:] if p else a[:4]), (r[:4], 2 * (a[4:] if p else a[:4]))),
        f"""
        {A8}
        {R8}
        %p = dispatch.push_constant 0 : i1
        scf.if %p {{
          %v = dispatch.load %a[4] [4] [1] : readwrite 8xi32 -> tensor<4xi32>
          dispatch.store %v, %a[0] [4] [1] : tensor<4xi32> -> readwrite 8xi32
        }}
        %w = dispatch.load %a[0] [4] [1] : readwrite 8xi32 -> tensor<4xi32>
        {add("s", "w", "w")}
        dispatch.store %s, %r[0] [4] [1] : tensor<4xi32> -> writeonly 8xi32""",
        copies=1,
    ),
    Case(
        "loaded_before_what_a_condition_stores",
        [("8xi32", "8xi32", True), ("8xi32", "8xi32", False)],
        lambda a, r, p: assign((a[:4], a[4:] if p else a[:4]), (r[:4], a[:4])),
        f"""
        {A8}
        {R8}
        %p = dispatch.push_constant 0 : i1
        %w = dispatch.load %a[0] [4] [1] : readwrite 8xi32 -> tensor<4xi32>
        scf.if %p {{
          %v = dispatch.load %a[4] [4] [1] : readwrite 8xi32 -> tensor<4xi32>
          dispatch.store %v, %a[0] [4] [1] : tensor<4xi32> -> readwrite 8xi32
        }}
        dispatch.store %w, %r[0] [4] [1] : tensor<4xi32> -> writeonly 8xi32""",
        allocations=1,
        copies=3,
    ),
    Case(
        "one_value_stored_to_two_bindings",
        ("8xi32", "8xi32", "8xi32"),
        lambda a, r, q: assign((r[:4], 2 * a[:4]), (q[4:], 2 * a[:4])),
        f"""
        %a = dispatch.binding set(0) binding(0) : readonly 8xi32
        {R8}
        %q = dispatch.binding set(0) binding(2) : writeonly 8xi32
        %v = dispatch.load %a[0] [4] [1] : readonly 8xi32 -> tensor<4xi32>
        {add("s", "v", "v")}
        dispatch.store %s, %r[0] [4] [1] : tensor<4xi32> -> writeonly 8xi32
        dispatch.store %s, %q[4] [4] [1] : tensor<4xi32> -> writeonly 8xi32""",
        copies=1,
    ),
    Case(
        "one_value_stored_at_two_offsets",
        ("8xi32", "8xi32"),
        lambda a, r: assign((r[:4], 2 * a[:4]), (r[4:], 2 * a[:4])),
        f"""
        {A8}
        {R8}
        %v = dispatch.load %a[0] [4] [1] : readwrite 8xi32 -> tensor<4xi32>
        {add("s", "v", "v")}
        dispatch.store %s, %r[0] [4] [1] : tensor<4xi32> -> writeonly 8xi32
        dispatch.store %s, %r[4] [4] [1] : tensor<4xi32> -> writeonly 8xi32""",
        copies=1,
    ),
    Case(
        "one_value_stored_at_overlapping_offsets",
        ("8xi32", "8xi32"),
        lambda a, r: assign((r[:2], 2 * a[:2]), (r[2:6], 2 * a[:4])),
        f"""
        {A8}
        {R8}
        %v = dispatch.load %a[0] [4] [1] : readwrite 8xi32 -> tensor<4xi32>
        {add("s", "v", "v")}
        dispatch.store %s, %r[0] [4] [1] : tensor<4xi32> -> writeonly 8xi32
        dispatch.store %s, %r[2] [4] [1] : tensor<4xi32> -> writeonly 8xi32""",
        allocations=1,
        copies=2,
    ),
    Case(
        "stored_value_used_after_its_memory_changed",
        ("8xi32", "8xi32"),
        lambda a, r: assign((a[:4], a[4:]), (r[:4], 2 * a[:4]), (r[4:], 4 * a[:4])),
        f"""
        {A8}
        {R8}
        %v = dispatch.load %a[0] [4] [1] : readwrite 8xi32 -> tensor<4xi32>
        {add("s", "v", "v")}
        dispatch.store %s, %a[0] [4] [1] : tensor<4xi32> -> readwrite 8xi32
        %w = dispatch.load %a[4] [4] [1] : readwrite 8xi32 -> tensor<4xi32>
        dispatch.store %w, %a[0] [4] [1] : tensor<4xi32> -> readwrite 8xi32
        dispatch.store %s, %r[0] [4] [1] : tensor<4xi32> -> writeonly 8xi32
        {add("t", "s", "s")}
        dispatch.store %t, %r[4] [4] [1] : tensor<4xi32> -> writeonly 8xi32""",
        copies=2,
    ),
    Case(
        "later_store_wins",
        ("8xi32", "8xi32"),
        lambda a, r: assign((r[:2], 2 * a[:2]), (r[2:6], 2 * a[4:])),
        f"""
        {A8}
        {R8}
        %v = dispatch.load %a[0] [4] [1] : readwrite 8xi32 -> tensor<4xi32>
        %w = dispatch.load %a[4] [4] [1] : readwrite 8xi32 -> tensor<4xi32>
        {add("s", "v", "v")}
        {add("t", "w", "w")}
        dispatch.store %s, %r[0] [4] [1] : tensor<4xi32> -> writeonly 8xi32
        dispatch.store %t, %r[2] [4] [1] : tensor<4xi32> -> writeonly 8xi32""",
    ),
    Case(
        "later_store_wins_although_computed_first",
        ("8xi32", "8xi32"),
        lambda a, r: assign((r[4:6], 2 * a[6:]), (r[:4], 2 * a[:4])),
        f"""
        {A8}
        {R8}
        %v = dispatch.load %a[0] [4] [1] : readwrite 8xi32 -> tensor<4xi32>
        {add("s", "v", "v")}
        %w = dispatch.load %a[4] [4] [1] : readwrite 8xi32 -> tensor<4xi32>
        {add("t", "w", "w")}
        dispatch.store %t, %r[2] [4] [1] : tensor<4xi32> -> writeonly 8xi32
        dispatch.store %s, %r[0] [4] [1] : tensor<4xi32> -> writeonly 8xi32""",
        allocations=1,
        copies=1,
    ),
    Case(
        "store_in_each_iteration_seen_by_the_next",
        ("8xi32",),
        each_prefix,
        f"""
        {A8}
        {CONSTANTS}
        %c7 = arith.constant 7 : index
        scf.for %i = %c0 to %c7 step %c1 {{
          %j = arith.addi %i, %c1 : index
          %v = dispatch.load %a[%i] [1] [1] : readwrite 8xi32 -> tensor<1xi32>
          %w = dispatch.load %a[%j] [1] [1] : readwrite 8xi32 -> tensor<1xi32>
          {add("s", "v", "w", "w", "tensor<1xi32>")}
          dispatch.store %s, %a[%j] [1] [1] : tensor<1xi32> -> readwrite 8xi32
        }}""",
    ),
    Case(
        "whole_loaded_before_the_loop_that_stores",
        ("8xi32",),
        whole_in_each_step,
        f"""
        {A8}
        {CONSTANTS}
        %old = dispatch.load %a : readwrite 8xi32 -> tensor<8xi32>
        scf.for %i = %c0 to %c8 step %c4 {{
          %j = arith.subi %c4, %i : index
          %o = tensor.extract_slice %old[%j] [4] [1] : tensor<8xi32> to tensor<4xi32>
          %v = dispatch.load %a[%i] [4] [1] : readwrite 8xi32 -> tensor<4xi32>
          {add("s", "v", "o", "v")}
          dispatch.store %s, %a[%i] [4] [1] : tensor<4xi32> -> readwrite 8xi32
        }}""",
        allocations=1,
        copies=1,
    ),
    Case(
        "whole_loaded_in_each_iteration_that_stores",
        ("8xi32",),
        whole_again_in_each_step,
        f"""
        {A8}
        {CONSTANTS}
        scf.for %i = %c0 to %c8 step %c4 {{
          %j = arith.subi %c4, %i : index
          %old = dispatch.load %a : readwrite 8xi32 -> tensor<8xi32>
          %o = tensor.extract_slice %old[%j] [4] [1] : tensor<8xi32> to tensor<4xi32>
          %v = dispatch.load %a[%i] [4] [1] : readwrite 8xi32 -> tensor<4xi32>
          {add("s", "v", "o", "v")}
          dispatch.store %s, %a[%i] [4] [1] : tensor<4xi32> -> readwrite 8xi32
        }}""",
        allocations=1,
        copies=1,
    ),
    Case(
        "while_loop_mirrors",
        [("8xi32", limit) for limit in (0, 1, 4, 8)],
        until,
        f"""
        {A8}
        %limit = dispatch.push_constant 0 : index
        {CONSTANTS}
        %c7 = arith.constant 7 : index
        %end = scf.while (%i = %c0) : (index) -> index {{
          %p = arith.cmpi slt, %i, %limit : index
          scf.condition(%p) %i : index
        }} do {{
        ^bb0(%i: index):
          %j = arith.subi %c7, %i : index
          %v = dispatch.load %a[%j] [1] [1] : readwrite 8xi32 -> tensor<1xi32>
          dispatch.store %v, %a[%i] [1] [1] : tensor<1xi32> -> readwrite 8xi32
          %next = arith.addi %i, %c1 : index
          scf.yield %next : index
        }}""",
        copies=1,
    ),
    Case(
        "stored_under_a_condition_in_a_loop",
        [("8xi32", limit) for limit in (0, 1, 5, 9)],
        conditional_in_loop,
        f"""
        {A8}
        %limit = dispatch.push_constant 0 : index
        {CONSTANTS}
        %c7 = arith.constant 7 : index
        scf.for %i = %c0 to %c7 step %c1 {{
          %p = arith.cmpi slt, %i, %limit : index
          scf.if %p {{
            %j = arith.addi %i, %c1 : index
            %v = dispatch.load %a[%i] [1] [1] : readwrite 8xi32 -> tensor<1xi32>
            dispatch.store %v, %a[%j] [1] [1] : tensor<1xi32> -> readwrite 8xi32
          }}
        }}""",
        copies=1,
    ),
    Case(
        "two_byte_offsets_of_one_binding",
        ("8xi32",),
        lambda a: assign((a[4:], 2 * a[:4])),
        f"""
        %c16 = arith.constant 16 : index
        %a = dispatch.binding set(0) binding(0) : readwrite 4xi32
        %b = dispatch.binding set(0) binding(0) offset(%c16) : readwrite 4xi32
        %v = dispatch.load %a : readwrite 4xi32 -> tensor<4xi32>
        {add("s", "v", "v")}
        dispatch.store %s, %b : tensor<4xi32> -> readwrite 4xi32""",
    ),
    Case(
        "two_byte_offsets_swapped",
        ("8xi32",),
        lambda a: assign((a[:4], a[4:]), (a[4:], a[:4])),
        """
        %c16 = arith.constant 16 : index
        %a = dispatch.binding set(0) binding(0) : readwrite 4xi32
        %b = dispatch.binding set(0) binding(0) offset(%c16) : readwrite 4xi32
        %v = dispatch.load %a : readwrite 4xi32 -> tensor<4xi32>
        %w = dispatch.load %b : readwrite 4xi32 -> tensor<4xi32>
        dispatch.store %w, %a : tensor<4xi32> -> readwrite 4xi32
        dispatch.store %v, %b : tensor<4xi32> -> readwrite 4xi32""",
        allocations=1,
        copies=3,
    ),
    Case(
        "two_shapes_in_one_binding",
        ("12xi32",),
        lambda a: assign((a[4:], 2 * a[4:])),
        """
        %c16 = arith.constant 16 : index
        %a = dispatch.binding set(0) binding(0) : readwrite 4xi32
        %b = dispatch.binding set(0) binding(0) offset(%c16) : readwrite 2x4xi32
        %w = dispatch.load %b : readwrite 2x4xi32 -> tensor<2x4xi32>
        %s = linalg.add ins(%w, %w : tensor<2x4xi32>, tensor<2x4xi32>) outs(%w : tensor<2x4xi32>) -> tensor<2x4xi32>
        dispatch.store %s, %b : tensor<2x4xi32> -> readwrite 2x4xi32
        %v = dispatch.load %a : readwrite 4xi32 -> tensor<4xi32>
        dispatch.store %v, %a : tensor<4xi32> -> readwrite 4xi32""",
    ),
    Case(
        "one_binding_declared_twice",
        ("8xi32",),
        lambda a: assign((a[:4], a[4:]), (a[4:], a[:4])),
        """
        %a = dispatch.binding set(0) binding(0) : readwrite 8xi32
        %b = dispatch.binding set(0) binding(0) : readwrite 8xi32
        %v = dispatch.load %a[0] [4] [1] : readwrite 8xi32 -> tensor<4xi32>
        %w = dispatch.load %b[4] [4] [1] : readwrite 8xi32 -> tensor<4xi32>
        dispatch.store %w, %b[0] [4] [1] : tensor<4xi32> -> readwrite 8xi32
        dispatch.store %v, %a[4] [4] [1] : tensor<4xi32> -> readwrite 8xi32""",
        allocations=1,
        copies=3,
    ),
    Case(
        "same_numbers_in_two_sets",
        ("8xi32", "8xi32"),
        lambda a, b: assign((b, 2 * a)),
        f"""
        %a = dispatch.binding set(0) binding(3) : readonly 8xi32
        %b = dispatch.binding set(1) binding(3) : writeonly 8xi32
        %v = dispatch.load %a : readonly 8xi32 -> tensor<8xi32>
        {add("s", "v", "v", type_="tensor<8xi32>")}
        dispatch.store %s, %b : tensor<8xi32> -> writeonly 8xi32""",
    ),
    Case(
        "bindings_declared_out_of_order",
        ("8xi32", "8xi32", "8xi32"),
        lambda a, b, r: assign((r, a + b)),
        f"""
        %r = dispatch.binding set(1) binding(0) : writeonly 8xi32
        %b = dispatch.binding set(0) binding(10) : readonly 8xi32
        %a = dispatch.binding set(0) binding(9) : readonly 8xi32
        %v = dispatch.load %a : readonly 8xi32 -> tensor<8xi32>
        %w = dispatch.load %b : readonly 8xi32 -> tensor<8xi32>
        {add("s", "v", "w", type_="tensor<8xi32>")}
        dispatch.store %s, %r : tensor<8xi32> -> writeonly 8xi32""",
    ),
    Case(
        "unstored_bytes_of_a_writeonly_binding",
        ("2xi32", "8xi32"),
        lambda a, r: assign((r[3:5], 2 * a)),
        f"""
        %a = dispatch.binding set(0) binding(0) : readonly 2xi32
        {R8}
        %v = dispatch.load %a : readonly 2xi32 -> tensor<2xi32>
        {add("s", "v", "v", type_="tensor<2xi32>")}
        dispatch.store %s, %r[3] [2] [1] : tensor<2xi32> -> writeonly 8xi32""",
    ),
    Case(
        "each_workgroup_moves_its_own_part",
        ("16xi32",),
        lambda a: assign((a.reshape(4, 4)[:, 2:], 2 * a.reshape(4, 4)[:, :2])),
        f"""
        %a = dispatch.binding set(0) binding(0) : readwrite 16xi32
        %x = dispatch.workgroup_id 0 : index
        %count = dispatch.workgroup_count 0 : index
        {CONSTANTS}
        %c16 = arith.constant 16 : index
        %first = arith.muli %x, %c4 : index
        %step = arith.muli %count, %c4 : index
        scf.for %i = %first to %c16 step %step {{
          %j = arith.addi %i, %c2 : index
          %v = dispatch.load %a[%i] [2] [1] : readwrite 16xi32 -> tensor<2xi32>
          {add("s", "v", "v", type_="tensor<2xi32>")}
          dispatch.store %s, %a[%j] [2] [1] : tensor<2xi32> -> readwrite 16xi32
        }}""",
        grids=((1, 1, 1), (2, 1, 1), (4, 1, 1), (9, 1, 1)),
    ),
    Case(
        "overlapping_bytes_that_are_only_read",
        ("8xi32", "4xi32"),
        lambda a, r: assign((r, a[:4] + a[1:5])),
        f"""
        %c4 = arith.constant 4 : index
        %a = dispatch.binding set(0) binding(0) : readonly 8xi32
        %b = dispatch.binding set(0) binding(0) offset(%c4) : readonly 4xi32
        %r = dispatch.binding set(0) binding(1) : writeonly 4xi32
        %v = dispatch.load %a[0] [4] [1] : readonly 8xi32 -> tensor<4xi32>
        %w = dispatch.load %b : readonly 4xi32 -> tensor<4xi32>
        {add("s", "v", "w")}
        dispatch.store %s, %r : tensor<4xi32> -> writeonly 4xi32""",
    ),
    Case(
        "bindings_that_nothing_uses",
        ("8xi32", "8xi32", "8xi32", "8xi32"),
        lambda a, b, c, r: assign((r, 2 * a)),
        f"""
        %a = dispatch.binding set(0) binding(0) : readonly 8xi32
        %b = dispatch.binding set(0) binding(1) : readonly 8xi32
        %c = dispatch.binding set(0) binding(2) : readwrite 8xi32
        %r = dispatch.binding set(0) binding(3) : writeonly 8xi32
        %v = dispatch.load %a : readonly 8xi32 -> tensor<8xi32>
        %w = dispatch.load %b : readonly 8xi32 -> tensor<8xi32>
        {add("s", "v", "v", type_="tensor<8xi32>")}
        dispatch.store %s, %r : tensor<8xi32> -> writeonly 8xi32""",
    ),
    Case(
        "bindings_and_nothing_else",
        ("8xi32", "8xi32"),
        lambda a, r: None,
        """
        %a = dispatch.binding set(0) binding(0) : readonly 8xi32
        %r = dispatch.binding set(0) binding(1) : writeonly 8xi32""",
    ),
]
