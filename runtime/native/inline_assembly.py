"""Checks of inline assembly: constraints that crash LLVM, and errors that code generation only prints.

LLVM reads one operand for each constraint, past the end of the list if there are more constraints. It reports text that
it cannot assemble only on standard error, and omits it: the program would run without it.
"""

from __future__ import annotations

import re

from mlir import ir

from ...passes.framework.diagnostics import located, place_text
from ...passes.framework.errors import PassError

__all__ = ["InlineAssembly"]

_OUTPUT = re.compile(r"=(?P<indirect>\*?)&?(?P<codes>.+)")
_INPUT = re.compile(r"(?P<indirect>\*?)%?(?P<codes>.+)")
_CLOBBER = re.compile(r"~\{[^{}]+\}")
_CODES = re.compile(r"(?:\{[^{},]+\}|\^[A-Za-z]{2}|@[A-Za-z]{1,3}|[A-Za-z])+|\d{1,4}")
_ERROR = re.compile(r"^error: (?:<inline asm>:\d+:\d+: )?(.*(?:\n\s+.*)?)", re.MULTILINE)
_STRUCT = "!llvm.struct<"


class InlineAssembly:
    """The inline assembly of a module in the LLVM dialect, by location; it does not keep the module alive.

    Raises `PassError` for the first op whose constraints do not fit its operands and results.
    """

    def __init__(self, ops: list[ir.Operation]) -> None:
        for op in ops:
            if (problem := _constraint_problem(op)) is not None:
                raise PassError(located(op.location, f"the inline assembly cannot be compiled: {problem}"))
        self._places = [(_text(op, "asm_string"), place_text(op.location)) for op in ops]

    def require_assembled(self, report: str) -> None:
        """Raise `PassError` if `report`, the output of code generation, has an assembler error."""
        found = _ERROR.search(report) if self._places else None
        if found is None:
            return
        first, *rest = found.group(1).splitlines()
        words = (rest[0].split() if rest else first.split("'")[1::2]) or [""]
        places = [place for text, place in self._places if words[0] in text] or [place for _, place in self._places]
        more = f" (or one of {len(places) - 1} others)" if len(places) > 1 else ""
        raise PassError(f"{places[0]}: the inline assembly{more} cannot be assembled for this processor: {first}")


def _text(op: ir.Operation, name: str) -> str:
    return ir.StringAttr(op.attributes[name]).value


def _constraint_problem(op: ir.Operation) -> str | None:
    """The reason why LLVM would reject the constraints of `op`; None if it accepts them."""
    text = _text(op, "constraints")
    outputs = inputs = others = 0
    for one in text.split(",") if text else []:
        if _CLOBBER.fullmatch(one):
            others += 1
            continue
        parsed = (_OUTPUT if one.startswith("=") else _INPUT).fullmatch(one)
        if parsed is None or not _CODES.fullmatch(parsed["codes"]):
            return f"'{one}' in its constraints '{text}' is none that LLVM knows"
        if parsed["codes"].isdigit() and not int(parsed["codes"]) < outputs:
            return f"'{one}' in its constraints '{text}' names an output that there is not"
        is_result = one.startswith("=") and not parsed["indirect"]
        if others or (is_result and inputs):
            return f"its constraints '{text}' are out of order; outputs come first, then inputs, then what is clobbered"
        outputs, inputs = outputs + is_result, inputs + (not is_result)
    if inputs != len(op.operands):
        return f"its constraints '{text}' are for {inputs} operands, but it has {len(op.operands)}"
    results = _results(op)
    if outputs != results:
        return f"its constraints '{text}' are for {outputs} results, but it has {results}"
    return None


def _results(op: ir.Operation) -> int:
    """How many results `op` has; several are the members of one struct."""
    if not len(op.results):
        return 0
    type_ = str(op.results[0].type)
    if not type_.startswith(_STRUCT):
        return 1
    depth, members = 0, 1
    for character in type_.removeprefix(_STRUCT):
        depth += (character in "<([{") - (character in ">)]}")
        members += character == "," and depth == 1
    return members
