"""Definitions of index symbols: induction variables, minima and maxima, quotients, products, ranges.

An index (``sums.py``) is a sum of symbols. Most symbols are values of a snapshot; others name subexpressions that
are no value of the program, such as the quotient in ``d0 + d0 floordiv 2``, and have numbers that no snapshot uses. Two
equal quotients, products or minima are one symbol.

A :class:`InductionVariable` runs ``variable = lower, lower + step, …`` while it is below ``upper``; its step is at
least 1. Symbols without a definition are arbitrary integers, which are the same in the same iteration of the loops that
they vary with.

Index arithmetic is assumed not to overflow. See docs/theory/index-sets.md.

Cost: each definition is entered once, in time linear in its entries.
"""

from __future__ import annotations

from collections.abc import Iterable

from ....dialects.support.frozen_classes import frozen_slots
from .search import Memory
from .sums import Index, Symbol, add, index_symbols, index_terms

__all__ = ["Definition", "Extremum", "IndexTerms", "InductionVariable", "Product", "Quotient", "Range"]

_FIRST_VIRTUAL = 1 << 40
"""Larger than the numbers of a snapshot's values."""

_EFFORT = 160

_DEEPEST = 24
"""The depth to which definitions are followed; deeper ones are taken as possibly negative."""


@frozen_slots
class InductionVariable:
    """A loop by its induction variable; without ``upper`` its trip count is unknown."""

    variable: int
    lower: Index
    upper: Index | None
    step: Index = 1


@frozen_slots
class Extremum:
    """The smallest of ``entries``, or the largest one."""

    entries: tuple[Index, ...]
    is_largest: bool = False


@frozen_slots
class Quotient:
    """``numerator`` divided by a positive number, rounded down."""

    numerator: Index
    divisor: int


@frozen_slots
class Product:
    """The product of two indices of which neither is a number."""

    first: Index
    second: Index


@frozen_slots
class Range:
    """An integer of at least ``least``, and below ``bound`` if there is one."""

    least: Index | None = None
    bound: Index | None = None


Definition = InductionVariable | Extremum | Quotient | Product | Range


