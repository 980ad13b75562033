"""The error for a torch graph that cannot be lowered."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ....passes.framework.errors import PassError


class RefusedGraphError(PassError):
    """A torch graph that cannot be lowered.

    Attributes:
        operators: the ops that are to blame, as far as they are known.
    """

    def __init__(self, operators: Iterable[str], reason: str) -> None:
        self.operators = tuple(dict.fromkeys(operators))
        blamed = f" because of {', '.join(self.operators)}" if self.operators else ""
        super().__init__(f"the torch graph cannot be lowered to linalg{blamed}: {reason}")

    def __reduce__(self) -> tuple[Any, ...]:
        return PassError, (self.summary,)
