"""The exceptions of the pass infrastructure, and who is meant to catch each.

| exception | raised by | meaning |
|---|---|---|
| `PassFailure` | a pass's `run` | the pass refuses this input; the IR is as it was before the pass |
| `PassError` | `run_pipeline` | a pipeline stopped; every diagnostic is in the message |
| `OptionError` | `PassOptions` | an option's text or value is wrong |
| `PipelineError` | `Pipeline.parse` | the pipeline's text is wrong; the message has a caret under the place |
| `RegistryError` | `Registry` | a pass is unknown, cannot be loaded, or has two owners |

All of them can be pickled, as what a worker of a `multiprocessing.Pool` raises must be: the pool would wait for ever.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mlir import ir

    from .diagnostics import Diagnostic


class PassFailure(Exception):
    """What a pass raises to refuse its input.

    It must be raised before the pass changes anything: the pipeline promises its user that the IR is untouched.

    Args:
        message: what was found, what was needed and what to do; lower-case start, no final period.
        location: a location, or an operation, whose location is taken.
        notes: further places that explain the message, each `(text, location)`.
    """

    def __init__(
        self,
        message: str,
        location: ir.Location | ir.Operation | ir.OpView,
        notes: Sequence[tuple[str, ir.Location]] = (),
    ) -> None:
        from mlir import ir  # Not above: a generated package (`runtime/ahead_of_time/`) has no bindings.

        super().__init__(message)
        self.message = message
        self.location: ir.Location = location if isinstance(location, ir.Location) else location.location
        self.notes = tuple(notes)

    def __reduce__(self) -> tuple[Any, ...]:
        """A `PassError` that says the same: no location leaves its context, and so its process."""
        from .diagnostics import make_diagnostic

        notes = [make_diagnostic("note", place, text) for text, place in self.notes]
        return PassError, (self.message, (make_diagnostic("error", self.location, self.message, notes),))


class PassError(Exception):
    """A pipeline that stopped, with everything that was reported on the way.

    Attributes:
        diagnostics: the diagnostics in the order they were emitted (errors, and the warnings and remarks before them).
    """

    def __init__(self, summary: str, diagnostics: Sequence[Diagnostic] = ()) -> None:
        self.summary = summary
        self.diagnostics = tuple(diagnostics)
        super().__init__("\n".join([summary, *map(str, self.diagnostics)]))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.summary, self.diagnostics), vars(self)


class OptionError(ValueError):
    """A pass option that does not exist, or a value that does not fit it.

    Attributes:
        offset: where in the option text the trouble starts, in characters; None when there is no text.
        length: how many characters it covers.
    """

    def __init__(self, message: str, offset: int | None = None, length: int = 1) -> None:
        super().__init__(message)
        self.message = message
        self.offset = offset
        self.length = length


class PipelineError(ValueError):
    """A pipeline text that cannot be understood; `str()` shows the text with a caret under the place.

    Attributes:
        message: the finding alone, one line.
        text: the whole pipeline text.
        offset: where in `text` the trouble starts, in characters.
        length: how many characters it covers.
    """

    def __init__(self, message: str, text: str, offset: int, length: int = 1) -> None:
        self.message = message
        self.text = text
        self.offset = offset
        self.length = max(length, 1)
        super().__init__(self._render())

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.message, self.text, self.offset, self.length), vars(self)

    def _render(self) -> str:
        """The finding, then the line of the text it is about, then the caret."""
        before = self.text[: self.offset]
        line_number = before.count("\n") + 1
        start = before.rfind("\n") + 1
        line = self.text[start:].split("\n", 1)[0]
        column = self.offset - start
        marks = "^" + "~" * (min(self.length, max(len(line) - column, 1)) - 1)
        # Tabs are kept in the padding so that the caret stays under its character.
        padding = "".join("\t" if char == "\t" else " " for char in line[:column])
        return f"pipeline:{line_number}:{column + 1}: error: {self.message}\n{line}\n{padding}{marks}"


class RegistryError(LookupError):
    """A pass that is not known, cannot be loaded, or is offered by two owners under one name."""


def close_names(name: str, known: Iterable[str]) -> list[str]:
    """The known names that `name` may be a misspelling of, nearest first, at most five."""
    import difflib

    return difflib.get_close_matches(name, list(known), n=5, cutoff=0.6)


def nearest(name: str, known: Iterable[str]) -> str:
    """`; did you mean 'x'?` for the known name closest to `name`, or nothing when none is close."""
    close = close_names(name, known)
    return f"; did you mean '{close[0]}'?" if close else ""
