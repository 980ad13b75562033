"""Integers of 2 and 4 bits and floats of 8 in the evaluator: every value, against compiled code and Python."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from mlir import ir

import mlir_inplace as mi
from mlir_inplace.checking.evaluator import EvaluationError, Evaluator

Array = np.ndarray[Any, Any]

FLOATS = {
    "f8E5M2": ml_dtypes.float8_e5m2,
    "f8E4M3": ml_dtypes.float8_e4m3,
    "f8E3M4": ml_dtypes.float8_e3m4,
    "f8E4M3FN": ml_dtypes.float8_e4m3fn,
    "f8E5M2FNUZ": ml_dtypes.float8_e5m2fnuz,
    "f8E4M3FNUZ": ml_dtypes.float8_e4m3fnuz,
    "f8E4M3B11FNUZ": ml_dtypes.float8_e4m3b11fnuz,
}
DTYPES: dict[str, Any] = {
    **FLOATS,
    **{f"i{width}": getattr(ml_dtypes, f"int{width}") for width in (2, 4)},
    "i1": np.bool_,
    "i8": np.int8,
    "i32": np.int32,
    "i64": np.int64,
    "index": np.int64,
    "f16": np.float16,
    "bf16": ml_dtypes.bfloat16,
    "f32": np.float32,
    "f64": np.float64,
}

EXACT: dict[str, Callable[[int, int, int], int]] = {
    "addi": lambda a, b, mask: a + b,
    "subi": lambda a, b, mask: a - b,
    "muli": lambda a, b, mask: a * b,
    "andi": lambda a, b, mask: a & b,
    "ori": lambda a, b, mask: a | b,
    "xori": lambda a, b, mask: a ^ b,
    "maxsi": lambda a, b, mask: max(a, b),
    "minsi": lambda a, b, mask: min(a, b),
    "maxui": lambda a, b, mask: max(a & mask, b & mask),
    "minui": lambda a, b, mask: min(a & mask, b & mask),
    "divsi": lambda a, b, mask: math.trunc(a / b),
    "remsi": lambda a, b, mask: int(math.fmod(a, b)),
    "floordivsi": lambda a, b, mask: a // b,
    "ceildivsi": lambda a, b, mask: -(-a // b),
    "divui": lambda a, b, mask: (a & mask) // (b & mask),
    "remui": lambda a, b, mask: (a & mask) % (b & mask),
    "ceildivui": lambda a, b, mask: -(-(a & mask) // (b & mask)),
    "shli": lambda a, b, mask: a << b,
    "shrsi": lambda a, b, mask: a >> b,
    "shrui": lambda a, b, mask: (a & mask) >> b,
    "cmpi slt,": lambda a, b, mask: a < b,
    "cmpi sge,": lambda a, b, mask: a >= b,
    "cmpi ult,": lambda a, b, mask: (a & mask) < (b & mask),
    "cmpi ugt,": lambda a, b, mask: (a & mask) > (b & mask),
    "cmpi eq,": lambda a, b, mask: a == b,
}
"""By op of arith: the result of two signed numbers, before it is wrapped; the mask has the bits of the type."""


def text(op: str, types: str, operands: list[str], result: str, name: str = "main") -> str:
    """A function that applies an op to each element; `types` is what the op says of its types."""
    arrays = [f"tensor<?x{operand}>" for operand in operands]
    arguments = ", ".join(f"%a{i}: {array}" for i, array in enumerate(arrays))
    scalars = ", ".join(f"%s{i}" for i in range(len(operands)))
    maps = ", ".join(["affine_map<(i) -> (i)>"] * (len(operands) + 1))
    block = ", ".join([*(f"%s{i}: {type_}" for i, type_ in enumerate(operands)), f"%o: {result}"])
    return f"""
        func.func @{name}({arguments}) -> tensor<?x{result}> {{
          %c0 = arith.constant 0 : index
          %n = tensor.dim %a0, %c0 : {arrays[0]}
          %e = tensor.empty(%n) : tensor<?x{result}>
          %0 = linalg.generic {{indexing_maps = [{maps}], iterator_types = ["parallel"]}}
              ins({", ".join(f"%a{i}" for i in range(len(operands)))} : {", ".join(arrays)})
              outs(%e : tensor<?x{result}>) {{
            ^bb0({block}):
              %r = {op} {scalars} : {types}
              linalg.yield %r : {result}
          }} -> tensor<?x{result}>
          return %0 : tensor<?x{result}>
        }}
        func.func @scalar_{name}({", ".join(f"%s{i}: {type_}" for i, type_ in enumerate(operands))}) -> {result} {{
          %r = {op} {scalars} : {types}
          return %r : {result}
        }}"""


def both(source: str, *arguments: Array, name: str = "main") -> tuple[Array, Array]:
    """The results of the evaluator and of compiled code."""
    with ir.Context():
        (found,) = Evaluator(ir.Module.parse(source)).run(name, list(arguments)).results
    return found, mi.compile(source, opt_level=0)[name](*arguments)


def assert_same(found: Array, wanted: Array) -> None:
    """The same type and bits, or NaN."""
    assert found.dtype == wanted.dtype
    bits = np.dtype(f"u{wanted.dtype.itemsize}")
    same = found.view(bits) == wanted.view(bits)
    assert (same | ((found != found) & (wanted != wanted))).all()  # noqa: PLR0124 - NaN


@functools.cache
def integer_programs(element: str) -> tuple[mi.Program, Evaluator]:
    parts = []
    for number, op in enumerate(EXACT):
        result = "i1" if op.startswith("cmpi") else element
        parts.append(text(f"arith.{op}", element, [element, element], result, f"op{number}"))
    source = "".join(parts)
    with ir.Context():
        return mi.compile(source, opt_level=0), Evaluator(ir.Module.parse(source))


@pytest.mark.each_value
@pytest.mark.parametrize("op", EXACT)
@pytest.mark.parametrize("width", [2, 4])
def test_integers(width: int, op: str) -> None:
    element, low, high, mask = f"i{width}", -(1 << (width - 1)), (1 << (width - 1)) - 1, (1 << width) - 1
    pairs = [(a, b) for a in range(low, high + 1) for b in range(low, high + 1)]
    if "div" in op or "rem" in op:
        pairs = [(a, b) for a, b in pairs if b and not ("si" in op and (a, b) == (low, -1))]
    if op.startswith("sh"):
        pairs = [(a, b) for a, b in pairs if 0 <= b < width]
    a, b = (np.array(side).astype(DTYPES[element]) for side in zip(*pairs, strict=True))
    compiled, evaluator = integer_programs(element)
    name = f"op{list(EXACT).index(op)}"
    (found,) = evaluator.run(name, [a, b]).results
    exact = [EXACT[op](x, y, mask) for x, y in pairs]
    wanted = exact if op.startswith("cmpi") else [((number - low) & mask) + low for number in exact]
    assert [int(number) for number in found] == wanted
    assert_same(found, compiled[name](a, b))
    assert [evaluator.run(f"scalar_{name}", pair).results[0] for pair in pairs] == wanted


@pytest.mark.parametrize(
    ("op", "a", "b", "message"),
    [
        ("divsi", -8, -1, "the quotient of -8 and -1 does not fit into its type"),
        ("remui", 3, 0, "division by zero"),
        ("shli", 1, 4, "a shift by more than 3 bits"),
        ("shrui", 1, -1, "a shift by more than 3 bits"),
    ],
)
def test_what_is_not_defined(op: str, a: int, b: int, message: str) -> None:
    evaluator = integer_programs("i4")[1]
    name = f"op{list(EXACT).index(op)}"
    arrays = [np.array([1, number]).astype(ml_dtypes.int4) for number in (a, b)]
    for called, values in ((name, arrays), (f"scalar_{name}", [a, b])):
        with pytest.raises(EvaluationError, match=message):
            evaluator.run(called, values)


@pytest.mark.parametrize(
    ("op", "source", "result"),
    [
        *((op, source, "i32") for op in ("extsi", "extui") for source in ("i2", "i4")),
        *(("trunci", source, result) for source in ("i64", "i8") for result in ("i2", "i4")),
        ("trunci", "i4", "i2"),
        ("trunci", "i4", "i1"),
        ("extui", "i2", "i4"),
        ("extsi", "i1", "i4"),
        ("index_cast", "i4", "index"),
        ("index_castui", "i4", "index"),
        ("index_cast", "index", "i4"),
        *((op, "i4", result) for op in ("sitofp", "uitofp") for result in ("f32", "bf16", "f8E4M3FN")),
        *((op, source, "i4") for op in ("fptosi", "fptoui") for source in ("f32", "f8E5M2")),
    ],
)
def test_conversions_of_integers(op: str, source: str, result: str) -> None:
    values = np.arange(-8, 8)
    if op.startswith("fpto"):
        values = np.abs(values) % 8
    elif source in ("i8", "i64", "index"):
        values *= 37
    given = values.astype(DTYPES[source])
    assert_same(*both(text(f"arith.{op}", f"{source} to {result}", [source], result), given))


@pytest.mark.parametrize("op", ["absi", "ctlz", "cttz", "ctpop", "ipowi"])
def test_math_of_integers(op: str) -> None:
    numbers = np.arange(-8, 8).astype(ml_dtypes.int4)
    arguments = [numbers, np.abs(np.arange(-8, 8) % 4).astype(ml_dtypes.int4)][: 1 + (op == "ipowi")]
    assert_same(*both(text(f"math.{op}", "i4", ["i4"] * len(arguments), "i4"), *arguments))


@functools.cache
def float_programs(element: str) -> tuple[mi.Program, Evaluator]:
    parts = [text(f"arith.{op}", element, [element] * 2, element, op) for op in BINARY]
    parts += [text(f"arith.cmpf {op},", element, [element] * 2, "i1", f"cmpf_{op}") for op in RELATIONS]
    parts += [text(op, element, [element], element, op.partition(".")[2]) for op in UNARY]
    parts += [text(f"math.{op}", element, [element], "i1", op) for op in CLASSES]
    with ir.Context():
        return mi.compile("".join(parts), opt_level=0), Evaluator(ir.Module.parse("".join(parts)))


BINARY = ("addf", "subf", "mulf", "divf", "maximumf", "minimumf", "maxnumf", "minnumf")
RELATIONS = ("oeq", "olt", "oge", "une", "ult", "ord", "uno")
UNARY = ("arith.negf", "math.absf", "math.sqrt", "math.exp", "math.floor", "math.roundeven", "math.tanh")
CLASSES = ("isnan", "isinf", "isfinite", "isnormal")


@pytest.mark.each_value
@pytest.mark.parametrize("element", FLOATS)
@pytest.mark.parametrize("op", [*BINARY, *(f"cmpf_{op}" for op in RELATIONS)])
def test_floats(element: str, op: str) -> None:
    every = np.arange(256, dtype=np.uint8)
    compiled, evaluator = float_programs(element)
    for turn in (1, 37, 90, 128):
        a, b = every.view(FLOATS[element]), np.roll(every, turn)[::-1].copy().view(FLOATS[element])
        (found,) = evaluator.run(op, [a, b]).results
        assert_same(found, compiled[op](a, b))
    scalars = [evaluator.run(f"scalar_{op}", list(pair)).results[0] for pair in zip(a, b, strict=True)]
    assert_same(np.array(scalars, found.dtype), found)


@pytest.mark.each_value
@pytest.mark.parametrize("element", FLOATS)
@pytest.mark.parametrize("op", [*(op.partition(".")[2] for op in UNARY), *CLASSES])
def test_functions_of_floats(element: str, op: str) -> None:
    every = np.arange(256, dtype=np.uint8).view(FLOATS[element])
    compiled, evaluator = float_programs(element)
    (found,) = evaluator.run(op, [every]).results
    assert_same(found, compiled[op](every))


@pytest.mark.each_value
@pytest.mark.parametrize("wide", ["f16", "bf16", "f32", "f64"])
@pytest.mark.parametrize("element", FLOATS)
def test_conversions_of_floats(element: str, wide: str) -> None:
    """All numbers to a wider type, and back: halves between them too, and what is next to these."""
    every = np.arange(256, dtype=np.uint8).view(FLOATS[element])
    found, wanted = both(text("arith.extf", f"{element} to {wide}", [element], wide), every)
    assert_same(found, wanted)
    exact = np.sort(every.astype(np.float64)[np.isfinite(every)])
    halves = (exact[1:] + exact[:-1]) / 2
    near = [np.nextafter(halves, limit) for limit in (-np.inf, np.inf)]
    with np.errstate(over="ignore"):
        numbers = np.concatenate([halves, *near, 2 * exact, [np.inf, -np.inf, np.nan]]).astype(DTYPES[wide])
    assert_same(*both(text("arith.truncf", f"{wide} to {element}", [wide], element), numbers))


def test_double_rounding_of_bf16() -> None:
    """In f32 the number is halfway between two of bf16, but in f64 a little more."""
    given = np.array([1 + 2.0**-8 + 2.0**-40, -1 - 2.0**-8 - 2.0**-40, 1 + 3 * 2.0**-8 - 2.0**-40])
    found, wanted = both(text("arith.truncf", "f64 to bf16", ["f64"], "bf16"), given)
    assert_same(found, wanted)
    assert [float(number) for number in found] == [1 + 2.0**-7, -1 - 2.0**-7, 1 + 2.0**-7]


def test_constants() -> None:
    source = """
        func.func @integers() -> (tensor<4xi4>, tensor<2xi4>, i4) {
          %0 = arith.constant dense<[1, -2, 7, -8]> : tensor<4xi4>
          %1 = arith.constant dense<-3> : tensor<2xi4>
          %2 = arith.constant -5 : i4
          return %0, %1, %2 : tensor<4xi4>, tensor<2xi4>, i4
        }
        func.func @floats() -> (tensor<4xf8E5M2>, tensor<2xf8E4M3FN>, tensor<3xbf16>, f8E4M3FN) {
          %0 = arith.constant dense<[1.5, 0x7C, -0.25, 0x7E]> : tensor<4xf8E5M2>
          %1 = arith.constant dense<0.5> : tensor<2xf8E4M3FN>
          %2 = arith.constant dense<[1.0, 0x7F80, 0x7FC0]> : tensor<3xbf16>
          %3 = arith.constant 3.5 : f8E4M3FN
          return %0, %1, %2, %3 : tensor<4xf8E5M2>, tensor<2xf8E4M3FN>, tensor<3xbf16>, f8E4M3FN
        }"""
    program = mi.compile(source)
    with ir.Context():
        evaluator = Evaluator(ir.Module.parse(source))
        for name in ("integers", "floats"):
            for found, wanted in zip(evaluator.run(name, []).results, program[name](), strict=True):
                if isinstance(wanted, np.ndarray):
                    assert_same(found, wanted)
                else:
                    assert found == wanted


@pytest.mark.parametrize("element", ["i4", "f8E4M3FN"])
def test_tensors_memory_and_vectors(element: str) -> None:
    """What moves elements: slices, fills, memory that is written in part, vectors, reductions."""
    add = "arith.addi" if element == "i4" else "arith.addf"
    kind = "add"
    one = "1" if element == "i4" else "1.0"
    source = f"""
        func.func @main(%a: tensor<8x{element}>) -> tensor<8x{element}> {{
          %c0 = arith.constant 0 : index
          %c4 = arith.constant 4 : index
          %one = arith.constant {one} : {element}
          %m = memref.alloc() : memref<8x{element}>
          %b = bufferization.to_buffer %a : tensor<8x{element}> to memref<8x{element}>
          memref.copy %b, %m : memref<8x{element}> to memref<8x{element}>
          %v = vector.transfer_read %m[%c4], %one : memref<8x{element}>, vector<4x{element}>
          %w = {add} %v, %v : vector<4x{element}>
          vector.transfer_write %w, %m[%c0] : vector<4x{element}>, memref<8x{element}>
          %sum = vector.reduction <{kind}>, %w : vector<4x{element}> into {element}
          memref.store %sum, %m[%c4] : memref<8x{element}>
          %t = bufferization.to_tensor %m restrict : memref<8x{element}> to tensor<8x{element}>
          %s = tensor.extract_slice %t[2] [4] [1] : tensor<8x{element}> to tensor<4x{element}>
          %e = tensor.empty() : tensor<8x{element}>
          %f = linalg.fill ins(%one : {element}) outs(%e : tensor<8x{element}>) -> tensor<8x{element}>
          %i = tensor.insert_slice %s into %f[4] [4] [1] : tensor<4x{element}> into tensor<8x{element}>
          return %i : tensor<8x{element}>
        }}"""
    given = np.arange(-4, 4).astype(DTYPES[element])
    found, wanted = both(source, given)
    assert_same(found, wanted)
    assert [float(number) for number in found[:4]] == [1.0] * 4
