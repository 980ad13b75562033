"""Which layouts are inferred for arguments and loops, seen in the types that come out, and in values."""

from __future__ import annotations

import numpy as np
import pytest
from analysed import analyse_module, context, function, parse
from mlir import ir

import mlir_inplace as mi
from mlir_inplace.passes.analysis.whole_module.layouts import find_callers

GET = """
func.func private @get(%m: tensor<2x2xf32>, %i: index) -> f32 {
  %0 = tensor.extract %m[%i, %i] : tensor<2x2xf32>
  return %0 : f32
}
"""
ANY = "memref<2x2xf32, strided<[?, ?], offset: ?>>"

NEW = "%m{n} = tensor.splat %f : tensor<2x2xf32>"
ARGUMENT = "%m{n} = tensor.extract_slice %x[0, 0] [2, 2] [1, 1] : !m to tensor<2x2xf32>"
TILE = """%t{n} = tensor.splat %f : !m
%m{n} = tensor.extract_slice %t{n}[{row}, {column}] [2, 2] [1, 1] : !m to tensor<2x2xf32>"""
CALL = "%r{n} = func.call @get(%m{n}, %i) : (tensor<2x2xf32>, index) -> f32"
SPACE = """%m{n} = bufferization.alloc_tensor() {{memory_space = 1}} : tensor<2x2xf32>"""


def argument_type(*sources: str) -> str:
    """The type of @get's argument when each source is passed to it once."""
    lines = [
        f"{source}\n{CALL}".format(n=n, row=n, column=0) if source == TILE else f"{source}\n{CALL}".format(n=n)
        for n, source in enumerate(sources)
    ]
    arguments = "%x: !m, %f: f32, %i: index"
    module = parse(GET + function("\n".join(lines), arguments, "main"))
    with context():
        mi.bufferize(module)
        get = next(op for op in module.body.operations if "get" in str(op.operation.attributes["sym_name"]))
        return str(ir.FunctionType(ir.TypeAttr(get.operation.attributes["function_type"]).value).inputs[0])


@pytest.mark.parametrize(
    ("sources", "type_"),
    [
        ([NEW], "memref<2x2xf32>"),
        ([NEW, NEW], "memref<2x2xf32>"),
        ([TILE], "memref<2x2xf32, strided<[4, 1]>>"),
        ([TILE, TILE], "memref<2x2xf32, strided<[4, 1], offset: ?>>"),
        ([NEW, TILE], "memref<2x2xf32, strided<[?, 1], offset: ?>>"),
        ([ARGUMENT], ANY),
        ([NEW, ARGUMENT], ANY),
        ([SPACE], "memref<2x2xf32, 1>"),
        ([SPACE, NEW], ANY),
    ],
)
def test_an_argument_has_what_all_calls_have_in_common(sources: list[str], type_: str) -> None:
    assert argument_type(*sources) == type_


def test_who_may_call_a_function() -> None:
    """Only what is private, called, and named by nothing but calls has callers that are all known."""
    text = GET
    for name, attributes in (("public", ""), ("named", ""), ("unused", "")):
        visibility = "" if name == "public" else "private "
        text += GET.replace("private @get", f"{visibility}@{name}").replace(") -> f32 {", f") -> f32 {attributes}{{")
    calls = "\n".join(
        f"%{name} = func.call @{name}(%m, %i) : (tensor<2x2xf32>, index) -> f32" for name in ("get", "public", "named")
    )
    text += function(calls, "%m: tensor<2x2xf32>, %i: index", "main")
    text += '"test.dispatch"() {table = [[@named], {a = @nothing}]} : () -> ()'
    callers = find_callers(analyse_module(text).analysis)
    assert callers.closed == {"get"}
    assert {name: len(calls) for name, calls in callers.calls.items()} == {"get": 1, "public": 1, "named": 1}


