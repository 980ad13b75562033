"""Repeated fusion groups as functions: the same values and copies, also if what they write over is read."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from mlir import ir

import mlir_inplace as mi
from mlir_inplace.runtime.compilation import lowering
from mlir_inplace.runtime.compilation.stages import watched_stages

N = 128
T, R = f"tensor<{N}x{N}xf32>", f"tensor<{N}xf32>"
GROUP = "call @inplace_group"


def group(number: int, x: str, init: str) -> str:
    """`%yK`: the squares of `%xK = x @ a` by their sums along rows, in `init`."""
    k = number
    return f"""
      %r{k} = tensor.empty() : {R}
      %e{k} = tensor.empty() : {T}
      %f{k} = linalg.fill ins(%z : f32) outs(%r{k} : {R}) -> {R}
      %g{k} = linalg.fill ins(%z : f32) outs(%e{k} : {T}) -> {T}
      %x{k} = linalg.matmul ins({x}, %a : {T}, {T}) outs(%g{k} : {T}) -> {T}
      %q{k} = linalg.mul ins(%x{k}, %x{k} : {T}, {T}) outs(%e{k} : {T}) -> {T}
      %s{k} = linalg.reduce {{ arith.addf }} ins(%q{k} : {T}) outs(%f{k} : {R}) dimensions = [1]
      %y{k} = linalg.generic {{indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}}
          ins(%q{k}, %s{k} : {T}, {R}) outs({init} : {T}) {{
      ^bb0(%i: f32, %j: f32, %o: f32):
        %t = arith.divf %i, %j : f32
        linalg.yield %t : f32
      }} -> {T}"""


def program(groups: list[tuple[str, str]], results: list[str]) -> str:
    body = "".join(group(number, x, init) for number, (x, init) in enumerate(groups))
    return f"""
    #row = affine_map<(i, j) -> (i)>
    #all = affine_map<(i, j) -> (i, j)>
    #back = affine_map<(i, j) -> (i, {N - 1} - j)>
    func.func @main(%a: {T}) -> ({", ".join([T] * len(results))}) {{
      %z = arith.constant 0.0 : f32
      %n = tensor.empty() : {T} {body}
      return {", ".join(results)} : {", ".join([T] * len(results))}
    }}"""


CHAIN = program([("%a", "%n"), ("%y0", "%n"), ("%y1", "%n"), ("%y2", "%n")], ["%y3", "%y0"])
"""The first result is read to the end."""

OVERWRITTEN = program([("%a", "%x0"), ("%y0", "%x1"), ("%y1", "%y0"), ("%y1", "%x3"), ("%y3", "%a")], ["%y4", "%x1"])
"""Groups write over what they read, which others read, too, or over an argument, which must stay as it is."""


SHARED = program([("%a", "%e0"), ("%y0", "%e1"), ("%y1", "%e2"), ("%y2", "%e3")], ["%y3", "%y0"])
SHARED = SHARED.replace("[#all, #row, #all]", "[#all, #back, #row, #all]").replace("^bb0(%i:", "^bb0(%i: f32, %b:")
SHARED = re.sub(r"ins\((%q\d), (%s\d) : (\S+), ", r"ins(\1, \1, \2 : \3, \3, ", SHARED)
"""The root reads its rows backwards, and its init is that of what it reads: each has a buffer of its own."""

DEAD = CHAIN.replace("return %y3, %y0", "return %y0, %x0")
"""Nothing uses the last three groups: no call keeps them."""


def traffic(text: str, *arguments: Any, **options: Any) -> tuple[Any, tuple[int, int], int]:
    """What a program returns, the bytes that it copies and leaks, and how many groups it calls."""
    calls: list[int] = []

    def count(stage: str, module: ir.Module) -> None:
        if stage == "tensors":
            calls.append(str(module).count(GROUP))

    machine = "l1=32768 l2=1048576"
    with watched_stages(count):
        made = mi.compile(text, optimize=True, memory_stats=True, machine=machine, **options)
        found = made.main(*arguments)
    assert made.memory_stats is not None
    return found, (made.memory_stats.copied_bytes, made.memory_stats.leaked_bytes), calls[0]


def with_groups(monkeypatch: pytest.MonkeyPatch, *passes: str) -> None:
    marks = replace(lowering.MARK_KERNELS[0], passes=("inplace-mark-kernels", *passes))
    monkeypatch.setattr(lowering, "MARK_KERNELS", (marks,))


@pytest.mark.each_value
@pytest.mark.parametrize("repeats", [1, 2])
@pytest.mark.parametrize("text", [CHAIN, OVERWRITTEN, SHARED], ids=["chain", "overwritten", "shared"])
def test_same_values_and_copies(text: str, repeats: int, monkeypatch: pytest.MonkeyPatch) -> None:
    a = np.random.default_rng(0).random((N, N), np.float32) + 0.5
    with_groups(monkeypatch)
    expected, cost, none = traffic(text, a)
    with_groups(monkeypatch, f"inplace-outline-groups{{repeats={repeats}}}")
    found, same, calls = traffic(text, a)
    assert calls >= 2 and none == 0
    np.testing.assert_array_equal(found, expected)
    assert cost == same


DYNAMIC = CHAIN.replace(f"{N}", "?").replace("tensor.empty() : tensor<?xf32>", "tensor.empty(%d) : tensor<?xf32>")
DYNAMIC = DYNAMIC.replace("tensor.empty()", "tensor.empty(%d, %d)").replace(
    "%z =", "%c0 = arith.constant 0 : index\n%d = tensor.dim %a, %c0 : tensor<?x?xf32>\n%z ="
)
"""Empty tensors of dynamic sizes would be arguments with a content, which calls copy."""


@pytest.mark.parametrize("text", [DEAD, DYNAMIC], ids=["dead", "dynamic"])
def test_groups_that_stay(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with_groups(monkeypatch, "inplace-outline-groups{repeats=2}")
    assert traffic(text, np.ones((N, N), np.float32))[2] == 0
