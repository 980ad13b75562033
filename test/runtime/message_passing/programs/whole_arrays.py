"""Partitioned programs: arrays whole on rank 0 or as shards, uneven parts, borders, arguments that are written."""

import sys

import numpy as np
from mpi4py import MPI

import mlir_inplace as mi
from mlir_inplace.dialects.support.shard_layout import ShardLayout

WORLD = MPI.COMM_WORLD
CACHE = sys.argv[1]  # Rank 0 compiles, and the others load it.
N, RANK = WORLD.size, WORLD.rank


def local(size: int) -> str:
    return str(size // N) if size % N == 0 else "?"


def rows() -> None:
    """Twice an array whose rows are split, and a number that all ranks have."""
    size = local(10)
    split = "inplace.sharding = [[0], []], inplace.whole_type = tensor<10x3xf32>"
    program = mi.compile(
        f"""module attributes {{inplace.grid = array<i64: {N}>}} {{
          func.func @main(%a: tensor<{size}x3xf32> {{{split}}},
                          %b: tensor<3xf32>, %s: f32)
              -> (tensor<{size}x3xf32> {{{split}}}, f32) {{
            %r = linalg.generic {{
              indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>],
              iterator_types = ["parallel", "parallel"]
            }} ins(%a, %b : tensor<{size}x3xf32>, tensor<3xf32>) outs(%a : tensor<{size}x3xf32>) {{
              ^bb0(%x: f32, %y: f32, %o: f32):
                %p = arith.mulf %x, %s : f32
                %q = arith.addf %p, %y : f32
                linalg.yield %q : f32
            }} -> tensor<{size}x3xf32>
            return %r, %s : tensor<{size}x3xf32>, f32
          }}
        }}""",
        comm=WORLD,
        cache=CACHE,
    )
    whole, row = np.arange(30, dtype=np.float32).reshape(10, 3), np.float32([100, 200, 300])
    part = ShardLayout((N,), ((0,), ()), ((0, 0), (0, 0))).owned(RANK, whole.shape)
    result, factor = program.main(np.ascontiguousarray(whole[part]), row, 2.0)
    assert np.array_equal(result, whole[part] * 2 + row)
    assert factor == 2
    given = (whole, row, 2.0) if RANK == 0 else (None, None, None)
    found = program.main(*given)
    if RANK:
        assert found is None
    else:
        assert np.array_equal(found[0], whole * 2 + row)
        assert found[1] == 2
    # Columns of another array are no row-major whole; `out` receives the result.
    wide = np.zeros((10, 6), np.float32)
    out = np.zeros((3, 10), np.float32).T
    wide[:, ::2] = whole
    given = (wide[:, ::2], row, 2.0) if RANK == 0 else (None, None, None)
    found = program.main(*given, out=(out, None) if RANK == 0 else None)
    if RANK == 0:
        assert found[0] is out
        assert np.array_equal(out, whole * 2 + row)
    # Some whole, some not: results are shards then.
    result, _ = program.main(whole if RANK == 0 else None, row, 2.0) if N > 1 else program.main(whole, row, 2.0)
    assert np.array_equal(result, whole[part] * 2 + row)


def written() -> None:
    """An argument that the call updates is whole again on rank 0, and the result is that array."""
    size = local(7)
    attributes = "inplace.sharding = [[0]], inplace.whole_type = tensor<7xf64>"
    program = mi.compile(
        f"""module attributes {{inplace.grid = array<i64: {N}>}} {{
          func.func @main(%a: tensor<{size}xf64> {{{attributes}, bufferization.writable = true}})
              -> (tensor<{size}xf64> {{{attributes}}}) {{
            %r = linalg.generic {{indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]}}
              outs(%a : tensor<{size}xf64>) {{
              ^bb0(%x: f64):
                %q = arith.addf %x, %x : f64
                linalg.yield %q : f64
            }} -> tensor<{size}xf64>
            return %r : tensor<{size}xf64>
          }}
        }}""",
        comm=WORLD,
        cache=CACHE,
    )
    whole = np.arange(7.0)
    found = program.main(whole if RANK == 0 else None)
    if RANK == 0:
        assert found is whole
        assert np.array_equal(whole, 2 * np.arange(7.0))


def borders() -> None:
    """A shard has elements of its neighbours, and 0 beyond the ends; sizes are known at the call only."""
    attributes = (
        "inplace.sharding = [[], [0]], inplace.whole_type = tensor<3x?xi32>, inplace.halo = array<i64: 0, 0, 1, 2>"
    )
    program = mi.compile(
        f"""module attributes {{inplace.grid = array<i64: {N}>}} {{
          func.func @main(%a: tensor<3x?xi32> {{{attributes}}}) -> (tensor<3x?xi32> {{{attributes}}}) {{
            return %a : tensor<3x?xi32>
          }}
          func.func @width(%a: tensor<3x?xi32> {{{attributes}}}) -> (index, i32) {{
            %one = arith.constant 1 : index
            %n = tensor.dim %a, %one : tensor<3x?xi32>
            %last = arith.subi %n, %one : index
            %x = tensor.extract %a[%one, %last] : tensor<3x?xi32>
            return %n, %x : index, i32
          }}
        }}""",
        comm=WORLD,
        cache=CACHE,
    )
    columns = 2 * N + 1
    whole = np.arange(1, 1 + 3 * columns, dtype=np.int32).reshape(3, columns)
    found = program.main(whole if RANK == 0 else None)
    assert found is None if RANK else np.array_equal(found, whole)
    width = program.width(whole if RANK == 0 else None)
    if RANK == 0:
        own = 2 + (N >= 1)
        assert width == (own + 3, whole[1, own + 1] if N > 1 else 0), width


def grid() -> None:
    """Blocks of a matrix on a grid of two axes; a result that is split along one is gathered from one rank of each."""
    if N != 4:
        return
    program = mi.compile(
        """module attributes {inplace.grid = array<i64: 2, 2>} {
          func.func @main(%a: tensor<?x2xf32> {inplace.sharding = [[0], [1]], inplace.whole_type = tensor<5x4xf32>})
              -> (tensor<?x2xf32> {inplace.sharding = [[0], [1]], inplace.whole_type = tensor<5x4xf32>},
                  tensor<?xf32> {inplace.sharding = [[0]], inplace.whole_type = tensor<5xf32>}) {
            %zero = arith.constant 0 : index
            %none = arith.constant 0.0 : f32
            %n = tensor.dim %a, %zero : tensor<?x2xf32>
            %e = tensor.empty(%n) : tensor<?xf32>
            %z = linalg.fill ins(%none : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
            return %a, %z : tensor<?x2xf32>, tensor<?xf32>
          }
        }""",
        comm=WORLD,
        cache=CACHE,
    )
    whole = np.arange(20, dtype=np.float32).reshape(5, 4)
    found = program.main(whole if RANK == 0 else None)
    if RANK == 0:
        assert np.array_equal(found[0], whole)
        assert np.array_equal(found[1], np.zeros(5))


rows()
written()
borders()
grid()
print(f"rank {RANK} is right")
