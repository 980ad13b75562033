"""The enumeration of small programs: its numbers against counts that are made in another way, and its programs."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator

import numpy as np
import pytest
from fast_run import is_full
from mlir import ir

from mlir_inplace.checking.evaluator import Evaluator
from mlir_inplace.checking.exhaustive import GRAMMAR
from mlir_inplace.checking.exhaustive.enumeration import Enumeration
from mlir_inplace.checking.exhaustive.programs import Block, SmallProgram, nested_ops
from mlir_inplace.checking.exhaustive.reordering import orders, renumbered
from mlir_inplace.checking.exhaustive.text import argument_sets, module_text

Access = tuple[str, int, int, int]
"""An op on a tensor: its name, the number that is inserted (-1: its own), the tensor and the index."""


def accesses(names: tuple[str, ...], size: int, tensors: int) -> Iterator[tuple[Access, ...]]:
    """All sequences of insertions and extractions; the result of the op at `i` has the number `tensors + i`."""
    if size == 0:
        yield ()
        return
    for before in accesses(names, size - 1, tensors):
        results = [(tensors + i, op[0]) for i, op in enumerate(before)]
        numbers = [value for value, name in results if name == "extract"]
        sources = [*range(tensors), *(value for value, name in results if name == "insert")]
        for name, source, index in itertools.product(names, sources, (0, 1)):
            for number in [-1, *numbers] if name == "insert" else [-1]:
                yield (*before, (name, number, source, index))


def swapped(ops: tuple[Access, ...], returned: frozenset[int], i: int, tensors: int) -> object:
    """The program with the ops at `i` and `i + 1` in the other order; None if that is another program."""

    def root(value: int) -> int:
        return value if value < tensors else root(ops[value - tensors][2])

    one, other = ops[i], ops[i + 1]
    if tensors + i in other[1:3]:
        return None
    if "insert" in (one[0], other[0]) and root(one[2]) == root(other[2]):
        return None
    names = {tensors + i: tensors + i + 1, tensors + i + 1: tensors + i}
    moved = [*ops[:i], other, one, *ops[i + 2 :]]
    renamed = tuple((name, names.get(n, n), names.get(t, t), index) for name, n, t, index in moved)
    return renamed, frozenset(names.get(value, value) for value in returned)


def count_classes(names: tuple[str, ...], size: int, tensors: int) -> int:
    """How many programs there are if those count once that swaps of neighbours lead to."""
    programs: set[object] = set()
    for ops in accesses(names, size, tensors):
        results = set(range(tensors, tensors + size))
        used = {value for op in ops for value in op[1:3]}
        for count in (1, 2):
            for returned in itertools.combinations(range(tensors + size), count):
                if results <= used | set(returned):
                    programs.add((ops, frozenset(returned)))
    classes = 0
    while programs:
        classes += 1
        work = [programs.pop()]
        while work:
            ops, returned = work.pop()  # type: ignore[misc]
            for i in range(size - 1):
                other = swapped(ops, returned, i, tensors)
                if other in programs:
                    programs.remove(other)
                    work.append(other)
    return classes


@pytest.mark.parametrize("names", [("insert",), ("extract",), ("extract", "insert")])
@pytest.mark.parametrize("size", [1, 2, 3])
def test_as_many_programs_as_counted_otherwise(names: tuple[str, ...], size: int) -> None:
    for arguments in ("w", "wr"):
        found = list(Enumeration(names, arguments=arguments).programs(size))
        assert len(found) == len(set(found)) == count_classes(names, size, len(arguments))


def shape(block: Block) -> str:
    """The ops of a block, and those inside of them."""
    inner = ("(" + " | ".join(map(shape, op.blocks)) + ")" if op.blocks else "" for op in block.ops)
    return " ".join(op.kind + text for op, text in zip(block.ops, inner, strict=True))


def test_numbers_of_programs_with_regions() -> None:
    """By hand, with two arguments: a, b. Results are returned alone, or with a or b; a pair also as a pair."""
    found = Counter(
        shape(p.body) for size in (1, 2) for p in Enumeration(["insert", "if", "for", "for2"]).programs(size)
    )
    assert found["if( | )"] == 2 * 2 * 3  # each branch yields a or b
    assert found["for()"] == 2 * 3  # carries a or b, and yields what it carries
    assert found["for2()"] == 4 * 2 * 7  # two of a and b; yields them as they are, or swaps them
    assert found["if(insert | )"] == found["if( | insert)"] == 2 * 2 * 2 * 3  # into, index, the other yield
    # It inserts at 0, 1 or the index, into what is carried; or into the other argument or the same one, but then what
    # is carried is not used.
    assert found["for(insert)"] == 2 * 3 * 3


def test_a_sample_has_each_program_equally_often() -> None:
    names = ["insert", "extract", "for", "if"]
    every = set(Enumeration(names).candidates(2))
    drawn = [p for seed in range(300) for p in Enumeration(names, one_of=20, seed=seed).candidates(2)]
    counts = Counter(drawn)
    assert counts.keys() <= every and len(counts) > 0.95 * len(every)
    by_shape = Counter[str]()
    for program in every:
        by_shape[shape(program.body)] += 1
    for name, count in by_shape.items():
        found = sum(n for program, n in counts.items() if shape(program.body) == name)
        assert 0.5 < found / (count * 300 / 20) < 2, name
    assert list(Enumeration(names, one_of=20, seed=7).candidates(2)) == list(
        Enumeration(names, one_of=20, seed=7).candidates(2)
    )


def test_every_op_of_the_grammar_is_there() -> None:
    kinds = {op.kind for size in (1, 2) for p in Enumeration().candidates(size) for op in nested_ops(p.body)}
    forms = {form.kind for forms in GRAMMAR.values() for form in forms}
    assert kinds == forms | {name for name, some in GRAMMAR.items() if not some}


def some_programs() -> list[SmallProgram]:
    """Every program of one op and some of two."""
    return [*Enumeration().programs(1), *itertools.islice(Enumeration().candidates(2), 0, None, 240)]


def test_programs_are_valid_and_run() -> None:
    with ir.Context():
        for program in some_programs():
            evaluator = Evaluator(ir.Module.parse(module_text(program)))
            for arguments in argument_sets(program):
                evaluator.run("main", arguments)


def test_orders_mean_the_same() -> None:
    """Programs that are left out do on tensors what the one does that stands for them, in any order of its ops."""
    names = ["extract", "insert", "extract_slice", "map"]
    step = 40 if is_full() else 160
    several = [p for p in itertools.islice(Enumeration(names).programs(3), 0, None, step) if len(list(orders(p))) > 1]
    assert len(several) > (20 if is_full() else 5)
    with ir.Context():
        for program in several:
            bodies = [*orders(program)]
            assert min(renumbered(body) for body in bodies) == program.body
            one, *others = (Evaluator(ir.Module.parse(module_text(program._replace(body=body)))) for body in bodies)
            for arguments in argument_sets(program):
                wanted = one.run("main", arguments).results
                for other in others:
                    for found, expected in zip(other.run("main", arguments).results, wanted, strict=True):
                        np.testing.assert_array_equal(found, expected)
