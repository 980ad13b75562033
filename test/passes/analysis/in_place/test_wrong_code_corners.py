"""Corners in which an in-place analysis easily goes wrong: each once gave a wrong value, a traceback or a useless copy.

What runs is compared with NumPy on data in which no two numbers are equal; what is refused must leave the module as it
was. Programs are written as in `support/analysed.py`: @main gets its constants, and its result types, from `function`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from analysed import ALIASES, context, function, parse
from mlir import ir

import mlir_inplace as mi

Values = tuple[Any, ...]

F = 99.0
READ_ONLY = "%a: !v, %b: !v, %f: f32, %n: index, %p: i1"
WRITABLE = READ_ONLY.replace("!v", "!v {bufferization.writable = true}")

IDENTITY_LAYOUT = """builtin.module(
  inplace-one-shot-bufferize{bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map},
  canonicalize, cse)"""


def vectors() -> tuple[np.ndarray, np.ndarray]:
    return np.arange(1, 9, dtype=np.float32), np.arange(11, 19, dtype=np.float32)


def put(array: np.ndarray, index: Any, value: Any) -> np.ndarray:
    changed = array.copy()
    changed[index] = value
    return changed


def results(program: mi.Program, *arguments: Any) -> list[np.ndarray]:
    """What @main returns; nothing may leak."""
    found = program.main(*arguments)
    assert program.memory_stats is not None
    assert program.memory_stats.leaked_bytes == 0
    return [np.array(value) for value in (found if isinstance(found, tuple) else (found,))]


def assert_equal(found: list[np.ndarray], expected: Any) -> None:
    wanted = expected if isinstance(expected, tuple) else (expected,)
    assert [value.tolist() for value in found] == [np.asarray(value).tolist() for value in wanted]


def found(module: ir.Module, name: str) -> list[ir.Operation]:
    ops: list[ir.Operation] = []

    def visit(op: ir.Operation) -> ir.WalkResult:
        ops.append(op.operation)
        return ir.WalkResult.ADVANCE

    module.operation.walk(visit)
    return [op for op in ops if op.name == name]


def strided(array: np.ndarray) -> np.ndarray:
    """The same elements, with as many others between them."""
    wide = np.full(2 * len(array), -1, array.dtype)
    wide[::2] = array
    return wide[::2]


@dataclass(frozen=True)
class Case:
    """@main(%a, %b, %f, %n, %p) with `body` next to other functions, and what NumPy says it returns for (a, b)."""

    name: str
    body: str
    expected: Callable[[np.ndarray, np.ndarray], Any]
    others: str = ""
    copies: int | None = None
    """How many copies run if the arguments may be written; None if that is no matter here."""

    def text(self, arguments: str) -> str:
        return ALIASES + self.others + function(self.body, arguments, "main")


def callee(name: str, arguments: str, body: str) -> str:
    return function(body, arguments, name).replace("func.func", "func.func private")


def two_results(second: str = "!v") -> str:
    """Call @two, write the first result, then look at the second one."""
    return f"""
      %r:2 = func.call @two(%a, %f) : (!v, f32) -> (!v, {second})
      %w = tensor.insert %f into %r#0[%c1] : !v
      %e = tensor.extract %r#1[%c1] : {second}
      return %e, %w : f32, !v"""


SHARED_RESULTS = [
    Case(
        "argument_returned_twice",
        two_results(),
        lambda a, b: (a[1], put(a, 1, F)),
        callee("two", "%x: !v, %f: f32", "return %x, %x : !v, !v"),
    ),
    Case(
        "new_buffer_returned_twice",
        two_results(),
        lambda a, b: (198.0, put(np.full(8, 198.0), 1, F)),
        callee(
            "two",
            "%x: !v, %f: f32",
            """%g = arith.addf %f, %f : f32
            %y = tensor.splat %g : !v
            return %y, %y : !v, !v""",
        ),
    ),
    Case(
        "view_next_to_its_base",
        two_results("!h"),
        lambda a, b: (a[1], put(a, 1, F)),
        callee(
            "two",
            "%x: !v, %f: f32",
            """%s = tensor.extract_slice %x[0] [4] [1] : !v to !h
            return %x, %s : !v, !h""",
        ),
    ),
    Case(
        "copy_of_an_operand_behind_two_results",
        two_results("!h").replace("return %e, %w : f32, !v", "return %e, %w, %a : f32, !v, !v"),
        lambda a, b: (a[1], put(put(a, 1, F), 0, F), a),
        callee(
            "two",
            "%x: !v, %f: f32",
            """%w = tensor.insert %f into %x[%c0] : !v
            %s = tensor.extract_slice %w[0] [4] [1] : !v to !h
            return %w, %s : !v, !h""",
        ),
    ),
    Case(
        "recursion_that_returns_its_argument_twice",
        two_results().replace("@two(%a, %f) : (!v, f32)", "@two(%a, %n) : (!v, index)"),
        lambda a, b: (a[1], put(a, 1, F)),
        callee(
            "two",
            "%x: !v, %n: index",
            """%stop = arith.cmpi sle, %n, %c0 : index
            %r:2 = scf.if %stop -> (!v, !v) {
              scf.yield %x, %x : !v, !v
            } else {
              %m = arith.subi %n, %c1 : index
              %q:2 = func.call @two(%x, %m) : (!v, index) -> (!v, !v)
              scf.yield %q#0, %q#1 : !v, !v
            }
            return %r#0, %r#1 : !v, !v""",
        ),
    ),
    Case(
        "recursion_whose_attribute_says_that_nothing_happens",
        """%r = func.call @changes(%a, %n) : (!v, index) -> f32
        %e = tensor.extract %a[%c0] : !v
        return %r, %e : f32, f32""",
        lambda a, b: (7.0, a[0]),
        callee(
            "changes",
            '%x: !v {bufferization.access = "none"}, %n: index',
            """%g = arith.constant 7.0 : f32
            %stop = arith.cmpi eq, %n, %c0 : index
            %r = scf.if %stop -> f32 {
              %w = tensor.insert %g into %x[%c0] : !v
              %e = tensor.extract %w[%c0] : !v
              scf.yield %e : f32
            } else {
              %m = arith.subi %n, %c1 : index
              %e = func.call @changes(%x, %m) : (!v, index) -> f32
              scf.yield %e : f32
            }
            return %r : f32""",
        ),
    ),
]

