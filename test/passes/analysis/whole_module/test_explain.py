"""Decisions in words: sentences, notes with places, the annotation of test-analysis-only, remarks."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from analysed import Analysed, analyse, context, function, parse
from mlir import ir

from mlir_inplace.passes.analysis.conflicts.decisions import Decision, Rule, Strategy
from mlir_inplace.passes.analysis.whole_module.explain import conflict_notes, describe_decision, describe_place
from mlir_inplace.passes.bufferization.one_shot_bufferize import OneShotBufferizeOptions, OneShotBufferizePass
from mlir_inplace.passes.bufferization.rewriting.annotations import IN_PLACE

CONFLICT = """
  %w = tensor.insert %f into %t[%i] : !v loc("w")
  %r = tensor.extract %t[%j] : !v loc("r")
"""


def sentence(a: Analysed, place: str) -> str:
    decision = a.decision(place)
    assert decision is not None
    return describe_decision(a.snapshot, decision)


def test_a_place_is_an_operand_of_an_op() -> None:
    a = analyse(CONFLICT)
    assert describe_place(a.snapshot, a.operand("w#1")) == "operand #1 of 'tensor.insert'"


@pytest.mark.parametrize(
    ("body", "place", "text"),
    [
        (CONFLICT, "w#1", "operand #1 of 'tensor.insert' is out-of-place with a copy: " + Rule.READ_AFTER_WRITE.value),
        (
            CONFLICT.replace("tensor.insert %f into %t[%i] : !v", "linalg.fill ins(%f : f32) outs(%t : !v) -> !v"),
            "w#1",
            "operand #1 of 'linalg.fill' is out-of-place in a new buffer without a copy: "
            + Rule.READ_AFTER_WRITE.value,
        ),
        (CONFLICT.splitlines()[1], "w#1", "operand #1 of 'tensor.insert' is in-place"),
        (
            """%l:2 = scf.for %k = %c0 to %n step %c1 iter_args(%a = %t, %b = %u) -> (!v, !v) {
              scf.yield %b, %a : !v, !v loc("y")
            }""",
            "y#0",
            "operand #0 of 'scf.yield' is in-place: the loop swaps buffers",
        ),
        (
            """%l = scf.for %k = %c0 to %n step %c1 iter_args(%a = %t) -> !v {
              scf.yield %u : !v loc("y")
            }
            return %l : !v""",
            "y#0",
            "operand #0 of 'scf.yield' is in-place: the yielded buffer goes to the next iteration",
        ),
        (
            """%l = scf.for %k = %c0 to %n step %c1 iter_args(%a = %t) -> !v {
              %w = tensor.insert %f into %a[%i] : !v
              %x = tensor.extract %w[%j] : !v
              "test.keep"(%x) : (f32) -> ()
              scf.yield %u : !v loc("y")
            }
            return %l, %u : !v, !v""",
            "y#0",
            "operand #0 of 'scf.yield' is copied into the buffer that the loop carries: " + Rule.NOT_EQUIVALENT.value,
        ),
    ],
)
def test_sentences(body: str, place: str, text: str) -> None:
    assert sentence(analyse(body), place) == text


def test_every_rule_and_strategy_has_words_of_its_own() -> None:
    a = analyse(CONFLICT)
    operand = a.operand("w#1")
    texts = {describe_decision(a.snapshot, Decision(operand, strategy)) for strategy in Strategy}
    assert len(texts) == len(Strategy)
    assert len({rule.value for rule in Rule}) == len(Rule)


@pytest.mark.parametrize(
    ("body", "place", "notes"),
    [
        (
            CONFLICT,
            "w#1",
            [
                ("operand #1 of 'tensor.insert' writes the buffer", "w"),
                ("operand #0 of 'tensor.extract' reads the old content", "r"),
                ("the content is defined here", "t"),
            ],
        ),
        (
            '%k = arith.constant dense<0.0> : !v loc("k")\n%w = tensor.insert %f into %k[%i] : !v loc("w")',
            "w#1",
            [
                ("operand #1 of 'tensor.insert' writes the buffer", "w"),
                ("the buffer is the result of arith.constant, which must not be written", "k"),
            ],
        ),
        (
            """%g:2 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} outs(%t, %t : !v, !v) {
              ^bb0(%x: f32, %y: f32):
                linalg.yield %f, %f : f32, f32
            } -> (!v, !v) loc("g")
            return %g#0, %g#1 : !v, !v""",
            "g#1",
            [
                ("operand #1 of 'linalg.generic' writes the buffer", "g"),
                ("operand #0 of 'linalg.generic' also writes it", "g"),
            ],
        ),
    ],
)
def test_notes_say_what_the_conflict_is_between(body: str, place: str, notes: list[tuple[str, str]]) -> None:
    a = analyse(body)
    decision = a.decision(place)
    assert decision is not None
    assert decision.conflict is not None
    found = conflict_notes(a.analysis, decision.conflict)
    assert [(text, location.name_str if isinstance(location, ir.NameLoc) else "") for text, location in found] == notes


class Listening(OneShotBufferizePass):
    """The pass, which hands its remarks to the test."""

    def __init__(self, options: OneShotBufferizeOptions) -> None:
        super().__init__(options)
        self.remarks: list[tuple[str, str, list[str]]] = []

    def remark(self, location: ir.Location, message: str, notes: Sequence[tuple[str, ir.Location]] = ()) -> None:
        self.remarks.append((str(location), message, [text for text, _ in notes]))


def test_print_conflicts_remarks_on_every_cost() -> None:
    options = OneShotBufferizeOptions(bufferize_function_boundaries=True, print_conflicts=True, test_analysis_only=True)
    listening = Listening(options)
    with context():
        module = parse(function(CONFLICT))
        before = str(module)
        listening.run(module.operation)
    assert listening.remarks == [
        (
            'loc("w")',
            f"operand #1 of 'tensor.insert' is out-of-place with a copy: {Rule.READ_AFTER_WRITE.value}",
            [
                "operand #1 of 'tensor.insert' writes the buffer",
                "operand #0 of 'tensor.extract' reads the old content",
                "the content is defined here",
            ],
        )
    ]
    with context():
        after = str(module)
    assert IN_PLACE in after
    assert IN_PLACE not in before
