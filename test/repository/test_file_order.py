"""Files with long tests run first, then those with many tests; the tests of a file keep their order."""

from __future__ import annotations

import random
from dataclasses import dataclass
from pathlib import Path

from file_order import longest_first


@dataclass
class FakeItem:
    """A test: its file, its number in it, and its only marker."""

    path: Path
    number: int
    marker: str = ""

    def get_closest_marker(self, name: str) -> str | None:
        return self.marker if self.marker == name else None


def ordered(*files: tuple[str, int, str]) -> list[tuple[str, int]]:
    """The tests of files, each of which has a name, a number of tests, and the marker of the last one."""
    items = [
        FakeItem(Path(name), number, marker if number == count - 1 else "")
        for name, count, marker in files
        for number in range(count)
    ]
    longest_first(items)
    return [(str(item.path), item.number) for item in items]


def test_many_tests_come_before_few() -> None:
    assert ordered(("one", 1, ""), ("two", 2, ""), ("three", 3, "")) == [
        *(("three", 0), ("three", 1), ("three", 2), ("two", 0), ("two", 1), ("one", 0)),
    ]


def test_one_long_test_brings_its_file_to_the_front() -> None:
    assert ordered(("many", 3, "full"), ("few", 2, "long")) == [
        *(("few", 0), ("few", 1), ("many", 0), ("many", 1), ("many", 2)),
    ]


def test_files_of_one_size_stay_apart() -> None:
    names = [f"file {number}" for number in range(30)]
    random.Random(1).shuffle(names)
    assert ordered(*((name, 2, "") for name in names)) == [
        (name, number) for name in sorted(names) for number in (0, 1)
    ]
