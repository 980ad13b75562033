"""Vector ops and memory against compiled code: the same values, the same number of allocations, frees and copies."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from mlir import ir

import mlir_inplace as mi
from mlir_inplace.checking.evaluator import Evaluation, EvaluationError, evaluate

Array = np.ndarray[Any, Any]

READ = """
  %pad = arith.constant -1.0 : f32
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %m = vector.transfer_read %t[%zero, %zero], %pad {in_bounds = [true, true]} : tensor<4x6xf32>, vector<4x6xf32>
  %v = vector.transfer_read %t[%one, %zero], %pad {in_bounds = [true]} : tensor<4x6xf32>, vector<6xf32>
  %b = vector.constant_mask [4] : vector<6xi1>
"""
VECTORS = {
    "shape_cast": "%r = vector.shape_cast %m : vector<4x6xf32> to vector<3x8xf32>",
    "transpose": "%r = vector.transpose %m, [1, 0] : vector<4x6xf32> to vector<6x4xf32>",
    "broadcast": "%r = vector.broadcast %v : vector<6xf32> to vector<3x6xf32>",
    "extract": "%r = vector.extract %m[2] : vector<6xf32> from vector<4x6xf32>",
    "insert": "%r = vector.insert %v, %m[2] : vector<6xf32> into vector<4x6xf32>",
    "insert_scalar": "%r = vector.insert %pad, %m[2, %i] : f32 into vector<4x6xf32>",
    "extract_strided_slice": """%r = vector.extract_strided_slice %m
        {offsets = [1, 2], sizes = [2, 3], strides = [1, 1]} : vector<4x6xf32> to vector<2x3xf32>""",
    "insert_strided_slice": """%s = vector.extract_strided_slice %v {offsets = [2], sizes = [3], strides = [1]}
        : vector<6xf32> to vector<3xf32>
      %r = vector.insert_strided_slice %s, %m {offsets = [1, 2], strides = [1]} : vector<3xf32> into vector<4x6xf32>""",
    "shuffle": "%r = vector.shuffle %v, %v [0, 7, 3, 11] : vector<6xf32>, vector<6xf32>",
    "fma": "%r = vector.fma %m, %m, %m : vector<4x6xf32>",
    "reduction": """%s = vector.reduction <add>, %v, %pad : vector<6xf32> into f32
      %r = vector.broadcast %s : f32 to vector<2xf32>""",
    "masked_reduction": """%s = vector.mask %b {
        vector.reduction <add>, %v, %pad : vector<6xf32> into f32 } : vector<6xi1> -> f32
      %r = vector.broadcast %s : f32 to vector<2xf32>""",
    "multi_reduction": "%r = vector.multi_reduction <maximumf>, %m, %v [0] : vector<4x6xf32> to vector<6xf32>",
    "multi_reduction_of_all": """%s = vector.multi_reduction <add>, %m, %pad [0, 1] : vector<4x6xf32> to f32
      %r = vector.broadcast %s : f32 to vector<2xf32>""",
    "contract": """%w = vector.broadcast %pad : f32 to vector<4xf32>
      %r = vector.contract {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>,
        affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"], kind = #vector.kind<add>}
        %m, %v, %w : vector<4x6xf32>, vector<6xf32> into vector<4xf32>""",
    "contract_transposed": """%w = vector.broadcast %pad : f32 to vector<6x4xf32>
      %r = vector.contract {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>,
        affine_map<(i, j, k) -> (j, i)>], iterator_types = ["parallel", "parallel", "reduction"],
        kind = #vector.kind<add>} %m, %x, %w : vector<4x6xf32>, vector<6x6xf32> into vector<6x4xf32>
      """,
    "outerproduct": "%r = vector.outerproduct %v, %v : vector<6xf32>, vector<6xf32>",
    "from_elements": """%s = vector.extract %v[%i] : f32 from vector<6xf32>
      %r = vector.from_elements %s, %pad, %s : vector<3xf32>""",
    "to_elements": """%s:6 = vector.to_elements %v : vector<6xf32>
      %r = vector.from_elements %s#4, %s#1 : vector<2xf32>""",
    "step": """%s = vector.step : vector<6xindex>
      %n = arith.index_cast %s : vector<6xindex> to vector<6xi32>
      %r = arith.sitofp %n : vector<6xi32> to vector<6xf32>""",
    "select": """%s = vector.create_mask %i : vector<6xi1>
      %n = arith.addf %v, %v : vector<6xf32>
      %r = arith.select %s, %v, %n : vector<6xi1>, vector<6xf32>""",
    "transfer_read_beyond_the_end": """%r = vector.transfer_read %t[%i, %i], %pad
        {permutation_map = affine_map<(i, j) -> (j, i)>} : tensor<4x6xf32>, vector<6x3xf32>""",
    "interleave": "%r = vector.interleave %v, %v : vector<6xf32> -> vector<12xf32>",
    "deinterleave": """%s, %r = vector.deinterleave %m : vector<4x6xf32> -> vector<4x3xf32>""",
    "bitcast_of_other_widths": """%s = vector.bitcast %v : vector<6xf32> to vector<12xi16>
      %n = arith.addi %s, %s : vector<12xi16>
      %r = arith.sitofp %n : vector<12xi16> to vector<12xf32>""",
    "transfer_read_repeated": """%r = vector.transfer_read %t[%i, %i], %pad
        {in_bounds = [true, false], permutation_map = affine_map<(i, j) -> (0, i)>}
        : tensor<4x6xf32>, vector<2x3xf32>""",
}
TYPES = {name: text.rstrip().rsplit(" ", 1)[1] for name, text in VECTORS.items()}
TYPES |= {"fma": "vector<4x6xf32>", "outerproduct": "vector<6x6xf32>", "shuffle": "vector<4xf32>"}
TYPES |= {"select": "vector<6xf32>", "extract": "vector<6xf32>"}


