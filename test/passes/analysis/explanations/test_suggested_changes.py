"""For each kind of reason: a program with the allocation or copy, and the suggested change, which removes it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from mlir import ir

import mlir_inplace as mi
from mlir_inplace.checking.evaluator import evaluate
from mlir_inplace.passes.analysis.explanations.reasons import GUIDE

V = "tensor<4xf32>"
HEAD = "  %c0 = arith.constant 0 : index\n  %c1 = arith.constant 1 : index\n  %c4 = arith.constant 4 : index\n"


def main(body: str, results: str, arguments: str = f"%t: {V}, %u: {V}, %x: f32") -> str:
    return f"func.func @main({arguments}) -> ({results}) {{\n{HEAD}{body}\n}}\n"


@dataclass(frozen=True)
class Case:
    """`edits` turn `before` into the changed program; `compared` is how many results both must have in common."""

    reason: mi.Reason
    change: mi.Change
    before: str
    edits: tuple[tuple[str, str], ...] = ()
    options: dict[str, Any] = field(default_factory=dict)
    changed_options: dict[str, Any] = field(default_factory=dict)
    passes: str = ""
    compared: int = -1
    kind: mi.EventKind = mi.EventKind.COPY

    @property
    def after(self) -> str:
        text = self.before
        for old, new in self.edits:
            assert text.count(old) == 1, old
            text = text.replace(old, new)
        return text


R, C = mi.Reason, mi.Change
INSERT = f"  %w = tensor.insert %x into %t[%c0] : {V}\n"
EXTRACT = f"  %e = tensor.extract %t[%c0] : {V}\n"
GENERIC = (
    'indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} '
    f"outs(%t, %t : {V}, {V})"
)

CASES = [
    Case(
        R.READ_LATER,
        C.MOVE_READ,
        main(f"{INSERT}{EXTRACT}  return %w, %e : {V}, f32", f"{V}, f32"),
        ((INSERT + EXTRACT, EXTRACT + INSERT),),
    ),
    Case(
        R.READ_WITH_NEW_CONTENT,
        C.DROP_READ,
        main(f"{INSERT}  %s = linalg.add ins(%w, %t : {V}, {V}) outs(%u : {V}) -> {V}\n  return %s : {V}", V),
        ((f"ins(%w, %t : {V}, {V})", f"ins(%w, %w : {V}, {V})"),),
        compared=0,
    ),
    Case(
        R.READ_IN_NEXT_ITERATION,
        C.READ_BEFORE_LOOP,
        main(
            f"""  %s = scf.for %k = %c0 to %c4 step %c1 iter_args(%a = %x) -> f32 {{
  {EXTRACT}    %w = linalg.fill ins(%a : f32) outs(%t : {V}) -> {V}
    %v = tensor.extract %w[%k] : {V}
    %n = arith.addf %v, %e : f32
    scf.yield %n : f32
  }}
  return %s : f32""",
            "f32",
        ),
        (("  " + EXTRACT, ""), ("  %s = scf.for", EXTRACT + "  %s = scf.for")),
        kind=mi.EventKind.ALLOCATION,
    ),
    Case(
        R.OLD_CONTENT_RETURNED,
        C.RETURN_NEW_ONLY,
        main(f"{INSERT}  return %w, %t : {V}, {V}", f"{V}, {V}"),
        ((f"return %w, %t : {V}, {V}", f"return %w : {V}"), (f"-> ({V}, {V})", f"-> ({V})")),
        compared=1,
    ),
    Case(
        R.READ_BY_WRITER,
        C.OTHER_INIT,
        main(
            "  %m = linalg.matmul ins(%a, %b : tensor<2x2xf32>, tensor<2x2xf32>) outs(%a : tensor<2x2xf32>) "
            "-> tensor<2x2xf32>\n  return %m : tensor<2x2xf32>",
            "tensor<2x2xf32>",
            "%a: tensor<2x2xf32>, %b: tensor<2x2xf32>, %c: tensor<2x2xf32>",
        ),
        (("outs(%a", "outs(%c"),),
        compared=0,
    ),
    Case(
        R.WRITTEN_TWICE,
        C.INIT_FOR_EACH,
        main(
            f"""  %p:2 = linalg.generic {{{GENERIC} {{
  ^bb0(%f: f32, %g: f32):
    %h = arith.addf %f, %x : f32
    linalg.yield %h, %g : f32, f32
  }} -> ({V}, {V})
  return %p#0, %p#1 : {V}, {V}""",
            f"{V}, {V}",
        ),
        ((f"outs(%t, %t : {V}, {V})", f"outs(%t, %u : {V}, {V})"),),
        compared=1,
    ),
    Case(
        R.ARGUMENT_NOT_WRITABLE,
        C.MARK_WRITABLE,
        main(f"{INSERT}  return %w : {V}", V, f"%t: {V} {{bufferization.writable = false}}, %x: f32"),
        (("writable = false", "writable = true"),),
    ),
    Case(
        R.ARGUMENT_STAYS_TENSOR,
        C.SET_OPTION,
        main(f"{INSERT}  return %w : {V}", V),
        options={"bufferize_function_boundaries": False},
    ),
    Case(
        R.CONSTANT,
        C.FILL,
        main(f"  %t = arith.constant dense<2.0> : {V}\n{INSERT}  return %w : {V}", V, "%x: f32"),
        (
            (
                f"  %t = arith.constant dense<2.0> : {V}\n",
                f"  %z = arith.constant 2.0 : f32\n  %n = tensor.empty() : {V}\n"
                f"  %t = linalg.fill ins(%z : f32) outs(%n : {V}) -> {V}\n",
            ),
        ),
    ),
    Case(
        R.MEMREF_NOT_WRITABLE,
        C.MARK_WRITABLE,
        main(
            f"  %t = bufferization.to_tensor %m restrict : memref<4xf32> to {V}\n{INSERT}"
            f"  %e = tensor.extract %w[%c1] : {V}\n  return %e : f32",
            "f32",
            "%m: memref<4xf32>, %x: f32",
        ),
        (("restrict :", "restrict writable :"),),
    ),
    Case(
        R.GLOBAL_NOT_WRITABLE,
        C.PASS_AS_ARGUMENT,
        f"ml_program.global private @g(dense<1.0> : {V}) : {V}\n"
        + main(f"  %t = ml_program.global_load @g : {V}\n{INSERT}  return %w : {V}", V, "%x: f32"),
        ((f"  %t = ml_program.global_load @g : {V}\n", ""), ("@main(", f"@main(%t: {V}, ")),
        compared=0,
    ),
    Case(
        R.CALL_RESULT_NOT_WRITABLE,
        C.RETURN_OWN_TENSOR,
        f"func.func private @c() -> {V} {{\n  %k = arith.constant dense<1.0> : {V}\n  return %k : {V}\n}}\n"
        + main(f"  %t = func.call @c() : () -> {V}\n{INSERT}  return %w : {V}", V, "%x: f32"),
        (
            (
                f"  %k = arith.constant dense<1.0> : {V}\n",
                f"  %z = arith.constant 1.0 : f32\n  %k = tensor.splat %z : {V}\n",
            ),
        ),
    ),
    Case(
        R.ESCAPES,
        C.MARK_READ_ONLY,
        main(
            f"  %m = bufferization.to_buffer %t : {V} to memref<4xf32, strided<[?], offset: ?>>\n"
            "  func.call @use(%m) : (memref<4xf32, strided<[?], offset: ?>>) -> ()\n"
            f"{EXTRACT}  return %e : f32",
            "f32",
        )
        + "func.func private @use(memref<4xf32, strided<[?], offset: ?>>)",
        (("to_buffer %t :", "to_buffer %t read_only :"),),
        compared=0,
    ),
    Case(
        R.WRITTEN_BY_THREADS,
        C.MAKE_INSIDE,
        main(
            f"""  %n = linalg.fill ins(%x : f32) outs(%u : {V}) -> {V}
  %r = scf.forall (%i) in (4) shared_outs(%o = %t) -> ({V}) {{
    %w = tensor.insert %x into %n[%i] : {V}
    %s = tensor.extract_slice %w[%i] [1] [1] : {V} to tensor<1xf32>
    scf.forall.in_parallel {{
      tensor.parallel_insert_slice %s into %o[%i] [1] [1] : tensor<1xf32> into {V}
    }}
  }}
  return %r : {V}""",
            V,
        ),
        (
            (f"  %n = linalg.fill ins(%x : f32) outs(%u : {V}) -> {V}\n", ""),
            (
                "    %w = tensor.insert",
                f"    %l = tensor.empty() : {V}\n    %n = linalg.fill ins(%x : f32) outs(%l : {V}) -> {V}\n"
                "    %w = tensor.insert",
            ),
        ),
    ),
    Case(
        R.COPY_BEFORE_WRITE,
        C.SET_OPTION,
        main(f"{INSERT}  return %w : {V}", V),
        options={"copy_before_write": True},
    ),
    Case(
        R.GAPS,
        C.RESHAPE_FIRST,
        main(
            "  %n = tensor.splat %x : tensor<4x4x2xf32>\n"
            "  %s = tensor.extract_slice %n[0, 0, 0] [4, 2, 1] [1, 1, 1] : tensor<4x4x2xf32> to tensor<4x2x1xf32>\n"
            "  %f = tensor.collapse_shape %s [[0, 1, 2]] : tensor<4x2x1xf32> into tensor<8xf32>\n"
            "  %e = tensor.extract %f[%c4] : tensor<8xf32>\n  return %e : f32",
            "f32",
            "%x: f32",
        ),
        (
            (
                "  %s = tensor.extract_slice %n[0, 0, 0] [4, 2, 1] [1, 1, 1] : tensor<4x4x2xf32> to "
                "tensor<4x2x1xf32>\n  %f = tensor.collapse_shape %s [[0, 1, 2]] : tensor<4x2x1xf32> into "
                "tensor<8xf32>\n",
                "  %s = tensor.collapse_shape %n [[0, 1, 2]] : tensor<4x4x2xf32> into tensor<32xf32>\n"
                "  %f = tensor.extract_slice %s[0] [8] [4] : tensor<32xf32> to tensor<8xf32>\n",
            ),
        ),
    ),
    Case(
        R.UNKNOWN_STRIDES,
        C.STATE_LAYOUT,
        main(
            "  %f = tensor.collapse_shape %t [[0, 1]] : tensor<4x2xf32> into tensor<8xf32>\n"
            "  %e = tensor.extract %f[%c4] : tensor<8xf32>\n  return %e : f32",
            "f32",
            "%t: tensor<4x2xf32>",
        ),
        (("%t: tensor<4x2xf32>", "%t: tensor<4x2xf32> {bufferization.buffer_layout = strided<[2, 1]>}"),),
    ),
    Case(
        R.LAYOUT_OF_CALLEE,
        C.FIT_LAYOUT,
        f"func.func private @c(%a: {V} {{bufferization.buffer_layout = strided<[1]>}}, %i: index) -> f32 {{\n"
        f"  %e = tensor.extract %a[%i] : {V}\n  return %e : f32\n}}\n"
        + main(f"  %e = func.call @c(%t, %c1) : ({V}, index) -> f32\n  return %e : f32", "f32", f"%t: {V}"),
        (("strided<[1]>", "strided<[?], offset: ?>"),),
    ),
    Case(
        R.LAYOUT_OF_RESULT,
        C.SET_OPTION,
        main(
            "  %s = tensor.extract_slice %t[0] [2] [2] : tensor<4xf32> to tensor<2xf32>\n  return %s : tensor<2xf32>",
            "tensor<2xf32>",
        ),
        options={"function_boundary_type_conversion": "identity-layout-map"},
    ),
    Case(
        R.LAYOUT_OF_MEMREF,
        C.FIT_LAYOUT,
        main(
            f"  %m = bufferization.to_buffer %t read_only : {V} to memref<4xf32>\n"
            "  %e = memref.load %m[%c1] : memref<4xf32>\n  return %e : f32",
            "f32",
        ),
        (
            ("to memref<4xf32>", "to memref<4xf32, strided<[?], offset: ?>>"),
            ("%m[%c1] : memref<4xf32>", "%m[%c1] : memref<4xf32, strided<[?], offset: ?>>"),
        ),
    ),
    Case(
        R.STARTS_SHARED,
        C.START_APART,
        main(
            f"""  %r:2 = scf.for %k = %c0 to %c4 step %c1 iter_args(%a = %t, %b = %t) -> ({V}, {V}) {{
    %w = tensor.insert %x into %a[%k] : {V}
    scf.yield %b, %w : {V}, {V}
  }}
  return %r#0, %r#1 : {V}, {V}""",
            f"{V}, {V}",
        ),
        (("%b = %t", "%b = %u"),),
        compared=0,
    ),
    Case(
        R.YIELDED_ELSEWHERE,
        C.UPDATE_CARRIED,
        main(
            f"""  %q = linalg.exp ins(%u : {V}) outs(%z : {V}) -> {V}
  %r, %s = scf.for %k = %c0 to %c4 step %c1 iter_args(%a = %t, %b = %x) -> ({V}, f32) {{
    %w = tensor.insert %x into %a[%k] : {V}
    %e = tensor.extract %w[%c0] : {V}
    %n = arith.addf %b, %e : f32
    scf.yield %q, %n : {V}, f32
  }}
  %e = tensor.extract %q[%c0] : {V}
  return %r, %s, %e : {V}, f32, f32""",
            f"{V}, f32, f32",
            f"%t: {V}, %u: {V}, %z: {V}, %x: f32",
        ),
        (("    scf.yield %q", f"    %p = linalg.exp ins(%u : {V}) outs(%w : {V}) -> {V}\n    scf.yield %p"),),
    ),
    Case(
        R.REQUESTED_COPY,
        C.USE_DIRECTLY,
        main(f"  %n = bufferization.alloc_tensor() copy(%t) : {V}\n  return %n : {V}", V),
        ((f"  %n = bufferization.alloc_tensor() copy(%t) : {V}\n", ""), ("return %n", "return %t")),
    ),
    Case(
        R.COMPUTED_ELSEWHERE,
        C.COMPUTE_THERE,
        main(
            f"""  %n = tensor.empty() : tensor<2xf32>
  %s = linalg.fill ins(%x : f32) outs(%n : tensor<2xf32>) -> tensor<2xf32>
  %w = tensor.insert_slice %s into %t[1] [2] [1] : tensor<2xf32> into {V}
  return %w : {V}""",
            V,
        ),
        passes="inplace-convert-to-destination-style",
    ),
    Case(
        R.FROM_ARGUMENT,
        C.INSERT_BY_CALLER,
        main(
            f"  %w = tensor.insert_slice %s into %t[1] [2] [1] : tensor<2xf32> into {V}\n  return %w : {V}",
            V,
            f"%s: tensor<2xf32>, %t: {V}",
        ),
        ((f"  %w = tensor.insert_slice %s into %t[1] [2] [1] : tensor<2xf32> into {V}\n  return %w", "  return %t"),),
        compared=0,
    ),
    Case(
        R.FROM_CONSTANT,
        C.FILL,
        main(
            "  %s = arith.constant dense<3.0> : tensor<2xf32>\n"
            f"  %w = tensor.insert_slice %s into %t[1] [2] [1] : tensor<2xf32> into {V}\n  return %w : {V}",
            V,
        ),
        (
            (
                "  %s = arith.constant dense<3.0> : tensor<2xf32>\n",
                "  %z = arith.constant 3.0 : f32\n"
                f"  %p = tensor.extract_slice %t[1] [2] [1] : {V} to tensor<2xf32>\n"
                "  %s = linalg.fill ins(%z : f32) outs(%p : tensor<2xf32>) -> tensor<2xf32>\n",
            ),
        ),
    ),
    Case(
        R.MOVED_WITHIN,
        C.USE_DIRECTLY,
        main(
            f"  %s = tensor.extract_slice %t[0] [2] [1] : {V} to tensor<2xf32>\n"
            f"  %w = tensor.insert_slice %s into %t[2] [2] [1] : tensor<2xf32> into {V}\n"
            f"  %e = tensor.extract %w[%i] : {V}\n  return %e : f32",
            "f32",
            f"%t: {V}, %i: index",
        ),
        (
            (
                f"  %w = tensor.insert_slice %s into %t[2] [2] [1] : tensor<2xf32> into {V}\n",
                "  %two = arith.constant 2 : index\n  %j = arith.remui %i, %two : index\n",
            ),
            (f"%e = tensor.extract %w[%i] : {V}", f"%e = tensor.extract %t[%j] : {V}"),
        ),
    ),
    Case(
        R.JOINED,
        C.COMPUTE_THERE,
        main(
            """  %n = tensor.empty() : tensor<2xf32>
  %a = linalg.fill ins(%x : f32) outs(%n : tensor<2xf32>) -> tensor<2xf32>
  %b = linalg.exp ins(%a : tensor<2xf32>) outs(%n : tensor<2xf32>) -> tensor<2xf32>
  %w = tensor.concat dim(0) %a, %b : (tensor<2xf32>, tensor<2xf32>) -> tensor<4xf32>
  return %w : tensor<4xf32>""",
            V,
        ),
        (
            (
                "  %w = tensor.concat dim(0) %a, %b : (tensor<2xf32>, tensor<2xf32>) -> tensor<4xf32>\n",
                "  %l = tensor.empty() : tensor<4xf32>\n"
                "  %h = tensor.insert_slice %a into %l[0] [2] [1] : tensor<2xf32> into tensor<4xf32>\n"
                "  %w = tensor.insert_slice %b into %h[2] [2] [1] : tensor<2xf32> into tensor<4xf32>\n",
            ),
        ),
        passes="inplace-convert-to-destination-style",
    ),
    Case(
        R.STORED_TO_GLOBAL,
        C.PASS_AS_ARGUMENT,
        f"ml_program.global private mutable @g(dense<1.0> : {V}) : {V}\n"
        + main(f"{INSERT}  ml_program.global_store @g = %w : {V}\n  return %w : {V}", V),
        ((f"  ml_program.global_store @g = %w : {V}\n", ""),),
    ),
    Case(
        R.GLOBAL_OVERWRITTEN,
        C.USE_BEFORE_STORE,
        f"ml_program.global private mutable @g(dense<1.0> : {V}) : {V}\n"
        + main(
            f"  %t = ml_program.global_load @g : {V}\n  ml_program.global_store @g = %u : {V}\n{EXTRACT}"
            "  return %e : f32",
            "f32",
            f"%u: {V}",
        ),
        (
            (
                f"  ml_program.global_store @g = %u : {V}\n{EXTRACT}",
                f"{EXTRACT}  ml_program.global_store @g = %u : {V}\n",
            ),
        ),
    ),
    Case(
        R.RESULT,
        C.PASS_DESTINATION,
        main(f"  %s = tensor.splat %x : {V}\n  return %s : {V}", V),
        ((f"%s = tensor.splat %x : {V}", f"%s = linalg.fill ins(%x : f32) outs(%u : {V}) -> {V}"),),
        kind=mi.EventKind.ALLOCATION,
    ),
    Case(
        R.REQUESTED,
        C.REUSE,
        main(
            f"  %n = tensor.empty() : {V}\n  %s = linalg.fill ins(%x : f32) outs(%n : {V}) -> {V}\n"
            f"  %e = tensor.extract %s[%c1] : {V}\n  return %e : f32",
            "f32",
        ),
        ((f"  %n = tensor.empty() : {V}\n", ""), ("outs(%n", "outs(%u")),
        kind=mi.EventKind.ALLOCATION,
    ),
    Case(
        R.NO_INIT,
        C.REUSE,
        main(f"  %s = tensor.splat %x : {V}\n  %e = tensor.extract %s[%c1] : {V}\n  return %e : f32", "f32"),
        ((f"%s = tensor.splat %x : {V}", f"%s = linalg.fill ins(%x : f32) outs(%u : {V}) -> {V}"),),
        kind=mi.EventKind.ALLOCATION,
    ),
]


