"""Destructive updates: what is one, which rule refuses what is none, and what is proven of the slices."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from analysed import context, parse

from mlir_inplace.passes.analysis.destructive_updates.chains import DestructiveUpdate, DestructiveUpdates, RefusedUpdate
from mlir_inplace.passes.analysis.destructive_updates.chains import UpdateRule as Rule
from mlir_inplace.passes.analysis.destructive_updates.proofs import UpdateProof, UpdateProofs
from mlir_inplace.passes.analysis.index_sets.problems import Answer
from mlir_inplace.passes.analysis.ir.snapshot import Snapshot
from mlir_inplace.passes.analysis.whole_module.module import read_effects

YES, NO, UNKNOWN = Answer.YES, Answer.NO, Answer.UNKNOWN


@dataclass
class Found:
    """What was found in the function of a text."""

    snapshot: Snapshot
    updates: list[DestructiveUpdate]
    refused: list[RefusedUpdate]
    proofs: list[UpdateProof]

    @property
    def names(self) -> list[tuple[list[str], list[str], list[str]]]:
        """Loops, updates and reads of each update, by the names of their ops."""
        s = self.snapshot
        return [
            (
                [s.op_name[op].partition(".")[2] for op in u.loops],
                [s.op_name[a.op].partition(".")[2] for a in u.updates],
                [s.op_name[a.op].partition(".")[2] for a in u.reads],
            )
            for u in self.updates
        ]

    @property
    def rules(self) -> list[Rule]:
        return [one.rule for one in self.refused]

    def proof(self) -> UpdateProof:
        (found,) = self.proofs
        return found


CONSTANTS = "".join(f"  %c{n} = arith.constant {n} : index\n" for n in range(5))


def find(body: str) -> Found:
    arguments = "%t: !v, %u: !v, %d: !d, %f: f32, %n: index, %p: i1, %x: vector<2xf32>"
    text = f"func.func @f({arguments}) {{\n  %c8 = arith.constant 8 : index\n{CONSTANTS}{body}\n  return\n}}"
    module = parse(text)
    with context():
        effects, (function,) = read_effects(module.operation)
        updates, refused = DestructiveUpdates(effects).of_function(function)
        proofs = UpdateProofs(effects)
        return Found(effects.snapshot, updates, refused, [proofs.prove(u, function) for u in updates])


def loop(body: str, carried: str = "%a = %t", bounds: str = "%c0 to %c8 step %c1", types: str = "!v") -> str:
    return f"%r:{types.count('!')} = scf.for %i = {bounds} iter_args({carried}) -> ({types}) {{\n{body}\n}}"


INSERT = "%b = tensor.insert %f into %a[%i] : !v"
YIELD = "scf.yield %b : !v"


def test_an_insertion_updates_its_destination() -> None:
    found = find("%b = tensor.insert %f into %t[%n] : !v")
    assert found.names == [([], ["insert"], [])]
    assert found.snapshot.value_index[found.updates[0].source] == 0
    assert found.proof() == UpdateProof(NO, NO, YES, YES, YES)


def test_later_insertions_go_on_with_earlier_ones() -> None:
    found = find("%a = tensor.insert %f into %t[%n] : !v\n%b = tensor.insert %f into %a[%c1] : !v")
    assert found.names == [([], ["insert", "insert"], [])]
    assert found.proof().writes_once is NO


def test_what_is_read_later_is_where_an_update_begins() -> None:
    text = """
      %a = tensor.insert %f into %t[%n] : !v
      %b = tensor.insert %f into %a[%c1] : !v
      %e = tensor.extract %a[%c2] : !v
    """
    assert find(text).names == [([], ["insert"], []), ([], ["insert"], [])]


def test_a_loop() -> None:
    found = find(loop(f"%e = tensor.extract %a[%i] : !v\n{INSERT}\n{YIELD}"))
    assert found.names == [(["for"], ["insert"], ["extract"])]
    assert found.proof() == UpdateProof(YES, YES, YES, YES, NO)


def test_a_nest_that_is_not_perfect() -> None:
    inner = """
      %s0 = tensor.insert %f into %a[%i] : !v
      %s1 = scf.for %j = %c0 to %i step %c1 iter_args(%h = %s0) -> (!v) {
        %e = vector.transfer_read %h[%j], %f : !v, vector<2xf32>
        %k = vector.transfer_write %x, %h[%j] : vector<2xf32>, !v
        scf.yield %k : !v
      }
      %e2 = tensor.extract %s1[%i] : !v
      %b = tensor.insert %f into %s1[%i] : !v
    """
    found = find(loop(inner + YIELD))
    assert found.names == [(["for", "for"], ["insert", "transfer_write", "insert"], ["transfer_read", "extract"])]
    assert (found.proof().covers, found.proof().writes_once, found.proof().reads_source) == (YES, NO, NO)


def test_two_tensors_at_once() -> None:
    body = f"{INSERT}\n%k = tensor.insert %f into %h[%i] : !v\nscf.yield %b, %k : !v, !v"
    found = find(loop(body, "%a = %t, %h = %u", types="!v, !v"))
    assert found.names == [(["for"], ["insert"], [])] * 2
    assert not found.refused


def test_an_update_on_a_condition_covers_nothing() -> None:
    branch = "%b = scf.if %p -> (!v) {\n%k = tensor.insert %f into %a[%i] : !v\nscf.yield %k : !v\n} else {\n%%}"
    same = find(loop(branch.replace("%%", "scf.yield %a : !v\n") + YIELD))
    assert same.names == [(["for", "if"], ["insert"], [])]
    assert same.updates[0].updates[0].is_conditional
    assert same.proof().covers is UNKNOWN
    other = find(loop(branch.replace("%%", "scf.yield %u : !v\n") + YIELD))
    assert other.rules == [Rule.CAPTURED_TWICE]
    assert not [names for names in other.names if names[0]]


def test_threads() -> None:
    text = """%r = scf.forall (%i) in (8) shared_outs(%a = %t) -> (!v) {{
      %s = tensor.extract_slice %a[%{0}] [1] [1] : !v to tensor<1xf32>
      scf.forall.in_parallel {{ tensor.parallel_insert_slice %s into %a[%i] [1] [1] : tensor<1xf32> into !v }}
    }}"""
    found = find(text.format("i"))
    assert found.names == [(["forall"], ["parallel_insert_slice"], ["extract_slice"])]
    assert found.proof() == UpdateProof(YES, YES, YES, YES, NO)
    assert find(text.format("n")).proof().reads_source is NO


def test_a_loop_without_bounds() -> None:
    text = """%r = scf.while (%a = %t) : (!v) -> !v {
      %e = tensor.extract %a[%n] : !v
      %q = arith.cmpf olt, %e, %f : f32
      scf.condition(%q) %a : !v
    } do {
    ^bb0(%h: !v):
      %b = tensor.insert %f into %h[%n] : !v
      scf.yield %b : !v
    }"""
    found = find(text)
    assert found.names == [(["while"], ["insert"], ["extract"])]
    assert found.proof().covers is not YES
    assert found.proof().reads_source is NO


@pytest.mark.parametrize(
    ("body", "rule"),
    [
        ("%b = tensor.insert %f into %u[%i] : !v\nscf.yield %b : !v", Rule.UNUSED),
        ("%e = tensor.extract %a[%i] : !v\nscf.yield %a : !v", Rule.UNCHANGED),
        ("%e = tensor.extract %a[%i] : !v\nscf.yield %u : !v", Rule.NO_UPDATE),
        (f"{INSERT}\n%k = tensor.insert %f into %a[%c1] : !v\n{YIELD}", Rule.SECOND_VERSION),
        (f"{INSERT}\n%e = tensor.extract %a[%i] : !v\n{YIELD}", Rule.LATE_READ),
        (f"%e = tensor.cast %a : !v to !d\n{INSERT}\n{YIELD}", Rule.WHOLE_READ),
        (
            "%z = scf.for %j = %c0 to %c2 step %c1 iter_args(%h = %a) -> (!v) {\n%e = tensor.extract %a[%j] : !v\n"
            "%k = tensor.insert %f into %h[%j] : !v\nscf.yield %k : !v\n}\nscf.yield %z : !v",
            Rule.READ_MEANWHILE,
        ),
    ],
)
def test_refusals(body: str, rule: Rule) -> None:
    found = find(loop(body))
    assert found.rules == [rule]
    assert not [names for names in found.names if names[0] == ["for"] and "i" in names]


def test_places_must_not_change() -> None:
    body = f"{INSERT}\n%k = tensor.insert %f into %h[%i] : !v\nscf.yield %k, %b : !v, !v"
    found = find(loop(body, "%a = %t, %h = %u", types="!v, !v"))
    assert found.rules == [Rule.PING_PONG] * 2
    assert found.names == [([], ["insert"], [])] * 2


@pytest.mark.parametrize(
    ("read", "write", "expected"),
    [
        ("%i", "%i", (YES, YES)),
        ("%next", "%i", (YES, YES)),
        ("%i", "%next", (YES, NO)),
        ("%c0", "%i", (YES, NO)),
        ("%i", "%half", (NO, YES)),
    ],
)
def test_what_iterations_need_of_each_other(read: str, write: str, expected: tuple[Answer, Answer]) -> None:
    body = f"""
      %next = arith.addi %i, %c1 : index
      %half = arith.floordivsi %i, %c2 : index
      %e = tensor.extract %a[{read}] : !v
      %b = tensor.insert %e into %a[{write}] : !v
      scf.yield %b : !v
    """
    proof = find(loop(body, bounds="%c0 to %c4 step %c1")).proof()
    assert (proof.writes_once, proof.reads_source) == expected


def test_tiles_with_a_remainder_cover_a_tensor_of_any_size() -> None:
    text = """
      %n0 = tensor.dim %d, %c0 : !d
      %r = scf.for %i = %c0 to %n0 step %c4 iter_args(%a = %d) -> (!d) {
        %w = affine.min affine_map<(i)[n] -> (4, n - i)>(%i)[%n0]
        %s = tensor.extract_slice %a[%i] [%w] [1] : !d to !d
        %b = tensor.insert_slice %s into %a[%i] [%w] [1] : !d into !d
        scf.yield %b : !d
      }
    """
    assert find(text).proof() == UpdateProof(YES, YES, YES, YES, NO)
    assert find(text.replace("(4, n - i)", "(3, n - i)")).proof().covers is NO


def test_deep_nests_are_followed_once() -> None:
    depth = 300
    opened = "".join(
        f"%r{d} = scf.for %i{d} = %c0 to %c2 step %c1 iter_args(%a{d + 1} = %a{d}) -> (!v) {{\n" for d in range(depth)
    )
    closed = "".join(f"scf.yield %r{d + 1} : !v\n}}\n" for d in reversed(range(depth)))
    found = find(f"{opened.replace('%a0)', '%t)')}%r{depth} = tensor.insert %f into %a{depth}[%n] : !v\n{closed}")
    assert found.names == [(["for"] * depth, ["insert"], [])]
    assert found.proof().writes_once is UNKNOWN


@pytest.mark.parametrize(("count", "expected"), [(4, YES), (50, UNKNOWN)])
def test_only_so_many_pairs_are_asked_about(count: int, expected: Answer) -> None:
    updates = "".join(
        f"%u{k + 1} = tensor.insert %f into %u{k}[%o{k}] : tensor<400xf32>\n"
        f"%o{k} = affine.apply affine_map<(i) -> (i * {count} + {k})>(%i)\n"
        for k in range(count)
    )
    lines = updates.splitlines()
    body = "\n".join(line for pair in zip(lines[1::2], lines[::2], strict=True) for line in pair)
    text = f"""
      %e = tensor.empty() : tensor<400xf32>
      %r = scf.for %i = %c0 to %c8 step %c1 iter_args(%u0 = %e) -> (tensor<400xf32>) {{
        {body}
        scf.yield %u{count} : tensor<400xf32>
      }}
    """
    proof = find(text).proof()
    assert (proof.writes_once, proof.reads_source) == (expected, YES)


def test_slices_of_one_iteration_cover_together() -> None:
    text = loop(
        "%k = tensor.insert %f into %a[%i] : !v\n%h = arith.addi %i, %c1 : index\n"
        "%b = tensor.insert %f into %k[%h] : !v\n" + YIELD,
        bounds="%c0 to %c8 step %c2",
    )
    assert find(text).proof() == UpdateProof(YES, YES, YES, YES, YES)
    assert find(text.replace("%c2", "%c3")).proof().covers is NO
