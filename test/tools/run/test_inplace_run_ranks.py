"""`mpiexec -n 4 inplace-run --grid 2x2`, with each MPI that is there."""

import functools
import os
from pathlib import Path

import numpy as np
import pytest
from mpi_ranks import Ranks, every_mpi, first_mpi, needs_mpi, ranks, run

pytestmark = [pytest.mark.long, needs_mpi]
assert ranks  # a fixture
TOOL = ("-m", "mlir_inplace.tools.inplace_run")
TEXT = """shard.grid @g(shape = 2x2)
func.func @main(%a: tensor<5x6xf32>, %b: tensor<6x8xf32>, %c: tensor<5x8xf32>) -> tensor<5x8xf32> {
  %s = shard.sharding @g split_axes = [[0], [1]] : !shard.sharding
  %0 = shard.shard %a to %s : tensor<5x6xf32>
  %1 = linalg.matmul ins(%0, %b : tensor<5x6xf32>, tensor<6x8xf32>) outs(%c : tensor<5x8xf32>) -> tensor<5x8xf32>
  return %1 : tensor<5x8xf32>
}
"""


@pytest.fixture
def program(tmp_path: Path) -> Path:
    path = tmp_path / "program.mlir"
    path.write_text(TEXT)
    return path


@pytest.fixture
def sharing(ranks: Ranks, tmp_path: Path) -> Ranks:
    """Runs on several ranks, of which the first one compiles: the others find that."""
    return functools.partial(ranks, MLIR_INPLACE_CACHE=str(tmp_path / "code"))


@every_mpi
def test_the_first_rank_prints_checks_and_saves(sharing: Ranks, program: Path, tmp_path: Path) -> None:
    saved = tmp_path / "result.npy"
    given = ["--arg", "random"] * 2 + ["--arg", "zeros", "--check", "a0 @ a1", "--memory-stats"]
    found = sharing(4, *TOOL, "--grid", "2x2", program, *given, "--save-result", saved, "--print-result")
    assert found.code == 0, found
    assert found.stdout.count("matches NumPy") == 1, found
    assert found.stdout.count("4 ranks together: allocations: ") == 1, found
    assert "leaked: 0 bytes" in found.stdout, found
    assert found.stdout.count("result: tensor<5x8xf32>") == 1, found
    assert np.load(saved).shape == (5, 8)


@every_mpi
def test_threads_in_each_rank(sharing: Ranks, program: Path) -> None:
    program.write_text(
        TEXT.replace("2x2", "2").replace("[[0], [1]]", "[[0]]").replace("5x", "501x").replace("6x", "600x")
    )
    given = ["--arg", "random"] * 2 + ["--arg", "zeros", "--check", "a0 @ a1"]
    found = sharing(2, *TOOL, "--grid", "2", "--threads", "2", "--optimize", program, *given)
    assert found.code == 0, found
    assert found.stdout.count("matches NumPy") == 1, found


@first_mpi
@pytest.mark.parametrize(
    ("count", "given", "message"),
    [
        (2, ["--grid", "2x2"], "--grid 2x2 needs 4 ranks, but was started on 2; start it by: mpiexec -n 4 inplace-run"),
        (4, ["--grid", "4"], "--grid 4, but the program is for a grid of 2x2; give --grid 2x2"),
        (4, ["--grid", "2x2", "--arg", "3xf32:ones"] + ["--arg", "zeros"] * 2, "expected shape 5x6"),
        pytest.param(
            *(4, ["--grid", "2x2", "--arg", "nowhere.npy"] + ["--arg", "zeros"] * 2, "cannot read 'nowhere.npy'"),
            marks=pytest.mark.full,
        ),
    ],
)
def test_an_error_is_printed_once(sharing: Ranks, program: Path, count: int, given: list[str], message: str) -> None:
    found = sharing(count, *TOOL, program, *given)
    assert found.code != 0
    assert found.stderr.count(message) == 1, found


@every_mpi
def test_without_mpiexec(mpi: object, program: Path) -> None:
    python = str(mpi.python)
    found = run([python, *TOOL, "--grid", "2x2", str(program)], PATH=os.path.dirname(python) + ":/bin:/usr/bin")
    assert found.code == 1
    assert "--grid 2x2 needs 4 ranks, but was started without mpiexec; start it by: mpiexec -n 4" in found.stderr
    found = run([python, *TOOL, "--grid", "2x2", str(program)], PATH="/nowhere")
    assert "there is no mpiexec in PATH; install one: pip install 'mlir-inplace[mpi]'" in found.stderr
    found = run([python, *TOOL, "--grid", "2xb", str(program)])
    assert found.code == 2
    assert "such as 4 or 2x2, got '2xb'" in found.stderr
