"""The explanation of a fault: its signal and, if it can be known, the operation of the program.

The program is compiled again, with the number of a location as the line of each operation of the LLVM dialect. LLVM
generates the same code with line numbers and without, so the line at the offset of the fault leads back to the source.
"""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator, Sequence

from mlir import ir

from ...passes.pipeline.pipeline import run_pipeline
from ...runtime.compilation.program import Program, native_code
from ...runtime.compilation.stages import STAGES, watched_stages
from ...runtime.native.engine import Engine
from ...runtime.native.library_names import native_name
from ...runtime.native.line_table import CodeLines
from ...runtime.native.loaded_object import UnsupportedObjectError
from ..shared.input import Source
from ..shared.source_ir import parsed_program
from .faults import Fault

__all__ = ["explanation"]

_ADD_LINES = "builtin.module(ensure-debug-info-scope-on-llvm-func)"
_NEAR_STACK = 1 << 16
_NO_ADDRESS = 128
"""The code of a signal for which the processor gives no address."""

Place = tuple[str, int, int]


class _UnknownOperationError(Exception):
    """Why the operation cannot be known."""


def explanation(fault: Fault, compile_again: Callable[[], Program]) -> str:
    """One line that says what ended the process."""
    ended = f"ended the process with {signal.Signals(fault.number).name} ({_cause(fault)})"
    try:
        location = _location(fault, compile_again)
        operations = _operations(Source(fault.name, fault.text))
        places = list(_places(location))
        if not places:
            raise _UnknownOperationError("it has no location")
    except _UnknownOperationError as error:
        return f"'{fault.entry_point}' {ended}; which operation did it is not known: {error}"
    place = next((place for place in places if place in operations), places[0])
    name = f"'{operations[place]}'" if place in operations else "the code for this place"
    return f"{place[0]}:{place[1]}:{place[2]}: {name} {ended}"


def _cause(fault: Fault) -> str:
    if fault.number == signal.SIGFPE:
        return "an integer division by zero, or one that overflows"
    if fault.number == signal.SIGILL:
        return "an instruction that this processor does not have, or the mark of code that must not be reached"
    if fault.number == signal.SIGABRT:
        return "abort"
    if fault.code == _NO_ADDRESS:
        return "an access to memory at an address that cannot be, or is not aligned"
    if fault.stack is not None and abs(fault.stack) < _NEAR_STACK:
        return "the stack is full"
    return f"an access to memory at {fault.address:#x}, which the program does not have"


def _location(fault: Fault, compile_again: Callable[[], Program]) -> ir.Location:
    """The location of the operation at the innermost frame of `fault` that is code of the program."""
    if not fault.frames:
        raise _UnknownOperationError("it is found on x86-64 only")
    locations: list[ir.Location] = []
    for contiguous, address in fault.functions.items():
        with watched_stages(lambda stage, module: None):  # What is watched is not taken from a cache.
            code = _code(fault, compile_again, contiguous)
        offsets = [frame - address + code.start for frame in fault.frames]
        # A return address is that of the instruction after the call.
        inside = [offset - (number > 0) for number, offset in enumerate(offsets) if 0 <= offset < len(code.code)]
        if inside:
            with watched_stages(lambda stage, module: _number_lines(stage, module, locations)):
                numbered = _code(fault, compile_again, contiguous)
            return _location_at(inside[0], code, numbered, locations)
    raise _UnknownOperationError("it was not in the code of the program, which may have overwritten other memory")


def _location_at(offset: int, code: CodeLines, numbered: CodeLines, locations: Sequence[ir.Location]) -> ir.Location:
    """The location of the instruction at `offset` in `code`, by the line numbers of `numbered`."""
    if numbered.code != code.code:
        raise _UnknownOperationError("with line numbers the program is compiled to other code")
    line = numbered.line(offset)
    if not 0 < line <= len(locations):
        raise _UnknownOperationError("the code there belongs to none; --runtime-checks may tell")
    return locations[line - 1]


def _code(fault: Fault, compile_again: Callable[[], Program], contiguous: bool) -> CodeLines:
    """The code of one version of the program."""
    engine = native_code(compile_again(), contiguous=contiguous).engine
    data = engine.object_code() if isinstance(engine, Engine) else None
    try:
        return CodeLines(data or b"", f"_mlir_{native_name(fault.entry_point)}")
    except UnsupportedObjectError as error:
        raise _UnknownOperationError(f"its code cannot be read ({error})") from None


def _number_lines(stage: str, module: ir.Module, locations: list[ir.Location]) -> None:
    """Replace the location of each operation by a line, which is its number in `locations`, from 1."""
    if stage != STAGES[-1]:
        return
    locations.clear()

    def number(op: ir.Operation) -> ir.WalkResult:
        locations.append(op.location)
        op.location = ir.Location.file("lines", len(locations), 1, context=module.context)
        return ir.WalkResult.ADVANCE

    module.operation.walk(number)
    run_pipeline(module, _ADD_LINES)


def _operations(source: Source) -> dict[Place, str]:
    """The name of the outermost operation at each place of the source."""
    found: dict[Place, str] = {}

    def note(op: ir.Operation) -> ir.WalkResult:
        for place in _places(op.location):
            found.setdefault(place, op.name)
        return ir.WalkResult.ADVANCE

    with parsed_program(source) as (module, *_):
        module.walk(note, ir.WalkOrder.PRE_ORDER)
    return found


def _places(location: ir.Location) -> Iterator[Place]:
    """The places in a location, innermost first."""
    if isinstance(location, ir.FileLineColLoc):
        yield location.filename, location.start_line, location.start_col
    elif isinstance(location, ir.NameLoc):
        yield from _places(location.child_loc)
    elif isinstance(location, ir.CallSiteLoc):
        yield from _places(location.callee)
        yield from _places(location.caller)
    elif isinstance(location, ir.FusedLoc):
        for part in location.locations:
            if isinstance(part, ir.Location):
                yield from _places(part)
