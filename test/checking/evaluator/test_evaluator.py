"""The evaluator's interface: arguments, results, limits, and what it says of programs that do wrong."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from mlir import ir

from mlir_inplace.checking.evaluator import Evaluation, EvaluationError, Evaluator, evaluate

Array = np.ndarray[Any, Any]


def run(text: str, *arguments: Any, **options: Any) -> Evaluation:
    with ir.Context():
        return evaluate(ir.Module.parse(text), "main", arguments, **options)


def iota(*shape: int, dtype: Any = np.float32) -> Array:
    return np.arange(1, np.prod(shape, dtype=int) + 1).astype(dtype).reshape(shape)


def test_scalars_keep_their_types() -> None:
    found = run(
        """
        func.func @main(%a: i8, %b: f32, %c: i1, %d: f16) -> (i8, f32, i1, f16) {
          %0 = arith.addi %a, %a : i8
          %1 = arith.divf %b, %b : f32
          %2 = arith.addi %c, %c : i1
          %3 = arith.mulf %d, %d : f16
          return %0, %1, %2, %3 : i8, f32, i1, f16
        }""",
        100,
        3.0,
        True,
        300.0,
    )
    assert found.results == (-56, 1.0, False, np.inf)
    assert [type(value) for value in found.results] == [int, float, bool, float]


def test_a_tensor_argument_is_never_changed_and_a_memref_is() -> None:
    text = """
        func.func @main(%t: tensor<3xf32>, %m: memref<3xf32>, %x: f32, %i: index) -> tensor<3xf32> {
          %0 = tensor.insert %x into %t[%i] : tensor<3xf32>
          memref.store %x, %m[%i] : memref<3xf32>
          return %0 : tensor<3xf32>
        }"""
    tensor, memref = iota(3), iota(3)
    found = run(text, tensor, memref, 9.0, 1)
    np.testing.assert_array_equal(tensor, [1, 2, 3])
    np.testing.assert_array_equal(memref, [1, 9, 3])
    np.testing.assert_array_equal(found.results[0], [1, 9, 3])
    assert found.arguments[1] is memref


def test_a_strided_argument_is_changed_where_it_is() -> None:
    text = """
        func.func @main(%m: memref<2x2xf32, strided<[?, ?], offset: ?>>, %x: f32) {
          linalg.fill ins(%x : f32) outs(%m : memref<2x2xf32, strided<[?, ?], offset: ?>>)
          return
        }"""
    base = iota(4, 4)
    run(text, base[::-2, 1::2], 0.0)
    np.testing.assert_array_equal(base, [[1, 2, 3, 4], [5, 0, 7, 0], [9, 10, 11, 12], [13, 0, 15, 0]])


def test_memory_is_counted() -> None:
    found = run(
        """
        func.func @main() -> memref<2xf32> {
          %x = arith.constant 1.0 : f32
          %a = memref.alloc() : memref<2xf32>
          %b = memref.alloc() : memref<2xf32>
          %c = memref.alloc() : memref<2xf32>
          %d = memref.alloca() : memref<2xf32>
          linalg.fill ins(%x : f32) outs(%a : memref<2xf32>)
          memref.copy %a, %b : memref<2xf32> to memref<2xf32>
          linalg.copy ins(%b : memref<2xf32>) outs(%d : memref<2xf32>)
          memref.dealloc %a : memref<2xf32>
          return %b : memref<2xf32>
        }"""
    )
    assert (found.allocations, found.frees, found.copies, found.leaked) == (3, 1, 2, 1)
    np.testing.assert_array_equal(found.results[0], [1, 1])


def test_an_evaluator_runs_again_from_the_beginning() -> None:
    text = """
        memref.global "private" @g : memref<i32> = dense<5>
        func.func @main() -> i32 {
          %g = memref.get_global @g : memref<i32>
          %0 = memref.load %g[] : memref<i32>
          %1 = arith.addi %0, %0 : i32
          memref.store %1, %g[] : memref<i32>
          return %1 : i32
        }"""
    with ir.Context():
        evaluator = Evaluator(ir.Module.parse(text))
    assert [evaluator.run("main", ()).results for _ in range(2)] == [(10,), (10,)]


def test_elements_that_nobody_wrote_are_reported() -> None:
    found = run(
        """
        func.func @main(%x: f32, %i: index) -> (tensor<3xf32>, tensor<3xf32>) {
          %e = tensor.empty() : tensor<3xf32>
          %0 = tensor.insert %x into %e[%i] : tensor<3xf32>
          %1 = linalg.add ins(%0, %0 : tensor<3xf32>, tensor<3xf32>) outs(%e : tensor<3xf32>) -> tensor<3xf32>
          %2 = linalg.fill ins(%x : f32) outs(%e : tensor<3xf32>) -> tensor<3xf32>
          return %1, %2 : tensor<3xf32>, tensor<3xf32>
        }""",
        4.0,
        1,
    )
    np.testing.assert_array_equal(found.undefined[0], [True, False, True])
    assert found.undefined[1] is None
    assert found.results[0][1] == 8


def test_slices_backwards() -> None:
    """On tensors, and on memrefs, where the slice is a view."""
    text = """
    func.func @main(%t: tensor<8x3xf32>, %m: memref<8x3xf32>, %n: index)
        -> (tensor<4x3xf32>, tensor<8x3xf32>, tensor<8xf32>) {
      %s = tensor.extract_slice %t[7, 2] [4, 3] [-2, -1] : tensor<8x3xf32> to tensor<4x3xf32>
      %w = tensor.insert_slice %s into %t[3, 0] [4, 3] [-1, 1] : tensor<4x3xf32> into tensor<8x3xf32>
      %r = tensor.extract_slice %t[7, 1] [8, 1] [%n, 1] : tensor<8x3xf32> to tensor<8xf32>
      %v = memref.subview %m[6, 2] [3, 2] [-3, -2]
          : memref<8x3xf32> to memref<3x2xf32, strided<[-9, -2], offset: 20>>
      %f = arith.constant -1.0 : f32
      linalg.fill ins(%f : f32) outs(%v : memref<3x2xf32, strided<[-9, -2], offset: 20>>)
      return %s, %w, %r : tensor<4x3xf32>, tensor<8x3xf32>, tensor<8xf32>
    }"""
    t, m = np.arange(24, dtype=np.float32).reshape(8, 3) + 5, np.zeros((8, 3), np.float32)
    s, w, r = run(text, t.copy(), m, -1).results
    np.testing.assert_array_equal(s, t[7::-2, ::-1])
    np.testing.assert_array_equal(w, np.concatenate([t[7::-2, ::-1][::-1], t[4:]]))
    np.testing.assert_array_equal(r, t[::-1, 1])
    np.testing.assert_array_equal(m == -1, np.outer(np.arange(8) % 3 == 0, [True, False, True]))


WRONG = {
    "a slice out of bounds at its low end": (
        """func.func @main(%t: tensor<4xf32>, %i: index) {
          %0 = tensor.extract_slice %t[%i] [3] [-1] : tensor<4xf32> to tensor<3xf32> return }""",
        (iota(4), 1),
        "'tensor.extract_slice': a slice of offset 1, size 3 and stride -1 is out of bounds in dimension 0, "
        "whose size is 4",
    ),
    "a slice of one element again and again": (
        """func.func @main(%t: tensor<4xf32>, %i: index) {
          %0 = tensor.extract_slice %t[1] [3] [%i] : tensor<4xf32> to tensor<3xf32> return }""",
        (iota(4), 0),
        "'tensor.extract_slice': the stride of a slice in dimension 0 is 0, so its elements are one",
    ),
    "a tensor's element out of bounds": (
        "func.func @main(%t: tensor<3xf32>, %i: index) { %0 = tensor.extract %t[%i] : tensor<3xf32> return }",
        (iota(3), 3),
        "'tensor.extract': index [3] is out of bounds: the sizes are [3]",
    ),
    "a negative index": (
        "func.func @main(%t: memref<3xf32>, %i: index) { %0 = memref.load %t[%i] : memref<3xf32> return }",
        (iota(3), -1),
        "'memref.load': index [-1] is out of bounds: the sizes are [3]",
    ),
    "a slice out of bounds": (
        """func.func @main(%t: tensor<4xf32>, %i: index) {
          %0 = tensor.extract_slice %t[%i] [2] [2] : tensor<4xf32> to tensor<2xf32> return }""",
        (iota(4), 2),
        "'tensor.extract_slice': a slice of offset 2, size 2 and stride 2 is out of bounds in dimension 0, "
        "whose size is 4",
    ),
    "use after free": (
        """func.func @main(%i: index) { %m = memref.alloc() : memref<3xf32> memref.dealloc %m : memref<3xf32>
          %0 = memref.load %m[%i] : memref<3xf32> return }""",
        (0,),
        "'memref.load': memory is used after it was freed",
    ),
    "double free": (
        """func.func @main() { %m = memref.alloc() : memref<3xf32> memref.dealloc %m : memref<3xf32>
          memref.dealloc %m : memref<3xf32> return }""",
        (),
        "'memref.dealloc': memory is freed twice",
    ),
    "a caller's memory freed": (
        "func.func @main(%m: memref<3xf32>) { memref.dealloc %m : memref<3xf32> return }",
        (iota(3),),
        "'memref.dealloc': memory of kind 'argument' is freed; only memory of memref.alloc may be",
    ),
    "stack memory that has gone": (
        """func.func @f() -> memref<1xf32> { %m = memref.alloca() : memref<1xf32> return %m : memref<1xf32> }
        func.func @main(%x: f32, %i: index) { %m = call @f() : () -> memref<1xf32>
          memref.store %x, %m[%i] : memref<1xf32> return }""",
        (1.0, 0),
        "'memref.store': memory is used after it was freed",
    ),
    "constant memory written": (
        """memref.global "private" constant @g : memref<1xf32> = dense<1.0>
        func.func @main(%x: f32, %i: index) { %m = memref.get_global @g : memref<1xf32>
          memref.store %x, %m[%i] : memref<1xf32> return }""",
        (1.0, 0),
        "'memref.store': memory that must not be changed is written",
    ),
    "a branch on memory that nobody wrote": (
        """func.func @main(%i: index) { %m = memref.alloc() : memref<1xi1> %c = memref.load %m[%i] : memref<1xi1>
          scf.if %c { } return }""",
        (0,),
        "'scf.if': a value that was never written decides about control flow, an address or a division",
    ),
    "division by zero": (
        "func.func @main(%i: i32) { %0 = arith.divsi %i, %i : i32 return }",
        (0,),
        "'arith.divsi': division by zero",
    ),
    "a cast to another size": (
        "func.func @main(%t: tensor<?xf32>) { %0 = tensor.cast %t : tensor<?xf32> to tensor<2xf32> return }",
        (iota(3),),
        "'tensor.cast': a value of sizes [3] is not a tensor<2xf32>",
    ),
    "padding to another size": (
        """func.func @main(%t: tensor<3xf32>, %l: index, %c: f32) {
          %0 = tensor.pad %t low[%l] high[1] { ^bb0(%i: index): tensor.yield %c : f32 } : tensor<3xf32> to tensor<8xf32>
          return }""",
        (iota(3), 2, 1.0),
        "'tensor.pad': a value of sizes [6] is not a tensor<8xf32>",
    ),
    "several elements collapsed to one": (
        """func.func @main(%t: tensor<?x1xf32>) {
          %0 = tensor.collapse_shape %t [] : tensor<?x1xf32> into tensor<f32> return }""",
        (iota(3, 1),),
        "'tensor.collapse_shape': sizes [3, 1] cannot be collapsed to []",
    ),
    "a tensor materialized in another size": (
        """func.func @main(%a: tensor<?xf32>, %b: tensor<?xf32>) {
          %0 = bufferization.materialize_in_destination %a in %b : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
          return }""",
        (iota(3), iota(1)),
        "'bufferization.materialize_in_destination': sizes [3] are materialized in sizes [1]",
    ),
    "memory materialized in another size": (
        """func.func @main(%a: tensor<?xf32>, %b: memref<?xf32>) {
          bufferization.materialize_in_destination %a in writable %b : (tensor<?xf32>, memref<?xf32>) -> ()
          return }""",
        (iota(1), iota(3)),
        "'bufferization.materialize_in_destination': sizes [1] are materialized in sizes [3]",
    ),
    "a cast to another layout": (
        """func.func @main(%m: memref<2x2xf32, strided<[?, ?], offset: ?>>) {
          %0 = memref.cast %m : memref<2x2xf32, strided<[?, ?], offset: ?>> to memref<2x2xf32> return }""",
        (iota(2, 4)[:, ::2],),
        "'memref.cast': a memref of strides [4, 2] and offset 0 is not a memref<2x2xf32>",
    ),
    "operands that do not fit": (
        """func.func @main(%a: tensor<?xf32>, %b: tensor<?xf32>) {
          %0 = linalg.add ins(%a, %a : tensor<?xf32>, tensor<?xf32>) outs(%b : tensor<?xf32>) -> tensor<?xf32>
          return }""",
        (iota(3), iota(4)),
        "'linalg.add': operand 2 has size 4 where dimension d0 is 3 long",
    ),
    "insertions that overlap": (
        """func.func @main(%a: tensor<4xf32>, %b: tensor<2xf32>) {
          %0 = scf.forall (%i) in (3) shared_outs(%o = %a) -> (tensor<4xf32>) {
            scf.forall.in_parallel {
              tensor.parallel_insert_slice %b into %o[%i] [2] [1] : tensor<2xf32> into tensor<4xf32>
            }
          } return }""",
        (iota(4), iota(2)),
        "'tensor.parallel_insert_slice': parallel insertions overlap: the result depends on their order",
    ),
    "a failed assertion": (
        'func.func @main(%c: i1) { cf.assert %c, "told so" return }',
        (False,),
        "'cf.assert': assertion failed: told so",
    ),
    "a loop without end": (
        """func.func @main() { cf.br ^a
          ^a: cf.br ^a }""",
        (),
        "'cf.br': the limit of steps is reached: the program runs too long or forever",
    ),
    "a reduction that is too long": (
        """func.func @main(%a: tensor<5000xi8>, %o: tensor<i8>) {
          %0 = linalg.reduce {arith.addi} ins(%a : tensor<5000xi8>) outs(%o : tensor<i8>) dimensions = [0] return }""",
        (np.zeros(5000, np.int8), np.zeros((), np.int8)),
        "'linalg.reduce': the limit of steps is reached: the program runs too long or forever",
    ),
    "more memory than there is": (
        "func.func @main(%n: index) { %m = memref.alloc(%n, %n) : memref<?x?xf32> return }",
        (1 << 29,),
        "'memref.alloc': cannot be evaluated: Unable to allocate 1.00 EiB for an array with shape "
        "(1152921504606846976,) and data type uint8",
    ),
    "a recursion without end": (
        "func.func @main() { call @main() : () -> () return }",
        (),
        "'func.call': more than 150 calls are nested",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_said(name: str) -> None:
    text, arguments, message = WRONG[name]
    with pytest.raises(EvaluationError) as caught:
        run(text, *arguments, steps=1000)
    assert str(caught.value).partition(": ")[2] == message
    assert caught.value.location.startswith("-:")


def test_an_op_that_is_not_supported_only_fails_when_it_runs() -> None:
    text = """
        func.func @main(%c: i1) {
          scf.if %c { %0 = "no.such_op"() : () -> i32 }
          return
        }"""
    with ir.Context() as context:
        context.allow_unregistered_dialects = True
        module = ir.Module.parse(text)
        assert evaluate(module, "main", (False,)).results == ()
        with pytest.raises(EvaluationError, match=r"3:28: 'no.such_op': the op is not supported by the evaluator"):
            evaluate(module, "main", (True,))


MEMORY_ERRORS = {
    "an elementwise op": (
        "memref<2xi32>",
        "%0 = arith.index_cast %m : memref<2xi32> to memref<2xindex>",
        "memory of type memref<2xi32> is taken for memref<2xindex>",
    ),
    "a layout without strides": (
        "index",
        "%0 = memref.alloc() : memref<8xf32, affine_map<(i) -> (i floordiv 4, i mod 4)>>",
        "its layout has no strides",
    ),
}


@pytest.mark.parametrize("name", MEMORY_ERRORS)
def test_an_op_on_memory_that_means_nothing_only_fails_when_it_runs(name: str) -> None:
    type_, line, message = MEMORY_ERRORS[name]
    text = f"""
        func.func @main(%c: i1, %m: {type_}) {{
          scf.if %c {{ {line} }}
          return
        }}"""
    given = np.zeros(2, np.int32) if type_ != "index" else 0
    assert run(text, False, given).results == ()
    with pytest.raises(EvaluationError, match=message):
        run(text, True, given)


ARGUMENTS = {
    "too few": ((), "0 arguments were given, 1 are needed"),
    "another type": ((iota(3, dtype=np.float64),), "argument 0 is an array of float64 and shape [3], "),
    "another size": ((iota(4),), "argument 0 is an array of float32 and shape [4], tensor<3xf32> is needed"),
}


@pytest.mark.parametrize("name", ARGUMENTS)
def test_arguments_are_checked(name: str) -> None:
    given, message = ARGUMENTS[name]
    with pytest.raises(EvaluationError) as caught:
        run("func.func @main(%t: tensor<3xf32>) { return }", *given)
    assert message in str(caught.value)


def test_no_such_function() -> None:
    with ir.Context(), pytest.raises(EvaluationError, match="there is no function @other"):
        evaluate(ir.Module.parse("func.func private @main()"), "other", ())


def test_what_overlaps_runs_element_by_element() -> None:
    """As compiled code does: each element is read after the one before it has been written."""
    text = """
        #id = affine_map<(i) -> (i)>
        func.func @main(%m: memref<5xf32>) {
          %a = memref.subview %m[0] [4] [1] : memref<5xf32> to memref<4xf32, strided<[1]>>
          %b = memref.subview %m[1] [4] [1] : memref<5xf32> to memref<4xf32, strided<[1], offset: 1>>
          linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
            ins(%a : memref<4xf32, strided<[1]>>) outs(%b : memref<4xf32, strided<[1], offset: 1>>) {
            ^bb0(%x: f32, %y: f32):
              %0 = arith.addf %x, %x : f32
              linalg.yield %0 : f32
          }
          return
        }"""
    memory = iota(5)
    run(text, memory)
    np.testing.assert_array_equal(memory, [1, 2, 4, 8, 16])


def test_the_order_of_a_reduction_is_that_of_the_loops() -> None:
    """Summed in any other order, these would not cancel."""
    text = """
        func.func @main(%a: tensor<4xf32>, %o: tensor<f32>) -> tensor<f32> {
          %0 = linalg.reduce {arith.addf} ins(%a : tensor<4xf32>) outs(%o : tensor<f32>) dimensions = [0]
          return %0 : tensor<f32>
        }"""
    values = np.array([1e8, 1, -1e8, 1], np.float32)
    assert run(text, values, np.zeros((), np.float32)).results[0] == 1


OVERLAP = """
    #id = affine_map<(i) -> (i)>
    func.func @main(%a: memref<4xf32>, %b: memref<4xf32>, %t: tensor<4xf32>) -> tensor<4xf32> {
      linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
        ins(%a : memref<4xf32>) outs(%b : memref<4xf32>) {
        ^bb0(%x: f32, %y: f32):
          %0 = arith.addf %x, %x : f32
          linalg.yield %0 : f32
      }
      return %t : tensor<4xf32>
    }"""


def test_arguments_may_share_memory() -> None:
    """Two memrefs as in compiled code; a tensor keeps the value that it had."""
    memory = iota(5)
    found = run(OVERLAP, memory[:4], memory[1:], memory[:4])
    np.testing.assert_array_equal(memory, [1, 2, 4, 8, 16])
    np.testing.assert_array_equal(found.results[0], [1, 2, 3, 4])
    memory = iota(5)
    run(OVERLAP, memory[1:], memory[:4], memory[:4])
    np.testing.assert_array_equal(memory, [4, 6, 8, 10, 5])


def test_regions_that_are_nested_too_deeply() -> None:
    text = "func.func @main(%c: i1) {" + "scf.if %c {" * 300 + "}" * 300 + "return }"
    with pytest.raises(EvaluationError, match="calls and regions are nested too deeply"):
        run(text, True)
