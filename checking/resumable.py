"""State files of long runs: totals, and the settings that they are for. A run with the same ones goes on from there."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from ..runtime.atomic_file import replace_file

__all__ = ["load_state", "save_state"]

_SETTINGS = "settings"

_Totals = TypeVar("_Totals")


def load_state(
    path: Path, command: str, settings: Mapping[str, Any], totals: Callable[[dict[str, Any]], _Totals]
) -> _Totals | None:
    """Return what `totals` makes of the state in a file, None if there is no file; `command` wrote it.

    Raises:
        ValueError: the file is no such state, or it is for other settings.
        OSError: it cannot be read.
    """
    if not path.exists():
        return None
    try:
        state = json.loads(path.read_text())
        known = state.pop(_SETTINGS)
        found = totals(state)
    except (ValueError, KeyError, TypeError, AttributeError):
        raise ValueError(f"{path} is not a state of {command}; name another file") from None
    if known != json.loads(json.dumps(settings)):
        raise ValueError(f"{path} is the state of a run with other settings; use the same ones or name another file")
    return found


def save_state(path: Path, settings: Mapping[str, Any], state: Mapping[str, Any]) -> None:
    """Write a state with its settings, so that a reader never sees half of it; raises `OSError`."""
    replace_file(path, json.dumps({_SETTINGS: settings, **state}, indent=1).encode())
