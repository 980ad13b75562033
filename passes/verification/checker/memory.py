"""Contents of memory: layers of writes, and the query whether a place holds a content.

A *layer* is a write: its place holds each of its terms, which are equal. Younger layers cover older ones; the oldest
covers all of the memory. A query goes through the layers from the youngest: layers disjoint from the place are skipped,
layers inside of it must hold their part of the content, and the first one around it decides.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from .places import WHOLE, Overlap, Place, is_empty, join, overlap
from .terms import FREED, UNDEFINED, TermKind, Terms

__all__ = [
    "Content",
    "ContentAnswer",
    "ContentVerdict",
    "IncomingPath",
    "Layer",
    "Lost",
    "Renamed",
    "SymbolicMemory",
    "unknown",
]

_MOST_LAYERS = 48
_MOST_TERMS = 12
_MOST_PATHS = 4


class ContentVerdict(enum.Enum):
    """Whether memory holds a content."""

    YES = "yes"
    NO = "no"
    UNKNOWN = "unknown"


class ContentAnswer(NamedTuple):
    """A verdict, and what decided it: the op that wrote, and the term it wrote or a reason."""

    verdict: ContentVerdict
    writer: int = -1
    found: int = -1
    reason: str = ""
    partial: bool = False
    """Whether a write of only a part of the queried place decided it."""

    @property
    def is_right(self) -> bool:
        """Whether memory holds the content."""
        return self.verdict is ContentVerdict.YES


def unknown(reason: str, writer: int = -1) -> ContentAnswer:
    """Return the answer "unknown" with a reason."""
    return ContentAnswer(ContentVerdict.UNKNOWN, writer, -1, reason)


def _unchanged(_: object) -> bool:
    """The default of `IncomingPath`: nothing is redefined after the path."""
    return False


_AROUND = (Overlap.SAME, Overlap.AROUND)
_AGREE = "contents that may agree in part"
_YES = ContentAnswer(ContentVerdict.YES)


class Lost(NamedTuple):
    """Why a content is unknown where paths merge: the answer on one path and, if it may be queried again, that path.

    ``content`` is the content at its end, and ``term`` the queried term there.
    """

    answer: ContentAnswer
    content: Content = ()
    term: int = -1


_NOTHING_LOST: Mapping[int, Lost] = MappingProxyType({})


class Layer(NamedTuple):
    """``place`` holds each of ``terms`` since op ``writer``; without terms its content is unknown, for ``reason``.

    ``lost`` has terms that it holds on some merged paths but not on all. A write that is not ``certain``
    may not have reached this memory.
    """

    place: Place
    terms: frozenset[int]
    writer: int
    reason: str = ""
    lost: Mapping[int, Lost] = _NOTHING_LOST
    certain: bool = True


Content = tuple[Layer, ...]


class IncomingPath(NamedTuple):
    """The content at the end of a path that merges with others.

    ``is_stale`` and ``is_stale_place`` say which terms and places are redefined at the merge, as in the next iteration.
    """

    content: Content
    is_stale: Callable[[int], bool] = _unchanged
    is_stale_place: Callable[[Place], bool] = _unchanged
    again: bool = False
    """Whether it may be queried for places that are defined after it: it is no back edge."""


Renamed = Sequence[tuple[int, list[int]]]
"""Terms that are defined where paths merge, each with the term that it is on each path."""


class SymbolicMemory:
    """Queries and writes of contents, which are immutable."""

    def __init__(self, terms: Terms) -> None:
        self.terms = terms

    # --- asking ----------------------------------------------------------------------------------------------------

    def holds(
        self, content: Content, place: Place, expected: int, apart: Sequence[Place] = (), depth: int = _MOST_PATHS
    ) -> ContentAnswer:
        """Whether ``place`` holds ``expected`` outside of the places ``apart``."""
        if expected == UNDEFINED or is_empty(place):
            return _YES
        exceptions = list(apart)
        for layer in reversed(content):
            if not layer.certain:
                return unknown(layer.reason, layer.writer)
            relation, rest = overlap(layer.place, place)
            if relation is Overlap.DISJOINT or (exceptions and _is_inside(layer.place, exceptions)):
                continue
            if relation in _AROUND:
                answer = self._matches(layer, rest, expected, self._within(exceptions, place))
                if answer.verdict is ContentVerdict.UNKNOWN and depth:
                    return self._ask_path(layer, place, rest, expected, exceptions, depth) or answer
                return answer
            if relation is Overlap.UNKNOWN:
                return unknown("slices that cannot be compared", layer.writer)
            within = self._within(exceptions, layer.place)
            answer = self._matches(layer, WHOLE, self.terms.part(expected, rest), within)
            if answer.verdict is not ContentVerdict.YES:
                apart_from = [e for e in exceptions if overlap(e, layer.place)[0] is Overlap.DISJOINT]
                if len(within) + len(apart_from) < len(exceptions):
                    # A younger write may have overwritten a part of this one.
                    answer = unknown("slices that cannot be compared", layer.writer)
                return answer._replace(partial=True)
            exceptions.append(layer.place)
        return unknown("memory that is not known")

    @staticmethod
    def _within(exceptions: list[Place], place: Place) -> list[Place]:
        """Return the ``exceptions`` inside of ``place``, relative to it."""
        found = [overlap(place, exception) for exception in exceptions]
        return [rest for relation, rest in found if relation in _AROUND]

    def _matches(self, layer: Layer, rest: Place, expected: int, exceptions: list[Place]) -> ContentAnswer:
        """Whether the part ``rest`` of ``layer`` holds ``expected``, outside of ``exceptions``."""
        parts = [self.terms.part(term, rest) for term in layer.terms] if rest else layer.terms
        if any(self.terms.same(part, expected, exceptions) for part in parts):
            return _YES
        if FREED in parts:
            return ContentAnswer(ContentVerdict.NO, layer.writer, FREED)
        if expected == UNDEFINED:
            return _YES
        for term, lost in layer.lost.items():
            # The expected content implies the term, which the memory does not hold on that path.
            part = self.terms.part(term, rest)
            if part != UNDEFINED and self.terms.same(expected, part, exceptions):
                is_whole = not rest and not exceptions
                return lost.answer if is_whole else self._of_part(lost.answer, term, layer.reason)
        if layer.reason:
            # At a merge UNDEFINED says nothing: the memory may have been written on some path.
            parts = [part for part in parts if part != UNDEFINED]
        if not parts:
            return unknown(layer.reason, layer.writer)
        agree = self.terms.share_values if exceptions else self.terms.may_agree
        if any(agree(part, expected) for part in parts):
            return unknown(_AGREE, layer.writer)
        return ContentAnswer(ContentVerdict.NO, layer.writer, min(parts))

    def _of_part(self, answer: ContentAnswer, term: int, reason: str) -> ContentAnswer:
        """Return ``answer``, that memory does not hold ``term``, for a part of it: NO only if nothing of it is left."""
        gone = answer.found >= 0 and not answer.partial and not self.terms.share_values(answer.found, term)
        return answer if gone else unknown(reason or _AGREE, answer.writer)

    def _ask_path(
        self, layer: Layer, place: Place, rest: Place, expected: int, exceptions: list[Place], depth: int
    ) -> ContentAnswer | None:
        """Query the path on which ``layer`` lost the expected content, for the queried place alone."""
        within = self._within(exceptions, place)
        for term, lost in layer.lost.items():
            part = self.terms.part(term, rest)
            if lost.content and part != UNDEFINED and self.terms.same(expected, part, within):
                wanted = self.terms.part(lost.term, rest)
                answer = self.holds(lost.content, place, wanted, exceptions, depth - 1)
                return answer if answer.verdict is ContentVerdict.NO else None
        return None

    def names(self, content: Content, place: Place) -> frozenset[int]:
        """Return terms that ``place`` holds, by the first layer that is not disjoint."""
        for layer in reversed(content):
            if not layer.certain:
                break
            relation, rest = overlap(layer.place, place)
            if relation in _AROUND:
                return frozenset(self.terms.part(term, rest) for term in layer.terms)
            if relation is not Overlap.DISJOINT:
                break
        return frozenset()

    # --- changing --------------------------------------------------------------------------------------------------

    def written(self, content: Content, layer: Layer) -> Content:
        """Return ``content`` after a write."""
        if is_empty(layer.place):
            return content
        if not layer.certain:
            return (*content, layer)
        place = layer.place
        kept = [older for older in content if overlap(place, older.place)[0] not in _AROUND] if place else []
        kept.append(layer)
        while len(kept) > 1 and (joined := self._absorbed(kept)) is not None:
            kept = joined
        if len(kept) > _MOST_LAYERS:
            return (Layer(WHOLE, frozenset(), layer.writer, "memory that is written in too many pieces"),)
        return tuple(kept)

    def _absorbed(self, layers: list[Layer]) -> list[Layer] | None:
        """Return ``layers`` with the second oldest put into the oldest one, as an insertion; None if that loses."""
        base, over = layers[0], layers[1]
        if base.place or not over.certain or not base.terms or not over.terms or FREED in base.terms:
            return None
        if len(base.terms) * len(over.terms) > _MOST_TERMS or UNDEFINED in over.terms or base.lost or over.lost:
            return None
        terms = frozenset(
            self.terms.insertion(inserted, term, over.place) for term in base.terms for inserted in over.terms
        )
        return [Layer(WHOLE, terms, over.writer), *layers[2:]]

    def copied(self, content: Content, place: Place, target: Place, writer: int) -> list[Layer]:
        """Return the layers that a copy from ``place`` writes to ``target``, oldest first."""
        found: list[Layer] = []
        for layer in reversed(content):
            relation, rest = overlap(layer.place, place)
            if not layer.certain or relation is Overlap.UNKNOWN:
                found.append(Layer(target, frozenset(), writer, "slices that cannot be compared"))
                break
            if relation in _AROUND:
                terms = frozenset(self.terms.part(term, rest) for term in layer.terms)
                lost = {
                    self.terms.part(term, rest): Lost(
                        self._of_part(lost.answer, term, layer.reason) if rest else lost.answer
                    )
                    for term, lost in layer.lost.items()
                }
                found.append(Layer(target, terms, writer, layer.reason, lost))
                break
            if relation is Overlap.INSIDE:
                found.append(Layer(join(target, rest), layer.terms, writer, layer.reason, layer.lost))
        return list(reversed(found))

    # --- merging paths ---------------------------------------------------------------------------------------------

    def merged(self, paths: Sequence[IncomingPath], renamed: Renamed, places: Iterable[Place], writer: int) -> Content:
        """Return the content where ``paths`` merge, by layers for their places and for ``places``."""
        base = self._merged_layer(WHOLE, paths, renamed, writer)
        layers = [base]
        for place in dict.fromkeys(
            [*places, *(layer.place for path in paths for layer in path.content if layer.certain)]
        ):
            if not place or len(layers) > _MOST_LAYERS or any(path.is_stale_place(place) for path in paths):
                continue
            layer = self._merged_layer(place, paths, renamed, writer)
            known = frozenset(self.terms.part(term, place) for term in base.terms)
            if not layer.terms <= known and all(overlap(place, o.place)[0] is not Overlap.UNKNOWN for o in layers):
                layers.append(Layer(place, layer.terms | known, writer, layer.reason, layer.lost))
        if not base.terms and len(layers) > 1:
            layers[0] = self._merged_layer(WHOLE, paths, renamed, writer, [layer.place for layer in layers[1:]])
        return tuple(layers)

    def _merged_layer(
        self, place: Place, paths: Sequence[IncomingPath], renamed: Renamed, writer: int, apart: Sequence[Place] = ()
    ) -> Layer:
        """Return a layer for ``place`` with the terms it holds on all ``paths``, outside of the places ``apart``."""
        names = [self.names(path.content, place) for path in paths]
        if apart:
            names = [named | path.content[0].terms for named, path in zip(names, paths, strict=True)]
        asked = {term: [term] * len(paths) for named in names for term in named}
        asked |= {
            term: before
            for term, before in renamed
            if any(self._is_candidate(old, named) for old, named in zip(before, names, strict=True))
        }
        terms: set[int] = set()
        lost: dict[int, Lost] = {}
        for term, before in asked.items():
            answers = [
                unknown("contents of another iteration of a loop")
                if path.is_stale(old)
                else self.holds(path.content, place, old, apart)
                for path, old in zip(paths, before, strict=True)
            ]
            failed = [answer for answer in answers if answer.verdict is not ContentVerdict.YES]
            if not failed:
                terms.add(term)
            elif len(failed) < len(answers):
                answer = next((answer for answer in failed if answer.verdict is ContentVerdict.NO), failed[0])
                path = answers.index(answer)
                again = paths[path].content if paths[path].again else ()
                lost[term] = Lost(answer, again, before[path])
        return Layer(place, frozenset(terms), writer, "memory that differs between paths that merge", lost)

    def _is_candidate(self, term: int, named: frozenset[int]) -> bool:
        """Whether memory with the names ``named`` may hold ``term``."""
        return term in named or term == UNDEFINED or self.terms.table[term].kind == TermKind.INSERTION


def _is_inside(place: Place, others: Iterable[Place]) -> bool:
    """Whether ``place`` certainly lies inside of one of ``others``."""
    return any(overlap(other, place)[0] in _AROUND for other in others)
