"""A package that inplace-compile has made of a sharded example, on the ranks that run this.

The arguments are the example, the folder with the package `split` and what `given_arrays.py` has written there, and
numbers that are given behind the arrays. The package is called as `mi.compile` is, and gives the same, bit for bit.
"""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from mpi4py import MPI

WORLD = MPI.COMM_WORLD
folder, numbers = Path(sys.argv[2]), sys.argv[3:]
sys.path.insert(0, str(folder))
import split  # noqa: E402

main = split.main
layouts = [shard.layout for shard in main.shards.parameters if shard.layout is not None]
whole_shapes = [one.type.shape for one in main.whole_signature.parameters if one.type.is_array]


def refused(kind: str, message: str, call: Callable[..., Any], *arguments: Any) -> None:
    try:
        call(*arguments)
    except Exception as error:  # noqa: BLE001
        assert kind in (one.__name__ for one in type(error).__mro__) and message in str(error), error
    else:
        raise AssertionError(f"no {kind}")


def read(kind: str, number: int, of: int) -> Any:
    return np.fromfile(folder / f"{kind}{number}.{of}", np.float32)


def shards() -> list[Any]:
    found = []
    for number, (layout, shape) in enumerate(zip(layouts, whole_shapes, strict=True)):
        found.append(read("argument", number, WORLD.rank).reshape(layout.local_shape(WORLD.rank, shape)))
    return [*found, *(int(number) for number in numbers[: len(main.signature.parameters) - len(found)])]


def results(call: Callable[..., Any], given: list[Any]) -> list[Any]:
    found = call(*given)
    return list(found) if isinstance(found, tuple) else [found]


given = shards()
refused("RuntimeError", "the ranks are not known: call use_mpi(comm) first", main, *given)
refused("ValueError", "is partitioned for a grid of", split.use_mpi, MPI.COMM_SELF)
refused("TypeError", "comm must be a communicator of mpi4py", split.use_mpi, 3)
split.use_mpi(WORLD)
refused("RuntimeError", "use_mpi() was called before", split.use_mpi, WORLD)

found = results(main, given)
for number, one in enumerate(found):
    assert np.array_equal(one.reshape(-1), read("expected", number, WORLD.rank))

# Whole arrays: what they are put together from are the shards.
wholes = []
for number, (layout, shape) in enumerate(zip(layouts, whole_shapes, strict=True)):
    whole = np.zeros(shape, np.float32)
    for rank in range(WORLD.size):
        part = read("argument", number, rank).reshape(layout.local_shape(rank, shape))
        whole[layout.owned(rank, shape)] = part[layout.inside(rank, shape)]
    wholes.append(whole)
first = WORLD.rank == 0
rest = given[len(wholes) :]
together = results(main, [*(one if first else None for one in wholes), *rest])
for number, whole in enumerate(together):
    layout, shape = main.shards.results[number].layout, main.shards.results[number].whole.shape
    if not first:
        assert whole is None
        continue
    for rank in range(WORLD.size):
        part = read("expected", number, rank).reshape(layout.local_shape(rank, shape))
        assert np.array_equal(whole[layout.owned(rank, shape)], part[layout.inside(rank, shape)])

# What is wrong on one rank is an error on all.
wrong = shards()
if WORLD.rank == 1:
    wrong[0] = wrong[0][1:].copy()
refused(*(("ValueError", "of the shard") if WORLD.rank == 1 else ("RankError", "rank 1 of")), main, *wrong)
strided = shards()
if WORLD.rank == 1:
    strided[0] = np.asfortranarray(strided[0])
refused(*(("ValueError", "ascontiguousarray") if WORLD.rank == 1 else ("RankError", "rank 1 of")), main, *strided)
assert not {"mlir", "mlir_inplace"} & set(sys.modules)
print(f"rank {WORLD.rank} is right")
