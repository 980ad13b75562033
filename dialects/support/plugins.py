"""Entry points of installed packages, without importing `importlib.metadata` where no package has any of a group.

That module imports the parser of e-mails, among others, which takes longer than to look into the files.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from importlib.machinery import PathFinder
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

__all__ = ["entry_points"]

_METADATA = (".dist-info", ".egg-info", "egg-info")


def entry_points(*, group: str) -> Iterable[EntryPoint]:
    """What `importlib.metadata.entry_points` returns for a group."""
    if "importlib.metadata" not in sys.modules and not _may_exist(group):
        return ()
    from importlib import metadata

    return metadata.entry_points(group=group)


def _may_exist(group: str) -> bool:
    """Whether a distribution may have entry points of a group: it has, or cannot be looked into here."""
    if any(finder is not PathFinder and hasattr(finder, "find_distributions") for finder in sys.meta_path):
        return True
    header = f"[{group}]".encode()
    for path in dict.fromkeys(sys.path):
        try:
            if any(header in content for content in _contents(path or ".")):
                return True
        except FileNotFoundError:
            continue
        except OSError:
            return True  # an archive
    return False


def _contents(folder: str) -> Iterator[bytes]:
    """The files of entry points in a folder of packages."""
    with os.scandir(folder) as entries:
        found = [entry.path for entry in entries if entry.name.lower().endswith(_METADATA)]
    for path in found:
        try:
            with open(os.path.join(path, "entry_points.txt"), "rb") as file:
                yield file.read()
        except (FileNotFoundError, NotADirectoryError):
            continue
