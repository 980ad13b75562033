"""What a campaign counted so far, as a file: the same campaign goes on from there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Set
from dataclasses import fields
from pathlib import Path
from typing import Any

from ..resumable import load_state, save_state
from .campaign import Campaign, Tally
from .outcomes import Finding, FindingKind

__all__ = ["load_tally", "save_tally"]

_NUMBERS = ("programs", "evaluated", "executed", "rounded", "allocations", "copies", "seconds")
_FREE = frozenset({"seeds", "jobs", "patience"})
"""Settings that may change: other seeds may be tried as well, and faster."""


def load_tally(path: Path, campaign: Campaign) -> Tally:
    """Return the totals in a state file, or new ones if there is no file; raises as `load_state`."""
    return load_state(path, "inplace-fuzz", _settings(campaign), _tally) or Tally()


def _tally(state: dict[str, Any]) -> Tally:
    tally = Tally(**{name: state[name] for name in _NUMBERS})
    tally.bufferized.update(state["bufferized"])
    tally.failures += [Finding(seed, name, FindingKind(kind), text) for seed, name, kind, text in state["failures"]]
    tally.others = Counter({(FindingKind(kind), text): count for kind, text, count in state["others"]})
    tally.done = {seed for first, end in state["done"] for seed in range(first, end)}
    return tally


def save_tally(path: Path, campaign: Campaign, tally: Tally) -> None:
    """Write the totals to a state file; raises `OSError`."""
    state = {
        **{name: getattr(tally, name) for name in _NUMBERS},
        "bufferized": tally.bufferized,
        "failures": [(one.seed, one.configuration, one.kind.value, one.text) for one in tally.failures],
        "others": [(kind.value, text, count) for (kind, text), count in tally.others.items()],
        "done": list(_ranges(tally.done)),
    }
    save_state(path, _settings(campaign), state)


def _settings(campaign: Campaign) -> dict[str, Any]:
    """Return what the totals depend on."""
    settings = {one.name: getattr(campaign, one.name) for one in fields(campaign) if one.name not in _FREE}
    settings["configurations"] = [one.name for one in campaign.configurations]
    settings["features"] = None if campaign.features is None else sorted(campaign.features)
    return settings


def _ranges(numbers: Set[int]) -> Iterator[tuple[int, int]]:
    """Yield the ranges that `numbers` consist of, ends excluded."""
    for first in sorted(number for number in numbers if number - 1 not in numbers):
        end = first + 1
        while end in numbers:
            end += 1
        yield first, end
