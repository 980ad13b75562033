"""The base class of every pass: its declarations, and what it may do while it runs.

A pass file defines one class:

    class HoistBuffersPass(Pass[HoistBuffersOptions]):
        argument = "inplace-hoist-buffers"
        summary = "move allocations out of loops"
        Options = HoistBuffersOptions
        anchor = "func.func"
        statistics = (Statistic("hoisted", "allocations moved"),)

        def run(self, op: ir.Operation) -> None:
            info = analyze_buffers(op)              # may raise PassFailure; nothing has been changed yet
            self.count("hoisted", hoist(info))
"""

from __future__ import annotations

import inspect
import logging
import sys
from abc import ABC, abstractmethod
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

from mlir import ir

from ...dialects.support.frozen_classes import frozen
from .debug import logger
from .diagnostics import emit
from .options import PassOptions

if TYPE_CHECKING:
    from ..analysis.whole_module.module import ModuleAnalysis

OptionsT = TypeVar("OptionsT", bound=PassOptions)


@frozen
class Statistic:
    """A number that a pass counts: its name (`num-copies`) and one line that says what of, with the unit if any."""

    name: str
    description: str


class Pass(ABC, Generic[OptionsT]):
    """One transformation of one operation.

    A pass is made for one place of a pipeline and run on every operation that place meets, so its statistics add up
    over them. `run` raises `PassFailure` BEFORE it changes anything, or leaves valid IR behind.

    Attributes:
        argument: the name in pipelines and on the command line, `inplace-…`.
        summary: one line, lower-case start.
        description: the whole documentation, Markdown; by default the docstring of the pass's module.
        Options: the options class.
        anchor: the operation it can run on, or None for any that is isolated from above.
        statistics: what `count` may count.
        concerns: names of ops: an operation without any of these is left as it is, and `run` is not called for it. None
            if it takes more to know that.
        inherited: an analysis of the operation as it is, if the pass before left one.
        preserved: what `run` leaves for the next pass of the pipeline: an analysis that holds for its result. Only that
            pass gets it, and nothing may change the operation in between.
    """

    argument: ClassVar[str]
    summary: ClassVar[str]
    description: ClassVar[str] = ""
    Options: type[Any] = PassOptions
    anchor: ClassVar[str | None] = None
    statistics: ClassVar[tuple[Statistic, ...]] = ()
    concerns: ClassVar[Collection[str] | None] = None

    options: OptionsT

    def __init_subclass__(cls, **keywords: Any) -> None:
        super().__init_subclass__(**keywords)
        if not cls.__dict__.get("description"):
            cls.description = inspect.cleandoc(getattr(sys.modules.get(cls.__module__), "__doc__", None) or "")

    def __init__(self, options: OptionsT | None = None) -> None:
        self.options = self.Options() if options is None else options
        self.inherited: ModuleAnalysis | None = None
        self.preserved: ModuleAnalysis | None = None
        self.statistic_values: dict[str, int] = {statistic.name: 0 for statistic in self.statistics}

    @abstractmethod
    def run(self, op: ir.Operation) -> None:
        """Transforms `op`; raises `PassFailure`, before any change, when it cannot."""

    def count(self, name: str, n: int = 1) -> None:
        """Adds `n` to a declared statistic; an undeclared name is a KeyError."""
        self.statistic_values[name] += n

    @property
    def logs(self) -> bool:
        """Whether anybody listens to `log`: for messages that cost something to make."""
        return logger(self.argument).isEnabledFor(logging.DEBUG)

    def log(self, message: str) -> None:
        """Tells whoever debugs the pass, with `--debug-only=ARGUMENT` or Python's `logging`; nobody else sees it."""
        logger(self.argument).debug("[%s] %s", self.argument, message)

    def remark(self, location: ir.Location, message: str, notes: Sequence[tuple[str, ir.Location]] = ()) -> None:
        """Emits a remark at `location`; the pipeline goes on."""
        emit("remark", location, message, notes)

    def warn(self, location: ir.Location, message: str, notes: Sequence[tuple[str, ir.Location]] = ()) -> None:
        """Emits a warning at `location`; the pipeline goes on."""
        emit("warning", location, message, notes)
