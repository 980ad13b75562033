"""One flag of `inplace-opt`, and the values that flags take."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

__all__ = ["Flag", "boolean", "count", "limit"]


@dataclass(frozen=True)
class Flag:
    """One flag. `value` names its value for the help; None marks a boolean, which is false unless `default` says so.

    Attributes:
        optional: the value of a flag that is given without one.
        many: the value is a list, with commas or by giving the flag again.
        hidden: `--help` leaves it out, `--help-hidden` shows it.
        differs: what is other than in mlir-opt, if anything is.
    """

    name: str
    help: str
    value: str | None = None
    default: Any = None
    type: Callable[[str], Any] = str
    optional: str | None = None
    choices: tuple[str, ...] = ()
    many: bool = False
    hidden: bool = False
    differs: str = ""

    @property
    def spelling(self) -> str:
        """The flag as written on the command line."""
        return f"-{self.name}" if len(self.name) == 1 else f"--{self.name}"

    @property
    def attribute(self) -> str:
        """The name of its value among the parsed settings."""
        return self.name.removeprefix("mlir-").replace("-", "_")

    @property
    def value_text(self) -> str:
        """What stands behind the flag in the help."""
        if self.value is None:
            return "[=true|false]  (default: true)" if self.default else ""
        text = "|".join(self.choices) or self.value
        return f"[={text}]" if self.optional is not None else f"={text}"


def count(text: str) -> int:
    """The value of a flag that counts; for argparse."""
    if not (text.isascii() and text.isdecimal()):
        raise argparse.ArgumentTypeError(f"must be an integer of at least 0, got '{text}'")
    if len(text) > 19 or int(text) >= 2**63:
        raise argparse.ArgumentTypeError(f"must be less than 2^63, got '{text}'")
    return int(text)


def boolean(text: str) -> bool:
    """The value of a boolean flag; for argparse."""
    if text.lower() not in ("true", "1", "false", "0"):
        raise argparse.ArgumentTypeError(f"expected true or false, found '{text}'")
    return text.lower() in ("true", "1")


def limit(text: str) -> int:
    """The value of a flag that counts, or -1 for no limit; for argparse."""
    if text.startswith("-") and text != "-1":
        raise argparse.ArgumentTypeError(f"must be an integer of at least 0, or -1 for no limit, got '{text}'")
    return -1 if text == "-1" else count(text)
