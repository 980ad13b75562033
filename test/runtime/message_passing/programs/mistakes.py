"""What is wrong on one rank is an error on all of them, before native code runs on any; needs two ranks or more."""

import importlib
from collections.abc import Callable

import numpy as np
from mpi4py import MPI

import mlir_inplace as mi

WORLD = MPI.COMM_WORLD
N, RANK = WORLD.size, WORLD.rank
SUM = """func.func @main(%m: memref<2xf32>) {
  %c = mpi.comm_world : !mpi.comm
  mpi.allreduce(%m, %m, MPI_SUM, %c) : memref<2xf32>, memref<2xf32>
  return
}
func.func @divided(%a: i32, %b: i32) -> i32 {
  %q = arith.divsi %a, %b : i32
  return %q : i32
}
func.func @sent(%m: memref<2xf32>, %to: i32) {
  %c = mpi.comm_world : !mpi.comm
  %tag = arith.constant 0 : i32
  mpi.send(%m, %tag, %to, %c) : memref<2xf32>, i32, i32
  return
}"""


def raises(kind: type[Exception], text: str, run: Callable[[], object]) -> None:
    try:
        run()
    except Exception as error:  # noqa: BLE001
        assert type(error) is kind, repr(error)
        assert text in str(error), str(error)
        return
    raise AssertionError(f"no {kind.__name__}: {text}")


def sharded(whole: str, local: str) -> str:
    attributes = f"inplace.sharding = [[0], []], inplace.whole_type = tensor<{whole}xf32>"
    return f"""module attributes {{inplace.grid = array<i64: {N}>}} {{
      func.func @main(%a: tensor<{local}xf32> {{{attributes}}}) -> (tensor<{local}xf32> {{{attributes}}}) {{
        return %a : tensor<{local}xf32>
      }}
    }}"""


program = mi.compile(SUM, comm=WORLD, cache=False)
last = N - 1
array = np.zeros(2, np.float32)
wrong = np.zeros(2, np.float64) if last == RANK else array
mine = (
    (TypeError, "expected dtype float32") if last == RANK else (mi.RankError, f"rank {last} of {N} failed: TypeError")
)
raises(*mine, lambda: program.main(wrong))
raises(*mine, lambda: program.bind(wrong, function="main"))
program.main(array)  # The ranks are still together.
mine = (ZeroDivisionError, "by zero") if last == RANK else (mi.RankError, "failed: ZeroDivisionError")
raises(*mine, lambda: program.divided(1, 0 if last == RANK else 1))
raises(ZeroDivisionError, "by zero", lambda: program.divided(1, 0))
raises(AssertionError, "mpi.send failed: ", lambda: program.sent(array, 1000))
program.main(array)

raises(
    ValueError,
    f"partitioned for a grid of {N + 1}, which is",
    lambda: mi.compile(f"module attributes {{inplace.grid = array<i64: {N + 1}>}} {{}}", comm=WORLD, cache=False),
)
bad = "func.func @f() { return" if last == RANK else SUM
mine = (importlib.import_module("mlir.ir").MLIRError, "error") if last == RANK else (mi.RankError, "MLIRError")
raises(*mine, lambda: mi.compile(bad, comm=WORLD, cache=False))
raises(
    TypeError, "comm must be a communicator of mpi4py, such as MPI.COMM_WORLD, got int", lambda: mi.compile(SUM, comm=1)
)
if RANK == 0:
    raises(mi.PassError, "'mpi.comm_world': it sends messages to other ranks", lambda: mi.compile(SUM))

rows = mi.compile(sharded(f"{2 * N + 1}x?", "?x?"), comm=WORLD, cache=False)
shard = np.zeros((2 + (RANK == 0), 3), np.float32)
assert rows.main(shard).shape == shard.shape
small = np.zeros((1, 3), np.float32) if last == RANK else shard
text = f"dimension 0 of the shard of rank {last} of tensor<{2 * N + 1}x?xf32> has size 2, got 1"
mine = (ValueError, text) if last == RANK else (mi.RankError, text)
raises(*mine, lambda: rows.main(small))
raises(
    ValueError, "sizes that are not split differ", lambda: rows.main(np.zeros((2 + (RANK == 0), 3 + RANK), np.float32))
)
raises(ValueError, "argument 0", lambda: rows.main(None))
if N > 2:
    raises(ValueError, "it is None on some ranks only", lambda: rows.main(None if RANK == 1 else shard))
mine = (ValueError, "expected shape") if RANK == 0 else (mi.RankError, "rank 0 failed: ValueError: argument 0")
raises(*mine, lambda: rows.main(np.zeros((2, 3), np.float32) if RANK == 0 else None))
mine = (TypeError, "takes 1 argument") if last == RANK else (mi.RankError, "takes 1 argument")
raises(*mine, lambda: rows.main(shard, shard) if last == RANK else rows.main(shard))
assert rows.main(shard).shape == shard.shape
print(f"rank {RANK} is right")
