"""All ranks compile one program with a folder for machine code; the first one compiles it, and the others find it."""

import os
import sys

import numpy as np
from mpi4py import MPI

import mlir_inplace as mi
from mlir_inplace.runtime.compilation.program import native_code
from mlir_inplace.runtime.native.loaded_object import LoadedObject

WORLD = MPI.COMM_WORLD
program = mi.compile(
    """func.func @main(%m: memref<2xf32>) {
      %c = mpi.comm_world : !mpi.comm
      mpi.allreduce(%m, %m, MPI_SUM, %c) : memref<2xf32>, memref<2xf32>
      return
    }""",
    comm=WORLD,
    cache=sys.argv[1],
)
array = np.array([1, WORLD.rank], np.float32)
program.main(array)
assert list(array) == [WORLD.size, sum(range(WORLD.size))]
loaded = isinstance(native_code(program, contiguous=True).engine, LoadedObject)
assert loaded or WORLD.rank == 0
assert len([name for name in os.listdir(sys.argv[1]) if not name.startswith(".")]) >= 1
print(f"rank {WORLD.rank} is right")
