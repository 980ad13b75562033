"""What pieces of memory hold: layers of writes, and the question whether a place holds a content.

A *layer* says that a place holds what each of its terms stands for, from a write on; younger layers lie over older
ones. The oldest covers all of the memory. A question goes down through the layers: those apart from the place are
passed, those inside of it must hold the part of the content that is theirs, the first one around it decides.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from .places import WHOLE, Overlap, Place, is_empty, join, overlap
from .terms import FREED, UNDEFINED, TermKind, Terms

__all__ = ["Content", "ContentAnswer", "ContentVerdict", "Layer", "Lost", "Renamed", "SymbolicMemory", "Way", "unknown"]

_MOST_LAYERS = 48
_MOST_TERMS = 12
_MOST_WAYS = 4


class ContentVerdict(enum.Enum):
    """Whether memory holds a content."""

    YES = "yes"
    NO = "no"
    UNKNOWN = "unknown"


class ContentAnswer(NamedTuple):
    """A verdict, and where it was decided: the op of the memref program that wrote, and what it wrote or why."""

    verdict: ContentVerdict
    writer: int = -1
    found: int = -1
    reason: str = ""
    partial: bool = False
    """Whether it was decided by a write of a part of the place in question."""

    @property
    def is_right(self) -> bool:
        """Whether memory holds the content."""
        return self.verdict is ContentVerdict.YES


def unknown(reason: str, writer: int = -1) -> ContentAnswer:
    """Return the answer of one that cannot tell."""
    return ContentAnswer(ContentVerdict.UNKNOWN, writer, -1, reason)


def _unchanged(_: object) -> bool:
    """Whether a term or a place means something else behind a way on which nothing is defined anew."""
    return False


_AROUND = (Overlap.SAME, Overlap.AROUND)
_AGREE = "contents that may agree in part"
_YES = ContentAnswer(ContentVerdict.YES)


class Lost(NamedTuple):
    """Why a content is not known where ways meet: the answer for a way, and, if it can be asked again, that way.

    ``content`` is what memory holds at its end, and ``term`` what the content that is asked for is there.
    """

    answer: ContentAnswer
    content: Content = ()
    term: int = -1


_NOTHING_LOST: Mapping[int, Lost] = MappingProxyType({})


class Layer(NamedTuple):
    """``place`` holds each of ``terms`` since op ``writer``; no terms: nobody knows what it holds, for ``reason``.

    ``lost`` has terms that it would hold but for a way that leads here. A layer that is
    not ``certain`` is a write that may have missed the memory.
    """

    place: Place
    terms: frozenset[int]
    writer: int
    reason: str = ""
    lost: Mapping[int, Lost] = _NOTHING_LOST
    certain: bool = True


Content = tuple[Layer, ...]


class Way(NamedTuple):
    """What memory holds at the end of a way. ``is_stale`` tells which terms mean something else where it leads.

    ``is_stale_place`` tells it of places.
    """

    content: Content
    is_stale: Callable[[int], bool] = _unchanged
    is_stale_place: Callable[[Place], bool] = _unchanged
    again: bool = False
    """Whether it may be asked of places that are named behind it: it does not come around a loop."""


Renamed = Sequence[tuple[int, list[int]]]
"""Terms that are defined where ways meet, each with the terms that it is on the ways."""


class SymbolicMemory:
    """Questions and changes; contents are values and are never changed."""

    def __init__(self, terms: Terms) -> None:
        self.terms = terms

    # --- asking ----------------------------------------------------------------------------------------------------

    def holds(
        self, content: Content, place: Place, expected: int, apart: Sequence[Place] = (), depth: int = _MOST_WAYS
    ) -> ContentAnswer:
        """Whether ``place`` holds ``expected``, leaving out the places ``apart``."""
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
                    return self._ask_ways(layer, place, rest, expected, exceptions, depth) or answer
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
        """Return where ``exceptions`` are, seen from ``place``."""
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
            # What has the content that is expected has that of the term, which the memory has not on that way.
            part = self.terms.part(term, rest)
            if part != UNDEFINED and self.terms.same(expected, part, exceptions):
                is_whole = not rest and not exceptions
                return lost.answer if is_whole else self._of_part(lost.answer, term, layer.reason)
        if layer.reason:
            # Where ways meet, any memory holds what is not defined: it was perhaps written on some way.
            parts = [part for part in parts if part != UNDEFINED]
        if not parts:
            return unknown(layer.reason, layer.writer)
        agree = self.terms.share_values if exceptions else self.terms.may_agree
        if any(agree(part, expected) for part in parts):
            return unknown(_AGREE, layer.writer)
        return ContentAnswer(ContentVerdict.NO, layer.writer, min(parts))

    def _of_part(self, answer: ContentAnswer, term: int, reason: str) -> ContentAnswer:
        """Return what ``answer``, why memory does not hold ``term``, says of a part: NO if nothing of it is left."""
        gone = answer.found >= 0 and not answer.partial and not self.terms.share_values(answer.found, term)
        return answer if gone else unknown(reason or _AGREE, answer.writer)

    def _ask_ways(
        self, layer: Layer, place: Place, rest: Place, expected: int, exceptions: list[Place], depth: int
    ) -> ContentAnswer | None:
        """Ask the way on which ``layer`` lost what is expected, for the place in question alone."""
        within = self._within(exceptions, place)
        for term, lost in layer.lost.items():
            part = self.terms.part(term, rest)
            if lost.content and part != UNDEFINED and self.terms.same(expected, part, within):
                wanted = self.terms.part(lost.term, rest)
                answer = self.holds(lost.content, place, wanted, exceptions, depth - 1)
                return answer if answer.verdict is ContentVerdict.NO else None
        return None

    def names(self, content: Content, place: Place) -> frozenset[int]:
        """Return terms that ``place`` holds, as far as one layer tells."""
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

    # --- ways that meet --------------------------------------------------------------------------------------------

    def met(self, ways: Sequence[Way], renamed: Renamed, places: Iterable[Place], writer: int) -> Content:
        """Return what is known of memory where ``ways`` meet; ``places`` are looked at besides those of the layers."""
        base = self._met_layer(WHOLE, ways, renamed, writer)
        layers = [base]
        for place in dict.fromkeys([*places, *(layer.place for way in ways for layer in way.content if layer.certain)]):
            if not place or len(layers) > _MOST_LAYERS or any(way.is_stale_place(place) for way in ways):
                continue
            layer = self._met_layer(place, ways, renamed, writer)
            known = frozenset(self.terms.part(term, place) for term in base.terms)
            if not layer.terms <= known and all(overlap(place, o.place)[0] is not Overlap.UNKNOWN for o in layers):
                layers.append(Layer(place, layer.terms | known, writer, layer.reason, layer.lost))
        if not base.terms and len(layers) > 1:
            layers[0] = self._met_layer(WHOLE, ways, renamed, writer, [layer.place for layer in layers[1:]])
        return tuple(layers)

    def _met_layer(
        self, place: Place, ways: Sequence[Way], renamed: Renamed, writer: int, apart: Sequence[Place] = ()
    ) -> Layer:
        """Return a layer for ``place`` with what all ``ways`` say of it, leaving out the places ``apart``."""
        names = [self.names(way.content, place) for way in ways]
        if apart:
            names = [named | way.content[0].terms for named, way in zip(names, ways, strict=True)]
        asked = {term: [term] * len(ways) for named in names for term in named}
        asked |= {
            term: before
            for term, before in renamed
            if any(self._is_candidate(old, named) for old, named in zip(before, names, strict=True))
        }
        terms: set[int] = set()
        lost: dict[int, Lost] = {}
        for term, before in asked.items():
            answers = [
                unknown("contents of another run of a loop")
                if way.is_stale(old)
                else self.holds(way.content, place, old, apart)
                for way, old in zip(ways, before, strict=True)
            ]
            failed = [answer for answer in answers if answer.verdict is not ContentVerdict.YES]
            if not failed:
                terms.add(term)
            elif len(failed) < len(answers):
                answer = next((answer for answer in failed if answer.verdict is ContentVerdict.NO), failed[0])
                way = answers.index(answer)
                again = ways[way].content if ways[way].again else ()
                lost[term] = Lost(answer, again, before[way])
        return Layer(place, frozenset(terms), writer, "memory that differs between ways that meet", lost)

    def _is_candidate(self, term: int, named: frozenset[int]) -> bool:
        """Whether memory with the names ``named`` may hold ``term``."""
        return term in named or term == UNDEFINED or self.terms.table[term].kind == TermKind.INSERTION


def _is_inside(place: Place, others: Iterable[Place]) -> bool:
    """Whether ``place`` certainly lies inside of one of ``others``."""
    return any(overlap(other, place)[0] in _AROUND for other in others)
