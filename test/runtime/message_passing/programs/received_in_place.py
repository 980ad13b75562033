"""What is gathered and inserted into a larger tensor lands there: against NumPy, on the ranks that run this."""

import sys

import numpy as np
from mpi4py import MPI

import mlir_inplace as mi

WORLD = MPI.COMM_WORLD
SIZE, RANK = WORLD.size, WORLD.rank
CACHE = sys.argv[1]
ROWS, COLUMNS = 3 * SIZE, 4


def gathered(axis: int) -> tuple[str, tuple[int, int]]:
    """A program that gathers along an axis, and inserts from row `%i` on; and the shape of what is gathered."""
    made = (ROWS, COLUMNS) if axis == 0 else (3, COLUMNS * SIZE)
    part, whole = f"tensor<{made[0]}x{made[1]}xf64>", f"tensor<{ROWS + 5}x{made[1]}xf64>"
    text = f"""
      module attributes {{inplace.grid = array<i64: {SIZE}>}} {{
        shard.grid @g(shape = {SIZE})
        func.func @main(%x: tensor<3x{COLUMNS}xf64>, %t: {whole} {{bufferization.writable = true}}, %i: index)
            -> {whole} {{
          %a = shard.all_gather %x on @g grid_axes = [0] gather_axis = {axis} : tensor<3x{COLUMNS}xf64> -> {part}
          %r = tensor.insert_slice %a into %t[%i, 0] [{made[0]}, {made[1]}] [1, 1] : {part} into {whole}
          return %r : {whole}
        }}
      }}"""
    return text, made


for axis in (0, 1):
    text, made = gathered(axis)
    program = mi.compile(text, comm=WORLD, cache=CACHE, memory_stats=True)
    parts = [np.arange(3.0 * COLUMNS).reshape(3, COLUMNS) + 100 * rank for rank in range(SIZE)]
    target = np.full((ROWS + 5, made[1]), -1.0)
    expected = target.copy()
    expected[2 : 2 + made[0]] = np.concatenate(parts, axis)
    result = program.main(parts[RANK], target, 2)
    assert np.array_equal(result, expected), (axis, result)
    assert np.shares_memory(result, target)
    stats = program.memory_stats
    assert stats is not None
    # Along rows all land in place. Columns are exchanged in turn, and copied: each rank's own part, then all of them.
    assert (stats.copied_bytes, stats.leaked_bytes) == (axis * (SIZE + 1) * parts[0].nbytes, 0), (axis, stats)
    assert axis or stats.allocations == 0, stats
# A slice with gaps is copied: MPI's op fills elements that lie one after the other.
text = f"""
  module attributes {{inplace.grid = array<i64: {SIZE}>}} {{
    shard.grid @g(shape = {SIZE})
    func.func @main(%x: tensor<3x4xf32>, %t: tensor<{ROWS}x7xf32> {{bufferization.writable = true}})
        -> tensor<{ROWS}x7xf32> {{
      %a = shard.all_gather %x on @g grid_axes = [0] gather_axis = 0 : tensor<3x4xf32> -> tensor<{ROWS}x4xf32>
      %r = tensor.insert_slice %a into %t[0, 2] [{ROWS}, 4] [1, 1] : tensor<{ROWS}x4xf32> into tensor<{ROWS}x7xf32>
      return %r : tensor<{ROWS}x7xf32>
    }}
  }}"""
parts = [np.arange(12, dtype=np.float32).reshape(3, 4) + 100 * rank for rank in range(SIZE)]
target = np.full((ROWS, 7), -1, np.float32)
expected = target.copy()
expected[:, 2:6] = np.concatenate(parts)
assert np.array_equal(mi.compile(text, comm=WORLD, cache=CACHE).main(parts[RANK], target), expected)
print(f"rank {RANK} is right")
