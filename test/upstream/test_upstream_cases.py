"""Each entry of docs/UPSTREAM.md is true: upstream is wrong, refuses, crashes or does not end, and we are right."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from upstream_cases import (
    FINDINGS,
    PAGE,
    UpstreamCase,
    crashes,
    legalized,
    never_ends,
    page,
    read_cases,
    upstream_results,
)

import mlir_inplace as mi
from mlir_inplace.checking.evaluator import evaluate

CASES = read_cases()


def of(finding: str) -> pytest.MarkDecorator:
    chosen = [case for case in CASES if case.finding == finding]
    return pytest.mark.parametrize("case", chosen, ids=[case.name for case in chosen])


def signless(arguments: list[Any]) -> list[Any]:
    """The arguments as programs in linalg take them."""
    return [one.view(np.int8) if getattr(one, "dtype", None) == np.uint8 else one for one in arguments]


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_we_are_right(case: UpstreamCase) -> None:
    pipeline = case.ours and f"builtin.module({case.ours})"
    found = mi.compile(case.text, pipeline=pipeline, opt_level=0).main(*signless(case.arguments))
    for one, other in zip(found if isinstance(found, tuple) else [found], case.right, strict=True):
        np.testing.assert_array_equal(one, other)


@of("wrong value")
def test_upstream_is_wrong(case: UpstreamCase) -> None:
    results = upstream_results(case)
    assert not all(np.array_equal(one, other) for one, other in zip(results, case.right, strict=True))


@of("wrong legalization")
def test_upstream_legalizes_wrong(case: UpstreamCase) -> None:
    module = legalized(case)
    with module.context:
        results = evaluate(module, "main", signless(case.arguments)).results
    assert not all(np.array_equal(one, other) for one, other in zip(results, case.right, strict=True))


@of("refusal")
def test_upstream_refuses(case: UpstreamCase) -> None:
    import oracle

    with pytest.raises(oracle.ir.MLIRError) as refused:
        oracle.run_passes(oracle.parse(case.text), case.passes)
    assert case.message in str(refused.value)


@of("crash")
def test_upstream_crashes(case: UpstreamCase) -> None:
    assert crashes(case)


@pytest.mark.full
@of("hang")
def test_upstream_does_not_end(case: UpstreamCase) -> None:
    assert never_ends(case)
    assert not never_ends(next(case for case in CASES if case.finding == "wrong value"))


def test_the_page_lists_them_all() -> None:
    assert PAGE.read_text() == page()
    assert {case.finding for case in CASES} == set(FINDINGS)
