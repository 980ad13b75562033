"""Versions for several processors: which one runs, and that its numbers are the JIT's."""

from __future__ import annotations

import ctypes
import platform
from pathlib import Path

import numpy as np
import pytest
from c_libraries import compiled, needs_compiler
from mlir import ir

import mlir_inplace as mi
from mlir_inplace.runtime.ahead_of_time import cpu_code
from mlir_inplace.runtime.ahead_of_time.cpu_code import version_function
from mlir_inplace.runtime.ahead_of_time.targets import LEVELS, Target, parse_targets
from mlir_inplace.runtime.native.engine import Engine

on_x86 = pytest.mark.skipif(platform.machine() != "x86_64", reason="levels are those of x86-64")

KERNEL = """
func.func @main(%a: tensor<37x41xf32>, %b: tensor<41x29xf32>, %c: tensor<37x29xf32>) -> tensor<37x29xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<37x41xf32>, tensor<41x29xf32>) outs(%c : tensor<37x29xf32>)
      -> tensor<37x29xf32>
  %1 = math.exp %0 : tensor<37x29xf32>
  return %1 : tensor<37x29xf32>
}
"""
FLAGS = {
    2: "pni ssse3 cx16 sse4_1 sse4_2 popcnt lahf_lm",
    3: "fma movbe avx f16c bmi1 avx2 bmi2 abm",
    4: "avx512f avx512dq avx512cd avx512bw avx512vl",
}
"""What Linux calls the features that each level adds."""


def level_of_this_machine() -> int:
    found = set(Path("/proc/cpuinfo").read_text().partition("flags")[2].partition("\n")[0].split())
    level = 1
    while level < 4 and set(FLAGS[level + 1].split()) <= found:
        level += 1
    return level


def chosen(levels: list[int]) -> list[int]:
    """What the function that chooses a version answers, twice."""
    text = (
        version_function("version", levels)
        + """
        llvm.func @ask() -> i64 {
          %0 = llvm.call @version() : () -> i64
          llvm.return %0 : i64
        }"""
    )
    answers: list[int] = []
    with ir.Context():
        engine = Engine(ir.Module.parse(text), 2, ())
    for _ in range(2):
        answer = ctypes.c_int64(-1)
        table = (ctypes.c_void_p * 1)(ctypes.addressof(answer))
        engine.function("ask")(ctypes.addressof(table))
        answers.append(answer.value)
    return answers


@on_x86
@pytest.mark.parametrize("levels", [[1, 2, 3, 4], [1, 3], [2], [4], [1]])
def test_the_best_version_is_chosen(levels: list[int]) -> None:
    best = sum(level <= level_of_this_machine() for level in levels)
    assert chosen(levels) == [best, best]


@on_x86
@pytest.mark.parametrize(
    ("level", "word"),
    [(level, word) for level, words in cpu_code._NEEDED.items() for word in words if level <= level_of_this_machine()],
)
def test_every_feature_counts(monkeypatch: pytest.MonkeyPatch, level: int, word: str) -> None:
    needed = cpu_code._NEEDED
    monkeypatch.setitem(needed, level, {**needed[level], word: 1 << 40})  # a bit that no processor has
    assert chosen([1, 2, 3, 4]) == [level - 1, level - 1]
    assert chosen([level]) == [0, 0]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x86-64-v5", "there is no 'x86-64-v5'"),
        ("haswell", "there is no 'haswell'; known are native, x86-64, x86-64-v2, x86-64-v3, x86-64-v4"),
        ("", "there is no ''"),
        ("native,x86-64-v3", "'native' stands alone"),
        ("x86-64-v3,x86-64-v3", "'x86-64-v3' is given twice"),
    ],
)
def test_lists_that_make_no_sense(text: str, message: str) -> None:
    with pytest.raises(ValueError) as caught:
        parse_targets(text)
    assert str(caught.value).startswith(message)


@on_x86
def test_levels_are_sorted_and_given_properties_win() -> None:
    assert parse_targets("x86-64-v4,x86-64") == (Target("x86-64"), Target("x86-64-v4"))
    assert "vector-bits=256" in Target("x86-64-v3").machine("")
    assert "vector-bits=128 registers=16 l1=1024" in Target("x86-64-v3").machine("vector-bits=128 l1=1024")


def inputs() -> list[np.ndarray]:
    random = np.random.default_rng(5)
    return [random.standard_normal(shape, np.float32) * 0.3 for shape in ((37, 41), (41, 29), (37, 29))]


@on_x86
@needs_compiler
@pytest.mark.parametrize("level", [level for level in (1, 2, 3, 4) if level <= level_of_this_machine()])
def test_numbers_of_a_level_are_those_of_the_jit(tmp_path: Path, level: int) -> None:
    name, arguments = LEVELS[level - 1], inputs()
    library = compiled(tmp_path, KERNEL, "--optimize", "--target-cpu", name)
    assert library.cpu() == name
    found = np.zeros((37, 29), np.float32)
    assert library.call("main", *arguments, found) == "OK"
    machine = Target(name).machine("")
    expected = mi.compile(KERNEL, optimize=True, machine=machine).main(*arguments)
    # Products and sums are rounded together only where the processor can; the JIT's code is for this machine's.
    np.testing.assert_allclose(found, expected, rtol=0 if level > 2 else 2e-6)


@on_x86
@needs_compiler
def test_a_library_without_a_version_for_this_processor_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(cpu_code._NEEDED, 2, {"basic": 1 << 40})
    library = compiled(tmp_path, KERNEL, "--target-cpu", "x86-64-v2,x86-64-v3")
    assert library.cpu() is None
    found = np.zeros((37, 29), np.float32)
    assert library.call("main", *inputs(), found) == "UNSUPPORTED_CPU"
    assert not found.any()
