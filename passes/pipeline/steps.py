"""A pipeline made ready to run in one context: pass objects for our passes, a `PassManager` for each run of upstream's.

Upstream passes that stand next to each other become one step, nests included, because a pass manager keeps analyses
alive between its passes and crosses from Python to C++ once. Instrumentation that must see every pass asks for single
steps instead; the IR that comes out is the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from mlir import ir
from mlir.passmanager import PassManager

from ...dialects.support.frozen_classes import frozen
from ..framework.base import Pass
from ..framework.upstream import full_text, parse_group
from ..framework.upstream_names import pass_classes
from .elements import Element, InplacePass, Nest, UpstreamPass, is_upstream
from .syntax import ParsedElement, ParsedNest, parse_syntax


@dataclass(eq=False)
class _Run:
    """A step that runs on an operation.

    Attributes:
        name: what reports call it: the class of the pass.
        argument: what pipelines call it.
        text: the argument with the options, of upstream's single passes with all that they have.
        path: its place in the plan, the index at each level, which reports sort and merge by.
    """

    name: str
    argument: str
    text: str
    path: tuple[int, ...]


@dataclass(eq=False)
class PassStep(_Run):
    """One of our passes."""

    instance: Pass[Any]


@dataclass(eq=False)
class UpstreamStep(_Run):
    """Neighbouring upstream passes, nests included; exactly one pass when single steps were asked for."""

    manager: PassManager
    statistics: dict[str, tuple[int, str]] = field(default_factory=dict)
    """Name -> (value, description), summed over the runs; filled only when statistics were asked for."""


@dataclass(eq=False)
class NestStep:
    """Steps to take on each operation named `anchor` (`any`: on each that can be) directly inside."""

    anchor: str
    steps: tuple[Step, ...]
    path: tuple[int, ...]


Step = PassStep | UpstreamStep | NestStep


@frozen
class PlanSettings:
    """How steps are made: one upstream pass each, with the verifier after each pass, with upstream's statistics."""

    single_steps: bool = False
    verify_each: bool = True
    statistics: bool = False


def make_steps(
    anchor: str,
    elements: Sequence[Element],
    context: ir.Context,
    settings: PlanSettings,
    path: tuple[int, ...] = (),
) -> tuple[Step, ...]:
    """The steps of `elements` on `anchor` operations; upstream's text is parsed here, before anything has run."""
    made: list[Step] = []
    if settings.single_steps:
        elements = [inner for element in elements for inner in _expanded(anchor, element)]
    for group in _groups(elements, settings):
        here = (*path, len(made))
        first = group[0]
        if isinstance(first, InplacePass):
            cls = first.cls
            made.append(PassStep(cls.__name__, cls.argument, str(first), here, cls(first.options)))
        elif isinstance(first, Nest) and (settings.single_steps or not is_upstream(first)):
            inner = make_steps(first.anchor, first.elements, context, settings, here)
            made.append(NestStep(first.anchor, inner, here))
        else:
            names = ",".join(e.argument if isinstance(e, UpstreamPass) else str(e) for e in group)
            manager = _make_manager(anchor, group, context, settings)
            text = ",".join(map(str, group))
            if settings.single_steps:
                text = full_text(anchor, text)
            made.append(UpstreamStep(pass_classes().get(names, names), names, text, here, manager))
    return tuple(made)


def walk_steps(steps: Sequence[Step]) -> Iterator[Step]:
    """Every step, each nest before what is in it."""
    for step in steps:
        yield step
        if isinstance(step, NestStep):
            yield from walk_steps(step.steps)


def _expanded(anchor: str, element: Element) -> Sequence[Element]:
    """The passes of a named pipeline of upstream's; any other element by itself."""
    if not isinstance(element, UpstreamPass) or element.argument in pass_classes():
        return (element,)
    passes = [_upstream_element(found) for found in parse_syntax(full_text(anchor, str(element)))]
    return passes if len(passes) > 1 else (element,)


def _upstream_element(parsed: ParsedElement) -> Element:
    if isinstance(parsed, ParsedNest):
        return Nest(parsed.anchor, tuple(map(_upstream_element, parsed.elements)))
    return UpstreamPass(parsed.name, parsed.options.strip())


def _groups(elements: Sequence[Element], settings: PlanSettings) -> Iterator[tuple[Element, ...]]:
    """Runs of neighbouring elements that upstream takes together; everything else alone. Empty nests do nothing."""
    for together, group in groupby(filter(_does_something, elements), key=is_upstream):
        if together and not settings.single_steps:
            yield tuple(group)
        else:
            yield from ((element,) for element in group)


def _does_something(element: Element) -> bool:
    return not isinstance(element, Nest) or any(map(_does_something, element.elements))


def _make_manager(anchor: str, group: tuple[Element, ...], context: ir.Context, settings: PlanSettings) -> PassManager:
    manager = parse_group(anchor, ",".join(map(_text_without_empty_nests, group)), context)
    manager.enable_verifier(settings.verify_each)
    if settings.statistics:
        manager.enable_statistics()
    return manager


def _text_without_empty_nests(element: Element) -> str:
    """The text for upstream's parser, which refuses `func.func()`."""
    if not isinstance(element, Nest):
        return str(element)
    return f"{element.anchor}({','.join(map(_text_without_empty_nests, filter(_does_something, element.elements)))})"