# Reads %a, then writes it: the second run must not see what the first one wrote.
OLD_AND_NEW = """
    %old = tensor.extract %a[%c0] : !v
    %w = tensor.insert %f into %a[%c0] : !v
    %new = tensor.extract %w[%i] : !v
    %both = arith.addf %old, %new : f32"""


def old_and_new(a: np.ndarray) -> float:
    return sum(a[0] + put(a, 0, F)[i] for i in range(4))


REPEATED = [
    Case(
        "affine_loop",
        f"""%z = arith.constant 0.0 : f32
        %r = affine.for %i = 0 to 4 iter_args(%sum = %z) -> (f32) {{
          {OLD_AND_NEW}
          %next = arith.addf %sum, %both : f32
          affine.yield %next : f32
        }}
        return %r : f32""",
        lambda a, b: old_and_new(a),
    ),
    Case(
        "while_loop_on_scalars",
        f"""%z = arith.constant 0.0 : f32
        %r:2 = scf.while (%i = %c0, %sum = %z) : (index, f32) -> (index, f32) {{
          %more = arith.cmpi slt, %i, %c4 : index
          scf.condition(%more) %i, %sum : index, f32
        }} do {{
        ^bb0(%i: index, %sum: f32):
          {OLD_AND_NEW}
          %next = arith.addf %sum, %both : f32
          %k = arith.addi %i, %c1 : index
          scf.yield %k, %next : index, f32
        }}
        return %r#1 : f32""",
        lambda a, b: old_and_new(a),
    ),
    Case(
        "parallel_loop",
        f"""%z = arith.constant 0.0 : f32
        %r = scf.parallel (%i) = (%c0) to (%c4) step (%c1) init(%z) -> f32 {{
          {OLD_AND_NEW}
          scf.reduce(%both : f32) {{
          ^bb0(%x: f32, %y: f32):
            %sum = arith.addf %x, %y : f32
            scf.reduce.return %sum : f32
          }}
        }}
        return %r : f32""",
        lambda a, b: old_and_new(a),
    ),
    Case(
        "body_of_generate",
        f"""%r = tensor.generate {{
        ^bb0(%i: index):
          {OLD_AND_NEW}
          tensor.yield %both : f32
        }} : !v
        return %r : !v""",
        lambda a, b: a[0] + put(a, 0, F),
    ),
    Case(
        "payload_of_generic",
        """%e = tensor.empty() : !v
        %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%b : !v) outs(%e : !v) {
        ^bb0(%x: f32, %y: f32):
          %old = tensor.extract %a[%c0] : !v
          %w = tensor.insert %x into %a[%c0] : !v
          %new = tensor.extract %w[%c0] : !v
          %both = arith.addf %old, %new : f32
          linalg.yield %both : f32
        } -> !v
        return %r : !v""",
        lambda a, b: a[0] + b,
    ),
    Case(
        "payload_of_reduce",
        """%z = arith.constant dense<0.0> : tensor<f32>
        %r = linalg.reduce ins(%b : !v) outs(%z : tensor<f32>) dimensions = [0] (%x: f32, %sum: f32) {
          %old = tensor.extract %a[%c0] : !v
          %w = tensor.insert %x into %a[%c0] : !v
          %new = tensor.extract %w[%c0] : !v
          %both = arith.addf %old, %new : f32
          %next = arith.addf %sum, %both : f32
          linalg.yield %next : f32
        }
        return %r : tensor<f32>""",
        lambda a, b: 8 * a[0] + b.sum(),
    ),
]

