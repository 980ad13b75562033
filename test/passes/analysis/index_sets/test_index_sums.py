"""Which indices are sums of the same symbols, and by how much they differ."""

from __future__ import annotations

import pytest
from analysed import analyse
from mlir import ir

from mlir_inplace.passes.analysis.index_sets.slices import Slice, SliceRelation, slice_relation
from mlir_inplace.passes.analysis.index_sets.sums import IndexSums, Sum, Symbol, add, difference, index_symbols
from mlir_inplace.passes.analysis.ir.snapshot import Snapshot

EQUAL, DISJOINT, CONTAINED, UNKNOWN = SliceRelation
A, B = Symbol(7), Symbol(8)
WORD = 1 << 64


def sums_of(text: str, *names: str) -> list[object]:
    """The sums of the indices of the `tensor.extract` ops with these locations."""
    a = analyse(text)
    sums = IndexSums(a.snapshot)
    return [sums.of(a.snapshot.values[a.snapshot.operand_value[a.operand(f"{name}#1")]]) for name in names]


@pytest.mark.parametrize(
    ("text", "distance"),
    [
        ("%x = arith.addi %i, %c2 : index %y = arith.addi %c2, %i : index", 0),
        ("%x = arith.addi %i, %c2 : index %y = arith.subi %i, %c2 : index", 4),
        ("%x = arith.muli %i, %c2 : index %y = arith.addi %i, %i : index", 0),
        ("%x = affine.apply affine_map<(d0) -> (d0 * 4 + 2)>(%i) %q = arith.constant 4 : index "
         "%y = arith.muli %q, %i : index", 2),
        ("%x = affine.apply affine_map<(d0)[s0] -> (d0 + s0 * 3 - 1)>(%i)[%n] "
         "%m = affine.apply affine_map<(d0) -> (d0 * 3)>(%n) %y = arith.addi %m, %i : index", -1),
        # The product of two values is a symbol of its own, as is what no rule describes.
        ("%m = arith.muli %i, %n : index %x = arith.addi %m, %c2 : index %y = arith.addi %m, %c0 : index", 2),
        ("%m = arith.muli %i, %n : index %q = arith.muli %i, %n : index "
         "%x = arith.addi %m, %c2 : index %y = arith.addi %q, %c0 : index", None),
        ("%x = affine.apply affine_map<(d0) -> (d0 floordiv 2)>(%i) "
         "%y = affine.apply affine_map<(d0) -> (d0 floordiv 2 + 1)>(%i)", None),
        ("%x = arith.addi %i, %c2 : index %y = arith.addi %n, %c2 : index", None),
        ("%x = arith.divui %i, %c2 : index %y = arith.remui %i, %c2 : index", None),
        ("%x = arith.muli %i, %c0 : index %y = arith.subi %n, %n : index", 0),
    ],
)  # fmt: skip
def test_difference_of_values(text: str, distance: int | None) -> None:
    x, y = sums_of(
        f"""
        {text.replace(" %", chr(10) + "%")}
        %r = tensor.extract %t[%x] : !v loc("r")
        %s = tensor.extract %t[%y] : !v loc("s")
        """,
        "r",
        "s",
    )
    assert difference(x, y) == distance
    assert difference(y, x) == (None if distance is None else -distance)


@pytest.mark.parametrize(
    ("op", "first", "second", "value"),
    [
        ("floordivsi", 7, 2, 3),
        ("floordivsi", -7, 2, -4),
        ("ceildivsi", 7, 2, 4),
        ("ceildivsi", -7, 2, -3),
        ("ceildivui", 7, 2, 4),
        ("divsi", -7, 2, -3),
        ("divsi", 7, -2, -3),
        ("divsi", -7, -2, 3),
        ("divui", 7, 2, 3),
        ("remsi", -7, 2, -1),
        ("remsi", 7, -2, 1),
        ("remui", 7, 2, 1),
        ("minsi", -7, 0, -7),
        ("maxsi", -7, 0, 0),
        ("minui", 7, 0, 0),
        ("maxui", 7, 0, 7),
        # Not defined, or not a number of 64 bits with a sign.
        ("divsi", 7, 0, None),
        ("remui", 7, 0, None),
        ("divui", -7, 2, None),
        ("maxui", -7, 2, None),
        ("divsi", -(1 << 63), -1, None),
    ],
)
def test_ops_of_constants(op: str, first: int, second: int, value: int | None) -> None:
    text = f"""
      %a = arith.constant {first} : index
      %b = arith.constant {second} : index
      %x = arith.{op} %a, %b : index
      %r = tensor.extract %t[%x] : !v loc("r")
    """
    (found,) = sums_of(text, "r")
    assert found == value or (value is None and isinstance(found, Symbol))


