"""Each program through our route and through upstream's, executed: same values, never more allocations or copies.

The programs are data, in `programs/`; `oracle.py` is the other route.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import oracle
import pytest
import upstream_counts
from fast_run import sample
from mlir import ir
from programs import PROGRAMS
from programs.program import Program, arguments

import mlir_inplace as mi

OURS = "inplace-one-shot-bufferize{bufferize-function-boundaries=true}"

GARBAGE = 113


EXECUTED = sample(PROGRAMS)
"""What the JIT runs. The evaluator runs all: `test_evaluator_suite.py`."""


def of(
    condition: Callable[[Program], Any] = lambda program: True, programs: Sequence[Program] = PROGRAMS
) -> pytest.MarkDecorator:
    """A test for each program that meets the condition."""
    chosen = [program for program in programs if condition(program)]
    return pytest.mark.parametrize("program", chosen, ids=[program.name for program in chosen])


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


@of(programs=EXECUTED)
def test_execution(program: Program) -> None:
    """The values are NumPy's and upstream's; arguments are kept, nothing leaks and nothing is freed twice.

    One compiled program does it all: its counting allocator also overwrites memory before it is freed.
    """
    compiled = mi.compile(program.text, opt_level=0, memory_stats=True)
    for run in program.runs:
        given = arguments(run)
        results = call(compiled, given)
        assert_same(given, arguments(run))
        if program.numpy:
            assert_same(results, expected(program, given), program.rtol)
        if not (program.oracle_wrong or program.oracle_cannot):
            reference = oracle.execute(program.text, given)
            assert_same(results, reference)
            assert_same_types(results, reference)
        kept = [np.copy(result) for result in results]
        spoil(results)
        assert_same(call(compiled, given), kept)
        if program.numpy and any(isinstance(value, str) for value in run):
            given = [strided(value) for value in arguments(run)]
            assert_same(call(compiled, given), kept)
            assert_same(given, arguments(run))


def call(compiled: mi.Program, given: list[Any]) -> list[Any]:
    """The results of @main as a list; whatever the call allocated, and no result owns, it has freed, once."""
    results = compiled.main(*given)
    stats = compiled.memory_stats
    assert stats.leaked_bytes == 0, stats
    assert stats.allocations - stats.frees == stats.result_allocations, stats
    return list(results) if isinstance(results, tuple) else [results]


def is_never_more(ours: oracle.Counts, runs: list[oracle.Counts]) -> bool:
    """Whether no run of upstream's has less of anything."""
    numbers = dataclasses.astuple(ours)
    return all(number <= other for run in runs for number, other in zip(numbers, dataclasses.astuple(run), strict=True))


@of(lambda program: not (program.oracle_wrong or program.upstream_wrong))
def test_never_more_allocations_or_copies(program: Program) -> None:
    """No run of upstream's has fewer allocations, or fewer copies: neither in the whole program nor inside of loops.

    The runs are upstream's three heuristics and its fuzzer with several seeds. Each of the four numbers is compared
    with the smallest of all runs, even where no single run reaches them all at once. Nothing is compared if upstream
    takes the program in no way. `fewer` means that the sum of allocations and copies is below that of every run.
    """
    module = bufferized(program)
    ours, runs = oracle.count_memory_ops(module), upstream_counts.runs(program)
    assert runs or program.upstream_refuses
    assert is_never_more(ours, runs), f"{ours}, {runs}\n{module}"
    if program.fewer:
        assert runs
        assert all(ours.total < run.total for run in runs), f"{ours}, {runs}\n{module}"


@of(lambda program: program.upstream_wrong)
def test_upstream_has_fewer(program: Program) -> None:
    """The programs that are not compared, each for a reason that it states, are those where upstream has less."""
    assert not is_never_more(oracle.count_memory_ops(bufferized(program)), upstream_counts.runs(program))


@of(upstream_counts.is_asked_for, sample(PROGRAMS, least=20))
def test_upstream_is_on_record(program: Program) -> None:
    """Run `upstream_counts.py` for new programs and for new bindings."""
    known = upstream_counts.record()[upstream_counts.digest(program)]
    assert [oracle.Counts(*numbers) for numbers in known] == upstream_counts.upstream_counts(program)


@of(programs=sample(PROGRAMS, least=200))
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
        oracle.bufferized(program.text, oracle.DEFAULT)


def test_names_are_unique() -> None:
    names = [program.name for program in PROGRAMS]
    assert sorted(set(names)) == sorted(names)


def test_the_suite_is_as_large_as_it_is_said_to_be() -> None:
    """At least 400 programs, with fewer allocations and copies than any run of upstream's on at least 80 of them."""
    assert len(PROGRAMS) >= 400
    assert sum(program.fewer for program in PROGRAMS) >= 80