NOT_READ = [
    Case(
        "insert_of_a_whole_slice",
        """%w = tensor.insert %f into %a[%c0] : !v
        %r = tensor.insert_slice %b into %a[0] [8] [1] : !v into !v
        return %w, %r : !v, !v""",
        lambda a, b: (put(a, 0, F), b),
        copies=1,
    ),
    Case(
        "transfer_write_of_all",
        """%w = tensor.insert %f into %a[%c0] : !v
        %x = vector.transfer_read %b[%c0], %f {in_bounds = [true]} : !v, vector<8xf32>
        %y = arith.addf %x, %x : vector<8xf32>
        %r = vector.transfer_write %y, %a[%c0] {in_bounds = [true]} : vector<8xf32>, !v
        return %w, %r : !v, !v""",
        lambda a, b: (put(a, 0, F), b + b),
        copies=0,
    ),
    Case(
        "masked_transfer_write",
        """%x = vector.broadcast %f : f32 to vector<8xf32>
        %m = vector.create_mask %n : vector<8xi1>
        %r = vector.transfer_write %x, %a[%c0], %m {in_bounds = [true]} : vector<8xf32>, !v
        return %a, %r : !v, !v""",
        lambda a, b: (a, put(a, slice(3), F)),
    ),
    Case(
        "input_without_a_use",
        """%w = tensor.insert %f into %a[%c0] : !v
        %e = tensor.empty() : !v
        %r = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
            ins(%a, %b : !v, !v) outs(%e : !v) {
        ^bb0(%shape: f32, %x: f32, %y: f32):
          linalg.yield %x : f32
        } -> !v
        return %w, %r : !v, !v""",
        lambda a, b: (put(a, 0, F), b),
        copies=0,
    ),
    Case(
        "choice_between_a_value_and_itself",
        """%s = arith.select %p, %a, %a : !v
        %w = tensor.insert %f into %s[%c0] : !v
        return %w : !v""",
        lambda a, b: put(a, 0, F),
        copies=0,
    ),
]