@pytest.mark.parametrize(
    "layout", ["strided<[?, 1], offset: ?>", "strided<[2, 1]>", "affine_map<(d0, d1) -> (d0 * 2 + d1)>"]
)
def test_a_layout_that_the_program_demands_is_met_by_a_copy_at_most(layout: str) -> None:
    text = f"""
    func.func private @get(%t: tensor<2x2xf32> {{bufferization.buffer_layout = {layout}}}, %f: f32, %i: index)
        -> (tensor<2x2xf32>, f32) {{
      %0 = tensor.insert %f into %t[%i, %i] : tensor<2x2xf32>
      %c0 = arith.constant 0 : index
      %1 = tensor.extract %0[%c0, %i] : tensor<2x2xf32>
      return %0, %1 : tensor<2x2xf32>, f32
    }}
    func.func @main(%t: tensor<4x4xf32>, %i: index, %f: f32) -> (tensor<4x4xf32>, tensor<2x2xf32>, f32) {{
      %1 = tensor.extract_slice %t[1, 2] [2, 2] [1, 1] : tensor<4x4xf32> to tensor<2x2xf32>
      %2:2 = func.call @get(%1, %f, %i) : (tensor<2x2xf32>, f32, index) -> (tensor<2x2xf32>, f32)
      return %t, %2#0, %2#1 : tensor<4x4xf32>, tensor<2x2xf32>, f32
    }}"""
    t = np.arange(16, dtype=np.float32).reshape(4, 4)
    part = t[1:3, 2:4].copy()
    part[1, 1] = 99
    program = mi.compile(text, memory_stats=True)
    same, changed, element = program.main(t, 1, 99.0)
    np.testing.assert_array_equal(same, t)
    np.testing.assert_array_equal(changed, part)
    assert element == part[0, 1]
    assert program.memory_stats.leaked_bytes == 0


def test_a_buffer_that_must_be_copied_twice_is_copied_once() -> None:
    """The callee writes what is read later, and wants it in another memory space."""
    text = """
    func.func @put(%t: tensor<4xf32> {bufferization.writable = true}, %f: f32, %i: index) -> tensor<4xf32> {
      %0 = tensor.insert %f into %t[%i] : tensor<4xf32>
      return %0 : tensor<4xf32>
    }
    func.func @main(%f: f32, %i: index) -> (tensor<4xf32>, f32) {
      %e = bufferization.alloc_tensor() {memory_space = 1} : tensor<4xf32>
      %t = linalg.fill ins(%f : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
      %0 = func.call @put(%t, %f, %i) : (tensor<4xf32>, f32, index) -> tensor<4xf32>
      %1 = tensor.extract %t[%i] : tensor<4xf32>
      return %0, %1 : tensor<4xf32>, f32
    }"""
    module = parse(text)
    with context():
        report = mi.bufferize(module)
    assert [copy.type for copy in report.copies] == ["memref<4xf32, 1>"]
    assert [allocation.type for allocation in report.allocations] == ["memref<4xf32, 1>", "memref<4xf32>"]
    assert report.copies[0].reason is mi.Reason.READ_LATER


def test_the_result_of_a_loop_that_surely_runs_has_the_type_that_the_loop_carries() -> None:
    """Even if the first buffer, a slice, is never the result: its type and the results' are one."""
    text = """
func.func @main(%x: tensor<16xf32>, %i: index) -> (tensor<4xf32>, f32, f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %z = arith.constant 0.0 : f32
  %y = bufferization.alloc_tensor() copy(%x) : tensor<16xf32>
  %s = tensor.extract_slice %y[9] [4] [1] : tensor<16xf32> to tensor<4xf32>
  %r, %k = scf.for %n = %c0 to %c2 step %c1 iter_args(%a = %s, %v = %z) -> (tensor<4xf32>, f32) {
    %e = tensor.extract %a[%c1] : tensor<4xf32>
    %f = arith.addf %v, %e : f32
    %t = tensor.splat %f : tensor<4xf32>
    scf.yield %t, %f : tensor<4xf32>, f32
  }
  %q, %l = scf.for %n = %c0 to %i step %c1 iter_args(%b = %s, %v = %z) -> (tensor<4xf32>, f32) {
    %h = tensor.extract %b[%c1] : tensor<4xf32>
    %c, %m = scf.for %j = %c0 to %c2 step %c1 iter_args(%d = %r, %w = %v) -> (tensor<4xf32>, f32) {
      %e = tensor.extract %d[%c1] : tensor<4xf32>
      %f = arith.addf %w, %e : f32
      scf.yield %s, %f : tensor<4xf32>, f32
    }
    %g = arith.addf %m, %h : f32
    scf.yield %c, %g : tensor<4xf32>, f32
  }
  return %q, %k, %l : tensor<4xf32>, f32, f32
}"""
    x = np.arange(16, dtype=np.float32)
    q, k, last = mi.compile(text).main(x, 2)
    np.testing.assert_array_equal(q, x[9:13])
    assert (k, last) == (20.0, 80.0)
