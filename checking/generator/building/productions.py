"""The table of productions: functions that add one op, or a few that belong together, to a program.

A production belongs to a feature, so that programs can be asked for some features only. It raises `NothingFits` if it
found nothing to work on, before it has added anything that matters.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from .builder import Builder

Rule: TypeAlias = Callable[[Builder], None]


@dataclass(frozen=True)
class Production:
    """A rule with its feature. `is_nest`: it opens regions, so its nesting depth is limited."""

    feature: str
    name: str
    weight: float
    is_nest: bool
    rule: Rule


REGISTERED: list[Production] = []
"""All productions of the modules that are imported; `features.py` has all there are, in a fixed order."""


def production(feature: str, weight: float = 1.0, *, is_nest: bool = False) -> Callable[[Rule], Rule]:
    """Register the decorated function."""

    def register(rule: Rule) -> Rule:
        REGISTERED.append(Production(feature, rule.__name__, weight, is_nest, rule))
        return rule

    return register
