"""Programs with `runtime_checks`, and divisions of all programs: what fails is an exception that names the op."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from fast_run import is_full
from mlir import ir

import mlir_inplace as mi
from mlir_inplace.runtime.compilation.stages import watched_stages

OPTIONS = [pytest.param({}, id="default"), pytest.param({"optimize": True}, id="optimize")]
CHOSEN = OPTIONS if is_full() else OPTIONS[1:]
f32 = np.float32
BODIES = {
    "extract": "%r = tensor.extract %t[%i] : tensor<?xf32>",
    "insert": "%r = tensor.insert %x into %t[%i] : tensor<?xf32>",
    "take": "%r = tensor.extract_slice %t[%i][%j][1] : tensor<?xf32> to tensor<?xf32>",
    "put": "%r = tensor.insert_slice %s into %t[%i][%j][1] : tensor<?xf32> into tensor<?xf32>",
    "strided": "%r = tensor.insert_slice %s into %t[%i][%j][3] : tensor<?xf32> into tensor<?xf32>",
    "cast": "%r = tensor.cast %t : tensor<?xf32> to tensor<4xf32>",
    "empty": "%r = tensor.splat %x[%i] : tensor<?xf32>",
    "expand": "%r = tensor.expand_shape %t [[0, 1]] output_shape [%i, %j] : tensor<?xf32> into tensor<?x?xf32>",
    "pad": """%r = tensor.pad %t low[%i] high[%j] {
      ^bb0(%k: index):
        tensor.yield %x : f32
      } : tensor<?xf32> to tensor<?xf32>""",
    "add": "%r = linalg.add ins(%t, %s : tensor<?xf32>, tensor<?xf32>) outs(%t : tensor<?xf32>) -> tensor<?xf32>",
    "parallel": """%r = scf.forall (%k) in (2) shared_outs(%o = %t) -> tensor<?xf32> {
        scf.forall.in_parallel {
          tensor.parallel_insert_slice %s into %o[%i][%j][1] : tensor<?xf32> into tensor<?xf32>
        }
      }""",
}
TYPES = {"extract": "f32", "cast": "tensor<4xf32>", "expand": "tensor<?x?xf32>"}


def program(name: str) -> str:
    type_ = TYPES.get(name, "tensor<?xf32>")
    return f"""func.func @main(%t: tensor<?xf32>, %s: tensor<?xf32>, %x: f32, %i: index, %j: index) -> {type_} {{
      {BODIES[name]}
      return %r : {type_}
    }}"""


# Sizes of both tensors, i, j; the message; the same of a program that is right, and its result.
CASES: list[tuple[str, tuple[int, ...], str, tuple[int, ...], Any]] = [
    ("extract", (4, 1, 4, 0), "'tensor.extract': out-of-bounds access", (4, 1, 3, 0), 3),
    ("extract", (4, 1, -1, 0), "'tensor.extract': out-of-bounds access", (4, 1, 0, 0), 0),
    ("insert", (4, 1, 4, 0), "'tensor.insert': out-of-bounds access", (4, 1, 3, 0), [0, 1, 2, 9]),
    ("take", (4, 1, 2, 3), "'tensor.extract_slice': extract_slice runs out-of-bounds", (4, 1, 2, 2), [2, 3]),
    ("take", (4, 1, 2, -1), "'tensor.extract_slice': size 0 is negative", (4, 1, 4, 0), []),
    ("put", (4, 3, 2, 3), "'tensor.insert_slice': the slice ends outside of dimension 0", (4, 2, 2, 2), [0, 1, 50, 51]),
    ("put", (4, 0, 5, 0), "'tensor.insert_slice': the slice ends outside of dimension 0", (4, 0, 4, 0), [0, 1, 2, 3]),
    ("put", (4, 1, -1, 1), "'tensor.insert_slice': offset 0 is negative", (4, 1, 0, 1), [50, 1, 2, 3]),
    ("put", (4, 2, 0, 1), "dimension 0 of the source is not size 0 of the slice", (4, 1, 3, 1), [0, 1, 2, 50]),
    ("put", (4, 1, 2**63 - 1, 2**63 - 1), "ends outside of dimension 0", (4, 1, 1, 1), [0, 50, 2, 3]),
    ("strided", (4, 2, 1, 2), "the slice ends outside of dimension 0", (4, 2, 0, 2), [50, 1, 2, 51]),
    ("strided", (4, 0, 5, 0), "the slice ends outside of dimension 0", (4, 0, 4, 0), [0, 1, 2, 3]),
    ("cast", (3, 1, 0, 0), "'tensor.cast': size mismatch of dim 0", (4, 1, 0, 0), [0, 1, 2, 3]),
    ("empty", (4, 1, -1, 0), "'tensor.splat': size 0 is negative", (4, 1, 2, 0), [9, 9]),
    ("expand", (6, 1, 4, 2), "the sizes that dimension 0 becomes have another product", (6, 1, 3, 2), "3x2"),
    ("expand", (6, 1, -3, -2), "'tensor.expand_shape': size 0 is negative", (6, 1, 2, 3), "2x3"),
    ("pad", (2, 1, 0, -1), "'tensor.pad': high padding 0 is negative", (2, 1, 0, 1), [0, 1, 9]),
    ("add", (4, 5, 0, 0), "'linalg.add': dimension #0 of input/output operand #1", (2, 2, 0, 0), [50, 52]),
    ("parallel", (4, 3, 2, 3), "'tensor.parallel_insert_slice': the slice ends", (4, 2, 2, 2), [0, 1, 50, 51]),
]


@pytest.mark.parametrize("options", CHOSEN)
@pytest.mark.parametrize("name", BODIES)
def test_what_a_run_shows_to_be_wrong(name: str, options: dict[str, bool]) -> None:
    main = mi.compile(program(name), runtime_checks=True, **options).main
    for kind, wrong, message, right, result in CASES:
        if kind != name:
            continue
        arrays = [
            (np.arange(first, dtype=f32), 50 + np.arange(second, dtype=f32)) for first, second, *_ in (wrong, right)
        ]
        with pytest.raises(AssertionError, match=r"^-:[245]:\d+: ") as caught:
            main(*arrays[0], 9.0, *wrong[2:])
        assert message in str(caught.value) and "\n" not in str(caught.value)
        expected = np.arange(6, dtype=f32).reshape(*map(int, result.split("x"))) if isinstance(result, str) else result
        np.testing.assert_array_equal(main(*arrays[1], 9.0, *right[2:]), expected)


def test_without_them_nothing_is_checked_or_paid() -> None:
    asserted: list[bool] = []

    def watch(stage: str, module: ir.Module) -> None:
        if stage == "tensors":
            asserted.append("cf.assert" in str(module))

    for checks in (False, True):
        asserted.clear()
        with watched_stages(watch):
            out = mi.compile(program("insert"), runtime_checks=checks, memory_stats=True)
        assert asserted == [checks]
        result = out.main(np.arange(3, dtype=f32), np.zeros(1, f32), 9.0, 1, 0)
        np.testing.assert_array_equal(result, [0, 9, 2])
        assert (out.memory_stats.allocations, out.memory_stats.copies) == (1, 1)


def test_no_flag() -> None:
    with pytest.raises(TypeError, match="runtime_checks must be True or False, got 'yes'"):
        mi.compile(program("insert"), runtime_checks="yes")  # type: ignore[arg-type]


DIVISIONS = {
    "divsi": lambda a, b: int(a / b),
    "divui": lambda a, b: a // b,
    "remsi": np.fmod,
    "remui": np.fmod,
    "ceildivsi": lambda a, b: -(-a // b),
    "ceildivui": lambda a, b: -(-a // b),
    "floordivsi": lambda a, b: a // b,
}
SCALARS = "\n".join(
    f"""func.func @{name}(%a: i32, %b: i32) -> i32 {{
  %q = arith.{name} %a, %b : i32
  return %q : i32
}}
func.func @{name}_vectors(%a: i32, %b: i32) -> i32 {{
  %five = arith.constant dense<5> : vector<2x3xi32>
  %v = vector.broadcast %a : i32 to vector<2x3xi32>
  %w = vector.insert %b, %five[1, 1] : i32 into vector<2x3xi32>
  %q = arith.{name} %v, %w : vector<2x3xi32>
  %r = vector.extract %q[1, 1] : i32 from vector<2x3xi32>
  return %r : i32
}}"""
    for name in DIVISIONS
)
LEAST = -(2**31)


@pytest.mark.parametrize("options", CHOSEN)
def test_divisions(options: dict[str, bool]) -> None:
    program = mi.compile(SCALARS, **options)
    for name, divide in DIVISIONS.items():
        for form in (name, f"{name}_vectors"):
            for a, b in ((7, 2), (12, 5), (0, 3), *(() if "u" in name else ((-7, 2), (7, -2), (LEAST, 1)))):
                assert program[form](a, b) == divide(a, b), (form, a, b)
            with pytest.raises(ZeroDivisionError, match=r"^-:\d+:\d+: integer division by zero$"):
                program[form](7, 0)
            if "u" not in name:
                with pytest.raises(OverflowError, match=r"^-:\d+:\d+: integer quotient out of range$"):
                    program[form](LEAST, -1)
            else:
                assert program[form](LEAST, -1) == np.array(divide(2**31, 2**32 - 1), np.uint32).astype(np.int32)


@pytest.mark.parametrize("options", OPTIONS)
def test_elements_are_divided(options: dict[str, bool]) -> None:
    program = mi.compile(
        """func.func @main(%a: tensor<?xi16>, %b: tensor<?xi16>) -> tensor<?xi16> {
  %r = linalg.div ins(%a, %b : tensor<?xi16>, tensor<?xi16>) outs(%a : tensor<?xi16>) -> tensor<?xi16>
  return %r : tensor<?xi16>
}
func.func @constant(%a: tensor<?xi16>) -> tensor<?xi16> {
  %c = arith.constant -3 : i16
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      outs(%a : tensor<?xi16>) {
  ^bb0(%x: i16):
    %q = arith.divsi %x, %c : i16
    linalg.yield %q : i16
  } -> tensor<?xi16>
  return %r : tensor<?xi16>
}""",
        **options,
    )
    a, b = np.arange(37, dtype=np.int16) * 11, 1 + np.arange(37, dtype=np.int16)
    np.testing.assert_array_equal(program.main(a, b), a // b)
    np.testing.assert_array_equal(program.constant(a), -(a // 3))
    b[20] = 0
    with pytest.raises(ZeroDivisionError, match=r"^-:2:\d+: integer division by zero$"):
        program.main(a, b)
