"""The C interface of a library: a function for each entry point, its parameters, and the numbers of its errors."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial

from ...dialects.support.frozen_classes import frozen
from ...passes.framework.contract import RETURNED
from ...passes.framework.errors import PassError
from ..interface.forms import Form, OutArgument
from ..interface.signature import Parameter, Signature, ValueType
from .c_types import c_identifier

__all__ = [
    "DEEP_RECURSION",
    "NO_KEYS",
    "OUT_OF_MEMORY",
    "UNSUPPORTED_CPU",
    "CFunction",
    "CResult",
    "Checks",
    "Errors",
    "c_functions",
]

_RESERVED = frozenset(
    {"message", "cpu", "refused_bytes", "release_memory", "use_mpi", "set_mpi", "mpi_code", "part_size", "part_start"}
)
"""What functions of each library are called, after the prefix."""


UNSUPPORTED_CPU, OUT_OF_MEMORY, DEEP_RECURSION, NO_KEYS = range(1, 5)
"""The numbers of errors that any function may end with."""


class Errors:
    """The texts of all errors of a library; the number of one is its position, 0 that of success."""

    def __init__(self) -> None:
        self.texts = [
            "success",
            "this processor lacks instructions that the library was compiled for",
            "the program asked for memory, and the system refused it",
            "the program calls itself too often: the stack of this thread is full",
            "the system has no more keys for threads",
        ]
        self.names = ["OK", "UNSUPPORTED_CPU", "OUT_OF_MEMORY", "DEEP_RECURSION", "NO_THREAD_KEYS"]
        self._numbers: dict[str, int] = {}

    def add(self, name: str, text: str) -> int:
        """The number of a text, new if it is."""
        if text not in self._numbers:
            number = self._numbers[text] = len(self.texts)
            self.texts.append(text)
            spelled = c_identifier(name).upper()
            self.names.append(spelled if spelled not in self.names else f"{spelled}_{number}")
        return self._numbers[text]


@frozen
class Checks:
    """The numbers of what may be wrong with an array."""

    sizes: int
    strides: int
    memory: int


@frozen
class CResult:
    """A result that has a parameter; `out`: what is known of the caller's memory for it, None if it is returned."""

    number: int
    name: str
    type: ValueType
    out: OutArgument | None
    checks: Checks


@frozen
class CFunction:
    """A function of the C interface.

    Attributes:
        name: its name in C.
        signature: the entry point with all its arguments.
        held: the arguments that the library has itself, which are no parameters.
        checks: of each parameter, None for a scalar.
        results: those with a parameter of their own; others are in arguments, by `result_places`.
        size_checks: the numbers of the errors of a dispatch function.
    """

    name: str
    signature: Signature
    held: frozenset[int]
    checks: tuple[Checks | None, ...]
    results: tuple[CResult, ...]
    result_places: tuple[int, ...]
    size_checks: tuple[int, ...] = ()
    parameter_names: tuple[str, ...] = ()

    def run_symbol(self, *, contiguous: bool) -> str:
        """The symbol of what runs the entry point on a table, for contiguous arrays or for any strides."""
        return f"{self.name}.{'contiguous' if contiguous else 'strided'}"

    @property
    def parameters(self) -> list[tuple[str, Parameter]]:
        """The parameters that callers give, with their names in C."""
        named = zip(self.parameter_names, self.signature.parameters, strict=True)
        return [(name, parameter) for name, parameter in named if parameter.index not in self.held]


def c_functions(
    signatures: Mapping[str, Signature],
    forms: Mapping[str, Form],
    held: Mapping[str, Sequence[int]],
    prefix: str,
    errors: Errors,
    whole_of: Callable[[str, int], str],
) -> list[CFunction]:
    """The C functions of entry points whose native code has `forms`.

    `whole_of` is the type that an argument is a shard of, by the entry point and its number; nothing if it is none.
    Raises `PassError` if two of them would have one name.
    """
    functions: list[CFunction] = []
    owners: dict[str, str] = {}
    for name, signature in signatures.items():
        short = c_identifier(name)
        if short in _RESERVED:
            short += "_"
        if short in owners:
            raise PassError(f"'{name}' and '{owners[short]}' would both be '{prefix}_{short}' in C; rename one of them")
        owners[short] = name
        builder = _Builder(short, signature, forms[name], errors, partial(whole_of, name))
        functions.append(builder.function(f"{prefix}_{short}", frozenset(held.get(name, ()))))
    return functions


