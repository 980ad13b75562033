"""Loads and stores in nests of control flow of every kind."""

from __future__ import annotations

from typing import Any

import numpy as np

from .case import Case
from .hazards import A8, B8, CONSTANTS, R8, add, assign

Array = np.ndarray[Any, Any]

READ_A8 = A8.replace("readwrite", "readonly")


def counted_down(a: Array, r: Array, limit: int) -> None:
    for i in range(limit + 1):
        r[i] = 2 * a[i]


def sums_and_stores(a: Array, r: Array) -> None:
    total = np.zeros(2, np.int32)
    for i in range(0, 8, 2):
        total += a[i : i + 2]
        r[i : i + 2] = total


def rotated(a: Array) -> None:
    for i in range(0, 6, 2):
        a[i : i + 4] = np.concatenate([a[i + 2 : i + 4], a[i : i + 2]])


def nested(a: Array, r: Array, p: bool, q: bool) -> None:
    if p:
        if q:
            a[:4] += a[4:]
        else:
            r[:4] = a[:4]
        r[4:] = a[:4]


def triangle(a: Array) -> None:
    for i in range(3):
        for j in range(i):
            a[i] += a[j]


def columns(a: Array, r: Array) -> None:
    for j in range(3):
        column = a[:, j].copy()
        if j < 2:
            a[:, j + 1] += column
        r[j] = column


def blocks(a: Array, r: Array, p: bool) -> None:
    if p:
        a[:4] = 2 * a[4:]
        r[:4] = a[:4]
    else:
        r[4:] = a[4:]


def countdown(a: Array, n: int) -> None:
    for i in range(n, 0, -1):
        a[i - 1] += a[i]


