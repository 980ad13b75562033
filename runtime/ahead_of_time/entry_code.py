"""The code of a C function: it checks the arguments, fills a frame for native code, calls it, and gives the results.

Native code takes the address of a table of pointers, one to each word of each argument (`native/engine.py`). The frame,
which is on the stack, holds the words, the values that native code returns, and the table.
"""

from __future__ import annotations

import struct
from functools import partial

from ...dialects.support.frozen_classes import frozen
from ...passes.framework.contract import MESSAGE_TABLE
from ..call.plan import returned_codes
from ..call.results import CONSTANT_MARK
from ..interface.forms import Form
from ..interface.signature import ValueType
from ..native.shorthand import expand
from .array_checks import ArrayWords, checked_array, held_array, out_layout
from .c_types import llvm_parts
from .interface import CFunction, Checks, CResult
from .lines import WORD, Lines
from .message_code import TABLE_KIND, Messages, require_communicator, require_shard_sizes

__all__ = ["NativeEntry", "entry_function", "held_symbol"]


@frozen
class NativeEntry:
    """The native code of an entry point.

    Attributes:
        form: its signature.
        call: the function that runs it on a table, and returns why the call was given up, or 0.
        error: the function that makes the number of an error of that.
        owns_results: whether the caller frees what it returns.
        otherwise: the C function for arguments whose strides `form` does not allow; None if there is none.
        messages: what the library needs of MPI, if it sends messages.
    """

    form: Form
    call: str
    error: str
    owns_results: bool
    otherwise: str | None = None
    messages: Messages | None = None


def held_symbol(function: CFunction, index: int) -> str:
    """The symbol of an array that the library holds: the argument number `index`."""
    return f"{function.name}.held.{index}"


def entry_function(name: str, function: CFunction, entry: NativeEntry, *, external: bool) -> str:
    """The definition of the C function `function` with the symbol `name`, for native code `entry`."""
    return _Entry(function, entry).definition(name, external=external)


