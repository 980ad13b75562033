"""Payloads that extract elements of other tensors, as the gathering of rows does: side by side, or the same for all."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest
from mlir import ir

import mlir_inplace as mi

DTYPES: dict[str, type] = {
    "f32": np.float32, "f64": np.float64, "bf16": ml_dtypes.bfloat16, "i8": np.int8, "i32": np.int32,
}  # fmt: skip


def program_of(body: str, types: dict[str, str], maps: list[str], kinds: str, element: str) -> str:
    """A function of `table`, `rows` and `init` whose op has `body` as its payload; `maps` are those of its operands."""
    names = {"p": '"parallel"', "r": '"reduction"'}
    operands = [f"%{name}: {type_}" for name, type_ in types.items()]
    (*inputs, init) = [name for name in types if name != "table"]
    read = ", ".join(f"%{name}" for name in inputs)
    read_types = ", ".join(types[name] for name in inputs)
    ins = f"ins({read} : {read_types})" if inputs else ""
    dims = ", ".join(f"d{number}" for number in range(len(kinds)))
    all_maps = ", ".join(f"affine_map<({dims}) -> ({one})>" for one in maps)
    iterators = ", ".join(names[kind] for kind in kinds)
    return f"""
    func.func @main({", ".join(operands)}) -> {types[init]} {{
      %c0 = arith.constant 0 : index
      %c3 = arith.constant 3 : index
      %r = linalg.generic {{indexing_maps = [{all_maps}], iterator_types = [{iterators}]}} {ins}
          outs(%{init} : {types[init]}) {{
      {body}
        linalg.yield %v : {element}
      }} -> {types[init]}
      return %r : {types[init]}
    }}"""


def vectorized(text: str) -> tuple[str, mi.Program]:
    with ir.Context():
        module = ir.Module.parse(text)
        mi.run_pipeline(module, "builtin.module(func.func(inplace-vectorize))")
        module.operation.verify()
        return str(module), mi.compile(module)


def gather(element: str, count: str, width: str, wide: str) -> str:
    """Rows that indices name, from their fourth element on."""
    body = f"""^bb0(%row: i32, %out: {element}):
        %j = linalg.index 1 : index
        %i = arith.index_cast %row : i32 to index
        %k = arith.addi %c3, %j : index
        %v = tensor.extract %table[%i, %k] : tensor<?x{wide}x{element}>"""
    types = {
        "table": f"tensor<?x{wide}x{element}>",
        "rows": f"tensor<{count}xi32>",
        "init": f"tensor<{count}x{width}x{element}>",
    }
    return program_of(body, types, ["d0", "d0, d1"], "pp", element)


@pytest.mark.each_value
@pytest.mark.parametrize("element", DTYPES)
@pytest.mark.parametrize("width", [1, 2, 15, 16, 17, 40, 67])
def test_rows_are_gathered_in_vectors(element: str, width: int) -> None:
    dtype = DTYPES[element]
    x = (np.arange(7 * (width + 3)) % 127).astype(dtype).reshape(7, width + 3)  # rows end where the table does
    rows = np.array([6, 0, 6, 3], np.int32)
    for text in (gather(element, "4", str(width), str(width + 3)), gather(element, "?", "?", "?")):
        made, program = vectorized(text)
        assert "linalg.generic" not in made
        assert "vector.transfer_read %table" in made or "vector.transfer_read %arg0" in made or width == 1
        result = program.main(x, rows, np.zeros((4, width), dtype))
        np.testing.assert_array_equal(result, x[rows, 3:])


def test_no_row_is_read_where_rows_are_empty() -> None:
    """With no iteration in the lanes, the index of a row is not read either: there may be no such index."""
    body = """^bb0(%out: f32):
        %i = linalg.index 0 : index
        %j = linalg.index 1 : index
        %place = tensor.extract %rows[%i] : tensor<?xi32>
        %k = arith.index_cast %place : i32 to index
        %v = tensor.extract %table[%k, %j] : tensor<?x?xf32>"""
    types = {"table": "tensor<?x?xf32>", "init": "tensor<?x?xf32>"}
    text = program_of(body, types, ["d0, d1"], "pp", "f32").replace("%init: ", "%rows: tensor<?xi32>, %init: ")
    made, program = vectorized(text)
    assert "linalg.generic" not in made
    x = np.arange(60, dtype=np.float32).reshape(3, 20)
    rows = np.array([2, 1], np.int32)
    np.testing.assert_array_equal(program.main(x, rows, np.zeros((2, 20), np.float32)), x[rows])
    assert program.main(x, rows[:0], np.zeros((2, 0), np.float32)).shape == (2, 0)
    before_lanes, *_ = made.split("vector.transfer_read")
    assert before_lanes.count("scf.for") == 2, "the indices are read inside both loops"


@pytest.mark.parametrize(("kinds", "init"), [("pr", "d0"), ("rp", "d1")])
def test_rows_are_gathered_and_added_up(kinds: str, init: str) -> None:
    body = """^bb0(%row: i32, %w: f32, %out: f32):
        %j = linalg.index 1 : index
        %i = arith.index_cast %row : i32 to index
        %x = tensor.extract %table[%i, %j] : tensor<9x50xf32>
        %p = arith.mulf %x, %w : f32
        %v = arith.addf %out, %p : f32"""
    size = 6 if init == "d0" else 50
    types = {
        "table": "tensor<9x50xf32>",
        "rows": "tensor<6xi32>",
        "weights": "tensor<50xf32>",
        "init": f"tensor<{size}xf32>",
    }
    made, program = vectorized(program_of(body, types, ["d0", "d1", init], kinds, "f32"))
    assert "linalg.generic" not in made
    rng = np.random.default_rng(0)
    x, w = rng.random((9, 50), np.float32), rng.random(50, np.float32)
    rows = np.array([8, 8, 0, 3, 1, 7], np.int32)
    expected = (x[rows].astype(np.float64) * w).sum(1 if init == "d0" else 0)
    np.testing.assert_allclose(program.main(x, rows, w, np.zeros(size, np.float32)), expected, rtol=1e-5)


def test_rows_of_what_is_overwritten() -> None:
    """Each row becomes one of those before the op, also where that has been written already."""
    text = gather("f32", "5", "37", "40").replace("%c3 = arith.constant 3", "%c3 = arith.constant 0")
    text = text.replace("tensor<?x40xf32>", "tensor<5x37xf32>").replace(", %init: tensor<5x37xf32>", "")
    text = text.replace("%table: tensor<5x37xf32>", "%table: tensor<5x37xf32> {bufferization.writable = true}")
    made, program = vectorized(text.replace("%init", "%table"))
    assert "linalg.generic" not in made
    x = np.arange(5 * 37, dtype=np.float32).reshape(5, 37)
    rows = np.array([4, 0, 1, 2, 3], np.int32)
    expected = x[rows]
    np.testing.assert_array_equal(program.main(x, rows), expected)


@pytest.mark.parametrize(
    ("index", "element"),
    [("%k, %i", "f32"), ("%i, %k2", "f32"), ("%i, %k", "i1")],
    ids=["columns", "every second one", "bits"],
)
def test_other_elements_are_extracted_one_by_one(index: str, element: str) -> None:
    body = f"""^bb0(%row: i32, %out: {element}):
        %k = linalg.index 1 : index
        %k2 = arith.addi %k, %k : index
        %i = arith.index_cast %row : i32 to index
        %v = tensor.extract %table[{index}] : tensor<30x60x{element}>"""
    types = {"table": f"tensor<30x60x{element}>", "rows": "tensor<4xi32>", "init": f"tensor<4x29x{element}>"}
    made, program = vectorized(program_of(body, types, ["d0", "d0, d1"], "pp", element))
    assert "linalg.generic" in made
    x = np.arange(1800, dtype=np.float32).reshape(30, 60)
    x = x if element == "f32" else x % 3 == 0
    rows = np.array([2, 0, 29, 2], np.int32)
    places = {"%k, %i": x.T[rows, :29], "%i, %k2": x[rows, :58:2], "%i, %k": x[rows, :29]}
    np.testing.assert_array_equal(program.main(x, rows, np.zeros((4, 29), x.dtype)), places[index])


def test_what_a_reduction_extracts_is_computed_before_it() -> None:
    """An op is not computed in the loop of a reduction that also extracts elements of its result, of later rows."""
    text = """
    func.func @main(%a: tensor<8x40xf32>, %rows: tensor<8xi32>) -> (tensor<8xf32>, tensor<8x40xf32>) {
      %zero = arith.constant 0.0 : f32
      %e = tensor.empty() : tensor<8x40xf32>
      %0 = linalg.exp ins(%a : tensor<8x40xf32>) outs(%e : tensor<8x40xf32>) -> tensor<8x40xf32>
      %f = tensor.empty() : tensor<8xf32>
      %1 = linalg.fill ins(%zero : f32) outs(%f : tensor<8xf32>) -> tensor<8xf32>
      %2 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>,
          affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
          ins(%0, %rows : tensor<8x40xf32>, tensor<8xi32>) outs(%1 : tensor<8xf32>) {
      ^bb0(%x: f32, %row: i32, %sum: f32):
        %j = linalg.index 1 : index
        %i = arith.index_cast %row : i32 to index
        %y = tensor.extract %0[%i, %j] : tensor<8x40xf32>
        %p = arith.mulf %x, %y : f32
        %s = arith.addf %sum, %p : f32
        linalg.yield %s : f32
      } -> tensor<8xf32>
      return %2, %0 : tensor<8xf32>, tensor<8x40xf32>
    }"""
    made, program = vectorized(text)
    assert "linalg.generic" not in made
    a = np.random.default_rng(0).random((8, 40), np.float32)
    rows = np.array([7, 6, 5, 4, 3, 2, 1, 0], np.int32)
    power = np.exp(a.astype(np.float64))
    sums, powers = program.main(a, rows)
    np.testing.assert_allclose(powers, power, rtol=1e-5)
    np.testing.assert_allclose(sums, (power * power[rows]).sum(1), rtol=1e-5)
