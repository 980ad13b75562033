"""Computing in the destination: long programs, the report, the search for what pays."""

from __future__ import annotations

import numpy as np
import pytest
from fast_run import sample
from mlir import ir
from transformed import counts, transformed

import mlir_inplace as mi
from mlir_inplace.passes.analysis.whole_module.module import ModuleAnalysis
from mlir_inplace.passes.destinations.rewriting import conversion, convert_to_destination_style

CONVERT = "inplace-convert-to-destination-style"
ELIMINATE = "inplace-eliminate-empty-tensors"
READ_ONLY = "{bufferization.writable = false}"


def tiles(count: int) -> str:
    """Tiles of a read-only tensor, each changed and inserted into another one."""
    whole = f"tensor<{4 * count}xf32>"
    lines: list[str] = []
    for i in range(count):
        lines += [
            f"%e{i} = tensor.extract_slice %in[{4 * i}] [4] [1] : {whole} to tensor<4xf32>",
            f"%x{i} = tensor.insert %f into %e{i}[%i] : tensor<4xf32>",
            f"%t{i + 1} = tensor.insert_slice %x{i} into %t{i}[{4 * i}] [4] [1] : tensor<4xf32> into {whole}",
        ]
    body = "\n".join(lines)
    return f"""func.func @main(%in: {whole} {READ_ONLY}, %t0: {whole}, %f: f32, %i: index) -> {whole} {{
      {body}
      return %t{count} : {whole}
    }}"""


def test_a_hundred_tiles_need_no_buffer_and_one_copy_each() -> None:
    assert counts(tiles(100)) == (100, 200)
    assert counts(tiles(100), CONVERT) == (0, 100)


def test_the_report_says_what_was_done_and_what_was_not() -> None:
    text = f"""func.func @main(%in: tensor<4xf32> {READ_ONLY}, %t: tensor<8xf32>, %f: f32, %i: index)
        -> (tensor<8xf32>, f32) {{
      %x = tensor.insert %f into %in[%i] : tensor<4xf32> loc("first")
      %0 = tensor.insert_slice %x into %t[0] [4] [1] : tensor<4xf32> into tensor<8xf32> loc("done")
      %y = tensor.insert %f into %in[%i] : tensor<4xf32> loc("second")
      %z = tensor.extract %0[%i] : tensor<8xf32> loc("read")
      %1 = tensor.insert_slice %y into %0[0] [4] [1] : tensor<4xf32> into tensor<8xf32> loc("kept")
      return %1, %z : tensor<8xf32>, f32
    }}"""
    with ir.Context():
        module = ir.Module.parse(text)
        report = convert_to_destination_style(module.operation)
        assert [(c.op, str(c.location)) for c in report.changes] == [("tensor.insert_slice", 'loc("done")')]
        note = "what 'tensor.insert' may not overwrite is copied into the slice here"
        assert [(what, str(where)) for what, where in report.changes[0].notes] == [(note, 'loc("first")')]
        assert [(k.op, str(k.location)) for k in report.kept] == [("tensor.insert_slice", 'loc("kept")')]
        why = "the slice of the destination would get a buffer of its own"
        assert report.kept[0].message == f"{why}: a value that is read later would be overwritten"


def test_a_program_without_insertions_is_left_alone() -> None:
    text = f"""func.func @main(%in: tensor<4xf32> {READ_ONLY}, %f: f32, %i: index) -> tensor<4xf32> {{
      %x = tensor.insert %f into %in[%i] : tensor<4xf32>
      return %x : tensor<4xf32>
    }}"""
    assert transformed(text, CONVERT) == transformed(text, "")


def test_threads_insert_into_the_argument_of_their_loop() -> None:
    """The loop gets a copy as a thread reads what others insert: nothing may take the argument's place there."""
    text = """func.func @main(%a: tensor<8xf64>, %d: tensor<8xf64> {bufferization.writable = true}) -> tensor<8xf64> {
      %c0 = arith.constant 0 : index
      %f = arith.constant 7.0 : f64
      %e = tensor.empty() : tensor<8xf64>
      %t = linalg.fill ins(%f : f64) outs(%e : tensor<8xf64>) -> tensor<8xf64>
      %r = scf.forall (%i) in (8) shared_outs(%o = START) -> (tensor<8xf64>) {
        %s = tensor.extract_slice %a[%i] [1] [1] : tensor<8xf64> to tensor<1xf64>
        %z = tensor.extract_slice %o[%c0] [1] [1] : tensor<8xf64> to tensor<1xf64>
        %b = tensor.empty() : tensor<1xf64>
        %x = linalg.add ins(%s, %z : tensor<1xf64>, tensor<1xf64>) outs(%b : tensor<1xf64>) -> tensor<1xf64>
        scf.forall.in_parallel {
          tensor.parallel_insert_slice %x into %o[%i] [1] [1] : tensor<1xf64> into tensor<8xf64>
        }
      }
      %i = tensor.insert_slice %r into %d[0] [8] [1] : tensor<8xf64> into tensor<8xf64>
      return %i : tensor<8xf64>
    }"""
    assert "parallel_insert_slice" in transformed(text.replace("START", "%e"), CONVERT)
    a, d = np.arange(8.0), np.arange(8.0) * -3
    found = mi.compile(transformed(text.replace("START", "%t"), CONVERT), opt_level=0).main(a, d)
    np.testing.assert_array_equal(found, a + 7)


