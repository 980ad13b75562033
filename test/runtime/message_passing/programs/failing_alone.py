"""One rank fails in native code while the others wait for its message there: all must end, with its message."""

import numpy as np
from mpi4py import MPI

import mlir_inplace as mi

program = mi.compile(
    """func.func @main(%m: memref<2xf32>, %index: index) {
      %two = arith.constant 2 : index
      %ok = arith.cmpi ult, %index, %two : index
      cf.assert %ok, "the index is too large"
      %c = mpi.comm_world : !mpi.comm
      mpi.allreduce(%m, %m, MPI_SUM, %c) : memref<2xf32>, memref<2xf32>
      return
    }""",
    comm=MPI.COMM_WORLD,
    cache=False,
)
program.main(np.zeros(2, np.float32), 2 * MPI.COMM_WORLD.rank)
print("not reached")
