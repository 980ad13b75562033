"""Reuses that are made in front of the first analysis: which are plain, what they save, when they are taken back."""

from __future__ import annotations

import random
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any
from unittest import mock

import pytest
from fast_run import seeds
from mlir import ir

from mlir_inplace.passes.analysis.destinations.costs import cost
from mlir_inplace.passes.analysis.destinations.early_reuse import needed_no_less, plain_reuses
from mlir_inplace.passes.analysis.destinations.init_reuse import Reuse
from mlir_inplace.passes.analysis.effects.reader import TensorEffects
from mlir_inplace.passes.analysis.in_place.options import AnalysisOptions
from mlir_inplace.passes.analysis.whole_module.module import ModuleAnalysis, analyze_module
from mlir_inplace.passes.destinations.rewriting import conversion, convert_to_destination_style, early

_T = "tensor<4x4xf32>"
_OPTIONS = AnalysisOptions(boundaries=True, allow_unknown=True)
_TABLES = (
    "reads", "writes", "content_reads", "must_in_place", "escapes", "discards", "shape_only", "ties", "forwards",
    "slices", "redundant_source", "value_read", "undefined", "readonly", "sources", "shared", "commits",
    "derived_reads", "insertions", "shared_outputs",
)  # fmt: skip


def _fill(name: str, init: str) -> str:
    return f"%{name} = linalg.fill ins(%c : f32) outs(%{init} : {_T}) -> {_T}"


def _op(name: str, op: str, a: str, b: str, init: str) -> str:
    return f"%{name} = linalg.{op} ins(%{a}, %{b} : {_T}, {_T}) outs(%{init} : {_T}) -> {_T}"


def _function(*body: str, result: str = "r") -> str:
    lines = "\n  ".join(body)
    return f"""func.func @f(%t: {_T}, %u: {_T}, %c: f32, %p: i1, %n: index) -> {_T} {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = tensor.empty() : {_T}
  %g = tensor.empty() : {_T}
  {lines}
  return %{result} : {_T}
}}"""


def _plain(text: str) -> list[tuple[str, int, int]]:
    """The plain reuses of a program: the op, its init and what takes the place of that."""
    found: list[tuple[str, int, int]] = []

    def collect(effects: TensorEffects, function: int) -> None:
        s = effects.snapshot
        for reuse in plain_reuses(effects, function):
            name = s.op_name[s.operand_op[reuse.init]]
            found.append((name, s.operand_index(reuse.init), s.operand_index(reuse.source)))

    with ir.Context():
        analyze_module(ir.Module.parse(text).operation, _OPTIONS, prepare=collect)
    return found


@contextmanager
def _counted() -> Generator[mock.Mock, None, None]:
    with (
        mock.patch.object(conversion, "analyze_module", side_effect=analyze_module) as counted,
        mock.patch.object(early, "analyze_module", counted),
    ):
        yield counted


def _converted(text: str) -> tuple[str, int, list[str]]:
    """The converted program, how many analyses that took, and what is said of it."""
    with ir.Context(), _counted() as counted:
        module = ir.Module.parse(text)
        report = convert_to_destination_style(module.operation)
        return str(module), counted.call_count, [change.message for change in report.changes]


CHAIN = _function(
    _fill("a", "e"), _op("m", "matmul", "t", "u", "a"), _op("b", "add", "m", "u", "e"), _op("r", "mul", "b", "b", "e")
)


def test_a_chain_is_plain_but_for_what_is_read_crosswise() -> None:
    assert _plain(CHAIN) == [("linalg.add", 2, 0), ("linalg.mul", 2, 0)]


def test_a_chain_takes_one_analysis() -> None:
    text, analyses, messages = _converted(CHAIN)
    assert analyses == 1
    assert [line.split("outs(")[1].split(" :")[0] for line in text.splitlines() if "outs(" in line] == [
        "%0",
        "%1",
        "%2",
        "%3",
    ]
    assert messages == [
        f"'linalg.{name}' overwrites operand #0, which is not used afterwards, instead of a new buffer for operand #2"
        for name in ("add", "mul")
    ]


def test_reshapes_of_all_of_a_tensor_are_plain() -> None:
    reshaped = f"""%x = tensor.collapse_shape %a [[0, 1]] : {_T} into tensor<16xf32>
      %y = tensor.expand_shape %x [[0, 1]] output_shape [4, 4] : tensor<16xf32> into {_T}"""
    assert len(_plain(_function(_fill("a", "e"), reshaped, _op("r", "add", "y", "u", "g")))) == 1
    later = _op("r", "max", "b", "a", "u")
    assert _plain(_function(_fill("a", "e"), reshaped, _op("b", "add", "y", "u", "g"), later)) == []


