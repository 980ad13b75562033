"""Programs that are run from a table compute what they computed, in the same memory."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fast_run import sample
from mlir import ir

import mlir_inplace as mi
from mlir_inplace.runtime.compilation import lowering
from mlir_inplace.runtime.memory.statistics import MemoryStats

T, WHOLE = "tensor<24x16xf32>", "tensor<30x16xf32>"
ROUNDS = 60


def program() -> str:
    """Rounds on a part of one matrix, whose result becomes a part of the next one; an op that stays is in between."""
    lines = [f"func.func @main(%a0: {WHOLE}, %b: {T}, %s: f32) -> ({WHOLE}, {T}, tensor<4xf32>) {{"]
    for n in range(ROUNDS):
        part = f"{n % 6}, 0] [24, 16] [1, 1]"
        lines += [f"%x{n} = tensor.extract_slice %a{n}[{part} : {WHOLE} to {T}", f"%e{n} = tensor.empty() : {T}"]
        lines += [f"%f{n} = linalg.fill ins(%s : f32) outs(%e{n} : {T}) -> {T}"]
        lines += [f"%y{n} = linalg.sub ins(%f{n}, %x{n} : {T}, {T}) outs(%e{n} : {T}) -> {T}"]
        lines += [f"%z{n} = linalg.mul ins(%y{n}, %b : {T}, {T}) outs(%e{n} : {T}) -> {T}"]
        lines += [f"%a{n + 1} = tensor.insert_slice %z{n} into %a{n}[{part} : {T} into {WHOLE}"]
        if n == ROUNDS // 2:
            lines += ["%c = arith.constant 0 : index", "%t = tensor.empty() : tensor<4xf32>"]
            lines += [f"%u = tensor.extract %z{n}[%c, %c] : {T}"]
            lines += ["%v = linalg.fill ins(%u : f32) outs(%t : tensor<4xf32>) -> tensor<4xf32>"]
    return "\n".join([*lines, f"return %a{ROUNDS}, %y5, %v : {WHOLE}, {T}, tensor<4xf32>", "}"])


def computed(a: np.ndarray, b: np.ndarray, s: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    a, fifth, middle = a.copy(), a, np.zeros(4, np.float32)
    for n in range(ROUNDS):
        part = slice(n % 6, n % 6 + 24)
        y = s - a[part]
        fifth = y if n == 5 else fifth
        a[part] = y * b
        if n == ROUNDS // 2:
            middle[:] = a[n % 6, 0]
    return a, fifth, middle


def inputs() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    numbers = np.arange(30 * 16, dtype=np.float32).reshape(30, 16) / 512
    return numbers, (1 - numbers[:24]) / 2, np.float32(0.75)


@pytest.fixture
def without_tables(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    phases = tuple(
        replace(phase, passes=tuple(one for one in phase.passes if one != "inplace-tabulate-calls"))
        for phase in lowering.OUTLINE
    )
    monkeypatch.setattr(lowering, "OUTLINE", phases)
    yield


def lowered() -> ir.Module:
    module = ir.Module.parse(program())
    phases = (*lowering.BUFFERIZE, *lowering.BOUNDARY, *lowering.DEALLOCATE, *lowering.OUTLINE)
    mi.run_pipeline(module, lowering.pipeline(phases))
    return module


def test_a_long_program_has_tables() -> None:
    with ir.Context():
        module = lowered()
        text = str(module)
        main = next(str(op) for op in module.body.operations if "sym_visibility" not in op.attributes)
    # One in front of the op that stays, and one behind it.
    assert text.count("memref.global") == text.count("scf.index_switch") == 2
    assert main.count("linalg.fill") == 1
    assert main.count("call @inplace_kernel") < ROUNDS
    assert "optimize_none" not in main


@pytest.mark.parametrize(
    "options",
    sample([{"optimize": True}, {}, {"opt_level": 0}, {"memory_stats": True}, {"threads": 2, "optimize": True}]),
    ids=str,
)
def test_values(options: dict[str, Any]) -> None:
    compiled = mi.compile(program(), cache=False, **options)
    arguments = inputs()
    before = arguments[0].copy()
    for _ in range(2):
        for result, expected in zip(compiled.main(*arguments), computed(*arguments), strict=True):
            np.testing.assert_allclose(result, expected, rtol=1e-5, atol=1e-6)
    np.testing.assert_array_equal(arguments[0], before)
    strided = np.asfortranarray(arguments[0])
    for result, expected in zip(compiled.main(strided, *arguments[1:]), computed(*arguments), strict=True):
        np.testing.assert_allclose(result, expected, rtol=1e-5, atol=1e-6)


def stats() -> MemoryStats:
    """Of one call, whose values are as expected."""
    compiled = mi.compile(program(), cache=False, memory_stats=True)
    for result, expected in zip(compiled.main(*inputs()), computed(*inputs()), strict=True):
        np.testing.assert_allclose(result, expected, rtol=1e-5, atol=1e-6)
    return compiled.memory_stats


@pytest.mark.full
@pytest.mark.parametrize("arena", [False, True])
def test_memory_is_the_same_as_without_tables(request: pytest.FixtureRequest, arena: bool) -> None:
    if not arena:
        request.getfixturevalue("without_arena")
    with_tables = stats()
    request.getfixturevalue("without_tables")
    assert stats() == with_tables


def test_native_code_with_tables_is_kept(tmp_path: Path) -> None:
    arguments = inputs()
    expected = mi.compile(program(), cache=tmp_path).main(*arguments)
    assert len(list(tmp_path.rglob("*"))) > 0
    for result, first in zip(mi.compile(program(), cache=tmp_path).main(*arguments), expected, strict=True):
        np.testing.assert_array_equal(result, first)


def test_numbers_and_values_may_change_places() -> None:
    calls = "\n".join("call @f(%one, %n) : (i64, i64) -> ()\ncall @f(%n, %one) : (i64, i64) -> ()" for _ in range(2))
    with ir.Context():
        module = ir.Module.parse(
            f"""func.func private @f(i64, i64)
            func.func @main(%n: i64) {{
              %one = llvm.mlir.constant(1 : i64) : i64
              {calls}
              return
            }}"""
        )
        mi.run_pipeline(module, "builtin.module(inplace-tabulate-calls{fewest=4 of-kind=2})")
        text = str(module)
    assert "[[0, 1], [1, 1], [0, 1], [1, 1]]" in text
    assert re.findall(r"func.call @f\((.*)\) :", text)[0].endswith("%arg0")
    assert re.findall(r"func.call @f\((.*)\) :", text)[1].startswith("%arg0")


LARGE = 1 << 31
OPEN = "memref<4x4xf32, strided<[4, 1], offset: ?>>"


@pytest.mark.parametrize(
    ("step", "is_in_table"),
    [
        (f"%x# = memref.alloc() : memref<{LARGE - 1}xi8>", True),
        (f"%x# = memref.alloc() : memref<{LARGE}xi8>", False),
        ("%x# = memref.alloc() : memref<8xi1>", True),
        ("%x# = memref.alloc() : memref<8xindex>", True),
        ("%x# = memref.alloc() : memref<8xi24>", False),
        ("%x# = memref.alloc() : memref<8xcomplex<f32>>", False),
        ("%x# = memref.alloc() {mark} : memref<8xf32>", False),
        ("memref.copy %a, %b : memref<4x4xf32> to memref<4x4xf32>", True),
        (f"memref.copy %c, %c : {OPEN} to {OPEN}", False),
        (f"func.call @f(%c) : ({OPEN}) -> ()", True),
        (f"func.call @f(%c) {{mark}} : ({OPEN}) -> ()", False),
        ("func.call @g(%n) : (i64) -> ()", True),
        ("memref.dealloc %a : memref<4x4xf32>", True),
        ("memref.dealloc %u : memref<*xf32>", False),
    ],
)
def test_steps(step: str, is_in_table: bool) -> None:
    steps = "\n".join(step.replace("#", str(n)) for n in range(3))
    with ir.Context():
        module = ir.Module.parse(
            f"""func.func private @f({OPEN})
            func.func private @g(i64)
            func.func @main(%a: memref<4x4xf32>, %b: memref<4x4xf32>, %n: i64, %u: memref<*xf32>,
                            %c: {OPEN}) {{
              {steps}
              return
            }}"""
        )
        mi.run_pipeline(module, "builtin.module(inplace-tabulate-calls{fewest=3 of-kind=3})")
        assert str(module).count("scf.for") == is_in_table


@pytest.mark.parametrize(("count", "is_in_table"), [(1 << 13, True), ((1 << 13) + 1, False)])
def test_frames_are_small(count: int, is_in_table: bool) -> None:
    steps = "\n".join(f"%x{n} = memref.alloc() : memref<1xi8>" for n in range(count))
    with ir.Context():
        module = ir.Module.parse(f"func.func @main() {{\n{steps}\nreturn\n}}")
        mi.run_pipeline(module, "builtin.module(inplace-tabulate-calls)")
        assert str(module).count("scf.for") == is_in_table
