"""Command lines of all programs: LLVM's flag syntax, exit codes, errors."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from ...passes.framework.errors import PipelineError, RegistryError
from .console import abandon_standard_output, explain_os_error, open_standard_error, print_error
from .version import version_text

__all__ = [
    "FAILURE",
    "INTERRUPTED",
    "SUCCESS",
    "USAGE",
    "Parser",
    "StoreOnce",
    "ToolError",
    "UsageError",
    "names_of",
    "run_program",
]

SUCCESS, FAILURE, USAGE, INTERRUPTED = 0, 1, 2, 130
_GIVEN = "flags given"


class UsageError(Exception):
    """The command line is wrong; the message is one line."""


class ToolError(Exception):
    """The request failed; the message is one line, or empty if diagnostics were printed."""


class Parser(argparse.ArgumentParser):
    """argparse, with errors as `UsageError`, bounds for numbers, and one dash or two for long flags."""

    def __init__(self, **keywords: Any) -> None:
        super().__init__(allow_abbrev=False, formatter_class=argparse.RawDescriptionHelpFormatter, **keywords)
        self._bounds: dict[str, tuple[str, float, float | None]] = {}
        self.register("action", None, StoreOnce)
        if keywords.get("add_help", True):
            self.add_argument(
                "--version", action=_Version, nargs=0, help="print the version and the bindings, and exit"
            )

    def error(self, message: str) -> NoReturn:
        flag, ignored, value = message.partition(": ignored explicit argument ")
        raise UsageError(f"{flag} takes no value, got {value}" if ignored else message)

    def add_number(
        self,
        flag: str,
        default: float | None,
        *,
        least: float,
        most: float | None = None,
        metavar: str = "N",
        help: str,  # noqa: A002
    ) -> None:
        """Add a flag for a number from `least` to `most`, of the type of its default; a float if it has none."""
        kind = float if default is None else type(default)
        action = self.add_argument(flag, type=kind, default=default, metavar=metavar, help=help)
        self._bounds[action.dest] = flag, least, most

    def add_libraries(self) -> None:
        """Add `--shared-libs`."""
        text = "libraries to load, separated by commas"
        self.add_argument("--shared-libs", action="extend", type=_paths, default=[], metavar="FILES", help=text)

    def parse_like_llvm(self, arguments: Sequence[str]) -> argparse.Namespace:
        """Parse the arguments; long flags may have one dash. Raises `UsageError`."""
        names = {name for action in self._actions for name in action.option_strings if name.startswith("--")}
        doubled = [f"-{text}" if f"-{text.partition('=')[0]}" in names else text for text in arguments]
        settings = self.parse_args(_joined(doubled))
        for name, (flag, least, most) in self._bounds.items():
            value = getattr(settings, name)
            if value is not None and not value >= least:
                raise UsageError(f"{flag} must be at least {least}, got {value}")
            if value is not None and most is not None and value > most:
                raise UsageError(f"{flag} must be at most {most}, got {value}")
        return settings


class _Version(argparse.Action):
    """Print the version, and exit."""

    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> NoReturn:
        sys.stdout.write(version_text(parser.prog))
        sys.stdout.flush()
        raise SystemExit(SUCCESS)


class StoreOnce(argparse.Action):
    """Store a flag's value; two values that differ contradict each other."""

    def __call__(
        self, parser: argparse.ArgumentParser, namespace: argparse.Namespace, values: Any, option_string: Any = None
    ) -> None:
        given = vars(namespace).setdefault(_GIVEN, {})
        if option_string and self.dest in given and given[self.dest] != values:
            name = option_string if len(self.dest) > 1 else f"-{self.dest}"
            raise UsageError(f"{name} is given twice, with '{given[self.dest]}' and '{values}'; leave one out")
        given[self.dest] = values
        setattr(namespace, self.dest, values)


def _joined(arguments: Sequence[str]) -> list[str]:
    """`--arg -3` as `--arg=-3`: argparse would take the number for a flag."""
    joined: list[str] = []
    for text in arguments:
        if joined and joined[-1] == "--arg":
            joined[-1] = f"--arg={text}"
        else:
            joined.append(text)
    return joined


def _paths(text: str) -> list[str]:
    paths = text.split(",")
    if any(not path or "\0" in path for path in paths):
        raise UsageError(f"--shared-libs needs paths between commas, got '{text}'")
    return paths


def names_of(text: str | None) -> list[str] | None:
    """Return the names between commas; None if the option is not given."""
    return None if text is None else [name.strip() for name in text.split(",")]


def run_program(name: str, run: Callable[[], int]) -> int:
    """Return the exit code of `run`; print an exception as one line on standard error."""
    open_standard_error()
    try:
        return run()
    except PipelineError as error:
        print_error(f"{name}: {error}")  # which has the severity, the location and a caret
        return USAGE
    except (UsageError, RegistryError) as error:
        print_error(f"{name}: error: {error}")
        return USAGE
    except ToolError as error:
        if str(error):
            print_error(f"{name}: error: {error}")
    except BrokenPipeError:
        abandon_standard_output()  # The reader has closed the pipe.
    except OSError as error:
        print_error(f"{name}: error: {explain_os_error(error)}")
    except KeyboardInterrupt:
        print_error(f"{name}: interrupted")
        return INTERRUPTED
    return FAILURE
