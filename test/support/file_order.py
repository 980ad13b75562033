"""The order in which files of tests are given to several processes: none is to work long when the others have ended.

A file stays with one process. pytest-xdist would begin with the files of the most tests, and so end with the few tests
that start other programs, on other ranks or workers. They are marked `long`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Protocol, TypeVar


class Item(Protocol):
    """What is needed of `pytest.Item`."""

    path: Path

    def get_closest_marker(self, name: str) -> object: ...


AnyItem = TypeVar("AnyItem", bound=Item)


def longest_first(items: list[AnyItem]) -> None:
    """Sort items: files with a test that is marked `long`, then the others, those with the most tests first.

    The tests of a file stay together, in their order.
    """
    counts = Counter(item.path for item in items)
    long = _long_files(items)
    items.sort(key=lambda item: (item.path not in long, -counts[item.path], item.path))


def _long_files(items: Iterable[Item]) -> set[Path]:
    return {item.path for item in items if item.get_closest_marker("long")}
