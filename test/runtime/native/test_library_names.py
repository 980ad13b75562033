"""Functions with names of the C library: the program's own is called where the program says so, libm's for math."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import mlir_inplace as mi

VISIBILITIES = ("private ", "")
NAMES = {"erff": "erf", "tanf": "tan", "expf": "exp", "sinf": "sin"}
"""erf is a call of libm in MLIR already, the others come from LLVM's intrinsics."""


def program(name: str, visibility: str = "") -> str:
    return f"""
func.func {visibility}@{name}(%x: f32) -> f32 {{
  %c = arith.constant 100.0 : f32
  %r = arith.addf %x, %c : f32
  return %r : f32
}}
func.func @both(%x: f32) -> (f32, f32) {{
  %own = func.call @{name}(%x) : (f32) -> f32
  %libm = math.{NAMES[name]} %x : f32
  return %own, %libm : f32, f32
}}"""


@pytest.mark.parametrize("visibility", VISIBILITIES)
@pytest.mark.parametrize("name", NAMES)
def test_defined_functions(name: str, visibility: str) -> None:
    compiled = mi.compile(program(name, visibility), opt_level=0)
    right = getattr(math, NAMES[name])(0.5)
    np.testing.assert_allclose(compiled.both(0.5), (100.5, right), rtol=1e-6)
    if not visibility:
        assert compiled[name](0.25) == 100.25


@pytest.mark.parametrize("opt_level", range(4))
@pytest.mark.parametrize("name", ["abs", "ffs", "isdigit", "toascii", "helper", "main"])
def test_the_optimizer_does_not_take_functions_for_the_library_s(name: str, opt_level: int) -> None:
    compiled = mi.compile(
        f"""
        func.func {"" if name == "main" else "private"} @{name}(%x: i32) -> i32 {{
          %c = arith.constant 100 : i32
          %r = arith.addi %x, %c : i32
          return %r : i32
        }}
        func.func @caller(%x: i32) -> i32 {{
          %r = func.call @{name}(%x) : (i32) -> i32
          return %r : i32
        }}""",
        opt_level=opt_level,
    )
    assert compiled.caller(-7) == 93


def test_of_other_types_and_of_other_kinds() -> None:
    text = """
    memref.global "private" @log1pf : memref<1xf32> = dense<3.0>
    func.func private @erff(%x: i32) -> i32 { return %x : i32 }
    func.func @malloc(%x: tensor<4xf32>, %i: i32) -> (tensor<4xf32>, f32, i32, f32) {
      %c0 = arith.constant 0 : index
      %m = memref.get_global @log1pf : memref<1xf32>
      %three = memref.load %m[%c0] : memref<1xf32>
      %erf = math.erf %three : f32
      %log = math.log1p %three : f32
      %same = func.call @erff(%i) : (i32) -> i32
      %e = tensor.empty() : tensor<4xf32>
      %t = linalg.add ins(%x, %x : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
      return %t, %erf, %same, %log : tensor<4xf32>, f32, i32, f32
    }"""
    compiled = mi.compile(text, opt_level=0, memory_stats=True)
    values, erf, same, log = compiled.malloc(np.array([1, 2, 3, 5], np.float32), 7)
    np.testing.assert_array_equal(values, [2, 4, 6, 10])
    np.testing.assert_allclose((erf, same, log), (math.erf(3), 7, math.log1p(3)), rtol=1e-6)
    assert compiled.memory_stats.allocations == 1


def test_declared_functions_are_the_library_s() -> None:
    _, both, rest = program("erff").partition("func.func @both")
    compiled = mi.compile(f"func.func private @erff(f32) -> f32\n{both}{rest}", opt_level=0)
    np.testing.assert_allclose(compiled.both(0.5), (math.erf(0.5),) * 2, rtol=1e-6)


def test_declared_with_another_type() -> None:
    text = "\n  func.func private @powf(f32) -> f32\nfunc.func @main(%x: f32) -> f32 { return %x : f32 }"
    with pytest.raises(mi.PassError) as refused:
        mi.compile(text)
    assert str(refused.value) == (
        "-:2:3: 'powf' is declared with type (f32) -> f32, but it is libm's, with type (f32, f32) -> f32; declare it "
        "so, or take another name"
    )


def test_from_the_cache(tmp_path: Path) -> None:
    text = program("tanf")
    first = mi.compile(text, cache=tmp_path).both(0.5)
    assert len(list(tmp_path.rglob("*"))) > 0
    assert mi.compile(text, cache=tmp_path).both(0.5) == first
    assert mi.compile(text, cache=tmp_path).tanf(1.0) == 101.0