@pytest.mark.parametrize(
    ("loop", "values"),
    [
        ("scf.for %a = %c1 to %c2 step %c1", [1]),
        ("scf.for %a = %c0 to %c2 step %c1", [None]),
        ("scf.for %a = %c1 to %n step %c1", [None]),
        ("scf.for %a = %n to %c1 step %c1", [None]),
        ("scf.forall (%a) in (1)", [0]),
        ("scf.forall (%a) in (2)", [None]),
        ("scf.forall (%a, %b) = (%c1, 2) to (2, 4) step (1, 2)", [1, 2]),
        ("scf.forall (%a, %b) = (%c1, 2) to (2, 4) step (1, 1)", [None, None]),
        ("scf.parallel (%a, %b) = (%c2, %c1) to (%c4, %c2) step (%c2, %c1)", [2, 1]),
        ("scf.parallel (%a, %b) = (%c2, %c1) to (%c4, %c4) step (%c2, %c1)", [None, None]),
    ],
)
def test_the_variable_of_the_only_iteration_is_the_lower_bound(loop: str, values: list[int | None]) -> None:
    names = ["%a", "%b"][: len(values)]
    reads = "\n".join(f'%r{name[1:]} = tensor.extract %t[{name}] : !v loc("{name[1:]}")' for name in names)
    found = sums_of(f"{loop} {{\n{reads}\n}}", *(name[1:] for name in names))
    assert [None if isinstance(index, Symbol) else index for index in found] == values


def test_a_carried_index_of_the_only_iteration_is_a_symbol() -> None:
    body = '%r = tensor.extract %t[%x] : !v loc("r")\nscf.yield %x : index'
    (found,) = sums_of(f"scf.for %a = %c0 to %c1 step %c1 iter_args(%x = %i) -> index {{\n{body}\n}}", "r")
    assert isinstance(found, Symbol)


def test_long_chains_and_many_symbols() -> None:
    steps = 5000
    chain = "\n".join(f"%x{k + 1} = arith.addi %x{k}, %c2 : index" for k in range(steps))
    (found,) = sums_of(
        f'%x0 = arith.addi %i, %i : index\n{chain}\n%r = tensor.extract %t[%x{steps}] : !v loc("r")', "r"
    )
    assert isinstance(found, Sum)
    assert found.constant == 2 * steps
    assert [factor for _, factor in found.terms] == [2]
    many = A
    for number in range(20, 25):
        many = add(many, Symbol(number))
    assert len(index_symbols(many)) == 6
    assert add(many, Symbol(99)) is None


def test_sums_wrap_around_as_the_arithmetic_does() -> None:
    assert difference(add(A, WORD - 3), add(A, 1)) == -4
    assert add(add(A, WORD // 2), WORD // 2) == A
    assert add(A, A, -1) == 0


def test_values_from_outside_of_the_snapshot_have_no_sum() -> None:
    text = "func.func @f(%i: index) {\n%j = arith.addi %i, %i : index\nreturn\n}"
    with ir.Context():
        module = ir.Module.parse(text)
        (addition, _) = module.body.operations[0].regions[0].blocks[0].operations
        sums = IndexSums(Snapshot(addition.operation, lambda *_: False))
        with pytest.raises(AssertionError, match="isolated from above"):
            sums.of(addition.operation.operands[0])


@pytest.mark.parametrize(
    ("first", "second", "relation", "reverse"),
    [
        ((add(A, 0), 4), (add(A, 4), 4), DISJOINT, DISJOINT),
        ((add(A, 0), 4), (add(A, 3), 4), UNKNOWN, UNKNOWN),
        ((add(A, 2), 2), (A, 4), CONTAINED, UNKNOWN),
        ((add(A, -1), 2), (A, 4), UNKNOWN, UNKNOWN),
        ((add(A, 0), 4), (add(B, 4), 4), UNKNOWN, UNKNOWN),
        ((add(A, A), 4, 2), (add(add(A, A), 1), 4, 2), DISJOINT, DISJOINT),
        ((add(A, 4), 2, 4), (A, 8, 2), CONTAINED, UNKNOWN),
        # Sizes that are known only at run time: a begins where b ends; what both leave out.
        ((0, A), (A, B), DISJOINT, DISJOINT),
        ((B, A), (add(B, A), A), DISJOINT, DISJOINT),
        ((B, A), (add(add(B, A), -1), A), UNKNOWN, UNKNOWN),
        ((1, A), (0, add(A, 1)), CONTAINED, UNKNOWN),
        ((1, A), (0, A), UNKNOWN, UNKNOWN),
        ((0, A, 2), (A, B, 2), UNKNOWN, UNKNOWN),
    ],
)
def test_relation(
    first: tuple[int, ...], second: tuple[int, ...], relation: SliceRelation, reverse: SliceRelation
) -> None:
    a, b = (Slice((offset,), (size,), (*stride,) or (1,)) for offset, size, *stride in (first, second))
    assert slice_relation(a, b) is relation
    assert slice_relation(b, a) is reverse