def test_blocks_that_do_not_stand_in_the_order_of_their_branches() -> None:
    """A trial on a copy changes the ops that were meant, which a snapshot numbers along branches."""
    text = """
        func.func @main(%t: tensor<4xf32>, %p: i1, %i: index, %f: f32) -> tensor<4xf32> {
          cf.cond_br %p, ^go, ^end
        ^end:
          return %t : tensor<4xf32>
        ^last(%r: tensor<4xf32>):
          return %r : tensor<4xf32>
        ^go:
          %e = tensor.empty() : tensor<2xf32>
          %0 = linalg.fill ins(%f : f32) outs(%e : tensor<2xf32>) -> tensor<2xf32>
          %1 = tensor.insert_slice %0 into %t[1] [2] [1] : tensor<2xf32> into tensor<4xf32>
          cf.br ^last(%1 : tensor<4xf32>)
        }"""
    assert counts(text, CONVERT) == (0, 0)
    compiled = mi.compile(text, opt_level=0)
    given = np.arange(4, dtype=np.float32)
    np.testing.assert_array_equal(compiled.main(given, True, 0, 9.0), [0, 9, 9, 3])
    np.testing.assert_array_equal(compiled.main(given, False, 0, 9.0), given)


def rounds_of_insertions(kinds: str) -> str:
    """Rounds that insert a reversed slice: of `%a` itself ("a"), which must not be overwritten then, or of `%b`."""
    lines = [
        "func.func @main(%a0: tensor<6xf32>, %b: tensor<6xf32>) -> tensor<6xf32> {",
        "%c0 = arith.constant 0 : index",
        "%c1 = arith.constant 1 : index",
        "%c3 = arith.constant 3 : index",
        "%c4 = arith.constant 4 : index",
    ]
    for n, kind in enumerate(kinds):
        source = f"%a{n}" if kind == "a" else "%b"
        lines.append(f"""
          %s{n} = tensor.extract_slice {source}[1] [4] [1] : tensor<6xf32> to tensor<4xf32>
          %e{n} = tensor.empty() : tensor<4xf32>
          %r{n} = scf.for %i = %c0 to %c4 step %c1 iter_args(%t = %e{n}) -> (tensor<4xf32>) {{
            %j = arith.subi %c3, %i : index
            %x = tensor.extract %s{n}[%j] : tensor<4xf32>
            %y = arith.addf %x, %x : f32
            %u = tensor.insert %y into %t[%i] : tensor<4xf32>
            scf.yield %u : tensor<4xf32>
          }}
          %a{n + 1} = tensor.insert_slice %r{n} into %a{n}[0] [4] [1] : tensor<4xf32> into tensor<6xf32>""")
    return "\n".join([*lines, f"return %a{len(kinds)} : tensor<6xf32>", "}"])


@pytest.mark.parametrize("kinds", sample(["aabb" * 8, "ab" * 4, "ab" * 20, "b" * 20 + "a" * 20]))
def test_the_insertions_that_cost_elsewhere_are_found_in_one_trial(kinds: str, monkeypatch: pytest.MonkeyPatch) -> None:
    analyses: list[object] = []

    def counted(module: ir.Operation) -> ModuleAnalysis:
        analyses.append(module)
        return analyze(module)

    analyze = conversion._analyze
    monkeypatch.setattr(conversion, "_analyze", counted)
    text = rounds_of_insertions(kinds)
    with ir.Context():
        report = convert_to_destination_style(ir.Module.parse(text).operation)
    assert (len(report.changes), len(report.kept)) == (kinds.count("b"), kinds.count("a"))
    assert {kept.message for kept in report.kept} == {"it would cost a copy or an allocation elsewhere in the function"}
    # Before; with all, and with those that stand; and once more with those that do not.
    assert len(analyses) == 4
    a, b = np.arange(6, dtype=np.float32), np.arange(10, 16, dtype=np.float32)
    expected = a.copy()
    for kind in kinds:
        expected[:4] = 2 * (expected if kind == "a" else b)[1:5][::-1]
    np.testing.assert_array_equal(mi.compile(text).main(a, b), expected)
