"""All programs of a size over a grammar, each once: every op, every way to wire operands, every return.

Ops count, those inside of others too; terminators do not. The result of every op is used or returned, as is each tensor
that a loop carries, and a program returns at most so many values. Any argument and any older value may be among them:
that is a read after all writes. Of programs that differ only in the order of ops which do not care about it, one is
taken (`reordering.py`).
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from .grammar import GRAMMAR, LOOPS, OpForm, find_signatures
from .programs import FRESH, TENSORS, Block, Op, SmallProgram, Spot, uses
from .reordering import is_least

__all__ = ["Enumeration"]

_CARRIED = ("T", "S")
"""The types of tensors that branches yield and loops carry."""


class _Scope(NamedTuple):
    """The types of all values so far, those that can be used, and the results of which none is used yet."""

    types: str
    visible: tuple[int, ...]
    waiting: tuple[tuple[int, ...], ...] = ()

    def of_type(self, letter: str) -> list[int]:
        return [value for value in self.visible if self.types[value] == letter]

    def entered(self, letters: str, unused: str = "X") -> _Scope:
        """The scope inside of a block with arguments of these types, each to be used unless it is one of `unused`."""
        arguments = range(len(self.types), len(self.types) + len(letters))
        waiting = tuple((value,) for value, letter in zip(arguments, letters, strict=True) if letter not in unused)
        return _Scope(self.types + letters, (*self.visible, *arguments), waiting)


class Enumeration:
    """The programs over some ops, or about one of `one_of` of them, drawn by `seed`.

    `arguments` are those of `SmallProgram`; a program returns at most `returns` values.

    A sample is thinned out op by op, so that what is left out need not be made: each program is in it with the same
    probability, but not independently of others that begin with the same ops.

    Raises:
        ValueError: the name of an op is not known.
    """

    def __init__(
        self,
        names: Sequence[str] = tuple(GRAMMAR),
        *,
        arguments: str = "wr",
        returns: int = 2,
        one_of: int = 1,
        seed: int = 0,
    ) -> None:
        self._signatures = find_signatures(names)
        self._nests = [name for name in names if not GRAMMAR[name]]
        self._arguments, self._returns = arguments, returns
        self._one_of, self._seed = one_of, seed
        self._share = 1.0
        """Which part of the ops is drawn wherever there is a choice of ops."""
        self._draw = random.Random()

    def programs(self, size: int) -> Iterator[SmallProgram]:
        """Yield the programs of `size` ops."""
        return (program for program in self.candidates(size) if is_least(program))

    def candidates(self, size: int) -> Iterator[SmallProgram]:
        """Yield the programs of `size` ops in all orders of their ops."""
        self._share = self._one_of ** (-1 / size)
        self._draw.seed(f"{self._seed} {size}")
        count = len(self._arguments)
        arguments = tuple(range(count))
        for ops, scope in self._sequences(size, _Scope("T" * count, arguments), self._returns):
            for returned in self._returned(scope):
                yield SmallProgram(self._arguments, Block(arguments, ops, returned), scope.types)

    def _returned(self, scope: _Scope) -> Iterator[tuple[int, ...]]:
        usable = [value for value in scope.visible if scope.types[value] != "X"]
        for count in range(1, self._returns + 1):
            for returned in itertools.combinations(usable, count):
                if _all_used(scope.waiting, returned):
                    yield returned

    def _sequences(self, size: int, scope: _Scope, sinks: int) -> Iterator[tuple[tuple[Op, ...], _Scope]]:
        """Yield sequences of ops, of which all but `sinks` have a result that is used."""
        if size == 0:
            if len(scope.waiting) <= sinks:
                yield (), scope
            return
        for first in range(1, size + 1):
            for op, types in self._ops(first, scope):
                if self._share < 1 and self._draw.random() >= self._share:
                    continue
                used = set(uses(op))
                waiting = tuple(results for results in scope.waiting if used.isdisjoint(results))
                inner = _Scope(types, scope.visible + op.results, (*waiting, op.results))
                if len(inner.waiting) > sinks + 2 * (size - first):
                    continue
                for rest, last in self._sequences(size - first, inner, sinks):
                    yield (op, *rest), last

    def _ops(self, size: int, scope: _Scope) -> Iterator[tuple[Op, str]]:
        """Yield the ops of a size, those inside counted, each with the types of all values behind it."""
        if size == 1:
            for signature in self._signatures:
                yield from _simple(signature, scope)
        for kind in self._nests:
            if kind == "if":
                yield from self._ifs(size - 1, scope)
            elif kind == "while":
                yield from self._whiles(size - 1, scope)
            elif kind == "forall":
                yield from self._foralls(size - 1, scope)
            else:
                yield from self._fors(kind, size - 1, scope)

    def _blocks(
        self, size: int, scope: _Scope, letters: str, yielded: str, unused: str = "X"
    ) -> Iterator[tuple[Block, str]]:
        """Yield blocks with arguments and operands of the terminator of these types."""
        inside = scope.entered(letters, unused)
        arguments = inside.visible[len(scope.visible) :]
        for ops, last in self._sequences(size, inside, len(yielded)):
            for yields in itertools.product(*(last.of_type(letter) for letter in yielded)):
                if _all_used(last.waiting, yields):
                    yield Block(arguments, ops, yields), last.types

    def _ifs(self, size: int, scope: _Scope) -> Iterator[tuple[Op, str]]:
        for letter, first in itertools.product(_CARRIED, range(size + 1)):
            for one, types in self._blocks(first, scope, "", letter):
                for other, both in self._blocks(size - first, scope._replace(types=types), "", letter):
                    yield _closed("if", (), (one, other), both, letter)

    def _fors(self, kind: str, size: int, scope: _Scope) -> Iterator[tuple[Op, str]]:
        for letter in _CARRIED if LOOPS[kind] == 1 else _CARRIED[:1]:
            letters = letter * LOOPS[kind]
            for inits in itertools.product(scope.of_type(letter), repeat=len(letters)):
                for block, types in self._blocks(size, scope, "X" + letters, letters):
                    yield _closed(kind, inits, (block,), types, letters)

    def _whiles(self, size: int, scope: _Scope) -> Iterator[tuple[Op, str]]:
        for letter, first in itertools.product(_CARRIED, range(size + 1)):
            for before, types in self._blocks(first, scope, letter, letter):
                for after, both in self._blocks(size - first, scope._replace(types=types), letter, letter):
                    for init in scope.of_type(letter):
                        yield _closed("while", (init,), (before, after), both, letter)

    def _foralls(self, size: int, scope: _Scope) -> Iterator[tuple[Op, str]]:
        """Each thread inserts a slice of its own; what is inserted is what the block yields."""
        for init in scope.of_type("T"):
            for block, types in self._blocks(size, scope, "XT", "S", unused="XT"):
                yield _closed("forall", (init,), (block,), types, "T")


def _all_used(waiting: Iterable[tuple[int, ...]], used: Sequence[int]) -> bool:
    for results in waiting:
        for result in results:
            if result in used:
                break
        else:
            return False
    return True


def _closed(
    kind: str, operands: tuple[int, ...], blocks: tuple[Block, ...], types: str, results: str
) -> tuple[Op, str]:
    numbers = tuple(range(len(types), len(types) + len(results)))
    return Op(kind, operands, (), blocks, numbers), types + results


def _simple(signature: OpForm, scope: _Scope) -> Iterator[tuple[Op, str]]:
    choices = [[FRESH] * (letter == "I") + scope.of_type(letter) for letter in signature.operands]
    places = [(place,) for place in _places(signature, scope)] if signature.places else [()]
    results = tuple(range(len(scope.types), len(scope.types) + len(signature.results)))
    for operands in itertools.product(*choices):
        if signature.apart and len(set(operands)) < len(operands):
            continue
        for place in places:
            yield Op(signature.kind, operands, place, (), results), scope.types + signature.results


def _places(signature: OpForm, scope: _Scope) -> Iterator[Spot]:
    """Yield the constant places, then those that indices of loops are; slices also at twice an index."""
    for constant in signature.places:
        yield Spot(factor=constant)
    has_slices = not set(signature.operands) & set(TENSORS) or signature.kind.endswith("slice")
    for index in scope.of_type("X"):
        yield Spot(index, 1)
        if has_slices:
            yield Spot(index, 2)
