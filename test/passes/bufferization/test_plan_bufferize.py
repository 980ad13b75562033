"""`inplace-plan-bufferize` from Python: a caller's allocations, what a refusal leaves, values against NumPy."""

from collections.abc import Sequence

import numpy as np
import pytest
from analysed import context, parse
from mlir import ir
from mlir.dialects import memref

import mlir_inplace as mi
from mlir_inplace.passes.bufferization.plan_bufferize import AllocationMode, PlanBufferizeOptions, PlanBufferizePass
from mlir_inplace.passes.framework.errors import PassFailure

TWO_BUFFERS = """
func.func @f(%n: index, %f: f32, %i: index) -> (f32, f32) {
  %a = tensor.empty() : !v
  %b = tensor.empty(%n) : !d
  %c = linalg.fill ins(%f : f32) outs(%a : !v) -> !v
  %d = linalg.fill ins(%f : f32) outs(%b : !d) -> !d
  %x = tensor.extract %c[%i] : !v
  %y = tensor.extract %d[%i] : !d
  return %x, %y : f32, f32
}
"""

PROGRAM = """
#id = affine_map<(d0) -> (d0)>
func.func @f(%t: tensor<12xf32> {bufferization.writable = false}, %n: index) -> (tensor<4xf32>, tensor<12xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %two = arith.constant 2.0 : f32
  %e = tensor.empty() : tensor<4xf32>
  %r:2 = scf.for %k = %c0 to %n step %c1 iter_args(%a = %t, %b = %e) -> (tensor<12xf32>, tensor<4xf32>) {
    %s = tensor.extract_slice %a[%k] [4] [1] : tensor<12xf32> to tensor<4xf32>
    %o = tensor.empty() : tensor<4xf32>
    %w = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
        ins(%s : tensor<4xf32>) outs(%o : tensor<4xf32>) {
      ^bb0(%x: f32, %y: f32):
        %z = arith.mulf %x, %two : f32
        linalg.yield %z : f32
      } -> tensor<4xf32>
    %u = tensor.insert_slice %w into %a[%k] [4] [1] : tensor<4xf32> into tensor<12xf32>
    %v = linalg.copy ins(%s : tensor<4xf32>) outs(%b : tensor<4xf32>) -> tensor<4xf32>
    scf.yield %u, %v : tensor<12xf32>, tensor<4xf32>
  }
  return %r#1, %r#0 : tensor<4xf32>, tensor<12xf32>
}
"""


class TestAllocationFunction:
    def test_it_makes_every_buffer(self) -> None:
        asked: list[tuple[str, int, int]] = []

        def allocate(type_: ir.MemRefType, sizes: Sequence[ir.Value], alignment: int) -> ir.Value:
            asked.append((str(type_), len(sizes), alignment))
            return memref.alloca(type_, list(sizes), [])

        module = parse(TWO_BUFFERS)
        PlanBufferizePass(PlanBufferizeOptions(buffer_alignment=32), allocate=allocate).run(module.operation)
        assert asked == [("memref<8xf32>", 0, 32), ("memref<?xf32>", 1, 32)]
        assert str(module).count("memref.alloca(") == 2
        assert "memref.alloc(" not in str(module)

    def test_it_may_choose_a_space_for_each(self) -> None:
        def allocate(type_: ir.MemRefType, sizes: Sequence[ir.Value], _alignment: int) -> ir.Value:
            space = ir.Attribute.parse("7 : i64") if type_.has_static_shape else None
            wanted = ir.MemRefType.get(type_.shape, type_.element_type, memory_space=space)
            return memref.alloc(wanted, list(sizes), [])

        module = parse(TWO_BUFFERS)
        PlanBufferizePass(allocate=allocate).run(module.operation)
        assert module.operation.verify()
        assert "memref.alloc() : memref<8xf32, 7>" in str(module)
        assert "memref.alloc(%arg0) : memref<?xf32>" in str(module)
        assert "memory_space_cast" not in str(module)
        assert "inplace." not in str(module)

    def test_a_buffer_of_another_type_is_refused(self) -> None:
        def allocate(type_: ir.MemRefType, _sizes: Sequence[ir.Value], _alignment: int) -> ir.Value:
            return memref.alloc(ir.MemRefType.get([3], type_.element_type), [], [])

        module = parse(TWO_BUFFERS)
        before = str(module)
        with pytest.raises(PassFailure) as failure:
            PlanBufferizePass(allocate=allocate).run(module.operation)
        assert str(failure.value) == (
            "the allocation function returned a buffer of memref<3xf32>, but memref<8xf32> in any memory space was "
            "needed"
        )
        assert str(module) == before


class TestRefusals:
    def test_a_refused_module_stays_as_it_was(self) -> None:
        module = parse(TWO_BUFFERS + 'func.func @g(%t: !v) {\n  "test.op"(%t) : (!v) -> ()\n  return\n}')
        before = str(module)
        with pytest.raises(PassFailure, match=r"op 'test\.op' works on tensors but has no bufferization model"):
            PlanBufferizePass().run(module.operation)
        assert str(module) == before

    def test_attributes_of_the_module_stay(self) -> None:
        with context():
            module = ir.Module.parse("module @name attributes {test.x = 1 : i32} { func.func private @f() }")
        PlanBufferizePass().run(module.operation)
        assert str(module).startswith("module @name attributes {test.x = 1 : i32}")
        assert "func.func private @f()" in str(module)


class TestValues:
    @pytest.mark.parametrize("allocation", [AllocationMode.HEAP, AllocationMode.STACK])
    @pytest.mark.parametrize("count", [0, 1, 3])
    def test_a_loop_that_reads_what_it_overwrites(self, allocation: AllocationMode, count: int) -> None:
        plan = f"builtin.module(inplace-plan-bufferize{{function-boundaries=true allocation={allocation.value}}})"
        with ir.Context():
            module = ir.Module.parse(PROGRAM)
            mi.run_pipeline(module, plan)
            program = mi.compile(module)
        given = np.arange(1, 13, dtype=np.float32)
        tensor, last = given.copy(), None
        for k in range(count):
            last = tensor[k : k + 4].copy()
            tensor[k : k + 4] = last * 2
        found = program.f(given.copy(), count)
        if last is not None:
            np.testing.assert_array_equal(found[0], last)
        np.testing.assert_array_equal(found[1], tensor)