def vector_program(name: str) -> str:
    type_ = TYPES[name]
    sizes = type_.removeprefix("vector<").removesuffix(">")
    zeros = ", ".join(["%zero"] * sizes.count("x"))
    bounds = ", ".join(["true"] * sizes.count("x"))
    text = VECTORS[name]
    if "%x" in text:
        text = f"%x = vector.outerproduct %v, %v : vector<6xf32>, vector<6xf32>\n{text}"
    return f"""
    func.func @main(%t: tensor<4x6xf32>, %i: index) -> tensor<{sizes}> {{
      {READ}
      {text}
      %e = tensor.empty() : tensor<{sizes}>
      %0 = vector.transfer_write %r, %e[{zeros}] {{in_bounds = [{bounds}]}} : {type_}, tensor<{sizes}>
      return %0 : tensor<{sizes}>
    }}"""


def run(text: str, *arguments: Any) -> Evaluation:
    with ir.Context():
        return evaluate(ir.Module.parse(text), "main", arguments)


@pytest.mark.parametrize("name", VECTORS)
def test_vectors_are_those_of_compiled_code(name: str) -> None:
    text = vector_program(name)
    given = np.random.default_rng(3).permutation(24).astype(np.float32).reshape(4, 6) - 7
    found = run(text, given, 2)
    assert found.undefined == (None,)
    np.testing.assert_array_equal(found.results[0], mi.compile(text, opt_level=0).main(given, 2))


def test_a_transfer_that_promises_to_be_inside_must_be() -> None:
    text = """
    func.func @main(%t: tensor<4xf32>, %i: index, %p: f32, %m: vector<3xi1>) {
      %0 = vector.transfer_read %t[%i], %p {in_bounds = [true]} : tensor<4xf32>, vector<3xf32>
      return
    }"""
    masked = text.replace("%p {", "%p, %m {")
    assert run(text, np.zeros(4, np.float32), 1, 0.0, np.ones(3, np.bool_)).results == ()
    with pytest.raises(EvaluationError, match="a transfer of 3 elements from index .2. is out of bounds"):
        run(text, np.zeros(4, np.float32), 2, 0.0, np.ones(3, np.bool_))
    assert run(masked, np.zeros(4, np.float32), 2, 0.0, np.array([True, True, False])).results == ()
    with pytest.raises(EvaluationError, match="is out of bounds in dimension 0: the sizes are .4."):
        run(masked, np.zeros(4, np.float32), 2, 0.0, np.ones(3, np.bool_))


BEYOND = """
    func.func @main(%m: memref<4xf32>, %i: index, %mask: vector<3xi1>) -> f32 {
      %zero = arith.constant 0 : index
      %p = arith.constant dense<-1.0> : vector<3xf32>
      %s = vector.step : vector<3xindex>
      %l = memref.reinterpret_cast %m to offset: [%i], sizes: [4], strides: [1]
          : memref<4xf32> to memref<4xf32, strided<[1], offset: ?>>
      %c = memref.cast %l : memref<4xf32, strided<[1], offset: ?>> to memref<?xf32, strided<[1], offset: ?>>
      %v = vector.gather %c[%zero] [%s], %mask, %p
          : memref<?xf32, strided<[1], offset: ?>>, vector<3xindex>, vector<3xi1>, vector<3xf32> into vector<3xf32>
      %r = vector.reduction <add>, %v : vector<3xf32> into f32
      return %r : f32
    }"""