class _Builder:
    """Builds one `CFunction`."""

    def __init__(
        self, short: str, signature: Signature, form: Form, errors: Errors, whole_of: Callable[[int], str]
    ) -> None:
        self._short = short
        self._whole_of = whole_of
        self._signature = signature
        self._form = form
        self._errors = errors
        self._parameters = [_c_name(name) for name in signature.names]

    def function(self, name: str, held: frozenset[int]) -> CFunction:
        signature = self._signature
        checks = tuple(
            self._checks(c_name, parameter.label, parameter.type, self._whole_of(parameter.index))
            if parameter.type.is_array
            else None
            for c_name, parameter in zip(self._parameters, signature.parameters, strict=True)
        )
        results = self._results()
        pairs = enumerate(signature.size_checks or ())
        size_checks = tuple(self._size_check(number, *pair) for number, pair in pairs)
        return CFunction(
            name,
            signature,
            held,
            checks,
            results,
            self._form.results,
            size_checks,
            tuple(self._parameters),
        )

    def _results(self) -> tuple[CResult, ...]:
        count, found = len(self._signature.parameters), list[CResult]()
        taken = set(self._parameters)
        for number, (type_, place) in enumerate(zip(self._signature.results, self._form.results, strict=True)):
            if RETURNED != place < count:
                continue
            out = None if place == RETURNED else self._form.outs[place - count]
            name = "result" if len(self._signature.results) == 1 else f"result{number}"
            while name in taken:
                name += "_"
            label = f"result {number}" if len(self._signature.results) > 1 else "result"
            checks = self._checks(name, label, type_) if out else Checks(0, 0, self._memory_error(name, label))
            found.append(CResult(number, name, type_, out, checks))
        return tuple(found)

    def _checks(self, c_name: str, label: str, type_: ValueType, whole: str = "") -> Checks:
        shard = f", this rank's shard of {whole}" if whole else ""
        start, what = f"{self._short}_{c_name}", f"{self._signature.name}: {label}"
        return Checks(
            self._errors.add(
                f"{start}_sizes", f"{what}: expected sizes {type_.shape_text} for {type_.spelling}{shard}"
            ),
            self._errors.add(f"{start}_strides", f"{what}: its strides are none that the code was compiled for"),
            self._memory_error(c_name, label),
        )

    def _memory_error(self, c_name: str, label: str) -> int:
        text = f"{self._signature.name}: {label}: its memory is missing or not aligned"
        return self._errors.add(f"{self._short}_{c_name}_memory", text)

    def _size_check(self, number: int, argument: int, dimension: int) -> int:
        label = self._signature.parameters[argument].label
        what = f"dimension {dimension} of it" if dimension >= 0 else "it"
        text = f"{self._signature.name}: {label}: {what} does not have the size that the program says"
        return self._errors.add(f"{self._short}_size_check_{number}", f"{text} (check {number})")


def _c_name(name: str) -> str:
    """A Python name as the name of a parameter in C and C++."""
    found = c_identifier(name)
    return f"{found}_" if found in _KEYWORDS or found[0].isdigit() else found


_KEYWORDS = frozenset(
    re.findall(
        r"\w+",
        """
        alignas alignof and and_eq asm auto bitand bitor bool break case catch char char8_t char16_t char32_t class
        compl complex concept const consteval constexpr constinit const_cast continue co_await co_return co_yield
        decltype default delete do double dynamic_cast else enum explicit export extern false float for friend goto if
        imaginary inline int long mutable namespace new noexcept not not_eq nullptr operator or or_eq private protected
        public register reinterpret_cast requires restrict return short signed sizeof static static_assert static_cast
        struct switch template this thread_local throw true try typedef typeid typename typeof union unsigned using
        virtual void volatile wchar_t while xor xor_eq
        """,
    )
)
"""Words of C and C++ that are no names."""
