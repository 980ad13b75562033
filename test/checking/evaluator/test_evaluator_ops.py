"""Each arithmetic op and conversion, on distinct and extreme values, against compiled code: the same bits.

A vector of elements goes through the op as an array, and its elements through the op as scalars.
"""

from __future__ import annotations

import functools
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from mlir import ir

import mlir_inplace as mi
from mlir_inplace.checking.evaluator import Evaluator

Array = np.ndarray[Any, Any]

DTYPES: dict[str, Any] = {
    "i1": np.bool_,
    "i8": np.int8,
    "i16": np.int16,
    "i32": np.int32,
    "i64": np.int64,
    "index": np.int64,
    "f16": np.float16,
    "bf16": ml_dtypes.bfloat16,
    "f32": np.float32,
    "f64": np.float64,
}
COUNT = 24

INTEGER_BINARY = ("addi", "subi", "muli", "andi", "ori", "xori", "maxsi", "minsi", "maxui", "minui")
DIVISIONS = ("divsi", "divui", "remsi", "remui", "floordivsi", "ceildivsi", "ceildivui")
SHIFTS = ("shli", "shrsi", "shrui")
COMPARISONS = ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge")
FLOAT_BINARY = ("addf", "subf", "mulf", "divf", "maximumf", "minimumf", "maxnumf", "minnumf")
ORDERED = (
    "false",
    "oeq",
    "ogt",
    "oge",
    "olt",
    "ole",
    "one",
    "ord",
    "ueq",
    "ugt",
    "uge",
    "ult",
    "ule",
    "une",
    "uno",
    "true",
)
CONVERSIONS = (
    ("extsi", "i8", "i32"),
    ("extsi", "i1", "i8"),
    ("extui", "i8", "i32"),
    ("extui", "i1", "i64"),
    ("trunci", "i32", "i8"),
    ("trunci", "i32", "i1"),
    ("index_cast", "i8", "index"),
    ("index_cast", "index", "i16"),
    ("index_castui", "i8", "index"),
    ("sitofp", "i32", "f32"),
    ("sitofp", "i1", "f64"),
    ("uitofp", "i8", "f32"),
    ("uitofp", "i64", "f64"),
    ("fptosi", "f32", "i32"),
    ("fptoui", "f32", "i32"),
    ("extf", "f16", "f32"),
    ("extf", "bf16", "f64"),
    ("truncf", "f64", "f32"),
    ("truncf", "f32", "f16"),
    ("truncf", "f32", "bf16"),
    ("bitcast", "f32", "i32"),
    ("bitcast", "i16", "bf16"),
)
MATH = (
    *("exp", "exp2", "log", "log2", "log10", "sin", "cos", "tanh", "sqrt", "rsqrt", "absf", "ceil", "floor", "trunc"),
    *("round", "roundeven", "erf", "atan", "log1p", "expm1", "cbrt"),
)


def cases() -> dict[str, tuple[str, tuple[str, ...], str]]:
    """Each op by name: its text, the types of its operands, that of its result."""
    found: dict[str, tuple[str, tuple[str, ...], str]] = {}

    def add(text: str, operands: tuple[str, ...], result: str, name: str = "") -> None:
        found[f"{name or text.partition('.')[2]}_{'_'.join(operands)}_{result}"] = (text, operands, result)

    for type_ in ("i1", "i8", "i32", "i64", "index"):
        for op in INTEGER_BINARY:
            add(f"arith.{op}", (type_, type_), type_)
        for predicate in COMPARISONS:
            add(f"arith.cmpi {predicate},", (type_, type_), "i1", f"cmpi_{predicate}")
        for op in (*DIVISIONS, *SHIFTS) if type_ != "i1" else ():
            add(f"arith.{op}", (type_, type_), type_)
    for type_ in ("f16", "bf16", "f32", "f64"):
        for op in FLOAT_BINARY:
            add(f"arith.{op}", (type_, type_), type_)
        add("arith.negf", (type_,), type_)
    for predicate in ORDERED:
        add(f"arith.cmpf {predicate},", ("f32", "f32"), "i1", f"cmpf_{predicate}")
    for op, source, result in CONVERSIONS:
        add(f"arith.{op}", (source,), result)
    for op in MATH:
        for type_ in ("f32", "f64"):
            add(f"math.{op}", (type_,), type_)
    for op in ("powf", "atan2", "copysign"):
        add(f"math.{op}", ("f32", "f32"), "f32")
    add("math.fma", ("f32", "f32", "f32"), "f32")
    for op in ("ctlz", "cttz", "ctpop", "absi"):
        add(f"math.{op}", ("i32",), "i32")
    return found


CASES = cases()