STILL_READ = [
    Case(
        "one_tensor_for_both_inits",
        """%r:2 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} outs(%a, %a : !v, !v) {
        ^bb0(%x: f32, %y: f32):
          %s = arith.addf %x, %y : f32
          linalg.yield %s, %x : f32, f32
        } -> (!v, !v)
        return %r#0, %r#1 : !v, !v""",
        lambda a, b: (a + a, a),
    ),
    Case(
        "reduction_without_iterations",
        """%none = arith.subi %n, %n : index
        %input = tensor.empty(%none) : tensor<8x?xf32>
        %r = linalg.generic {indexing_maps = [#id2, #row], iterator_types = ["parallel", "reduction"]}
            ins(%input : tensor<8x?xf32>) outs(%a : !v) {
        ^bb0(%x: f32, %y: f32):
          linalg.yield %x : f32
        } -> !v
        %w = tensor.insert %f into %r[%c0] : !v
        return %w, %a : !v, !v""",
        lambda a, b: (put(a, 0, F), a),
        copies=1,
    ),
    Case(
        "output_map_that_reaches_the_diagonal_only",
        """%0 = tensor.extract_slice %b[0] [4] [1] : !v to !h
        %1 = tensor.expand_shape %a [[0, 1]] output_shape [2, 4] : !v into tensor<2x4xf32>
        %2 = tensor.extract_slice %1[0, 0] [2, 2] [1, 1] : tensor<2x4xf32> to tensor<2x2xf32>
        %3 = tensor.extract_slice %0[0] [2] [1] : !h to tensor<2xf32>
        %r = linalg.generic {indexing_maps = [#id, affine_map<(i) -> (i, i)>], iterator_types = ["parallel"]}
            ins(%3 : tensor<2xf32>) outs(%2 : tensor<2x2xf32>) {
        ^bb0(%x: f32, %y: f32):
          linalg.yield %x : f32
        } -> tensor<2x2xf32>
        return %r, %a : tensor<2x2xf32>, !v""",
        lambda a, b: (np.array([[b[0], a[1]], [a[4], b[1]]]), a),
        copies=1,
    ),
]

EVERY_SECOND = "tensor.extract_slice %a[0] [4] [2] : !v to !h"
WRITER = callee("writes", "%x: !h, %f: f32", "%w = tensor.insert %f into %x[%c1] : !h\nreturn %w : !h")

LAYOUTS = [
    Case(
        "strided_part_written_by_a_call",
        f"""%s = {EVERY_SECOND}
        %r = func.call @writes(%s, %f) : (!h, f32) -> !h
        %w = tensor.insert_slice %r into %a[0] [4] [2] : !h into !v
        return %w : !v""",
        lambda a, b: put(a, 2, F),
        WRITER,
    ),
    Case(
        "strided_part_whose_old_content_is_wanted",
        f"""%s = {EVERY_SECOND}
        %r = func.call @writes(%s, %f) : (!h, f32) -> !h
        return %r, %s, %a : !h, !h, !v""",
        lambda a, b: (put(a[::2], 1, F), a[::2], a),
        WRITER,
    ),
    Case(
        "strided_part_written_through_two_calls",
        f"""%s = {EVERY_SECOND}
        %r = func.call @outer(%s, %f) : (!h, f32) -> !h
        %w = tensor.insert_slice %r into %a[0] [4] [2] : !h into !v
        return %w : !v""",
        lambda a, b: put(a, [2, 6], F),
        WRITER
        + callee(
            "outer",
            "%x: !h, %f: f32",
            """%0 = tensor.insert %f into %x[%c3] : !h
            %1 = func.call @writes(%0, %f) : (!h, f32) -> !h
            return %1 : !h""",
        ).replace("%c4 =", "%c3 = arith.constant 3 : index\n%c4 ="),
    ),
    Case(
        "cast_of_a_strided_part",
        f"""%s = {EVERY_SECOND}
        %r = func.call @dynamic(%s, %n) : (!h, index) -> f32
        return %r : f32""",
        lambda a, b: a[::2][3],
        callee(
            "dynamic",
            "%x: !h, %i: index",
            """%0 = tensor.cast %x : !h to !d
            %1 = tensor.extract %0[%i] : !d
            return %1 : f32""",
        ),
    ),
    Case(
        "cast_to_a_result_of_strided_parts",
        f"""%s = {EVERY_SECOND}
        %d = tensor.cast %s : !h to !d
        return %d : !d""",
        lambda a, b: a[::2],
    ),
]

