"""Which MPI library the process has loaded: that of mpi4py, which is MPICH, Open MPI, or one with their interface."""

from __future__ import annotations

import os
import shutil
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from ...dialects.support.frozen_classes import frozen

__all__ = ["INSTALL", "MissingMpiError", "MpiLibrary", "as_communicator", "loaded_mpi", "mpi", "start_problem", "world"]

INSTALL = "pip install 'mlir-inplace[mpi]'"
_PREFIXES = {"MPICH": ("PMI_RANK", "PMI_SIZE"), "OpenMPI": ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE")}
"""For each implementation what its `mpiexec` sets in the environment of a rank: its number, and how many there are."""

_LIBRARIES = ("libmpi.so", "libmpi_abi.so", "libmpich.so")


class MissingMpiError(ImportError):
    """There is no mpi4py, or no MPI library that it can load."""


@frozen
class MpiLibrary:
    """A loaded MPI library.

    Attributes:
        implementation: `MPICH`, `OpenMPI`, or the first word that the library says of itself.
        version: what the library says of itself, in one line.
        path: its file.
    """

    implementation: str
    version: str
    path: str


def world() -> Any:
    """`MPI.COMM_WORLD` of mpi4py, which initializes MPI. Raises `MissingMpiError`."""
    return mpi().COMM_WORLD


@cache
def loaded_mpi() -> MpiLibrary:
    """The library that mpi4py has loaded. Raises `MissingMpiError`."""
    version = mpi().Get_library_version().splitlines()[0].strip().rstrip("\0")
    return MpiLibrary(_implementation(version), version, _path())


def mpi() -> Any:
    """The module `mpi4py.MPI`; importing it initializes MPI. Raises `MissingMpiError`."""
    if find_spec("mpi4py") is None:
        raise MissingMpiError(f"running on several ranks needs mpi4py; install it and an MPI library: {INSTALL}")
    try:
        return import_module("mpi4py.MPI")
    except (ImportError, RuntimeError) as error:
        raise MissingMpiError(f"mpi4py cannot load an MPI library: {error}; install one: {INSTALL}") from None


def as_communicator(value: Any) -> Any:
    """`value`, which must be an intracommunicator of mpi4py. Raises `TypeError`, `ValueError`, `MissingMpiError`."""
    known = mpi()
    if not isinstance(value, known.Comm):
        raise TypeError(f"comm must be a communicator of mpi4py, such as MPI.COMM_WORLD, got {type(value).__name__}")
    if value == known.COMM_NULL:
        raise ValueError("comm is MPI.COMM_NULL: this rank is no part of the communicator; compile on the others only")
    if value.Is_inter():
        raise ValueError("comm connects two groups of ranks; make one of them by its Merge()")
    return value


def _implementation(version: str) -> str:
    if version.startswith("Open MPI"):
        return "OpenMPI"
    return version.split(maxsplit=1)[0].rstrip(":,") or "unknown"


def _path() -> str:
    """The file of the library that is mapped into the process; raises `MissingMpiError` if there is none."""
    for line in Path("/proc/self/maps").read_text().splitlines():
        place = line.partition("/")[2].rstrip()
        if place.rpartition("/")[2].startswith(_LIBRARIES):
            return f"/{place}"
    raise MissingMpiError("the MPI library that mpi4py has loaded is no shared library of its own; use another mpi4py")


def start_problem(ranks: int, found: int, command: str) -> str:
    """Why there are `found` ranks where `ranks` are needed, and how to start as many.

    Args:
        ranks: how many are needed.
        found: how many there are.
        command: what was started on each rank.
    """
    line = f"mpiexec -n {ranks} {command}"
    loaded = loaded_mpi().implementation
    for implementation, (_, size) in _PREFIXES.items():
        started = os.environ.get(size, "")
        if found == 1 and started.isdigit() and int(started) > 1:
            return (
                f"needs {ranks} ranks, but each of the {started} processes is alone: they were started by the mpiexec "
                f"of {implementation}, and mpi4py has loaded {loaded}; start them by the mpiexec of {loaded}: {line}"
            )
    if found > 1 or any(size in os.environ for _, size in _PREFIXES.values()):
        return f"needs {ranks} ranks, but was started on {found}; start it by: {line}"
    if shutil.which("mpiexec") is None:
        return f"needs {ranks} ranks, and there is no mpiexec in PATH; install one: {INSTALL}; then start it by: {line}"
    return f"needs {ranks} ranks, but was started without mpiexec; start it by: {line}"
