"""inplace-remove-outs-dependency on random chains: values stay, nothing costs more, a second run changes nothing."""

from __future__ import annotations

import numpy as np
import pytest
from random_outs import RandomOuts, random_outs
from transformed import counts, transformed

import mlir_inplace as mi

REMOVE = "inplace-remove-outs-dependency"
EMPTY = "inplace-remove-outs-dependency{mode=empty}"


def check_values(program: RandomOuts, text: str) -> None:
    compiled = mi.compile(text, opt_level=0, memory_stats=True)
    given = [np.copy(argument) for argument in program.arguments]
    found = compiled.main(*given)
    for value, right in zip(found, program.results, strict=True):
        np.testing.assert_array_equal(value, right, text)
    for argument, before in zip(given, program.arguments, strict=True):
        np.testing.assert_array_equal(argument, before)
    assert compiled.memory_stats.leaked_bytes == 0


@pytest.mark.parametrize("seed", [*range(40), 116, 125, 419, 823])
def test_random_chains(seed: int) -> None:
    program = random_outs(seed)
    check_values(program, program.text)
    # What constants decide is simplified before, or else counts would differ by what is simplified afterwards.
    text = transformed(program.text, "canonicalize,cse")
    before = counts(text)
    for remove in (REMOVE, EMPTY):
        changed = transformed(text, remove)
        check_values(program, changed)
        assert transformed(changed, remove) == changed
        buffers, copies = counts(changed)
        assert copies <= before[1], changed
        if remove == REMOVE:
            assert buffers <= before[0], changed


def test_most_random_chains_have_false_dependences() -> None:
    texts = [random_outs(seed).text for seed in range(40)]
    assert sum(transformed(text, REMOVE) != transformed(text) for text in texts) > 20