CASES = [*SHARED_RESULTS, *REPEATED, *NOT_READ, *STILL_READ, *LAYOUTS]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_values_are_right_if_arguments_may_be_written(case: Case) -> None:
    program = mi.compile(case.text(WRITABLE), memory_stats=True)
    assert_equal(results(program, *vectors(), F, 3, True), case.expected(*vectors()))
    if case.copies is not None:
        assert program.memory_stats is not None
        assert program.memory_stats.copies == case.copies


@pytest.mark.parametrize("case", SHARED_RESULTS, ids=lambda case: case.name)
def test_the_values_are_right_if_arguments_are_read_only(case: Case) -> None:
    program, (a, b) = mi.compile(case.text(READ_ONLY), memory_stats=True), vectors()
    assert_equal(results(program, a, b, F, 3, True), case.expected(*vectors()))
    assert_equal([a, b], vectors())


@pytest.mark.parametrize("case", [case for case in SHARED_RESULTS if "@two" in case.body], ids=lambda case: case.name)
def test_what_two_results_may_share_is_not_written(case: Case) -> None:
    """Seen in the IR: a pass that gives each result an owner may hide it from the values."""
    module = parse(case.text(WRITABLE).removeprefix(ALIASES))
    mi.bufferize(module)
    written = found(module, "memref.store")[-1].operands[1].owner
    assert written.name == "memref.alloc"
    assert ir.StringAttr(written.parent.attributes["sym_name"]).value == "main"


@pytest.mark.parametrize("case", LAYOUTS, ids=lambda case: case.name)
def test_the_values_are_right_under_identity_layouts(case: Case) -> None:
    program = mi.compile(case.text(WRITABLE), pipeline=IDENTITY_LAYOUT, memory_stats=True)
    assert_equal(results(program, *vectors(), F, 3, True), case.expected(*vectors()))


@pytest.mark.parametrize("case", LAYOUTS, ids=lambda case: case.name)
def test_the_values_are_right_for_strided_arrays(case: Case) -> None:
    program, (a, b) = mi.compile(case.text(WRITABLE), memory_stats=True), map(strided, vectors())
    assert_equal(results(program, a, b, F, 3, True), case.expected(*vectors()))
    assert a.base is not None
    assert set(a.base[1::2]) == {-1}, "what lies between the elements is not ours"


SQUARE = "tensor<8x8xf32>"
PART_AS_A_VECTOR = f"""
    %s = tensor.extract_slice %x[2, 0] [2, 4] [1, 1] : {SQUARE} to tensor<2x4xf32>
    %c = tensor.collapse_shape %s [[0, 1]] : tensor<2x4xf32> into !v
    %w = linalg.fill ins(%f : f32) outs(%c : !v) -> !v
    %e = tensor.expand_shape %w [[0, 1]] output_shape [2, 4] : !v into tensor<2x4xf32>
    %r = tensor.insert_slice %e into %x[2, 0] [2, 4] [1, 1] : tensor<2x4xf32> into {SQUARE}
    return %r : {SQUARE}"""
ROWS_AS_A_VECTOR = f"""
    %s = tensor.extract_slice %x[2, 0] [1, 8] [1, 1] : {SQUARE} to tensor<1x8xf32>
    %c = tensor.collapse_shape %s [[0, 1]] : tensor<1x8xf32> into !v
    %w = tensor.insert %f into %c[%c1] : !v
    %e = tensor.expand_shape %w [[0, 1]] output_shape [1, 8] : !v into tensor<1x8xf32>
    %r = tensor.insert_slice %e into %x[2, 0] [1, 8] [1, 1] : tensor<1x8xf32> into {SQUARE}
    return %r : {SQUARE}"""


