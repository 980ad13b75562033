"""Programs compute the same in one arena, of which as many bytes are allocated as the plan says."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from mlir import ir

import mlir_inplace as mi
from mlir_inplace.checking.evaluator import Evaluator
from mlir_inplace.passes.analysis.memory_plan.arena import plan_arena
from mlir_inplace.passes.analysis.memory_plan.buffers import read_buffers
from mlir_inplace.passes.analysis.memory_plan.placement import LiveRange, find_overlap

PLAN = "builtin.module(inplace-plan-memory)"

NEST = """
func.func @main(%a: memref<6xf32>, %n: index, %c: i1, %out: memref<6xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %sum = memref.alloc() : memref<6xf32>
  memref.copy %a, %sum : memref<6xf32> to memref<6xf32>
  scf.for %i = %c0 to %n step %c1 {
    %twice = memref.alloc() : memref<6xf32>
    linalg.add ins(%sum, %a : memref<6xf32>, memref<6xf32>) outs(%twice : memref<6xf32>)
    scf.if %c {
      %square = memref.alloc() : memref<6xf32>
      linalg.mul ins(%twice, %a : memref<6xf32>, memref<6xf32>) outs(%square : memref<6xf32>)
      linalg.add ins(%square, %twice : memref<6xf32>, memref<6xf32>) outs(%sum : memref<6xf32>)
      memref.dealloc %square : memref<6xf32>
    } else {
      %halves = memref.alloc() : memref<6xf32>
      linalg.sub ins(%twice, %sum : memref<6xf32>, memref<6xf32>) outs(%halves : memref<6xf32>)
      linalg.sub ins(%halves, %twice : memref<6xf32>, memref<6xf32>) outs(%sum : memref<6xf32>)
      memref.dealloc %halves : memref<6xf32>
    }
    memref.dealloc %twice : memref<6xf32>
  }
  %last = memref.alloc() : memref<6xf32>
  linalg.add ins(%sum, %a : memref<6xf32>, memref<6xf32>) outs(%last : memref<6xf32>)
  memref.dealloc %sum : memref<6xf32>
  memref.copy %last, %out : memref<6xf32> to memref<6xf32>
  memref.dealloc %last : memref<6xf32>
  return
}"""


def nest(a: np.ndarray[Any, Any], n: int, c: bool) -> np.ndarray[Any, Any]:
    total = a.copy()
    for _ in range(n):
        twice = total + a
        total = twice * a + twice if c else (twice - total) - twice
    return total + a


@pytest.mark.parametrize("c", [False, True])
@pytest.mark.parametrize("n", [0, 1, 3])
def test_values_in_loops_and_branches(n: int, c: bool) -> None:
    a, out = np.arange(1, 7, dtype=np.float32) / 4, np.zeros(6, np.float32)
    program = mi.compile(NEST, pipeline=PLAN, memory_stats=True, opt_level=0)
    program.main(a, n, c, out)
    np.testing.assert_array_equal(out, nest(a, n, c))
    stats = program.memory_stats
    assert (stats.allocations, stats.frees, stats.leaked_bytes) == (1, 1, 0)
    # The sum, what is twice, and one of the branches; the last one lies where one of them was.
    assert stats.peak_bytes == 3 * 64


DYNAMIC = """
func.func @main(%a: memref<?xf32>, %b: memref<?xf32>, %out: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %m = memref.dim %a, %c0 : memref<?xf32>
  %0 = memref.alloc(%m) : memref<?xf32>
  linalg.add ins(%a, %a : memref<?xf32>, memref<?xf32>) outs(%0 : memref<?xf32>)
  %n = memref.dim %b, %c0 : memref<?xf32>
  %1 = memref.alloc(%n) : memref<?xf64>
  %2 = memref.alloc(%m, %n) : memref<?x?xf32>
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%b : memref<?xf32>) outs(%1 : memref<?xf64>) {
    ^bb0(%x: f32, %y: f64):
      %z = arith.extf %x : f32 to f64
      linalg.yield %z : f64
  }
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%0, %1 : memref<?xf32>, memref<?xf64>) outs(%2 : memref<?x?xf32>) {
    ^bb0(%x: f32, %y: f64, %o: f32):
      %t = arith.truncf %y : f64 to f32
      %p = arith.mulf %x, %t : f32
      linalg.yield %p : f32
  }
  memref.dealloc %0 : memref<?xf32>
  %3 = memref.alloc(%m) : memref<?xf32>
  %f = arith.constant 0.0 : f32
  linalg.fill ins(%f : f32) outs(%3 : memref<?xf32>)
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
      iterator_types = ["parallel", "reduction"]} ins(%2 : memref<?x?xf32>) outs(%3 : memref<?xf32>) {
    ^bb0(%x: f32, %o: f32):
      %p = arith.addf %x, %o : f32
      linalg.yield %p : f32
  }
  memref.copy %3, %out : memref<?xf32> to memref<?xf32>
  memref.dealloc %1 : memref<?xf64>
  memref.dealloc %2 : memref<?x?xf32>
  memref.dealloc %3 : memref<?xf32>
  return
}"""


@pytest.mark.parametrize(("m", "n"), [(5, 3), (1, 40), (33, 1), (0, 4), (4, 0), (0, 0)])
def test_values_of_dynamic_sizes(m: int, n: int) -> None:
    a, b = np.arange(1, m + 1, dtype=np.float32), np.arange(2, n + 2, dtype=np.float32) / 8
    out = np.zeros(m, np.float32)
    program = mi.compile(DYNAMIC, pipeline=PLAN, memory_stats=True, opt_level=0)
    program.main(a, b, out)
    np.testing.assert_array_equal(out, np.outer(2 * a, b).sum(axis=1, dtype=np.float32))
    stats = program.memory_stats
    assert stats.allocations == stats.frees == 1

    def rounded(size: int) -> int:
        return -(-size // 64) * 64

    # %0 and %3 share a section, %1 and %2 have one each.
    assert stats.allocated_bytes == rounded(4 * m) + rounded(8 * n) + rounded(4 * m * n)


def test_the_caller_may_bring_the_arena() -> None:
    with ir.Context():
        module = ir.Module.parse(NEST)
        mi.run_pipeline(module, "builtin.module(inplace-plan-memory{arena-argument})")
        program = mi.compile(module, pipeline="builtin.module()", memory_stats=True, opt_level=0)
    a, out = np.arange(1, 7, dtype=np.float32) / 4, np.zeros(6, np.float32)
    arena = np.full(3 * 64, 77, np.int8)
    program.main(a, 3, True, out, arena)
    np.testing.assert_array_equal(out, nest(a, 3, True))
    assert program.memory_stats.allocations == 0
    assert (arena.view(np.float32) == nest(a, 3, True)[0]).any()


def test_an_argument_that_callers_do_not_know_is_refused() -> None:
    with pytest.raises(mi.PassError, match="the pipeline added argument 4 to 'main', which callers do not know"):
        mi.compile(NEST, pipeline="builtin.module(inplace-plan-memory{arena-argument})")


def test_buffers_that_are_live_together_are_apart() -> None:
    """Each pair by pair, in the plan of a function whose buffers differ in size."""
    sizes = [3, 17, 64, 5, 129, 40, 8, 33]
    lines = ["func.func @main() {"]
    for number, size in enumerate(sizes):
        lines.append(f"%b{number} = memref.alloc() : memref<{size}xf64>")
        if number >= 2:
            lines.append(f"memref.dealloc %b{number - 2} : memref<{sizes[number - 2]}xf64>")
    last = (len(sizes) - 2, len(sizes) - 1)
    lines += [f"memref.dealloc %b{number} : memref<{sizes[number]}xf64>" for number in last]
    with ir.Context():
        module = ir.Module.parse("\n".join([*lines, "return }"]))
        (section,) = plan_arena(read_buffers(module.body.operations[0].operation).buffers, 64).sections
    ranges = [LiveRange(one.begin, one.end, -(-one.size // 64)) for one in section.buffers]
    assert find_overlap(ranges, section.placement.offsets) is None
    rounded = [-(-8 * size // 64) for size in sizes]
    assert section.placement.max_live == max(sum(rounded[i : i + 3]) for i in range(len(sizes)))
    assert section.placement.peak == section.placement.max_live


def test_slices_of_a_buffer_in_an_arena_are_evaluated() -> None:
    """The second buffer begins at byte 64 of the arena, its slice at offset 0 of the buffer."""
    text = """
    func.func @main(%a: memref<6xf32>, %out: memref<3xf32>) {
      %x = memref.alloc() : memref<6xf32>
      linalg.add ins(%a, %a : memref<6xf32>, memref<6xf32>) outs(%x : memref<6xf32>)
      %y = memref.alloc() : memref<6xf32>
      linalg.mul ins(%x, %a : memref<6xf32>, memref<6xf32>) outs(%y : memref<6xf32>)
      %s = memref.subview %y[0] [3] [1] : memref<6xf32> to memref<3xf32>
      memref.copy %s, %out : memref<3xf32> to memref<3xf32>
      memref.dealloc %x : memref<6xf32>
      memref.dealloc %y : memref<6xf32>
      return
    }"""
    a = np.arange(1, 7, dtype=np.float32)
    with ir.Context():
        module = ir.Module.parse(text)
        mi.run_pipeline(module, PLAN)
        assert str(module).count("memref.alloc(") == 1
        found = Evaluator(module).run("main", [a, np.zeros(3, np.float32)])
    np.testing.assert_array_equal(found.arguments[1], (2 * a * a)[:3])