def function(name: str, shape: str) -> str:
    """A function that applies the op to scalars, or through linalg to vectors of `shape`."""
    text, operands, result = CASES[name]
    scalars = ", ".join(f"%s{i}" for i in range(len(operands)))
    signature = (
        f"{operands[0]} to {result}"
        if (text.split(".")[1], *operands, result) in {(op, source, target) for op, source, target in CONVERSIONS}
        else operands[0]
    )
    if not shape:
        arguments = ", ".join(f"%s{i}: {type_}" for i, type_ in enumerate(operands))
        return f"""
            func.func @scalar_{name}({arguments}) -> {result} {{
              %r = {text} {scalars} : {signature}
              return %r : {result}
            }}"""
    types = [f"tensor<{shape}x{type_}>" for type_ in operands]
    arguments = ", ".join(f"%a{i}: {type_}" for i, type_ in enumerate(types))
    maps = ", ".join(["affine_map<(i) -> (i)>"] * (len(operands) + 1))
    block = ", ".join([*(f"%s{i}: {type_}" for i, type_ in enumerate(operands)), f"%o: {result}"])
    return f"""
        func.func @array_{name}({arguments}) -> tensor<{shape}x{result}> {{
          %e = tensor.empty() : tensor<{shape}x{result}>
          %0 = linalg.generic {{indexing_maps = [{maps}], iterator_types = ["parallel"]}}
              ins({", ".join(f"%a{i}" for i in range(len(operands)))} : {", ".join(types)})
              outs(%e : tensor<{shape}x{result}>) {{
            ^bb0({block}):
              %r = {text} {scalars} : {signature}
              linalg.yield %r : {result}
          }} -> tensor<{shape}x{result}>
          return %0 : tensor<{shape}x{result}>
        }}"""


@functools.cache
def programs() -> tuple[mi.Program, Evaluator]:
    text = "".join(function(name, str(COUNT)) for name in CASES)
    scalars = "".join(function(name, "") for name in CASES)
    with ir.Context():
        return mi.compile(text, opt_level=0), Evaluator(ir.Module.parse(text + scalars))


def values(name: str) -> list[Array]:
    """Operands with the extremes of their types, but nothing that the op does not define."""
    text, types, _ = CASES[name]
    op = text.split(".")[1].split(" ")[0]
    random = np.random.default_rng(len(name))
    found: list[Array] = []
    for i, type_ in enumerate(types):
        dtype = np.dtype(DTYPES[type_])
        if type_ == "i1":
            found.append(random.integers(0, 2, COUNT).astype(np.bool_))
        elif dtype.kind == "i":
            info = np.iinfo(dtype)
            array = random.integers(info.min, info.max, COUNT, dtype)
            array[:4] = [info.min, info.max, 0, -1]
            if op in DIVISIONS and i:
                array = np.where((array == 0) | (array == -1), 3, array).astype(dtype)
            if op in SHIFTS and i:
                array = (random.integers(0, 8 * dtype.itemsize, COUNT)).astype(dtype)
            found.append(array if i == 0 or op in SHIFTS else array[::-1].copy())
        else:
            array = random.uniform(-100, 100, COUNT).astype(dtype)
            if text.startswith("math."):
                array = np.abs(array) / dtype.type(16) + dtype.type(0.25)
            elif op not in ("fptosi", "fptoui", "bitcast"):
                array[:6] = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1.0]).astype(dtype)
            if op == "fptoui":
                array = np.abs(array)
            found.append(array if i == 0 else array[::-1].copy() if i == 1 else np.roll(array, 3))
    return found


def assert_same_bits(found: Any, wanted: Any) -> None:
    found, wanted = np.asarray(found, np.asarray(wanted).dtype), np.asarray(wanted)
    nan = wanted != wanted  # noqa: PLR0124 - the bits of a NaN are not fixed
    np.testing.assert_array_equal(nan, found != found)  # noqa: PLR0124
    np.testing.assert_array_equal(np.where(nan, 0, found), np.where(nan, 0, wanted))
    if wanted.dtype.kind not in "bi":
        np.testing.assert_array_equal(np.signbit(found)[~nan], np.signbit(wanted)[~nan])


@pytest.mark.parametrize("name", CASES)
def test_arrays_are_those_of_compiled_code(name: str) -> None:
    compiled, evaluator = programs()
    given = values(name)
    (found,) = evaluator.run(f"array_{name}", given).results
    wanted = compiled[f"array_{name}"](*given)
    assert found.dtype == wanted.dtype
    assert_same_bits(found, wanted)


@pytest.mark.parametrize("name", CASES)
def test_scalars_are_the_elements_of_arrays(name: str) -> None:
    _, evaluator = programs()
    given = values(name)
    (wanted,) = evaluator.run(f"array_{name}", given).results
    found = [
        evaluator.run(f"scalar_{name}", [value.item() if value.dtype.kind in "bi" else value for value in row]).results[
            0
        ]
        for row in zip(*given, strict=True)
    ]
    assert_same_bits(np.array(found, wanted.dtype), wanted)
