"""Runs of Python scripts on several ranks, with each MPI that is there, and an end for those that hang.

The extra `mpi` brings one MPI library with its mpiexec. Another one may be in an environment of its own, as two of them
cannot be installed side by side: MLIR_INPLACE_OTHER_MPI names its folder, in which `bin/python` has this package, too.
"""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import pytest

LIMIT = 240
"""Seconds after which a run has hung: several ranks share few cores, with other tests on them."""
_OTHER = "MLIR_INPLACE_OTHER_MPI"


@dataclass(frozen=True)
class Mpi:
    """An environment with an MPI library."""

    name: str
    folder: Path

    @property
    def python(self) -> str:
        return str(self.folder / "bin" / "python")


@dataclass(frozen=True)
class Ran:
    code: int
    stdout: str
    stderr: str


def environments() -> list[Mpi]:
    """This environment, and another one, if they have an MPI library."""
    folders = [Path(sys.prefix)] if find_spec("mpi4py") is not None else []
    if os.environ.get(_OTHER):
        folders.append(Path(os.environ[_OTHER]))
    return [Mpi("openmpi" if (folder / "bin" / "ompi_info").exists() else "mpich", folder) for folder in folders]


FOUND = [one for one in environments() if (one.folder / "bin" / "mpiexec").exists()]


def _mpis(mark: pytest.MarkDecorator) -> pytest.MarkDecorator:
    others = [pytest.param(one, marks=mark) for one in FOUND[1:]]
    return pytest.mark.parametrize("mpi", [*FOUND[:1], *others] or [None], ids=lambda one: one.name if one else "none")


every_mpi = _mpis(pytest.mark.each_value)
"""Runs a test with each MPI; in the fast run, with the second one, each value of each other parameter once."""
first_mpi = _mpis(pytest.mark.full)
"""Runs a test with the first MPI in the fast run, and with each in a full one."""
needs_mpi = pytest.mark.skipif(not FOUND, reason="there is no MPI: install the extra mpi")


@cache
def can_start(mpi: Mpi) -> bool:
    """Whether ranks can be started at all here: some systems forbid what mpiexec needs."""
    return on_ranks(mpi, 2, ["-c", "from mpi4py import MPI; assert MPI.COMM_WORLD.size == 2"], limit=60).code == 0


def on_ranks(mpi: Mpi, ranks: int, arguments: Sequence[object], *, limit: float = LIMIT, **environment: str) -> Ran:
    """Run Python with these arguments on that many ranks; all are killed if they have not ended after a time."""
    return run_on_ranks(mpi, ranks, [mpi.python, *map(str, arguments)], limit=limit, **environment)


def run_on_ranks(mpi: Mpi, ranks: int, program: Sequence[str], *, limit: float = LIMIT, **environment: str) -> Ran:
    """The same for any program."""
    options = (
        ["--allow-run-as-root", "--oversubscribe", "--mca", "btl", "self,vader,sm"] if mpi.name == "openmpi" else []
    )
    if mpi.name == "mpich":  # There are fewer cores than ranks: those that wait sleep, and do not only offer to yield.
        environment = {"MPIR_CVAR_ENABLE_HEAVY_YIELD": "1", **environment}
    # mpiexec gives each rank a session of its own: were the tests killed, ranks that wait for others would spin on.
    ended = ["timeout", "--foreground", "--signal=KILL", f"{limit + 10:.0f}"]
    command = [str(mpi.folder / "bin" / "mpiexec"), *options, "-n", str(ranks), *ended, *program]
    return run(command, limit=limit, **environment)


def run(command: Sequence[str], *, limit: float = LIMIT, **environment: str) -> Ran:
    """Run a command in a group of its own, which is killed after a time."""
    process = subprocess.Popen(
        command,
        env={**os.environ, **environment},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        stdout, stderr = process.communicate(timeout=limit)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        stdout, stderr = process.communicate()
        raise AssertionError(f"hung: {' '.join(command)}\n{stdout}\n{stderr}") from None
    return Ran(process.returncode, stdout, stderr)


Ranks = Callable[..., Ran]


@pytest.fixture
def ranks(mpi: Mpi) -> Ranks:
    if not can_start(mpi):
        pytest.skip(f"mpiexec of {mpi.name} starts no ranks here")
    return lambda count, *arguments, **keywords: on_ranks(mpi, count, arguments, **keywords)
