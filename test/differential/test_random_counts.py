"""Random programs by our bufferization and by upstream's: what is compared, and that ours hardly ever has more."""

from __future__ import annotations

from collections import Counter

from fast_run import seeds
from random_counts import KINDS, Costs, attempt

KIND = list(KINDS)


def test_ours_hardly_ever_has_more() -> None:
    """Nor is it wrong or refused; upstream has less in a few of a thousand."""
    tried = seeds(60, least=12)
    found = [attempt(KIND[seed % len(KIND)], seed, first="canonicalize,cse").outcome for seed in tried]
    assert not [outcome for outcome in found if outcome.startswith(("wrong in ours", "refused by ours"))]
    outcomes = Counter(found)
    assert outcomes["same"] + outcomes["fewer"] >= len(found) * 3 / 4
    assert outcomes["more"] <= 1


def test_what_is_not_used_costs_nothing() -> None:
    """As they are generated, the programs compute much that is not used."""
    found = [attempt(KIND[seed % len(KIND)], seed) for seed in seeds(24, least=8)]
    assert 2 * sum(c.ours.allocations for c in found) < sum(c.upstream.allocations for c in found)


def test_each_number_is_compared() -> None:
    assert Costs(2, 1, 6, 3, 48).exceeds(Costs(1, 1, 6, 2, 64)) == ["allocations", "copied"]