class TestAReshapedSliceThatIsPutBack:
    ARGUMENT = f"%x: {SQUARE} {{bufferization.writable = true}}, %f: f32"
    DATA = np.arange(64, dtype=np.float32).reshape(8, 8)

    def compiled(self, body: str, arguments: str = ARGUMENT) -> mi.Program:
        return mi.compile(ALIASES + function(body, arguments, "main"), memory_stats=True)

    def test_the_rows_of_a_new_buffer_need_no_copy(self) -> None:
        program = self.compiled(f"%x = tensor.splat %g : {SQUARE}" + ROWS_AS_A_VECTOR, "%g: f32, %f: f32")
        assert_equal(results(program, 1.0, F), put(np.ones((8, 8)), (2, 1), F))
        assert program.memory_stats is not None
        assert program.memory_stats.copies == 0
        assert program.memory_stats.temporaries == 0

    @pytest.mark.parametrize(
        ("body", "where"), [(ROWS_AS_A_VECTOR, (2, 1)), (PART_AS_A_VECTOR, np.s_[2:4, :4])], ids=["rows", "part"]
    )
    @pytest.mark.parametrize("order", ["C", "F"])
    def test_an_argument_of_any_strides(self, body: str, where: Any, order: Any) -> None:
        program, data = self.compiled(body), np.array(self.DATA, order=order)
        assert_equal(results(program, data, F), put(self.DATA, where, F))
        assert_equal([data], put(self.DATA, where, F))


@pytest.mark.parametrize(
    ("body", "loop"),
    [
        (
            """%z = arith.constant 0.0 : f32
            %r = scf.parallel (%k) = (%c0) to (%n) step (%c1) init(%z) -> f32 {
              %w = tensor.insert %f into %t[%c0] : !v
              %e = tensor.extract %w[%k] : !v
              scf.reduce(%e : f32) {
              ^bb0(%x: f32, %y: f32):
                %sum = arith.addf %x, %y : f32
                scf.reduce.return %sum : f32
              }
            }
            return %r : f32""",
            "scf.parallel",
        ),
        (
            """%r = tensor.generate {
            ^bb0(%k: index):
              %w = tensor.insert %f into %t[%c0] : !v
              %e = tensor.extract %w[%k] : !v
              tensor.yield %e : f32
            } : !h
            return %r : !h""",
            "linalg.generic",
        ),
    ],
    ids=["parallel", "generate"],
)
def test_each_run_of_a_parallel_body_writes_a_buffer_of_its_own(body: str, loop: str) -> None:
    module = parse(function(body))
    report = mi.bufferize(module)
    assert [d.text for d in report.out_of_place] == [
        "operand #1 of 'tensor.insert' is out-of-place with a copy: "
        "threads of a parallel region would write one buffer at the same time"
    ]
    (store,) = found(module, "memref.store")
    assert store.operands[1].owner.name == "memref.alloc"
    assert store.operands[1].owner.parent.name == loop


SAME = callee("same", "%x: !v", "return %x : !v")
IN_SPACE = "%s = bufferization.alloc_tensor() copy(%t) {memory_space = 1 : i64} : !v\n"