_SLICE = f"%x = tensor.extract_slice %a[0, 0] [4, 4] [1, 1] : {_T} to {_T}"
_PART = f"""%q = tensor.empty() : tensor<8x4xf32>
  %y = linalg.fill ins(%c : f32) outs(%q : tensor<8x4xf32>) -> tensor<8x4xf32>
  %x = tensor.extract_slice %y[2, 0] [4, 4] [1, 1] : tensor<8x4xf32> to {_T}"""
_LOOP = f"""%r = scf.for %i = %c0 to %n step %c1 iter_args(%x = %t) -> ({_T}) {{
    {_op("b", "add", "a", "x", "e")}
    scf.yield %b : {_T}
  }}"""
_IF = f"""%x = scf.if %p -> ({_T}) {{
    scf.yield %a : {_T}
  }} else {{
    scf.yield %u : {_T}
  }}"""


@pytest.mark.parametrize(
    "body",
    [
        pytest.param([_op("r", "add", "t", "u", "e")], id="arguments"),
        pytest.param([_op("a", "add", "t", "u", "t"), _op("r", "add", "a", "u", "e")], id="in an argument"),
        pytest.param(
            [_fill("a", "e"), _op("b", "add", "a", "u", "e"), _op("r", "add", "b", "a", "b")], id="used later"
        ),
        pytest.param([_fill("a", "e"), _op("r", "matmul", "a", "u", "g")], id="read crosswise"),
        pytest.param([_fill("a", "e"), _op("r", "add", "a", "u", "t")], id="init with content"),
        pytest.param([_PART, _op("r", "add", "x", "u", "g")], id="a part"),
        pytest.param(
            [_fill("a", "e"), _SLICE, _op("b", "add", "a", "u", "g"), _op("r", "add", "x", "b", "b")], id="viewed"
        ),
        pytest.param(
            [_fill("a", "e"), f"%x = arith.select %p, %a, %u : {_T}", _op("r", "add", "x", "u", "g")], id="one of two"
        ),
        pytest.param(
            [_fill("a", "e"), _IF, _op("b", "add", "a", "u", "g"), _op("r", "add", "b", "x", "b")], id="handed on"
        ),
        pytest.param([_fill("a", "e"), _LOOP], id="read in each iteration"),
        pytest.param(
            [
                f"%k = arith.constant dense<1.0> : {_T}",
                _op("a", "matmul", "t", "u", "k"),
                _op("r", "add", "a", "u", "g"),
            ],
            id="constants become fills first",
        ),
    ],
)
def test_what_is_not_plain(body: list[str]) -> None:
    assert _plain(_function(*body)) == []


def test_nothing_is_plain_where_something_is_inserted() -> None:
    inserted = f"%i = tensor.insert_slice %m into %t[0, 0] [4, 4] [1, 1] : {_T} into {_T}"
    body = (_fill("m", "e"), inserted, _op("r", "add", "m", "i", "g"))
    assert _plain(_function(*body)) == []


def _random_text(seed: int) -> str:
    """Elementwise ops, products, reshapes and choices on few empty tensors, and a loop."""
    draw = random.Random(seed)
    lines: list[str] = []

    def step(values: list[str], index: str) -> None:
        a, b = (draw.choice(values[-4:]) for _ in range(2))
        init, kind = draw.choice(["e", "e", "g", "h", *values[-2:]]), draw.random()
        name = f"v{index}"
        if kind < 0.15:
            lines.append(_fill(name, init))
        elif kind < 0.3:
            lines.extend((_fill(f"f{name}", init), _op(name, "matmul", a, b, f"f{name}")))
        elif kind < 0.4:
            lines.append(f"%{name} = arith.select %p, %{a}, %{b} : {_T}")
        else:
            lines.append(_op(name, draw.choice(["add", "mul", "max"]), a, b, init))
        values.append(name)

    values = ["t", "u"]
    for index in range(draw.randrange(3, 14)):
        if draw.random() < 0.1:
            inner = [*values, f"x{index}"]
            lines.append(
                f"%l{index} = scf.for %i{index} = %c0 to %n step %c1 iter_args(%x{index} = %{values[-1]}) -> ({_T}) {{"
            )
            for number in range(draw.randrange(1, 4)):
                step(inner, f"{index}_{number}")
            lines.append(f"scf.yield %{inner[-1]} : {_T} }}")
            values.append(f"l{index}")
        else:
            step(values, str(index))
    return _function(f"%h = tensor.empty() : {_T}", *lines, result=values[-1])