CASES = [
    Case(
        "stored_by_the_threads_of_a_forall",
        ("8xi32", "8xi32"),
        lambda a, r: assign((r, 2 * a)),
        f"""
        {READ_A8}
        {R8}
        scf.forall (%i) = (0) to (8) step (4) {{
          %v = dispatch.load %a[%i] [4] [1] : readonly 8xi32 -> tensor<4xi32>
          {add("s", "v", "v")}
          dispatch.store %s, %r[%i] [4] [1] : tensor<4xi32> -> writeonly 8xi32
        }}""",
    ),
    Case(
        "updated_by_the_threads_of_a_forall",
        ("8xi32",),
        lambda a: assign((a, 2 * a)),
        f"""
        {A8}
        scf.forall (%i) = (0) to (8) step (4) {{
          %v = dispatch.load %a[%i] [4] [1] : readwrite 8xi32 -> tensor<4xi32>
          {add("s", "v", "v", "v")}
          dispatch.store %s, %a[%i] [4] [1] : tensor<4xi32> -> readwrite 8xi32
        }}""",
    ),
    Case(
        "loaded_before_the_forall_that_stores",
        ("8xi32", "8xi32"),
        lambda a, r: assign((r, a), (a, 2 * a)),
        f"""
        {A8}
        {R8}
        %old = dispatch.load %a : readwrite 8xi32 -> tensor<8xi32>
        scf.forall (%i) = (0) to (8) step (4) {{
          %v = dispatch.load %a[%i] [4] [1] : readwrite 8xi32 -> tensor<4xi32>
          {add("s", "v", "v", "v")}
          dispatch.store %s, %a[%i] [4] [1] : tensor<4xi32> -> readwrite 8xi32
        }}
        dispatch.store %old, %r : tensor<8xi32> -> writeonly 8xi32""",
        allocations=1,
        copies=2,
    ),
    Case(
        "forall_in_a_loop",
        ("8xi32",),
        lambda a: assign((a, 8 * a)),
        f"""
        {A8}
        {CONSTANTS}
        scf.for %k = %c0 to %c3 step %c1 {{
          scf.forall (%i) = (0) to (8) step (4) {{
            %v = dispatch.load %a[%i] [4] [1] : readwrite 8xi32 -> tensor<4xi32>
            {add("s", "v", "v", "v")}
            dispatch.store %s, %a[%i] [4] [1] : tensor<4xi32> -> readwrite 8xi32
          }}
        }}""",
    ),
    Case(
        "stored_before_a_loop_is_left",
        [("8xi32", "8xi32", limit) for limit in (0, 3, 7)],
        counted_down,
        f"""
        {READ_A8}
        {R8}
        %limit = dispatch.push_constant 0 : index
        {CONSTANTS}
        %end = scf.while (%i = %c0) : (index) -> index {{
          %v = dispatch.load %a[%i] [1] [1] : readonly 8xi32 -> tensor<1xi32>
          {add("s", "v", "v", type_="tensor<1xi32>")}
          dispatch.store %s, %r[%i] [1] [1] : tensor<1xi32> -> writeonly 8xi32
          %p = arith.cmpi slt, %i, %limit : index
          scf.condition(%p) %i : index
        }} do {{
        ^bb0(%i: index):
          %next = arith.addi %i, %c1 : index
          scf.yield %next : index
        }}""",
    ),
    Case(
        "loop_carries_a_sum_and_stores_it",
        ("8xi32", "8xi32"),
        sums_and_stores,
        f"""
        {READ_A8}
        {R8}
        {CONSTANTS}
        %zero = arith.constant 0 : i32
        %e = tensor.empty() : tensor<2xi32>
        %f = linalg.fill ins(%zero : i32) outs(%e : tensor<2xi32>) -> tensor<2xi32>
        %end = scf.for %i = %c0 to %c8 step %c2 iter_args(%sum = %f) -> tensor<2xi32> {{
          %v = dispatch.load %a[%i] [2] [1] : readonly 8xi32 -> tensor<2xi32>
          {add("s", "sum", "v", "sum", "tensor<2xi32>")}
          dispatch.store %s, %r[%i] [2] [1] : tensor<2xi32> -> writeonly 8xi32
          scf.yield %s : tensor<2xi32>
        }}""",
        allocations=1,
        copies=1,
    ),
    Case(
        "parts_rotated_in_a_loop",
        ("8xi32",),
        rotated,
        f"""
        {A8}
        {CONSTANTS}
        scf.for %i = %c0 to %c6 step %c2 {{
          %j = arith.addi %i, %c2 : index
          %v = dispatch.load %a[%i] [2] [1] : readwrite 8xi32 -> tensor<2xi32>
          %w = dispatch.load %a[%j] [2] [1] : readwrite 8xi32 -> tensor<2xi32>
          dispatch.store %w, %a[%i] [2] [1] : tensor<2xi32> -> readwrite 8xi32
          dispatch.store %v, %a[%j] [2] [1] : tensor<2xi32> -> readwrite 8xi32
        }}""",
        allocations=1,
        copies=3,
    ),
    Case(
        "branches_in_branches",
        [("8xi32", "8xi32", p, q) for p in (False, True) for q in (False, True)],
        nested,
        f"""
        {A8}
        {R8}
        %p = dispatch.push_constant 0 : i1
        %q = dispatch.push_constant 1 : i1
        scf.if %p {{
          scf.if %q {{
            %v = dispatch.load %a[0] [4] [1] : readwrite 8xi32 -> tensor<4xi32>
            %w = dispatch.load %a[4] [4] [1] : readwrite 8xi32 -> tensor<4xi32>
            {add("s", "v", "w", "v")}
            dispatch.store %s, %a[0] [4] [1] : tensor<4xi32> -> readwrite 8xi32
          }} else {{
            %v = dispatch.load %a[0] [4] [1] : readwrite 8xi32 -> tensor<4xi32>
            dispatch.store %v, %r[0] [4] [1] : tensor<4xi32> -> writeonly 8xi32
          }}
          %x = dispatch.load %a[0] [4] [1] : readwrite 8xi32 -> tensor<4xi32>
          dispatch.store %x, %r[4] [4] [1] : tensor<4xi32> -> writeonly 8xi32
        }}""",
        copies=2,
    ),
    Case(
        "inner_loop_reads_what_the_outer_stored",
        ("8xi32",),
        triangle,
        f"""
        {A8}
        {CONSTANTS}
        scf.for %i = %c0 to %c3 step %c1 {{
          scf.for %j = %c0 to %i step %c1 {{
            %v = dispatch.load %a[%i] [1] [1] : readwrite 8xi32 -> tensor<1xi32>
            %w = dispatch.load %a[%j] [1] [1] : readwrite 8xi32 -> tensor<1xi32>
            {add("s", "v", "w", "v", "tensor<1xi32>")}
            dispatch.store %s, %a[%i] [1] [1] : tensor<1xi32> -> readwrite 8xi32
          }}
        }}""",
        allocations=1,
        copies=1,
    ),
    Case(
        "columns_read_and_updated_in_a_loop",
        ("4x3xi32", "3x4xi32"),
        columns,
        f"""
        %a = dispatch.binding set(0) binding(0) : readwrite 4x3xi32
        %r = dispatch.binding set(0) binding(1) : writeonly 3x4xi32
        {CONSTANTS}
        scf.for %j = %c0 to %c3 step %c1 {{
          %v = dispatch.load %a[0, %j] [4, 1] [1, 1] : readwrite 4x3xi32 -> tensor<4xi32>
          %more = arith.cmpi slt, %j, %c2 : index
          scf.if %more {{
            %k = arith.addi %j, %c1 : index
            %w = dispatch.load %a[0, %k] [4, 1] [1, 1] : readwrite 4x3xi32 -> tensor<4xi32>
            {add("s", "v", "w", "w")}
            dispatch.store %s, %a[0, %k] [4, 1] [1, 1] : tensor<4xi32> -> readwrite 4x3xi32
          }}
          dispatch.store %v, %r[%j, 0] [1, 4] [1, 1] : tensor<4xi32> -> writeonly 3x4xi32
        }}""",
        copies=1,
    ),
    Case(
        "branches_between_blocks",
        [("8xi32", "8xi32", p) for p in (False, True)],
        blocks,
        f"""
          {A8}
          {R8}
          %p = dispatch.push_constant 0 : i1
          %w = dispatch.load %a[4] [4] [1] : readwrite 8xi32 -> tensor<4xi32>
          cf.cond_br %p, ^yes, ^no
        ^yes:
          {add("s", "w", "w")}
          dispatch.store %s, %a[0] [4] [1] : tensor<4xi32> -> readwrite 8xi32
          dispatch.store %s, %r[0] [4] [1] : tensor<4xi32> -> writeonly 8xi32
          cf.br ^end
        ^no:
          dispatch.store %w, %r[4] [4] [1] : tensor<4xi32> -> writeonly 8xi32
          cf.br ^end
        ^end:""",
        copies=2,
    ),
    Case(
        "loop_of_blocks",
        [("8xi32", n) for n in (0, 1, 7)],
        countdown,
        f"""
          {A8}
          %n = dispatch.push_constant 0 : index
          {CONSTANTS}
          cf.br ^head(%n : index)
        ^head(%i: index):
          %more = arith.cmpi sgt, %i, %c0 : index
          cf.cond_br %more, ^body, ^end
        ^body:
          %j = arith.subi %i, %c1 : index
          %v = dispatch.load %a[%i] [1] [1] : readwrite 8xi32 -> tensor<1xi32>
          %w = dispatch.load %a[%j] [1] [1] : readwrite 8xi32 -> tensor<1xi32>
          {add("s", "v", "w", "w", "tensor<1xi32>")}
          dispatch.store %s, %a[%j] [1] [1] : tensor<1xi32> -> readwrite 8xi32
          cf.br ^head(%j : index)
        ^end:""",
    ),
    Case(
        "several_returns",
        [("8xi32", "8xi32", p) for p in (False, True)],
        lambda a, b, p: assign((a if p else b, 2 * (b if p else a))),
        f"""
          {A8}
          {B8}
          %p = dispatch.push_constant 0 : i1
          %v = dispatch.load %a : readwrite 8xi32 -> tensor<8xi32>
          %w = dispatch.load %b : readwrite 8xi32 -> tensor<8xi32>
          cf.cond_br %p, ^yes, ^no
        ^yes:
          {add("s", "w", "w", type_="tensor<8xi32>")}
          dispatch.store %s, %a : tensor<8xi32> -> readwrite 8xi32
          return
        ^no:
          {add("t", "v", "v", type_="tensor<8xi32>")}
          dispatch.store %t, %b : tensor<8xi32> -> readwrite 8xi32""",
    ),
]