class _Entry:
    def __init__(self, function: CFunction, entry: NativeEntry) -> None:
        self._function = function
        self._entry = entry
        self._lines = Lines()
        self._stored: list[str] = []
        """What the first words of the frame hold; an empty text is a word that is stored otherwise."""
        self._table: list[int] = []
        """The word of the frame that each pointer of the table leads to."""
        self._scalars: list[tuple[int, str, ValueType]] = []
        self._given: list[str] = []
        """The addresses of all arrays."""
        kinds = [(f"p{one.index}", _parameter_type(one.type)) for _, one in function.parameters]
        self._parameters = [*kinds, *((f"r{number}", "i64") for number in range(len(function.results)))]

    def definition(self, name: str, *, external: bool) -> str:
        self._read_arguments()
        codes = returned_codes(self._function.signature, self._entry.form)
        start = -(-len(self._stored) // 2) * 2  # A multiple of 16 bytes, as in frames of calls from Python.
        self._table += [start] if codes else []
        self._fill_frame(start + -(-struct.calcsize("@" + "".join(codes)) // WORD))
        self._lines.add(f"failure = {self._entry.call}(table)")
        self._lines.branch("failure == 0", no="failed")
        if self._function.signature.size_checks is None:
            self._give_results(codes, start)
        else:
            self._report_size(start)
        self._lines.add("jump ^end(0)", "^failed:", f"error = {self._entry.error}(failure)", "jump ^end(error)", *_END)
        called = {self._entry.call: "p w", self._entry.error: "w w", MESSAGE_TABLE: TABLE_KIND}
        body = expand(str(self._lines), {}, called)
        listed = ", ".join(f"%{name}: {type_}" for name, type_ in self._parameters)
        return f"llvm.func {'' if external else 'internal '}@{name}({listed}) -> i32 {{\n{body}\n}}"

    def _read_arguments(self) -> None:
        """Check the arguments in their order, then the memory for results, and describe all arrays in the frame."""
        function, form, messages = self._function, self._entry.form, self._entry.messages
        if messages is not None:
            require_communicator(self._lines, messages)
        arguments = zip(function.signature.parameters, form.layouts, function.checks, strict=True)
        for parameter, layout, checks in arguments:
            base, type_ = f"p{parameter.index}", parameter.type
            if layout is None or checks is None:
                self._table.append(len(self._stored))
                self._scalars.append((len(self._stored), base, type_))
                self._stored += [""] * -(-struct.calcsize(type_.element.code) // WORD)
            elif parameter.index in function.held:
                address = self._lines.address_of(held_symbol(function, parameter.index))
                self._describe(held_array(address, type_, layout))
            else:
                self._describe(checked_array(self._lines, base, type_, layout, checks, partial(self._mismatch, checks)))
                shard = messages and messages.parameter(function.signature.name, parameter.index)
                if messages and shard:
                    require_shard_sizes(self._lines, messages, base, shard, checks.sizes)
        for number, result in enumerate(function.results):
            base, checks = f"r{number}", result.checks
            if result.out is None:
                self._lines.refuse(f"{base} == 0", checks.memory)
                continue
            layout, mismatch = out_layout(result.out, result.type), partial(self._mismatch, checks)
            self._describe(checked_array(self._lines, base, result.type, layout, checks, mismatch))

    def _describe(self, array: ArrayWords) -> None:
        place = len(self._stored)
        self._stored += [array.address, array.offset, *array.sizes, *array.strides]
        self._table += [place, *range(place, len(self._stored))]  # The allocated pointer is the aligned one.
        self._given.append(array.address)

    def _mismatch(self, checks: Checks) -> None:
        """Go on with the code for other strides, if there is some."""
        if self._entry.otherwise is None:
            self._lines.add(f"jump ^end({checks.strides})")
            return
        names = ", ".join(f"%{name}" for name, _ in self._parameters)
        types = ", ".join(type_ for _, type_ in self._parameters)
        found = f"%{self._lines.new_name()}"
        self._lines.add(
            f"{found} = llvm.call @{self._entry.otherwise}({names}) : ({types}) -> i32", f"llvm.return {found} : i32"
        )

    def _fill_frame(self, words: int) -> None:
        """Make a frame of `words` words and the table, and store all but what native code returns."""
        lines = self._lines
        lines.add(
            f"%frame_p = llvm.alloca %k{words + max(len(self._table), 1)} x i64 {{alignment = 16 : i64}} : "
            "(i64) -> !llvm.ptr",
            "%frame = llvm.ptrtoint %frame_p : !llvm.ptr to i64",
            f"table = frame + {words * WORD}",
        )
        lines.add(*(f"frame[{place * WORD}] := {value}" for place, value in enumerate(self._stored) if value))
        for place, base, type_ in self._scalars:
            self._store_scalar(place, base, type_)
        for number, place in enumerate(self._table):
            name = lines.new_name()
            lines.add(f"{name} = frame + {place * WORD}", f"frame[{(words + number) * WORD}] := {name}")

    def _store_scalar(self, place: int, base: str, type_: ValueType) -> None:
        (first, *rest), lines = llvm_parts(type_.element), self._lines
        if not rest:
            lines.add(f"v_{base} = frame + {place * WORD}")
            lines.add(f"llvm.store %{base}, {lines.pointer(f'v_{base}')} : {first}, !llvm.ptr")
            return
        lines.add(f"v_{base} = frame + {place * WORD}")
        self._copy_parts((first, *rest), base, f"v_{base}")

    def _copy_parts(self, parts: tuple[str, ...], source: str, target: str) -> None:
        """Copy the parts of a scalar from one address to another."""
        lines, at = self._lines, 0
        for part in parts:
            addresses = [lines.new_name(), lines.new_name()]
            lines.add(*(f"{one} = {base} + {at}" for one, base in zip(addresses, (source, target), strict=True)))
            load, store = map(lines.pointer, addresses)
            value = f"%{lines.new_name()}"
            lines.add(f"{value} = llvm.load {load} : !llvm.ptr -> {part}")
            lines.add(f"llvm.store {value}, {store} : {part}, !llvm.ptr")
            at += struct.calcsize(_CODES[part])

    def _report_size(self, start: int) -> None:
        """End with the error of the check of a dispatch function that failed, whose number it returns, from 1 on."""
        self._lines.add(f"failed = frame[{start * WORD}]")
        for number, error in enumerate(self._function.size_checks, start=1):
            self._lines.refuse(f"failed == {number}", error)

    def _give_results(self, codes: list[str], start: int) -> None:
        """Give what was returned to the caller; other results are where they belong."""
        returned: list[str] = []
        results = zip(((n, one) for n, one in enumerate(self._function.results) if one.out is None), codes, strict=True)
        for position, ((number, result), code) in enumerate(results):
            layout = "@" + "".join(codes[:position])
            place = start * WORD + struct.calcsize(f"{layout}0{code[0]}")
            if result.type.is_array:
                returned.append(self._give_array(f"r{number}", result, place, returned))
            else:
                name = self._lines.new_name()
                self._lines.add(f"{name} = frame + {place}")
                self._copy_parts(llvm_parts(result.type.element), name, f"r{number}")

    def _give_array(self, base: str, result: CResult, place: int, earlier: list[str]) -> str:
        """Fill the struct of a returned array; returns the variable with what was allocated for it.

        It is the caller's to free unless it is another array's, or a constant.
        """
        lines, rank = self._lines, len(result.type.shape)
        allocated, aligned, offset = (f"{base}_{name}" for name in ("allocated", "aligned", "offset"))
        for number, name in enumerate((allocated, aligned, offset)):
            lines.add(f"{name} = frame[{place + number * WORD}]")
        lines.add(f"{base}_bytes = {offset} * {result.type.element.dtype.itemsize}")
        lines.add(f"{base}_first = {aligned} + {base}_bytes", f"{base}[0] := {base}_first")
        for word in range(2 * rank):
            name = lines.new_name()
            lines.add(f"{name} = frame[{place + (3 + word) * WORD}]", f"{base}[{(1 + word) * WORD}] := {name}")
        owned, mine = lines.new_name(), lines.new_name()
        for other in (*self._given, *earlier, *(() if self._entry.owns_results else (str(CONSTANT_MARK),))):
            lines.branch(f"{allocated} == {other}", yes=f"{owned}(0)")
        lines.add(f"jump ^{owned}({allocated})", f"^{owned}({mine}):", f"{base}[{(1 + 2 * rank) * WORD}] := {mine}")
        return allocated


_END = ("^end(code):", "%status = llvm.trunc %code : i64 to i32", "llvm.return %status : i32")
_CODES = {"f32": "f", "f64": "d", "i8": "b", "i16": "h", "i32": "i", "i64": "q"}


def _parameter_type(type_: ValueType) -> str:
    """The type of a parameter in LLVM: an address, as a word, or a scalar."""
    first, *more = llvm_parts(type_.element)
    return "i64" if type_.is_array or more else first