@pytest.mark.parametrize("seed", seeds(60, least=12))
def test_random_programs_are_as_without_it_or_need_less(seed: int) -> None:
    text = _random_text(seed)
    with ir.Context():
        modules = [ir.Module.parse(text) for _ in range(2)]
        early_report = convert_to_destination_style(modules[0].operation)
        with mock.patch.object(conversion, "analyze_early", side_effect=lambda m: (analyze_module(m, _OPTIONS), [])):
            late_report = convert_to_destination_style(modules[1].operation)
        if str(modules[0]) == str(modules[1]):
            # The order is that in which they were found.
            assert sorted(c.message for c in early_report.changes) == sorted(c.message for c in late_report.changes)
            return
        now, then = (analyze_module(module.operation, _OPTIONS) for module in modules)
        assert not cost(now, now.functions[0]).exceeds(cost(then, then.functions[0]))


@pytest.mark.parametrize("seed", seeds(60, least=12))
def test_the_effects_stay_as_they_are(seed: int) -> None:
    with ir.Context():
        module = ir.Module.parse(_random_text(seed))
        after, _ = early.analyze_early(module.operation)
        fresh = analyze_module(module.operation, _OPTIONS)
        assert after.snapshot.operand_value == fresh.snapshot.operand_value
        assert after.snapshot.value_uses == fresh.snapshot.value_uses
        for table in _TABLES:
            assert getattr(after.effects, table) == getattr(fresh.effects, table), table
        assert [f.decisions for f in after.functions] == [f.decisions for f in fresh.functions]


def _asked(text: str) -> tuple[bool, bool] | None:
    """Whether it is said that a program needed no less before its plain reuses, and whether that is so."""
    found: list[tuple[bool, ModuleAnalysis]] = []

    def ask(before: Any, reuses: list[Reuse], after: ModuleAnalysis) -> bool:
        found.append((needed_no_less(before, reuses, after), after))
        return False

    with ir.Context(), mock.patch.object(early, "needed_no_less", side_effect=ask):
        module = ir.Module.parse(text)
        was = analyze_module(ir.Module.parse(text).operation, _OPTIONS)
        early.analyze_early(module.operation)
        if not found:
            return None
        said, after = found[0]
        return said, not cost(after, after.functions[0]).exceeds(cost(was, was.functions[0]))


def test_what_is_said_of_the_program_before_is_so() -> None:
    asked = [_asked(_random_text(seed)) for seed in seeds(200, least=40)]
    assert [answer for answer in asked if answer is not None and answer[0] and not answer[1]] == []
    assert sum(answer == (True, True) for answer in asked) >= len(asked) / 4


def test_allocations_that_clash_were_needed_before() -> None:
    # Each product is needed while the next one is made: two buffers, with reuses and without.
    lines = [_fill("a", "e"), _op("m0", "matmul", "t", "u", "a")]
    for n in range(4):
        lines += [_op(f"s{n}", "add", f"m{n}", "u", "e"), _fill(f"a{n}", "e")]
        lines += [_op(f"m{n + 1}", "matmul", f"s{n}", "u", f"a{n}")]
    text = _function(*lines, result="m4")
    assert _asked(text) == (True, True)
    assert _converted(text)[1] == 1


def test_what_cannot_be_told_takes_an_analysis_of_the_program_before() -> None:
    # The argument is copied, whatever becomes of the sum.
    body = [_op("k", "matmul", "u", "u", "t"), _fill("a", "e"), _op("b", "add", "a", "u", "g")]
    text = _function(*body, _op("d", "add", "b", "k", "k"), _op("r", "matmul", "d", "t", "d"))
    assert _asked(text) == (False, True)
    _, analyses, messages = _converted(text)
    assert analyses == 2
    assert len(messages) == 1


@pytest.mark.parametrize("failure", ["refused", "raised"])
def test_what_does_not_stand_is_taken_back(failure: str) -> None:
    raised = RuntimeError("stopped")
    with ir.Context():
        module = ir.Module.parse(CHAIN)
        before = str(module)
        name = "stand_by_themselves" if failure == "refused" else "needed_no_less"
        outcome = {"return_value": False} if failure == "refused" else {"side_effect": raised}
        with (
            mock.patch.object(early, name, **outcome),
            mock.patch.object(early, "judge_reuses", side_effect=lambda _, reuses, after: list(reuses)),
        ):
            if failure == "raised":
                with pytest.raises(RuntimeError, match="stopped"):
                    early.analyze_early(module.operation)
            else:
                analysis, made = early.analyze_early(module.operation)
                fresh = analyze_module(module.operation, _OPTIONS)
                assert made == []
                assert analysis.snapshot.operand_value == fresh.snapshot.operand_value
                assert [f.decisions for f in analysis.functions] == [f.decisions for f in fresh.functions]
        assert str(module) == before
