"""Programs on several ranks, with each MPI that is there; a run that hangs is ended and fails.

What each rank checks stands in `programs/`.
"""

import itertools
import re
from pathlib import Path

import pytest
from fast_run import chosen
from mpi_ranks import Ran, Ranks, every_mpi, first_mpi, needs_mpi, ranks

pytestmark = [pytest.mark.long, needs_mpi]
PROGRAMS = Path(__file__).parent / "programs"
EXAMPLES = Path(__file__).parents[3] / "examples" / "sharded"
assert ranks  # a fixture


ON_RANKS = list(itertools.product(["collectives", "received_in_place", "shard_ops", "whole_arrays"], [1, 2, 3, 4]))
FAST = [("collectives", 3), ("received_in_place", 3), ("shard_ops", 2), ("whole_arrays", 1), ("whole_arrays", 4)]
"""What the fast run has: each rank compiles everything, which takes seconds."""


def all_right(found: Ran, count: int) -> None:
    assert found.code == 0, found
    # Ranks write their line and its end one after the other: lines of several may stand on one.
    assert sorted(re.findall(r"rank \d is right", found.stdout)) == [f"rank {rank} is right" for rank in range(count)]
    assert not re.sub(r"rank \d is right", "", found.stdout).strip(), found


@every_mpi
@pytest.mark.parametrize(("program", "count"), chosen(ON_RANKS, *FAST))
def test_results_are_those_of_numpy(ranks: Ranks, program: str, count: int, tmp_path: Path) -> None:
    all_right(ranks(count, "-m", "mpi4py", PROGRAMS / f"{program}.py", tmp_path), count)


@first_mpi
@pytest.mark.parametrize("count", chosen([1, 2, 3, 4], 2))
def test_examples_are_those_of_numpy(ranks: Ranks, count: int, tmp_path: Path) -> None:
    all_right(ranks(count, "-m", "mpi4py", PROGRAMS / "examples.py", EXAMPLES, tmp_path), count)


@first_mpi
@pytest.mark.parametrize("count", chosen([1, 2, 3], 2))
def test_threads_in_each_rank(ranks: Ranks, count: int, tmp_path: Path) -> None:
    all_right(ranks(count, "-m", "mpi4py", PROGRAMS / "threads.py", EXAMPLES, tmp_path), count)


@every_mpi
@pytest.mark.parametrize("count", chosen([2, 3], 3))
def test_a_mistake_on_one_rank_is_an_error_on_all(ranks: Ranks, count: int) -> None:
    all_right(ranks(count, "-m", "mpi4py", PROGRAMS / "mistakes.py"), count)


@every_mpi
def test_a_rank_that_fails_alone_ends_all_with_its_message(ranks: Ranks) -> None:
    found = ranks(3, "-m", "mpi4py", PROGRAMS / "failing_alone.py")
    assert found.code != 0
    assert "not reached" not in found.stdout
    assert found.stderr.count("failed, which ends all: AssertionError: ") == 1, found
    assert "the index is too large" in found.stderr


@first_mpi
@pytest.mark.parametrize("count", chosen([2, 4], 2))
def test_ranks_share_the_disk_cache(ranks: Ranks, count: int, tmp_path: Path) -> None:
    for _ in range(2):
        all_right(ranks(count, "-m", "mpi4py", PROGRAMS / "cached.py", tmp_path), count)