def test_a_line_that_is_longer_than_its_memory_is_only_accessed_inside() -> None:
    """Bufferization makes such views for gathers from strided memory."""
    memory = np.arange(1, 5, dtype=np.float32)
    assert run(BEYOND, memory, 2, np.array([True, True, False])).results == (3 + 4 - 1,)
    with pytest.raises(EvaluationError, match=r"'vector.gather': positions .2, 3, 4. are out of bounds"):
        run(BEYOND, memory, 2, np.array([True, True, True]))
    loads = BEYOND.replace("%r = vector.reduction <add>, %v : vector<3xf32> into f32", "%r = LOAD")
    loads = loads.replace("LOAD", "memref.load %c[%zero] : memref<?xf32, strided<[1], offset: ?>>")
    with pytest.raises(EvaluationError, match="the view covers elements 2 to 5 of memory that holds 4"):
        run(loads, memory, 2, np.array([True, True, False]))


MEMORY = {
    "copies in a loop": """
    func.func @main(%a: memref<4xf32>, %n: index) {
      %zero = arith.constant 0 : index
      %one = arith.constant 1 : index
      scf.for %i = %zero to %n step %one {
        %m = memref.alloc(%n) : memref<?xf32>
        %x = memref.load %a[%i] : memref<4xf32>
        linalg.fill ins(%x : f32) outs(%m : memref<?xf32>)
        %s = memref.subview %a[0] [%n] [1] : memref<4xf32> to memref<?xf32, strided<[1]>>
        memref.copy %m, %s : memref<?xf32> to memref<?xf32, strided<[1]>>
        linalg.copy ins(%s : memref<?xf32, strided<[1]>>) outs(%m : memref<?xf32>)
        memref.dealloc %m : memref<?xf32>
      }
      return
    }""",
    "memory that a loop hands on": """
    func.func @main(%a: memref<4xf32>, %n: index) {
      %zero = arith.constant 0 : index
      %one = arith.constant 1 : index
      %first = memref.alloc() : memref<4xf32>
      memref.copy %a, %first : memref<4xf32> to memref<4xf32>
      %last = scf.for %i = %zero to %n step %one iter_args(%c = %first) -> memref<4xf32> {
        %m = memref.alloc() : memref<4xf32>
        linalg.add ins(%a, %c : memref<4xf32>, memref<4xf32>) outs(%m : memref<4xf32>)
        memref.dealloc %c : memref<4xf32>
        scf.yield %m : memref<4xf32>
      }
      memref.copy %last, %a : memref<4xf32> to memref<4xf32>
      memref.dealloc %last : memref<4xf32>
      return
    }""",
    "views of views": """
    func.func @main(%a: memref<4xf32>, %n: index) {
      %m = memref.alloc() : memref<4x4xf32>
      %x = arith.constant 2.0 : f32
      linalg.fill ins(%x : f32) outs(%m : memref<4x4xf32>)
      %c = memref.collapse_shape %m [[0, 1]] : memref<4x4xf32> into memref<16xf32>
      %e = memref.expand_shape %c [[0, 1]] output_shape [8, 2] : memref<16xf32> into memref<8x2xf32>
      %s = memref.subview %e[1, %n] [4, 1] [2, 1] : memref<8x2xf32> to memref<4xf32, strided<[4], offset: ?>>
      linalg.add ins(%a, %s : memref<4xf32>, memref<4xf32, strided<[4], offset: ?>>)
        outs(%s : memref<4xf32, strided<[4], offset: ?>>)
      %r = memref.reinterpret_cast %m to offset: [%n], sizes: [4], strides: [3]
        : memref<4x4xf32> to memref<4xf32, strided<[3], offset: ?>>
      memref.copy %r, %a : memref<4xf32, strided<[3], offset: ?>> to memref<4xf32>
      memref.dealloc %m : memref<4x4xf32>
      return
    }""",
}


@pytest.mark.parametrize("name", MEMORY)
@pytest.mark.parametrize("number", [0, 1])
def test_memory_is_counted_as_compiled_code_counts_it(name: str, number: int) -> None:
    text = MEMORY[name]
    compiled = mi.compile(text, opt_level=0, memory_stats=True)
    wanted, memory = np.arange(1, 5, dtype=np.float32), np.arange(1, 5, dtype=np.float32)
    compiled.main(wanted, number)
    found = run(text, memory, number)
    np.testing.assert_array_equal(memory, wanted)
    stats = compiled.memory_stats
    assert (found.allocations, found.frees, found.copies) == (stats.allocations, stats.frees, stats.copies)
    assert found.copied_bytes == stats.copied_bytes
    assert found.leaked == 0