MEANING = {
    *(C.DROP_READ, C.OTHER_INIT, C.PASS_AS_ARGUMENT, C.MARK_READ_ONLY, C.START_APART, C.INSERT_BY_CALLER),
}
"""Changes of what the program takes and computes."""


def report(text: str, options: dict[str, Any], passes: str = "") -> mi.BufferizationReport:
    with ir.Context():
        module = ir.Module.parse(text)
        if passes:
            mi.run_pipeline(module, f"builtin.module({passes})")
        return mi.bufferize(module, warn_written_arguments=False, **options)


def results(text: str) -> list[Any]:
    """What the program computes, on tensors; its arguments have distinct elements."""
    with ir.Context():
        module = ir.Module.parse(text)
        function = next(op for op in module.body if op.operation.name == "func.func" and op.name.value == "main")
        arguments: list[Any] = []
        for number, type_ in enumerate(function.type.inputs):
            if isinstance(type_, ir.ShapedType):
                arguments.append(np.arange(np.prod(type_.shape), dtype=np.float32).reshape(type_.shape) + 10 * number)
            else:
                arguments.append(3 if isinstance(type_, ir.IndexType) else 0.5)
        return list(evaluate(module, "main", arguments).results)


@pytest.mark.parametrize("case", CASES, ids=[case.reason.value for case in CASES])
def test_the_suggested_change_removes_it(case: Case) -> None:
    before = report(case.before, case.options)
    found = [record for record in before.records if record.reason is case.reason and record.kind is case.kind]
    assert found, str(before)
    assert {record.change for record in found} == {case.change} == {GUIDE[case.reason].change}
    after = report(case.after, case.changed_options, case.passes)
    assert not [record for record in after.records if record.reason is case.reason], str(after)
    number = len(before.copies), len(before.allocations)
    left = len(after.copies), len(after.allocations)
    assert left < number
    assert left[case.kind is mi.EventKind.ALLOCATION] < number[case.kind is mi.EventKind.ALLOCATION], str(after)


@pytest.mark.parametrize("case", CASES, ids=[case.reason.value for case in CASES])
def test_the_suggested_change_keeps_the_results(case: Case) -> None:
    """But for those that are about what the program computes."""
    if case.compared == 0:
        assert case.change in MEANING
        return
    wanted, found = results(case.before), results(case.after)
    shared = len(wanted) if case.compared < 0 else case.compared
    assert len(found) >= shared > 0
    for one, other in zip(wanted[:shared], found[:shared], strict=True):
        np.testing.assert_array_equal(one, other)
