"""Undoes cyclic distribution: a loop over ids and the loop distributed over them become one loop.

``for iv = base + id * size to n step size * count``, run for all ids from 0 up to ``count``, has the iterations of
``for iv = base to n step size``: with ``id + k * count`` for the ``k``-th iteration of workgroup ``id``, each number
from 0 on occurs once, since division by ``count`` leaves one remainder below ``count``.

Cost: linear in the loops and in the symbols of the slices, for each loop that is distributed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from .slices import Slice
from .sums import Index, index_symbols
from .symbols import IndexTerms, InductionVariable

__all__ = ["gathered"]


def gathered(
    terms: IndexTerms,
    nest: Sequence[InductionVariable],
    slices: Iterable[Slice],
    runs: Callable[[InductionVariable], bool],
) -> tuple[IndexTerms, tuple[InductionVariable, ...]]:
    """Return ``nest`` with each pair of a loop over ids and a loop that is distributed over it replaced by one loop.

    ``runs``: whether a loop certainly has an iteration. A loop over ids stays if anything else depends on its variable,
    or if it may have no iteration. The returned table defines the returned loops.
    """
    needed = [symbol for slice_ in slices for symbol in slice_.symbols]
    loops = list(nest)
    for loop in nest:
        for ids in [outer for outer in loops if outer.variable in _ids_of(terms, loop)]:
            whole = _whole(terms, ids, loop)
            if whole is None or not runs(ids):
                continue
            others = [*needed, *_symbols(whole)]
            for other in loops:
                others.extend(() if other in (loop, ids) else _symbols(other))
            if _reaches(terms, others, ids.variable, loop.variable):
                continue
            loops[loops.index(loop)] = whole
            loops.remove(ids)
            break
    changed = [loop for loop in loops if loop not in nest]
    return (terms.with_loops(changed), tuple(loops)) if changed else (terms, tuple(nest))


def _symbols(loop: InductionVariable) -> list[int]:
    parts = (loop.lower, loop.step, *(() if loop.upper is None else (loop.upper,)))
    return [symbol for part in parts for symbol in index_symbols(part)]


def _ids_of(terms: IndexTerms, loop: InductionVariable) -> frozenset[int]:
    """Return the variables that the lower bound of ``loop`` depends on."""
    return frozenset().union(*(terms.varies_with(symbol) for symbol in index_symbols(loop.lower)))


def _whole(terms: IndexTerms, ids: InductionVariable, loop: InductionVariable) -> InductionVariable | None:
    """Return the loop of which ``loop`` runs every ``count``-th iteration, from number ``id`` on."""
    if ids.lower != 0 or ids.step != 1 or ids.upper is None:
        return None
    size = terms.factor(loop.lower, ids.variable)
    base = terms.replaced(loop.lower, ids.variable, 0)
    if size is None or base is None or size == 0 or terms.product(size, ids.upper) != loop.step:
        return None
    return InductionVariable(loop.variable, base, loop.upper, size)


def _reaches(terms: IndexTerms, symbols: Iterable[int], ids: int, loop: int) -> bool:
    """Whether one of ``symbols`` depends on the id other than through the variable of the loop."""
    stack, seen = list(symbols), {loop}
    while stack:
        symbol = stack.pop()
        if symbol in seen:
            continue
        seen.add(symbol)
        around = terms.surroundings.get(symbol, frozenset())
        if symbol == ids or (ids in around and loop not in around):
            return True
        parts: tuple[Index, ...] = terms.parts(symbol)
        stack.extend(part for index in parts for part in index_symbols(index))
    return False
