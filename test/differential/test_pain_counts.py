"""The programs of `pains/`: right values, never more copied than by upstream's best route, in all less than half."""

from __future__ import annotations

import json

import pytest
from fast_run import is_full, sample
from pain_counts import RECORD, Cost, ours, upstream
from pains import PAINS
from pains.pain import Pain

THEIRS: dict[str, list[int] | None] = json.loads(RECORD.read_text())


@pytest.mark.parametrize("pain", sample(PAINS, least=8), ids=lambda pain: pain.name)
def test_never_more_than_upstream(pain: Pain) -> None:
    found, known = ours(pain), THEIRS[pain.name]
    assert pain.copied is None or found.copied <= pain.copied
    assert pain.peak is None or found.peak <= pain.peak
    if known is not None:
        assert found.copied <= known[0]
        assert found.peak <= known[1]


@pytest.mark.full
@pytest.mark.parametrize("pain", PAINS, ids=lambda pain: pain.name)
def test_never_more_when_optimized(pain: Pain) -> None:
    found, known = ours(pain, optimize=True), THEIRS[pain.name]
    assert known is None or found.copied <= known[0]


@pytest.mark.full
def test_in_all_less_than_half() -> None:
    compared = [(ours(pain), Cost(*known)) for pain in PAINS if (known := THEIRS[pain.name]) is not None]
    assert 2 * sum(mine.copied for mine, _ in compared) < sum(theirs.copied for _, theirs in compared)
    assert sum(mine.peak for mine, _ in compared) < sum(theirs.peak for _, theirs in compared)


def test_record_has_every_pain() -> None:
    assert list(THEIRS) == [pain.name for pain in PAINS]
    assert len(PAINS) >= 40


@pytest.mark.parametrize("pain", PAINS[::6] if is_full() else PAINS[5::30], ids=lambda pain: pain.name)
def test_record_is_what_upstream_does(pain: Pain) -> None:
    found, known = upstream(pain), THEIRS[pain.name]
    assert (None if found is None else list(found)) == known
