"""Choose the changes of inits that pay, by in-place analysis of the changed program.

A change stands if, by the analysis of the changed program, the function costs no more and copies no more bytes, each as
often as that happens. All changes of a function are tried at once. When that fails, those that are to blame
(``outs_blame.py``) are dropped, all at once, and the others are tried again. Not each of those that are blamed need be
bad: if they are few, they are tried by halving in the end. If none can be blamed, the halves are tried, then theirs.
It always goes on from what was accepted before. So usually one more analysis is all it costs, and two if there are many
bad changes, however many. The number of rounds has a limit, beyond which a function is left as it was, unless only
those are left that were blamed.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import field

from ....dialects.support.frozen_classes import frozen, record
from ..costs.price import Price
from .costs import Cost
from .outs_dependency import KeptInit, OutsRule, Retie

__all__ = ["OutsChanges", "TrialCosts", "choose_reties"]

_ROUNDS = 64
_ROUNDS_IF_LARGE = 16
_LARGE = 4096
_FEW_SUSPECTS = 8


Costs = Mapping[str, Cost]
_REFUSED = Cost(Price(refusals=sys.maxsize))
"""Of a function that is not analysed at all any more."""


@record
class OutsChanges:
    """The changes that stand, those that do not, and what the accepted ones make of each function."""

    accepted: list[Retie] = field(default_factory=list[Retie])
    rejected: list[KeptInit] = field(default_factory=list[KeptInit])
    costs: Costs = field(default_factory=dict[str, Cost])


@frozen
class TrialCosts:
    """What the functions cost after a trial, and which operands are to blame if that is more."""

    costs: Costs
    blamed: Set[int] = frozenset()


@record
class _Search:
    """Where the search stands in one function."""

    cost: Cost
    pending: list[list[Retie]]
    suspects: list[Retie] = field(default_factory=list[Retie])
    """Those that were blamed."""

    blames: bool = True
    """Whether those to blame are dropped: not while the suspects themselves are tried."""
    accepted: list[Retie] = field(default_factory=list[Retie])
    rejected: list[KeptInit] = field(default_factory=list[KeptInit])


def choose_reties(
    reties: Mapping[str, Sequence[Retie]],
    before: Costs,
    evaluate: Callable[[Sequence[Retie]], TrialCosts],
    size: int,
) -> OutsChanges:
    """Return which of ``reties``, by function, stand; ``evaluate`` tells what it costs when some are carried out.

    ``before`` are the costs as things are, ``size`` is the number of ops, on which the limit of rounds depends.
    """
    # What has one destination stands or falls together, more often than not: a bad destination is found sooner so.
    searches = {
        name: _Search(before[name], [sorted(mine, key=lambda retie: (retie.target, retie.operand))])
        for name, mine in reties.items()
    }
    costs: Costs = before
    for rounds in range(_ROUNDS if size <= _LARGE else _ROUNDS_IF_LARGE):
        trying = {name: search.pending.pop() for name, search in searches.items() if search.pending}
        if not trying:
            return _settle(searches, before, costs if rounds == 1 else evaluate(_accepted(searches)).costs)
        trial = evaluate([*_accepted(searches), *(retie for mine in trying.values() for retie in mine)])
        costs = trial.costs
        for name, mine in trying.items():
            _judge(searches[name], mine, costs.get(name, _REFUSED), trial.blamed)
    for search in searches.values():
        if search.pending and not search.blames:
            search.rejected += [KeptInit(retie.operand, OutsRule.COST) for mine in search.pending for retie in mine]
        elif search.pending:
            left = [*search.accepted, *search.suspects, *(retie for mine in search.pending for retie in mine)]
            search.rejected += [KeptInit(retie.operand, OutsRule.UNDECIDED) for retie in left]
            search.accepted, search.pending = [], []
    return _settle(searches, before, evaluate(_accepted(searches)).costs)


def _accepted(searches: Mapping[str, _Search]) -> list[Retie]:
    return [retie for search in searches.values() for retie in search.accepted]


def _judge(search: _Search, mine: list[Retie], cost: Cost, blamed: Set[int]) -> None:
    """Accept ``mine``, or put aside those that are ``blamed``, or reject a single one, or put halves on the list."""
    guilty = [retie for retie in mine if retie.operand in blamed] if search.blames else []
    if not cost.exceeds(search.cost):
        search.accepted += mine
        search.cost = cost
    elif len(mine) == 1:
        search.rejected.append(KeptInit(mine[0].operand, OutsRule.COST))
    elif guilty:
        search.suspects += guilty
        rest = [retie for retie in mine if retie.operand not in blamed]
        search.pending += [rest] if rest else []
    else:
        middle = len(mine) // 2
        search.pending += [mine[middle:], mine[:middle]]
    if not search.pending and search.suspects:
        _try_suspects(search)


def _try_suspects(search: _Search) -> None:
    """Try those that were blamed once more, by halving, if they are few; reject them else."""
    if len(search.suspects) <= _FEW_SUSPECTS:
        search.pending.append(search.suspects)
        search.blames = False
    else:
        search.rejected += [KeptInit(retie.operand, OutsRule.COST) for retie in search.suspects]
    search.suspects = []


def _settle(searches: Mapping[str, _Search], before: Costs, costs: Costs) -> OutsChanges:
    """Return the outcome of all searches; nothing of it if a function got worse by what others do."""
    accepted = _accepted(searches)
    rejected = [kept for search in searches.values() for kept in search.rejected]
    if any(costs.get(name, _REFUSED).exceeds(before[name]) for name in before):
        return OutsChanges([], [*rejected, *(KeptInit(retie.operand, OutsRule.CALLERS) for retie in accepted)], before)
    return OutsChanges(accepted, rejected, costs)
