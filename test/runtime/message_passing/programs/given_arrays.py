"""A sharded example by `mi.compile` on the ranks that run this: its shards and its results, as files of raw elements.

The arguments are a program, the folder for the files, and numbers that are given behind the arrays.
"""

import sys
from pathlib import Path

import numpy as np
from mpi4py import MPI

import mlir_inplace as mi
from mlir_inplace.runtime.message_passing.communicators import Communicators
from mlir_inplace.runtime.message_passing.shards import scatter
from mlir_inplace.runtime.source import private_copy

WORLD = MPI.COMM_WORLD
source, folder, *numbers = sys.argv[1:]
module = private_copy(Path(source))
mi.run_pipeline(module, "builtin.module(inplace-shard)")
program = mi.compile(module, comm=WORLD, optimize=True, cache=Path(folder, "code"))  # Rank 0 compiles.
generator = np.random.default_rng(24)
given = []
for parameter, shard in zip(program.main.signature.parameters, program.main.shards.parameters, strict=True):
    if shard.layout is None:
        given.append(int(numbers.pop(0)))
        continue
    whole = generator.standard_normal(shard.whole.shape).astype(np.float32)
    given.append(scatter(Communicators(WORLD), shard.layout, whole, whole.shape, np.float32))
    given[-1].tofile(Path(folder, f"argument{parameter.index}.{WORLD.rank}"))
results = program.main(*given)
for number, result in enumerate(results if isinstance(results, tuple) else (results,)):
    result.tofile(Path(folder, f"expected{number}.{WORLD.rank}"))
