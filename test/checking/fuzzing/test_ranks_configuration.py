"""The configuration of `inplace-fuzz` that splits programs over ranks: it finds nothing, unless something is wrong."""

from __future__ import annotations

import re

import pytest
from fast_run import sample

from mlir_inplace.checking.fuzzing import SEARCH_CONFIGURATIONS, Campaign, Finding, FindingKind
from mlir_inplace.passes.message_passing import overlap_messages
from mlir_inplace.passes.sharding.rewriting.partitioner import Partitioner

RANKS = tuple(one for one in SEARCH_CONFIGURATIONS if one.ranks)


def failures(seed: int) -> list[Finding]:
    return [one for one in Campaign([seed], RANKS).attempt(seed).findings if one.kind.is_failure]


@pytest.mark.parametrize("seed", sample(range(40, 60)))
def test_what_ranks_compute_is_what_the_program_computes(seed: int) -> None:
    assert not failures(seed)


def test_a_sum_over_ranks_that_is_left_out_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not failures(142)
    monkeypatch.setattr(Partitioner, "_all_reduced", lambda _self, value, _axes, _kind: value)
    assert [one.kind for one in failures(142)] == [FindingKind.MEMORY]


def test_memory_that_is_used_before_its_message_is_there_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not failures(0)
    monkeypatch.setattr(overlap_messages, "are_apart", lambda *_: True)
    (found,) = failures(0)
    # What comes first: a write, a read, or the end of the memory.
    faults = "receives into is written before the wait for it|was never written|is used after it was freed"
    assert re.search(faults, found.text)
