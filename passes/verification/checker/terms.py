"""Terms for the content of a tensor: values of the tensor program, parts of them, and values with a part replaced.

Terms are hash-consed: equal terms have one number. Two rules normalize them: the part at which a term was inserted is
that term, and inserting the part that is there already changes nothing. Different terms may have equal content;
:meth:`Terms.may_agree` says whether they might, and then the checker claims nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import NamedTuple

from .places import WHOLE, Overlap, Place, StridedBox, is_empty, join, overlap

__all__ = ["FREED", "UNDEFINED", "Term", "TermKind", "Terms"]

UNDEFINED = 0
"""No content: any memory will do."""
FREED = 1
"""Freed memory."""

_DEPTH = 24
_MOST_LEAVES = 200


class TermKind:
    """Kinds of terms."""

    VALUE, ELEMENT, CONSTANT, PART, INSERTION, MARK = range(6)


class Term(NamedTuple):
    """A term: ``base`` is a value, symbol, constant or term; ``part`` a place in it; ``inserted`` the term there."""

    kind: int
    base: int
    part: Place = WHOLE
    inserted: int = -1


class Terms:
    """Makes terms. ``newest`` of a symbol or value is a pair of positions; see :meth:`is_newer`."""

    def __init__(self, symbol_age: Callable[[int], tuple[int, int]]) -> None:
        self.table: list[Term] = []
        self._numbers: dict[Term, int] = {}
        self._age: list[tuple[int, int]] = []
        self._symbol_age = symbol_age
        self._sources: dict[int, set[int]] = {}
        self._parts: dict[tuple[int, Place], int] = {}
        self._leaves: dict[int, frozenset[int] | None] = {}
        self._constants: dict[Hashable, int] = {}
        self._values: dict[int, set[int]] = {}
        for mark in (UNDEFINED, FREED):
            self._make(Term(TermKind.MARK, mark))

    def _make(self, term: Term) -> int:
        number = self._numbers.get(term)
        if number is None:
            number = self._numbers[term] = len(self.table)
            self.table.append(term)
            self._age.append(self._age_of(term))
        return number

    def _age_of(self, term: Term) -> tuple[int, int]:
        ages = [self._symbol_age(symbol) for symbol in symbols_of(term.part)]
        if term.kind in (TermKind.PART, TermKind.INSERTION):
            ages.append(self._age[term.base])
            if term.inserted >= 0:
                ages.append(self._age[term.inserted])
        elif term.kind in (TermKind.VALUE, TermKind.ELEMENT):
            ages.append(self._symbol_age(term.base))
        return max((age[0] for age in ages), default=-1), max((age[1] for age in ages), default=-1)

    def is_newer(self, term: int, tensor_position: int, memref_position: int) -> bool:
        """Whether ``term`` uses something defined after one of the positions in its program."""
        age = self._age[term]
        return age[0] > tensor_position or age[1] > memref_position

    def is_newer_place(self, place: Place, tensor_position: int, memref_position: int) -> bool:
        """Whether ``place`` uses something defined after one of the positions in its program."""
        ages = [self._symbol_age(symbol) for symbol in symbols_of(place)]
        return any(age[0] > tensor_position or age[1] > memref_position for age in ages)

    def value(self, number: int) -> int:
        """Return the content of a tensor value."""
        return self._make(Term(TermKind.VALUE, number))

    def element(self, symbol: int) -> int:
        """Return the content of one element that is a scalar."""
        return self._make(Term(TermKind.ELEMENT, symbol))

    def constant(self, key: Hashable) -> int:
        """Return the content of a constant."""
        return self._make(Term(TermKind.CONSTANT, self._constants.setdefault(key, len(self._constants))))

    def is_constant(self, number: int) -> bool:
        """Whether ``number`` is the content of a constant."""
        return self.table[number].kind == TermKind.CONSTANT

    def part(self, whole: int, place: Place) -> int:
        """Return the part of ``whole`` at ``place``."""
        if not place:
            return whole
        found = self._parts.get((whole, place))
        if found is None:
            found = self._parts[whole, place] = self._part(whole, place)
        return found

    def _part(self, whole: int, place: Place) -> int:
        if is_empty(place):
            return UNDEFINED
        for _ in range(_DEPTH):
            term = self.table[whole]
            if not place or term.kind == TermKind.MARK:
                return whole
            if term.kind == TermKind.PART:
                whole, place = term.base, join(term.part, place)
                continue
            if term.kind != TermKind.INSERTION:
                break
            relation, rest = overlap(term.part, place)
            if relation in (Overlap.SAME, Overlap.AROUND):
                whole, place = term.inserted, rest
            elif relation is Overlap.DISJOINT:
                whole = term.base
            elif relation is Overlap.INSIDE:
                return self.insertion(term.inserted, self.part(term.base, place), rest)
            else:
                break
        return self._make(Term(TermKind.PART, whole, place))

    def insertion(self, inserted: int, base: int, place: Place) -> int:
        """Return ``base`` with ``inserted`` at ``place``."""
        if is_empty(place):
            return base
        for _ in range(_DEPTH):
            term = self.table[base]
            if term.kind != TermKind.INSERTION or overlap(place, term.part)[0] not in (Overlap.SAME, Overlap.AROUND):
                break
            base = term.base
        if not place or inserted == base == UNDEFINED:
            return inserted
        term = self.table[inserted]
        if term.kind == TermKind.PART and (term.base, term.part) == (base, place):
            return base
        return self._make(Term(TermKind.INSERTION, base, place, inserted))

    def same(self, a: int, b: int, exceptions: Sequence[Place]) -> bool:
        """Whether memory with ``a`` must have all of ``b``, outside of ``exceptions``; up to a limit of insertions."""
        for _ in range(_DEPTH):
            a, b = self._without(a, exceptions), self._without(b, exceptions)
            if b in (a, UNDEFINED):
                return a != FREED
            first, second = self.table[a], self.table[b]
            if second.kind == TermKind.INSERTION:
                if second.inserted == UNDEFINED:
                    exceptions, b = [*exceptions, second.part], second.base
                    continue
                if second.base == UNDEFINED and not exceptions:
                    a, b = self.part(a, second.part), second.inserted
                    continue
            if first.kind != TermKind.INSERTION or second.kind != TermKind.INSERTION:
                return False
            if (first.inserted, first.part) != (second.inserted, second.part):
                return False
            a, b = first.base, second.base
        return False

    def _without(self, number: int, exceptions: Sequence[Place]) -> int:
        """Return ``number`` without insertions inside of ``exceptions``."""
        for _ in range(_DEPTH if exceptions else 0):
            term = self.table[number]
            if term.kind != TermKind.INSERTION:
                break
            if not any(overlap(e, term.part)[0] in (Overlap.SAME, Overlap.AROUND) for e in exceptions):
                break
            number = term.base
        return number

    # --- may-agree -------------------------------------------------------------------------------------------------

    def relate(self, made: int, sources: set[int]) -> None:
        """Record that term ``made`` may have elements of ``sources``, terms without parts."""
        self._sources.setdefault(made, set()).update(sources)
        self._leaves.clear()

    def may_agree(self, a: int, b: int, depth: int = 4) -> bool:
        """Whether memory with ``a`` may have ``b``. Unrelated values are taken to differ."""
        if b in (a, UNDEFINED):
            return True
        if a == UNDEFINED:
            return self.share_values(a, b)
        first, second = self.table[a], self.table[b]
        whole = (TermKind.VALUE, TermKind.CONSTANT, TermKind.ELEMENT)
        if first.kind in whole and second.kind in whole:
            # The result of a loop, a branch or a call may be one of its operands.
            return self.share_values(a, b)
        if second.kind == TermKind.INSERTION and second.inserted == UNDEFINED:
            return self.share_values(a, b)
        if depth and second.kind == TermKind.INSERTION and second.base == UNDEFINED:
            return self.may_agree(self.part(a, second.part), second.inserted, depth - 1)
        if (
            depth
            and first.kind == TermKind.INSERTION
            and second.kind == TermKind.INSERTION
            and first.part == second.part
        ):
            if not self.may_agree(first.inserted, second.inserted, depth - 1):
                return False
            a, b = first.base, second.base
            return b in (a, UNDEFINED) or (a != UNDEFINED and self.share_values(a, b))
        if first.kind == TermKind.INSERTION and depth:
            agree = self.may_agree(first.inserted, self.part(b, first.part), depth - 1)
        elif second.kind == TermKind.INSERTION and depth:
            agree = self.may_agree(self.part(a, second.part), second.inserted, depth - 1)
        else:
            agree = True
        return agree and self.share_values(a, b)

    def share_values(self, a: int, b: int) -> bool:
        """Whether two terms are made of values that may have elements of each other."""
        mine, other = self.leaves(a), self.leaves(b)
        if mine is None or other is None:
            return True
        # Which elements are undefined is not tracked, so any memory may hold the term.
        return UNDEFINED in other or not mine.isdisjoint(other)

    def is_defined(self, number: int) -> bool:
        """Whether a term must be defined everywhere."""
        leaves = self.leaves(number)
        return leaves is not None and UNDEFINED not in leaves

    def leaves(self, number: int) -> frozenset[int] | None:
        """Return the terms without parts that a term may have elements of; None for too many."""
        if number not in self._leaves:
            self._leaves[number] = self._find_leaves(number)
        return self._leaves[number]

    def _find_leaves(self, number: int) -> frozenset[int] | None:
        found: set[int] = set()
        work = [number]
        for _ in range(_MOST_LEAVES):
            if not work:
                return frozenset(found)
            number = work.pop()
            term = self.table[number]
            if term.kind in (TermKind.PART, TermKind.INSERTION):
                work.append(term.base)
                if term.inserted >= 0:
                    work.append(term.inserted)
            elif number not in found:
                found.add(number)
                work.extend(self._sources.get(number, ()))
        return None

    def atoms(self, number: int) -> Iterator[int]:
        """Yield the terms without parts that a term is made of; after a limit of steps, the rest as it is."""
        work = [number]
        for _ in range(_DEPTH):
            if not work:
                return
            number = work.pop()
            term = self.table[number]
            if term.kind in (TermKind.PART, TermKind.INSERTION):
                work.extend(part for part in (term.base, term.inserted) if part >= 0)
            else:
                yield number
        yield from work

    def values_of(self, number: int) -> set[int]:
        """Return the values that a term is made of, up to the limit of `atoms`."""
        found = self._values.get(number)
        if found is None:
            terms = [self.table[atom] for atom in self.atoms(number)]
            found = self._values[number] = {term.base for term in terms if term.kind == TermKind.VALUE}
        return found


def symbols_of(place: Place) -> list[int]:
    """Return the symbols of all sums in ``place``."""
    return [
        symbol
        for step in place
        if isinstance(step, StridedBox)
        for entry in (*step.offsets, *step.sizes, *step.strides)
        for symbol, _ in entry.terms
    ]
