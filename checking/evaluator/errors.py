"""The one exception of the evaluator: what the program did wrong, and where."""

from __future__ import annotations

from mlir import ir

__all__ = ["FAILURES", "EvaluationError", "at"]


class EvaluationError(Exception):
    """A program cannot be evaluated: it does what its semantics forbid, or uses what is not supported.

    `reason` says what happened, `operation` is the name of the op and `location` its place in the source; both are
    empty until the op is known.
    """

    def __init__(self, reason: str, operation: str = "", location: str = "") -> None:
        self.reason, self.operation, self.location = reason, operation, location
        place = f"{location}: '{operation}': " if operation else ""
        super().__init__(f"{place}{reason}")


FAILURES = (EvaluationError, ArithmeticError, LookupError, MemoryError, RecursionError, TypeError, ValueError)
"""What decoding and running an op may raise: `at` makes an `EvaluationError` of it."""


def at(op: ir.Operation, error: Exception) -> EvaluationError:
    """`error` with the place of `op`, unless it has one. What NumPy refuses becomes an `EvaluationError` too."""
    if isinstance(error, EvaluationError):
        if error.operation:
            return error
        reason = error.reason
    elif isinstance(error, RecursionError):
        reason = "calls and regions are nested too deeply"
    else:
        reason = f"cannot be evaluated: {str(error) or type(error).__name__}"
    location = str(op.location).removeprefix("loc(").removesuffix(")").replace('"', "")
    return EvaluationError(reason, op.name, location)
