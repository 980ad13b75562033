"""The elements of a resolved pipeline: our passes, upstream's, and nests of both."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ...dialects.support.frozen_classes import frozen
from ..framework.base import Pass
from ..framework.options import PassOptions


@frozen
class InplacePass:
    """One of our passes (or a third party's) with its options."""

    cls: type[Pass[Any]]
    options: PassOptions

    def __str__(self) -> str:
        return _text(self.cls.argument, str(self.options))


@frozen
class UpstreamPass:
    """A pass, or a named pipeline, of upstream's; its options are upstream's to read."""

    argument: str
    options: str = ""

    def __str__(self) -> str:
        return _text(self.argument, self.options)


@frozen
class Nest:
    """`anchor(elements)`: the elements, one after the other, on each `anchor` operation directly inside."""

    anchor: str
    elements: tuple[Element, ...]

    def __str__(self) -> str:
        return f"{self.anchor}({','.join(map(str, self.elements))})"


Element = InplacePass | UpstreamPass | Nest


def is_upstream(element: Element) -> bool:
    """Whether upstream's pass manager can run the whole element by itself."""
    if isinstance(element, Nest):
        return all(map(is_upstream, element.elements))
    return isinstance(element, UpstreamPass)


def inplace_passes(element: Element) -> list[InplacePass]:
    """Our passes in the element, in order."""
    if isinstance(element, Nest):
        return [found for inner in element.elements for found in inplace_passes(inner)]
    return [element] if isinstance(element, InplacePass) else []


def with_options(element: Element, values: Mapping[str, Any]) -> Element:
    """The element with these options set on each of our passes that declares them; raises `OptionError` as `parse`."""
    if isinstance(element, Nest):
        return replace(element, elements=tuple(with_options(inner, values) for inner in element.elements))
    if isinstance(element, InplacePass):
        declared = {spec.attribute for spec in element.options.specs()} & values.keys()
        return replace(element, options=replace(element.options, **{name: values[name] for name in declared}))
    return element


def _text(argument: str, options: str) -> str:
    return f"{argument}{{{options}}}" if options else argument