class IndexTerms:
    """Symbols and their definitions; filled while programs are read, and by tests."""

    def __init__(self, effort: int = _EFFORT) -> None:
        self.effort = effort
        """How many systems may be solved for one question."""

        self.definitions: dict[int, Definition] = {}
        self.surroundings: dict[int, frozenset[int]] = {}
        """For a symbol without a definition of its own value, the loops in whose iterations it may differ."""
        self._known: dict[Definition, Symbol] = {}
        self._next = _FIRST_VIRTUAL
        self._varies: dict[int, frozenset[int]] = {}
        self._natural: dict[int, bool] = {}
        self.memory: Memory = {}
        """Answers to questions, by the shape of the constraints."""

    # --- making symbols ----------------------------------------------------------------------------------------

    def fresh(self, range_: Range | None = None, loops: Iterable[int] = ()) -> Symbol:
        """Return a new symbol that may differ between the iterations of ``loops``."""
        symbol = Symbol(self._next)
        self._next += 1
        if range_ is not None:
            self.definitions[symbol.value] = range_
        self.surroundings[symbol.value] = frozenset(loops)
        return symbol

    def loop(self, lower: Index, upper: Index | None, step: Index = 1) -> InductionVariable:
        """Return a new loop with a new variable."""
        return self.define_loop(self.fresh().value, lower, upper, step)

    def define_loop(self, variable: int, lower: Index, upper: Index | None, step: Index = 1) -> InductionVariable:
        """State that symbol ``variable`` is the induction variable of a loop."""
        loop = InductionVariable(variable, lower, upper, step)
        self.definitions[variable] = loop
        return loop

    def extremum(self, entries: Iterable[Index], *, is_largest: bool = False) -> Index:
        """Return the smallest (or largest) of ``entries``."""
        distinct = tuple(dict.fromkeys(entries))
        numbers = [entry for entry in distinct if isinstance(entry, int)]
        others: list[Index] = [entry for entry in distinct if not isinstance(entry, int)]
        if numbers:
            others.append(max(numbers) if is_largest else min(numbers))
        return others[0] if len(others) == 1 else self._named(Extremum(tuple(others), is_largest))

    def quotient(self, numerator: Index, divisor: int) -> Index:
        """Return ``numerator`` divided by ``divisor``, which is positive, rounded down."""
        if isinstance(numerator, int):
            return numerator // divisor
        return numerator if divisor == 1 else self._named(Quotient(numerator, divisor))

    def product(self, first: Index, second: Index) -> Index | None:
        """Return the product; None if it has too many terms."""
        if isinstance(first, int):
            return add(0, second, first)
        if isinstance(second, int):
            return add(0, first, second)
        ordered = sorted((first, second), key=repr)
        return self._named(Product(ordered[0], ordered[1]))

    def _named(self, definition: Definition) -> Symbol:
        symbol = self._known.get(definition)
        if symbol is None:
            symbol = self._known[definition] = Symbol(self._next)
            self._next += 1
            self.definitions[symbol.value] = definition
        return symbol

    def with_loops(self, loops: Iterable[InductionVariable]) -> IndexTerms:
        """Return a table with the same definitions, but for the variables of ``loops``."""
        other = IndexTerms(self.effort)
        other.definitions = self.definitions | {loop.variable: loop for loop in loops}
        other.surroundings, other._known, other._next = self.surroundings, dict(self._known), self._next
        other.memory = self.memory
        return other

    # --- asking ------------------------------------------------------------------------------------------------

    def parts(self, symbol: int) -> tuple[Index, ...]:
        """Return the indices that the definition of ``symbol`` is made of."""
        definition = self.definitions.get(symbol)
        if isinstance(definition, InductionVariable):
            bounds = (definition.lower, definition.step)
            return bounds if definition.upper is None else (*bounds, definition.upper)
        if isinstance(definition, Extremum):
            return definition.entries
        if isinstance(definition, Quotient):
            return (definition.numerator,)
        return (definition.first, definition.second) if isinstance(definition, Product) else ()

    def varies_with(self, symbol: int) -> frozenset[int]:
        """Return the loops, by their variables, between whose iterations ``symbol`` may differ; memoized."""
        stack = [symbol]
        while stack:
            last = stack[-1]
            if last in self._varies:
                stack.pop()
                continue
            parts = [part for index in self.parts(last) for part in index_symbols(index)]
            missing = [part for part in parts if part not in self._varies]
            if missing:
                stack.extend(missing)
                continue
            own = frozenset((last,)) if isinstance(self.definitions.get(last), InductionVariable) else frozenset[int]()
            around = self.surroundings.get(last, frozenset())
            self._varies[last] = own.union(around, *(self._varies[part] for part in parts))
            stack.pop()
        return self._varies[symbol]

    def is_never_negative(self, index: Index, depth: int = _DEEPEST) -> bool:
        """Whether ``index`` is certainly at least 0; decided term by term."""
        if isinstance(index, int):
            return index >= 0
        if isinstance(index, Symbol):
            return self._is_natural(index.value, depth)
        return index.constant >= 0 and all(
            factor > 0 and self._is_natural(symbol, depth) for symbol, factor in index.terms
        )

    def _is_natural(self, symbol: int, depth: int) -> bool:
        if symbol not in self._natural:
            self._natural[symbol] = self._is_defined_natural(symbol, depth)
        return self._natural[symbol]

    def _is_defined_natural(self, symbol: int, depth: int) -> bool:
        definition = self.definitions.get(symbol)
        if depth == 0 or definition is None:
            return False
        below = depth - 1
        if isinstance(definition, InductionVariable):
            return self.is_never_negative(definition.lower, below)
        if isinstance(definition, Range):
            return definition.least is not None and self.is_never_negative(definition.least, below)
        if isinstance(definition, Extremum):
            natural = [self.is_never_negative(entry, below) for entry in definition.entries]
            return any(natural) if definition.is_largest else all(natural)
        return all(self.is_never_negative(part, below) for part in self.parts(symbol))

    # --- as functions of one symbol ----------------------------------------------------------------------------

    def factor(self, index: Index, variable: int) -> Index | None:
        """Return by how much ``index`` grows when symbol ``variable`` grows by 1.

        None if that is not known, or not the same for all of its values.
        """
        total: Index | None = 0
        for symbol, count in index_terms(index):
            grows: Index | None = 0
            if symbol == variable:
                grows = 1
            elif variable in self.varies_with(symbol):
                grows = self._product_factor(self.definitions.get(symbol), variable)
            total = None if total is None or grows is None else add(total, grows, count)
        return total

    def _product_factor(self, definition: Definition | None, variable: int) -> Index | None:
        if not isinstance(definition, Product):
            return None
        for part, other in ((definition.first, definition.second), (definition.second, definition.first)):
            if not any(variable in self.varies_with(symbol) for symbol in index_symbols(other)):
                grows = self.factor(part, variable)
                return None if grows is None else self.product(grows, other)
        return None

    def replaced(self, index: Index, variable: int, value: Index) -> Index | None:
        """Return ``index`` with ``value`` for symbol ``variable``, in which it is linear; None if it is not."""
        factor = self.factor(index, variable)
        moved, back = (None if factor is None else self.product(factor, v) for v in (value, Symbol(variable)))
        if moved is None or back is None:
            return None
        rest = add(index, back, -1)
        return None if rest is None else add(rest, moved)
