"""An analysis that a pass leaves is taken by the next one only, and only while it holds for the program as it is."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from unittest import mock

import pytest
from mlir import ir

from mlir_inplace.passes.analysis.conflicts.decisions import Strategy
from mlir_inplace.passes.analysis.destinations.costs import cost
from mlir_inplace.passes.analysis.in_place.function_decisions import FunctionAnalysis
from mlir_inplace.passes.analysis.whole_module.module import analyze_module
from mlir_inplace.passes.bufferization import one_shot_bufferize
from mlir_inplace.passes.destinations import detach_inits
from mlir_inplace.passes.destinations.rewriting import conversion, convert_and_analyse, early, read_moves
from mlir_inplace.passes.pipeline.pipeline import run_pipeline

_T = "tensor<4x4xf32>"

CHAIN = f"""func.func @f(%t: {_T}, %u: {_T}) -> {_T} {{
  %e = tensor.empty() : {_T}
  %a = linalg.exp ins(%t : {_T}) outs(%e : {_T}) -> {_T}
  %b = linalg.add ins(%a, %u : {_T}, {_T}) outs(%e : {_T}) -> {_T}
  return %b : {_T}
}}"""
# Which of two tensors the sum takes the place of is not plain to see.
CHOSEN = f"""func.func @f(%t: {_T}, %u: {_T}, %p: i1) -> {_T} {{
  %e = tensor.empty() : {_T}
  %a = linalg.exp ins(%t : {_T}) outs(%e : {_T}) -> {_T}
  %b = linalg.exp ins(%u : {_T}) outs(%e : {_T}) -> {_T}
  %s = arith.select %p, %a, %b : {_T}
  %c = linalg.add ins(%s, %u : {_T}, {_T}) outs(%e : {_T}) -> {_T}
  return %c : {_T}
}}"""
INSERTED = f"""func.func @f(%t: tensor<8x4xf32>, %u: {_T}) -> tensor<8x4xf32> {{
  %e = tensor.empty() : {_T}
  %a = linalg.exp ins(%u : {_T}) outs(%e : {_T}) -> {_T}
  %r = tensor.insert_slice %a into %t[2, 0] [4, 4] [1, 1] : {_T} into tensor<8x4xf32>
  return %r : tensor<8x4xf32>
}}"""
# The second op may not write over what the first one makes, as the sum may need that later: nothing is tried.
UNCHANGED = f"""func.func @f(%t: tensor<8x4xf32>, %u: {_T}, %p: i1) -> ({_T}, {_T}) {{
  %e = tensor.empty() : {_T}
  %a = linalg.exp ins(%u : {_T}) outs(%e : {_T}) -> {_T}
  %s = arith.select %p, %a, %u : {_T}
  %b = linalg.exp ins(%a : {_T}) outs(%e : {_T}) -> {_T}
  %c = linalg.add ins(%s, %u : {_T}, {_T}) outs(%e : {_T}) -> {_T}
  return %b, %c : {_T}, {_T}
}}"""
# The second empty tensor is used no more when the sum takes the place of the exponential.
ERASED = f"""func.func @f(%t: {_T}, %u: {_T}) -> {_T} {{
  %e = tensor.empty() : {_T}
  %a = linalg.exp ins(%t : {_T}) outs(%e : {_T}) -> {_T}
  %d = tensor.empty() : {_T}
  %b = linalg.add ins(%a, %u : {_T}, {_T}) outs(%d : {_T}) -> {_T}
  return %b : {_T}
}}"""
# The same, and a copy of an argument that is read later.
COPIED = ERASED.replace(
    "return %b",
    f"""%z = arith.constant 0.0 : f32
  %i = arith.constant 0 : index
  %x = tensor.insert %z into %t[%i, %i] : {_T}
  %y = linalg.sub ins(%x, %t : {_T}, {_T}) outs(%b : {_T}) -> {_T}
  return %y""",
)
READS = "inplace-move-reads"
DETACH = "inplace-detach-inits"
DESTINATIONS = "inplace-convert-to-destination-style"
BUFFERIZE = "inplace-one-shot-bufferize{bufferize-function-boundaries=true}"


@contextmanager
def _counted() -> Generator[mock.Mock, None, None]:
    """All analyses that passes ask for."""
    with (
        mock.patch.object(conversion, "analyze_module", side_effect=analyze_module) as counted,
        mock.patch.object(early, "analyze_module", counted),
        mock.patch.object(one_shot_bufferize, "analyze_module", counted),
        mock.patch.object(read_moves, "analyze_module", counted),
        mock.patch.object(detach_inits, "analyze_module", counted),
    ):
        yield counted


def _run(text: str, *passes: str) -> tuple[str, int]:
    with ir.Context(), _counted() as counted:
        module = ir.Module.parse(text)
        run_pipeline(module, f"builtin.module({','.join(passes)})")
        return str(module), counted.call_count


@pytest.mark.parametrize(("text", "separate", "together"), [(CHAIN, 2, 1), (CHOSEN, 3, 2), (UNCHANGED, 2, 1)])
def test_bufferization_takes_over_what_the_pass_before_left(text: str, separate: int, together: int) -> None:
    destined, first = _run(text, DESTINATIONS)
    expected, second = _run(destined, BUFFERIZE)
    assert first + second == separate
    assert _run(text, DESTINATIONS, BUFFERIZE) == (expected, together)


def test_what_rewriting_made_is_analysed_anew() -> None:
    destined, first = _run(INSERTED, DESTINATIONS)
    assert "tensor.empty" not in destined
    expected, second = _run(destined, BUFFERIZE)
    assert _run(INSERTED, DESTINATIONS, BUFFERIZE) == (expected, first + second)


@pytest.mark.parametrize(("text", "moving"), [(ERASED, 0), (COPIED, 1)])
def test_decisions_hold_when_what_nothing_uses_is_erased(text: str, moving: int) -> None:
    """Where nothing is copied no read is moved, so that nobody asks for the ops; bufferization does."""
    destined, first = _run(text, DESTINATIONS)
    assert destined.count("tensor.empty") == text.count("tensor.empty") - 1
    moved, second = _run(destined, READS, DETACH)
    assert second == 1
    assert _run(text, DESTINATIONS, READS, DETACH) == (moved, first + moving)
    expected, third = _run(moved, BUFFERIZE)
    assert third == 1
    assert _run(text, DESTINATIONS, BUFFERIZE) == (expected, first + third)
    assert _run(text, DESTINATIONS, READS, DETACH, BUFFERIZE) == (expected, first + 1)


@pytest.mark.parametrize("between", ["canonicalize", "inplace-canonicalize", "func.func(cse)"])
def test_a_pass_in_between_ends_an_analysis(between: str) -> None:
    _, without = _run(CHAIN, DESTINATIONS, BUFFERIZE)
    _, count = _run(CHAIN, DESTINATIONS, between, BUFFERIZE)
    assert count == without + 1


@pytest.mark.parametrize(
    "options",
    [
        "",
        "bufferize-function-boundaries=true analysis-heuristic=top-down",
        "bufferize-function-boundaries=true copy-before-write=true",
    ],
)
def test_other_options_need_another_analysis(options: str) -> None:
    passes = (DESTINATIONS, f"inplace-one-shot-bufferize{{{options}}}")
    destined, first = _run(CHAIN, passes[0])
    expected, second = _run(destined, passes[1])
    assert second == 1
    assert _run(CHAIN, *passes) == (expected, first + second)


def test_ops_without_a_model_are_refused_all_the_same() -> None:
    text = CHAIN.replace("return", f'"test.use"(%b) : ({_T}) -> ()\n  return')
    context = ir.Context()
    context.allow_unregistered_dialects = True
    with context, pytest.raises(Exception, match="op 'test.use' works on tensors but has no bufferization model"):
        run_pipeline(ir.Module.parse(text), f"builtin.module({DESTINATIONS},{BUFFERIZE})")


@pytest.mark.parametrize("text", [CHAIN, CHOSEN, INSERTED, UNCHANGED, ERASED, COPIED])
def test_the_analysis_that_is_left_is_that_of_the_result(text: str) -> None:
    """Where ops were erased, decisions are the same, but numbers are not."""
    with ir.Context():
        module = ir.Module.parse(text)
        _, left = convert_and_analyse(module.operation)
        assert left is not None
        assert left.options is not None
        assert left.erased is (text in (INSERTED, ERASED, COPIED))
        fresh = analyze_module(module.operation, left.options)
        assert [_strategies(f) for f in left.functions] == [_strategies(f) for f in fresh.functions]
        assert [cost(left, f) for f in left.functions] == [cost(fresh, f) for f in fresh.functions]
        if not left.erased:
            assert [f.decisions for f in left.functions] == [f.decisions for f in fresh.functions]
            assert left.snapshot.operand_value == fresh.snapshot.operand_value
            assert left.snapshot.ops == fresh.snapshot.ops


def _strategies(function: FunctionAnalysis) -> list[tuple[Strategy, bool]]:
    return [(decision.strategy, decision.copies) for _, decision in sorted(function.decisions.items())]


@pytest.mark.parametrize("failure", [None, RuntimeError("stopped")])
def test_a_trial_that_does_not_stand_is_taken_back(failure: Exception | None) -> None:
    def refuse(*arguments: object) -> list[object]:
        if failure is not None:
            raise failure
        return list(arguments[1])  # pyright: ignore[reportArgumentType]

    with ir.Context(), mock.patch.object(conversion, "judge_reuses", side_effect=refuse) as judge:
        module = ir.Module.parse(CHOSEN)
        before = str(module)
        if failure is None:
            conversion.convert_to_destination_style(module.operation)
        else:
            with pytest.raises(RuntimeError, match="stopped"):
                conversion.convert_to_destination_style(module.operation)
        assert judge.called
        assert str(module) == before
