"""The outcome of a call, and comparison with the expected one."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...runtime.compilation.program import Program
from ...runtime.interface.signature import BoundaryKind as ValueKind
from ...runtime.interface.signature import Signature
from ...runtime.memory.statistics import MemoryStats
from .report import DifferenceKind

Array = np.ndarray[Any, Any]

FILLS = (0xA5, 0x3C)
"""The fill of new memory in the two runs of a reference. Elements that differ depend on uninitialized memory."""
_GARBAGE = 113
_GUARD = 512


@dataclass(frozen=True)
class Outcome:
    """The outcome of a call of the checked program: results, arguments after it, results of the next call, memory."""

    results: tuple[Array, ...]
    arguments: tuple[Any, ...]
    repeated: tuple[Array, ...]
    stats: MemoryStats


@dataclass(frozen=True)
class Expected:
    """The outcome of a reference. A mask is true for defined elements, which depend on no uninitialized memory."""

    results: tuple[Array, ...]
    arguments: tuple[Any, ...]
    result_masks: tuple[Array, ...]
    argument_masks: tuple[Array, ...]


@dataclass(frozen=True)
class CheckFinding:
    """One difference, as a sentence; `argument` is the number of the argument, if it is about one."""

    kind: DifferenceKind
    message: str
    argument: int | None = None


def run_checked(program: Program, name: str, arguments: Sequence[Any], *, once: bool = False) -> Outcome:
    """Call a program twice (or `once`), overwriting the results of the first call in between."""
    signature = program[name].signature
    given = copy.deepcopy(tuple(arguments))
    returned = _returned(signature, program[name](*given))
    stats = program.memory_stats
    results, after = copy.deepcopy((returned, given))
    if once:
        return Outcome(results, after, results, stats)
    for array in returned:
        if array.flags.writeable:
            array[...] = np.array(_GARBAGE).astype(array.dtype)
    repeated = _returned(signature, program[name](*copy.deepcopy(tuple(arguments))))
    return Outcome(results, after, copy.deepcopy(repeated), stats)


Given = tuple[tuple[Array, ...], tuple[Any, ...]]
"""Results, and arguments after the call."""


def run_filled(program: Program, name: str, arguments: Sequence[Any], fill: int) -> Given:
    """Call a reference with new memory, and memory around the arguments, filled with the byte `fill`."""
    program.fill_memory_with(fill)
    given = tuple(_guarded(value, fill) if isinstance(value, np.ndarray) else value for value in arguments)
    return copy.deepcopy((_returned(program[name].signature, program[name](*given)), given))


def _guarded(array: Array, fill: int) -> Array:
    """A copy between guard bytes, which differ between calls, so that reading them shows."""
    block = np.full(array.nbytes + 2 * _GUARD, fill, np.uint8)
    copied = np.ndarray(array.shape, array.dtype, block.data, _GUARD)
    copied[...] = array
    return copied


def expected(first: Given, other: Given) -> Expected:
    """The elements on which two calls with different fills agree."""
    return Expected(*first, _masks(first[0], other[0]), _masks(first[1], other[1]))


def _returned(signature: Signature, result: Any) -> tuple[Array, ...]:
    """The results of a call as arrays; scalars as arrays of rank 0."""
    several = result if len(signature.results) != 1 else (result,)
    pairs = zip(signature.results, several or (), strict=True)
    return tuple(np.asarray(value, type_.element.dtype) for type_, value in pairs)


def _masks(first: Sequence[Any], second: Sequence[Any]) -> tuple[Array, ...]:
    pairs = ((np.asarray(one), np.asarray(other)) for one, other in zip(first, second, strict=True))
    return tuple(
        equal_elements(one, other) if one.shape == other.shape else np.zeros(one.shape, bool) for one, other in pairs
    )


def compare(
    signature: Signature, given: Sequence[Any], found: Outcome, wanted: Expected, tolerance: float
) -> CheckFinding | None:
    """The first difference in results, arguments, results of a second call, and memory."""
    for kind, results in ((DifferenceKind.RESULT, found.results), (DifferenceKind.REPEATED, found.repeated)):
        for number, (array, right, mask) in enumerate(zip(results, wanted.results, wanted.result_masks, strict=True)):
            what = f"result {number}" + (" of a second call" if kind is DifferenceKind.REPEATED else "")
            if message := differs(array, right, mask, tolerance):
                return CheckFinding(kind, f"{what} {message}")
        if kind is DifferenceKind.RESULT and (
            finding := _compare_arguments(signature, given, found, wanted, tolerance)
        ):
            return finding
    return _compare_memory(found.stats)


def _compare_arguments(
    signature: Signature, given: Sequence[Any], found: Outcome, wanted: Expected, tolerance: float
) -> CheckFinding | None:
    for parameter in signature.parameters:
        if not parameter.type.is_array:
            continue
        after = np.asarray(found.arguments[parameter.index])
        if not parameter.writable:
            before = np.asarray(given[parameter.index])
            if message := differs(after, before, np.ones(before.shape, bool), 0.0):
                return CheckFinding(
                    DifferenceKind.ARGUMENT, f"{parameter.label} must not change, but it {message}", parameter.index
                )
        elif parameter.binding or parameter.type.kind is ValueKind.MEMREF:
            right, mask = wanted.arguments[parameter.index], wanted.argument_masks[parameter.index]
            if message := differs(after, np.asarray(right), mask, tolerance):
                return CheckFinding(
                    DifferenceKind.ARGUMENT, f"{parameter.label}, which the call writes, {message}", parameter.index
                )
    return None


def _compare_memory(stats: MemoryStats) -> CheckFinding | None:
    if stats.bad_frees:
        times = "once" if stats.bad_frees == 1 else f"{stats.bad_frees} times"
        return CheckFinding(DifferenceKind.BAD_FREE, f"memory that is no living allocation is freed {times} ({stats})")
    kept = stats.allocations - stats.frees - stats.result_allocations
    if stats.leaked_bytes < 0 or kept < 0:
        return CheckFinding(DifferenceKind.BAD_FREE, f"memory that a result owns is freed ({stats})")
    if stats.leaked_bytes or kept:
        buffers = "1 buffer" if kept == 1 else f"{kept} buffers"
        return CheckFinding(DifferenceKind.LEAK, f"{buffers} of {stats.leaked_bytes} bytes leaked ({stats})")
    return None


def differs(found: Array, wanted: Array, mask: Array, tolerance: float) -> str:
    """The difference of `found` from `wanted` where `mask` is true, in words; empty if there is none.

    Elements are equal if their bits are, or both are NaN, or the difference is at most `tolerance`, relative to the
    largest finite magnitude that was expected but at least to 1.
    """
    if found.shape != wanted.shape:
        return f"has shape {found.shape} where {wanted.shape} is right"
    wrong = mask & ~(equal_elements(found, wanted) | _close(found, wanted, tolerance))
    if not wrong.any():
        return ""
    place = tuple(int(index) for index in np.argwhere(wrong)[0])
    at = f" at [{', '.join(map(str, place))}]" if place else ""
    many = f" ({int(wrong.sum())} of {wrong.size} elements are wrong)" if place else ""
    return f"is {found[place]!s} where {wanted[place]!s} is right{at}{many}"


def equal_elements(one: Array, other: Array) -> Array:
    """Where two arrays have the same bits, or both NaN."""
    if one.dtype != other.dtype:
        return np.zeros(one.shape, bool)
    if one.dtype.kind == "c":
        return equal_elements(one.real, other.real) & equal_elements(one.imag, other.imag)
    if _is_integer(one.dtype):
        return one == other
    bits = np.dtype(f"u{one.dtype.itemsize}")
    same = np.ascontiguousarray(one).view(bits) == np.ascontiguousarray(other).view(bits)
    return same.reshape(one.shape) | (np.isnan(one) & np.isnan(other))


def _is_integer(dtype: np.dtype[Any]) -> bool:
    """Whether a type is of integers or booleans, those of `ml_dtypes` included, which are of no kind."""
    return dtype.kind in "biu" or "int" in dtype.name


def _close(found: Array, wanted: Array, tolerance: float) -> Array:
    if not tolerance or _is_integer(wanted.dtype) or not wanted.size:
        return np.zeros(wanted.shape, bool)
    wide = np.complex128 if wanted.dtype.kind == "c" else np.float64
    a, b = found.astype(wide), wanted.astype(wide)
    finite = np.abs(b[np.isfinite(b)])
    with np.errstate(invalid="ignore"):
        return np.abs(a - b) <= tolerance * max(1.0, float(finite.max(initial=0.0)))
