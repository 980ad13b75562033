"""Each program through our route and through upstream's, executed: same values, never more allocations or copies.

The programs are data, in `programs/`; `oracle.py` is the other route.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import oracle
import pytest
from mlir import ir
from programs import PROGRAMS
from programs.program import Program, arguments

import mlir_inplace as mi

OURS = "inplace-one-shot-bufferize{bufferize-function-boundaries=true}"

GARBAGE = 113


def of(condition: Callable[[Program], Any] = lambda program: True) -> pytest.MarkDecorator:
    """A test for each program that meets the condition."""
    chosen = [program for program in PROGRAMS if condition(program)]
    return pytest.mark.parametrize("program", chosen, ids=[program.name for program in chosen])


def call(compiled: mi.Program, given: list[Any]) -> list[Any]:
    """The results of @main as a list."""
    results = compiled.main(*given)
    return list(results) if isinstance(results, tuple) else [results]


def expected(program: Program, given: list[Any]) -> list[Any]:
    """What NumPy says, on arguments of its own."""
    results = program.numpy(*(np.copy(value) if isinstance(value, np.ndarray) else value for value in given))
    return list(results) if isinstance(results, tuple) else [results]


def assert_same(found: list[Any], wanted: list[Any], rtol: float = 0.0) -> None:
    """Equal in number, shape and every element, exactly unless there is a relative error to allow."""
    assert len(found) == len(wanted)
    for one, other in zip(found, wanted, strict=True):
        assert np.shape(one) == np.shape(other)
        if rtol:
            np.testing.assert_allclose(one, other, rtol, atol=rtol)
        else:
            np.testing.assert_array_equal(one, other)


def assert_same_types(found: list[Any], wanted: list[np.ndarray[Any, Any]]) -> None:
    """The element types are those that the program declares. A scalar comes as a Python number."""
    for one, other in zip(found, wanted, strict=True):
        assert not isinstance(one, np.ndarray) or one.dtype == other.dtype


def spoil(results: list[Any]) -> None:
    """Overwrites what a caller owns. A result must not be memory that a later call reads."""
    for result in results:
        if isinstance(result, np.ndarray) and result.flags.writeable:
            result[...] = np.array(GARBAGE).astype(result.dtype)


def strided(value: Any) -> Any:
    """The same elements, in memory that runs backwards and skips over garbage."""
    if not isinstance(value, np.ndarray) or value.ndim == 0:
        return value
    wide = np.full([2 * size for size in value.shape], np.array(GARBAGE).astype(value.dtype))
    view = wide[tuple(slice(1, None, 2) for _ in value.shape)][::-1]
    view[...] = value
    return view


@of()
def test_values(program: Program) -> None:
    compiled = mi.compile(program.text, opt_level=0)
    for run in program.runs:
        given = arguments(run)
        results = call(compiled, given)
        assert_same(given, arguments(run))
        if program.numpy:
            assert_same(results, expected(program, given), program.rtol)
        if not program.oracle_wrong:
            reference = oracle.execute(program.text, given)
            assert_same(results, reference)
            assert_same_types(results, reference)
        kept = [np.copy(result) for result in results]
        spoil(results)
        assert_same(call(compiled, given), kept)


@of(lambda program: program.numpy and any(isinstance(value, str) for value in program.runs[0]))
def test_values_of_strided_arguments(program: Program) -> None:
    compiled = mi.compile(program.text, opt_level=0)
    for run in program.runs:
        given = [strided(value) for value in arguments(run)]
        assert_same(call(compiled, given), expected(program, arguments(run)), program.rtol)
        assert_same(given, arguments(run))


@of()
def test_nothing_leaks(program: Program) -> None:
    compiled = mi.compile(program.text, opt_level=0, memory_stats=True)
    for run in program.runs:
        compiled.main(*arguments(run))
        stats = compiled.memory_stats
        assert stats.leaked_bytes == 0, stats
        assert stats.allocations - stats.frees == stats.result_allocations, stats


@of(lambda program: not (program.upstream_refuses or program.oracle_wrong or program.upstream_wrong))
def test_never_more_allocations_or_copies(program: Program) -> None:
    module = bufferized(program)
    allocations, copies = oracle.count_memory_ops(module)
    most_allocations, most_copies = oracle.upstream_counts(program.text)
    assert allocations <= most_allocations, str(module)
    assert copies <= most_copies, str(module)
    if program.fewer:
        assert allocations + copies < most_allocations + most_copies, str(module)


@of()
def test_no_tensor_is_left(program: Program) -> None:
    module = bufferized(program)
    oracle.run_passes(module, oracle.CLEAN_UP)
    left = [
        str(op)
        for op in oracle.operations(module)
        for value in (*op.operands, *op.results)
        if isinstance(value.type, ir.RankedTensorType | ir.UnrankedTensorType)
    ]
    assert not left


def bufferized(program: Program) -> ir.Module:
    """The program on memrefs, by our pass."""
    module = oracle.parse(program.text)
    with oracle.context():
        mi.run_pipeline(module, f"builtin.module({OURS})")
    return module


@of(lambda program: program.upstream_refuses)
def test_upstream_refuses(program: Program) -> None:
    with pytest.raises(oracle.Refused, match=program.upstream_refuses):
        oracle.upstream_counts(program.text)


def test_names_are_unique() -> None:
    names = [program.name for program in PROGRAMS]
    assert sorted(set(names)) == sorted(names)
