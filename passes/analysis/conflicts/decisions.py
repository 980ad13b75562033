"""In-place decisions and their reasons: plain data, entered in ``in_place/decision_record.py`` and never changed.

Everything refers to the snapshot by number; ``whole_module/explain.py`` turns a decision into text.
"""

from __future__ import annotations

import enum

from ....dialects.support.frozen_classes import frozen_slots

__all__ = ["Conflict", "Decision", "Rule", "Strategy"]


class Rule(enum.Enum):
    """Why a buffer cannot be shared. The value is the phrase that explanations use."""

    READ_AFTER_WRITE = "a value that is read later would be overwritten"
    READ_BY_WRITER = "the op reads the buffer while it writes it"
    WRITTEN_TWICE = "the op would write two results to overlapping memory"
    NOT_WRITABLE = "the buffer must not be written"
    ROTATION_SHARED = "two loop-carried values that the loop permutes would start in one buffer"
    NOT_EQUIVALENT = "the yielded buffer is not equivalent to the loop-carried one"
    ESCAPES = "the buffer escapes and may be written at any later time"
    PARALLEL = "threads of a parallel region would write one buffer at the same time"
    TOO_MANY_ACCESSES = "its alias set has too many accesses to compare"
    NOT_CONTIGUOUS = "the op needs contiguous elements, and the slice is not contiguous"
    CHEAPER = "the decisions of a function cost less if this operand has a buffer of its own"
    COPY_BEFORE_WRITE = "the option copy-before-write is set"


@frozen_slots
class Conflict:
    """Why a tie was refused: the rule, and the operands and the value of the snapshot that it is about.

    ``write`` is the operand whose buffer would be written. ``read`` is the operand that would then read the wrong
    content; of `CHEAPER`, one whose elements would be packed. ``value`` is the value whose content is lost or whose
    buffer is read-only. ``loop`` is a loop, by its block: the read comes after the write only in its next iteration. -1
    where the rule has none.
    """

    rule: Rule
    write: int = -1
    read: int = -1
    value: int = -1
    loop: int = -1


class Strategy(enum.Enum):
    """How a tied or forwarded operand is bufferized."""

    IN_PLACE = "in-place"
    """The result lives in the operand's buffer."""
    OUT_OF_PLACE = "out-of-place"
    """The op gets a new allocation, initialized with a copy of the old content if it is needed."""
    COPY_TO_CARRIED = "copy-to-carried"
    """A loop's yielded value is copied into the buffer that the loop carries."""
    ROTATE = "rotate"
    """A loop's yielded buffers are a permutation of the ones it carries: the loop swaps them."""
    PASS_ON = "pass-on"
    """The next iteration gets the yielded buffer itself: a reshaped view of the carried buffer, or another buffer."""


_OUT_OF_PLACE, _COPIED = Strategy.OUT_OF_PLACE, Strategy.COPY_TO_CARRIED
"""The strategies that need a buffer or a copy; asked for of every decision."""


@frozen_slots
class Decision:
    """The decision for one operand. ``copies``: whether content has to be copied into the new buffer."""

    operand: int
    strategy: Strategy
    copies: bool = False
    conflict: Conflict | None = None

    @property
    def in_place(self) -> bool:
        """Whether no buffer and no copy is needed for the operand."""
        return self.strategy is not _OUT_OF_PLACE and self.strategy is not _COPIED
