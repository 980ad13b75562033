"""The exception of the evaluator, with the op and its location."""

from __future__ import annotations

from mlir import ir

__all__ = ["FAILURES", "EvaluationError", "at"]


class EvaluationError(Exception):
    """A program cannot be evaluated: its behavior is undefined, or something in it is not supported.

    `reason` is the message, `operation` the name of the op and `location` that of the op; both are empty until the op
    is known.
    """

    def __init__(self, reason: str, operation: str = "", location: str = "") -> None:
        self.reason, self.operation, self.location = reason, operation, location
        place = f"{location}: '{operation}': " if operation else ""
        super().__init__(f"{place}{reason}")


FAILURES = (EvaluationError, ArithmeticError, LookupError, MemoryError, RecursionError, TypeError, ValueError)
"""Exceptions of decoding and running ops, which `at` turns into `EvaluationError`."""


def at(op: ir.Operation, error: Exception) -> EvaluationError:
    """`error` with the location of `op`, unless it has one; other exceptions become an `EvaluationError`."""
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