@pytest.mark.parametrize(
    ("body", "spaces"),
    [
        ("%r = func.call @same(%s) : (!v) -> !v\nreturn %r : !v", ""),
        ("%r = func.call @public(%s) : (!v) -> !v\nreturn %r : !v", "memref<8xf32>"),
        ("%r = arith.select %p, %s, %u : !v\nreturn %r : !v", "memref<8xf32>"),
        (
            IN_SPACE.replace("%s", "%q").replace("= 1", "= 2") + "%r = arith.select %p, %s, %q : !v\nreturn %r : !v",
            "memref<8xf32>",
        ),
        ("%r = scf.if %p -> !v {\nscf.yield %s : !v\n} else {\nscf.yield %u : !v\n}\nreturn %r : !v", "memref<8xf32>"),
        (
            """%r:2 = scf.for %k = %c0 to %n step %c1 iter_args(%x = %s, %y = %u) -> (!v, !v) {
              scf.yield %y, %x : !v, !v
            }
            return %r#0, %r#1 : !v, !v""",
            "memref<8xf32>",
        ),
        (
            """%r = scf.for %k = %c0 to %n step %c1 iter_args(%x = %s) -> (!v) {
              %w = tensor.insert %f into %x[%k] : !v
              scf.yield %w : !v
            }
            %e = tensor.extract %r[%c0] : !v
            return %e : f32""",
            "",
        ),
    ],
    ids=[
        "call",
        "call_of_a_public_function",
        "select",
        "select_of_two_spaces",
        "if",
        "loop_that_swaps",
        "loop_in_place",
    ],
)
def test_a_buffer_leaves_its_memory_space_by_a_copy(body: str, spaces: str) -> None:
    module = parse(SAME + function("return %x : !v", "%x: !v", "public") + function(IN_SPACE + body))
    mi.bufferize(module)
    assert module.operation.verify()
    assert "tensor<" not in str(module)
    copies = [[str(operand.type) for operand in copy.operands] for copy in found(module, "memref.copy")]
    assert any(target == "memref<8xf32, 1>" for _, target in copies)
    assert any(source == "memref<8xf32, 1>" and target == spaces for source, target in copies) == bool(spaces)


UNRANKED = "tensor<*xf32>"


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        (
            function(
                """%x = bufferization.to_tensor %m restrict writable : memref<8xf32> to !v
                %y = bufferization.to_tensor %m restrict writable : memref<8xf32> to !v
                %w = tensor.insert %f into %x[%i] : !v
                %e = tensor.extract %y[%i] : !v
                return %e, %w : f32, !v""",
                "%m: memref<8xf32>, %f: f32, %i: index",
            ),
            {},
            "'bufferization.to_tensor' is marked 'writable', but there is another to_tensor of the same memref; "
            "make one tensor and use it twice",
        ),
        (
            SAME + function("%g = func.constant @same : (!v) -> !v\nreturn"),
            {},
            "'func.constant' takes the address of a function on tensors, whose type would change; "
            "call the function directly, or do not bufferize function boundaries",
        ),
        (
            function(
                f"""%r = bufferization.materialize_in_destination %x in %y : ({UNRANKED}, {UNRANKED}) -> {UNRANKED}
                return %r : {UNRANKED}""",
                f"%x: {UNRANKED}, %y: {UNRANKED}",
            ),
            {},
            "'bufferization.materialize_in_destination' of an unranked tensor is not supported; give the tensor a rank",
        ),
        (
            function(
                f"%r = bufferization.alloc_tensor() copy(%x) : {UNRANKED}\nreturn %r : {UNRANKED}", f"%x: {UNRANKED}"
            ),
            {},
            "'bufferization.alloc_tensor' of an unranked tensor is not supported; give the tensor a rank",
        ),
        (
            function(
                """%x = bufferization.to_tensor %m restrict : memref<4x4xf32, #swap> to !m
                %e = tensor.extract %x[%i, %i] : !m
                return %e : f32""",
                "%m: memref<4x4xf32, #swap>, %i: index",
            ),
            {},
            "'bufferization.to_tensor' of memref<4x4xf32, affine_map<(d0, d1) -> (d1, d0)>>, whose layout has no "
            "strides, is not supported; copy it to a strided memref",
        ),
    ],
    ids=["to_tensor_twice", "function_address", "unranked_materialize", "unranked_copy", "layout"],
)
def test_what_is_refused_stays_as_it_was(text: str, options: dict[str, bool], message: str) -> None:
    module = parse(text)
    before = str(module)
    with context(), pytest.raises(mi.PassError) as refused:
        mi.bufferize(module, **options)
    assert message in [diagnostic.message for diagnostic in refused.value.diagnostics]
    assert str(module) == before
