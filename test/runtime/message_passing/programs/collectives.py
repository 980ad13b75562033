"""Messages of every kind and element type, against what NumPy computes, on the ranks that run this."""

import ctypes
import sys

import numpy as np
from mpi4py import MPI

import mlir_inplace as mi
from mlir_inplace.runtime.message_passing.communicators import Communicators

WORLD = MPI.COMM_WORLD
CACHE = sys.argv[1]  # Rank 0 compiles, and the others load it.
FULL = WORLD.size < 3 and "MPICH" in MPI.Get_library_version()
"""Whether to make more communicators than MPICH has room for, which takes a while on more ranks than cores."""
INTEGERS = {"i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64}
FLOATS = {"f32": np.float32, "f64": np.float64}
COMPLEX = {"complex<f32>": np.complex64, "complex<f64>": np.complex128}
OPERATORS = {"SUM": np.add, "PROD": np.multiply, "MIN": np.minimum, "MAX": np.maximum}
BITS = {"BAND": np.bitwise_and, "BOR": np.bitwise_or, "BXOR": np.bitwise_xor}


def all_reduces() -> None:
    cases = [(t, d, o) for t, d in {**INTEGERS, **FLOATS}.items() for o in OPERATORS]
    cases += [(t, d, o) for t, d in INTEGERS.items() for o in BITS]
    cases += [(t, d, o) for t, d in COMPLEX.items() for o in ("SUM", "PROD")]
    text = "".join(
        f"""func.func @f{number}(%m: memref<?x3x{type_}>) {{
          %c = mpi.comm_world : !mpi.comm
          mpi.allreduce(%m, %m, MPI_{operator}, %c) : memref<?x3x{type_}>, memref<?x3x{type_}>
          return
        }}\n"""
        for number, (type_, _, operator) in enumerate(cases)
    )
    program = mi.compile(text, comm=WORLD, cache=CACHE, memory_stats=True)
    for number, (type_, dtype, operator) in enumerate(cases):
        parts = [np.arange(1, 7).reshape(2, 3).astype(dtype) + dtype(rank) for rank in range(WORLD.size)]
        mine, expected = parts[WORLD.rank].copy(), parts[0]
        for part in parts[1:]:
            expected = {**OPERATORS, **BITS}[operator](expected, part)
        program[f"f{number}"](mine)
        assert np.array_equal(mine, expected), (type_, operator, mine, expected)
        stats = program.memory_stats
        assert (stats.allocations, stats.copies, stats.leaked_bytes) == (0, 0, 0), stats


def others() -> None:
    program = mi.compile(
        """
    func.func @gathered(%all: memref<?x3xi16>, %rank: index) {
      %c = mpi.comm_world : !mpi.comm
      %own = memref.subview %all[%rank, 0] [1, 3] [1, 1]
        : memref<?x3xi16> to memref<1x3xi16, strided<[3, 1], offset: ?>>
      mpi.allgather(%own, %all, %c) : memref<1x3xi16, strided<[3, 1], offset: ?>>, memref<?x3xi16>
      return
    }
    func.func @gathered_columns(%a: memref<3x4xf16>, %all: memref<?x3xf16>) {
      %c = mpi.comm_world : !mpi.comm
      %own = memref.subview %a[0, 1] [3, 1] [1, 1] : memref<3x4xf16> to memref<3x1xf16, strided<[4, 1], offset: 1>>
      mpi.allgather(%own, %all, %c) : memref<3x1xf16, strided<[4, 1], offset: 1>>, memref<?x3xf16>
      return
    }
    func.func @scattered(%all: memref<?x5xf64>, %mine: memref<5xf64>) {
      %c = mpi.comm_world : !mpi.comm
      mpi.reduce_scatter_block(%all, %mine, MPI_SUM, %c) : memref<?x5xf64>, memref<5xf64>
      return
    }
    func.func @ring(%a: memref<4x6xbf16>) -> i32 {
      %c = mpi.comm_world : !mpi.comm
      %begun = mpi.init : !mpi.retval
      %rank = mpi.comm_rank(%c) : i32
      %size = mpi.comm_size(%c) : i32
      %one = arith.constant 1 : i32
      %tag = arith.constant 7 : i32
      %up = arith.addi %rank, %one : i32
      %next = arith.remsi %up, %size : i32
      %down = arith.addi %rank, %size : i32
      %under = arith.subi %down, %one : i32
      %previous = arith.remsi %under, %size : i32
      %last = memref.subview %a[0, 5] [4, 1] [1, 1] : memref<4x6xbf16> to memref<4x1xbf16, strided<[6, 1], offset: 5>>
      %first = memref.subview %a[0, 0] [4, 1] [1, 1] : memref<4x6xbf16> to memref<4x1xbf16, strided<[6, 1]>>
      %q = mpi.isend(%last, %tag, %next, %c) : memref<4x1xbf16, strided<[6, 1], offset: 5>>, i32, i32 -> !mpi.request
      %r = mpi.irecv(%first, %tag, %previous, %c) : memref<4x1xbf16, strided<[6, 1]>>, i32, i32 -> !mpi.request
      mpi.wait(%r) : !mpi.request
      mpi.wait(%q) : !mpi.request
      mpi.barrier(%c)
      %ended = mpi.finalize : !mpi.retval
      return %next : i32
    }
    func.func @sum_of_color(%m: memref<3xi64>, %color: i32) {
      %c = mpi.comm_world : !mpi.comm
      %rank = mpi.comm_rank(%c) : i32
      %d = mpi.comm_split(%c, %color, %rank) : !mpi.comm
      mpi.allreduce(%m, %m, MPI_SUM, %d) : memref<3xi64>, memref<3xi64>
      return
    }
    func.func @sum_of_parity(%m: memref<3xi64>) {
      %c = mpi.comm_world : !mpi.comm
      %rank = mpi.comm_rank(%c) : i32
      %two = arith.constant 2 : i32
      %color = arith.remsi %rank, %two : i32
      %d = mpi.comm_split(%c, %color, %rank) : !mpi.comm
      mpi.allreduce(%m, %m, MPI_SUM, %d) : memref<3xi64>, memref<3xi64>
      return
    }
    """,
        comm=WORLD,
        cache=CACHE,
    )
    ranks, rank = range(WORLD.size), WORLD.rank
    gathered = np.full((WORLD.size, 3), -1, np.int16)
    gathered[rank] = [rank, 10 + rank, 20 + rank]
    program.gathered(gathered, rank)
    assert np.array_equal(gathered, [[r, 10 + r, 20 + r] for r in ranks])
    columns, all_columns = np.arange(12, dtype=np.float16).reshape(3, 4) + rank, np.zeros((WORLD.size, 3), np.float16)
    program.gathered_columns(columns, all_columns)
    assert np.array_equal(all_columns, [[1 + r, 5 + r, 9 + r] for r in ranks])
    mine = np.zeros(5)
    program.scattered(np.arange(5.0) + np.arange(WORLD.size)[:, None] + 100 * rank, mine)
    assert np.array_equal(mine, (np.arange(5.0) + rank) * WORLD.size + 100 * sum(ranks))
    import ml_dtypes

    def sent(of: int) -> np.ndarray:
        return (np.arange(24.0).reshape(4, 6) + 24 * of).astype(ml_dtypes.bfloat16)

    array, expected = sent(rank), sent(rank)
    expected[:, 0] = sent((rank - 1) % WORLD.size)[:, 5]
    assert program.ring(array) == (rank + 1) % WORLD.size
    assert np.array_equal(array, expected)
    # More often than there is room for communicators: each is made once.
    for turn in range(2100 if FULL else 100):
        numbers = np.full(3, rank + turn)
        program.sum_of_parity(numbers)
        assert (numbers == sum(r + turn for r in ranks if r % 2 == rank % 2)).all()
    # One that was made before is found again.
    turns = 700 if FULL else 2
    for colors in (lambda r: r % 2, lambda r: r // 2, lambda r: r % 2, lambda r: 0) * turns:
        numbers = np.full(3, rank)
        program.sum_of_color(numbers, colors(rank))
        assert (numbers == sum(r for r in ranks if colors(r) == colors(rank))).all()


SUM = """func.func @f(%m: memref<2xf64>) -> i32 {
  %c = mpi.comm_world : !mpi.comm
  mpi.allreduce(%m, %m, MPI_SUM, %c) : memref<2xf64>, memref<2xf64>
  %size = mpi.comm_size(%c) : i32
  return %size : i32
}"""


def communicators_of_the_caller() -> None:
    half = WORLD.Split(WORLD.rank % 2, -WORLD.rank)  # the ranks in reverse order
    for comm in (half, WORLD.Dup(), MPI.COMM_SELF):
        program = mi.compile(SUM, comm=comm, cache=CACHE)
        array = np.array([1.0, comm.rank])
        assert program.f(array) == comm.size
        assert np.array_equal(array, [comm.size, sum(range(comm.size))])
    # Duplicates and parts are made once for a communicator, and freed with it: there is room for some thousand.
    for _ in range(800 if FULL else 50):
        once = WORLD.Dup()
        first, second = Communicators(once), Communicators(once)
        assert first.native is second.native
        split_by_machine_code(second, WORLD.rank % 2)
        once.Free()


def split_by_machine_code(communicators: Communicators, color: int) -> None:
    """Split the ranks as machine code does, by the address in its table."""
    parts, handle = communicators._parts, communicators.native.handle
    made = [ctypes.c_uint64(), ctypes.c_uint64()]
    split = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_uint64, ctypes.c_int, ctypes.c_int, ctypes.c_uint64)(parts.address)
    for place in made:
        assert split(handle, color, 0, ctypes.addressof(place)) == 0
    assert made[0].value == made[1].value != 0


def halos() -> None:
    """Both sides of a halo, which are under way at once; what is beyond the ends keeps its content."""
    program = mi.compile(
        f"""shard.grid @g(shape = {WORLD.size})
        func.func @f(%a: tensor<?x6xf32> {{bufferization.writable = true}}) -> tensor<?x6xf32> {{
          %0 = shard.update_halo %a on @g split_axes = [[0]] halo_sizes = [1, 2] : tensor<?x6xf32>
          return %0 : tensor<?x6xf32>
        }}
        func.func @columns(%a: tensor<4x?xf32> {{bufferization.writable = true}}) -> tensor<4x?xf32> {{
          %0 = shard.update_halo %a on @g split_axes = [[], [0]] halo_sizes = [1, 2] : tensor<4x?xf32>
          return %0 : tensor<4x?xf32>
        }}""",
        comm=WORLD,
        cache=CACHE,
    )
    own = [3 + rank % 2 for rank in range(WORLD.size)]
    start = 1 + sum(own[: WORLD.rank])
    for function, across in (("f", False), ("columns", True)):
        wide = 4 if across else 6
        whole = np.arange((sum(own) + 3) * wide, dtype=np.float32).reshape(-1, wide)
        expected = whole[start - 1 : start + own[WORLD.rank] + 2]
        mine = expected.copy()
        mine[0 : (WORLD.rank > 0)] = -1
        if WORLD.rank < WORLD.size - 1:
            mine[-2:] = -1
        array = np.ascontiguousarray(mine.T) if across else mine
        found = program[function](array)
        assert found is array
        assert np.array_equal(found.T if across else found, expected)


def strides_on_one_rank() -> None:
    """All ranks run the code for any strides if one has such an array; each version makes communicators of its own."""
    inner = 2 * WORLD.size
    program = mi.compile(
        mi.shard(
            f"""func.func @main(%a: tensor<6x{inner}xf32>, %b: tensor<{inner}x5xf32>) -> tensor<6x5xf32> {{
              %zero = arith.constant 0.0 : f32
              %e = tensor.empty() : tensor<6x5xf32>
              %z = linalg.fill ins(%zero : f32) outs(%e : tensor<6x5xf32>) -> tensor<6x5xf32>
              %0 = linalg.matmul ins(%a, %b : tensor<6x{inner}xf32>, tensor<{inner}x5xf32>)
                outs(%z : tensor<6x5xf32>) -> tensor<6x5xf32>
              return %0 : tensor<6x5xf32>
            }}""",
            grid=(WORLD.size, 1),
            shardings={"a": (None, 0), "b": (0, None)},
        ),
        comm=WORLD,
        cache=CACHE,
    )
    a = np.arange(12, dtype=np.float32).reshape(6, 2) + WORLD.rank
    b = np.arange(10, dtype=np.float32).reshape(2, 5) - WORLD.rank
    expected = WORLD.allreduce(a @ b)
    for strided in (-1, WORLD.size - 1, 0, -1, 0):
        mine = np.asfortranarray(a) if WORLD.rank == strided else a
        assert np.array_equal(program.main(mine, b), expected)
        bound = program.main.bind(mine, b)
        assert np.array_equal(bound(), expected)


def begun_collectives() -> None:
    """Sums and gathers that are under way while other memory is computed with, in place and not."""
    program = mi.compile(
        """
        func.func @sums(%a: memref<8x8xf64>, %m: memref<8x8xf64>, %o: memref<8x8xf64>, %least: memref<8x8xf64>) {
          %c = mpi.comm_world : !mpi.comm
          %x = memref.alloc() : memref<8x8xf64>
          %p = memref.alloc() : memref<8x8xf64>
          %y = memref.alloc() : memref<8x8xf64>
          %zero = arith.constant 0.0 : f64
          memref.copy %m, %x : memref<8x8xf64> to memref<8x8xf64>
          linalg.fill ins(%zero : f64) outs(%p : memref<8x8xf64>)
          mpi.allreduce(%x, %x, MPI_SUM, %c) : memref<8x8xf64>, memref<8x8xf64>
          linalg.matmul ins(%a, %a : memref<8x8xf64>, memref<8x8xf64>) outs(%p : memref<8x8xf64>)
          mpi.allreduce(%p, %y, MPI_MIN, %c) : memref<8x8xf64>, memref<8x8xf64>
          linalg.add ins(%p, %x : memref<8x8xf64>, memref<8x8xf64>) outs(%o : memref<8x8xf64>)
          memref.copy %y, %least : memref<8x8xf64> to memref<8x8xf64>
          memref.dealloc %x : memref<8x8xf64>
          memref.dealloc %p : memref<8x8xf64>
          memref.dealloc %y : memref<8x8xf64>
          return
        }
        func.func @gathered(%a: memref<3x4xf32>, %all: memref<?x4xf32>, %part: memref<4xf32>, %sums: memref<?x4xf32>) {
          %c = mpi.comm_world : !mpi.comm
          %two = arith.constant 2.0 : f32
          %t = memref.alloc() : memref<4xf32>
          mpi.allgather(%a, %all, %c) : memref<3x4xf32>, memref<?x4xf32>
          linalg.fill ins(%two : f32) outs(%t : memref<4xf32>)
          mpi.reduce_scatter_block(%sums, %part, MPI_SUM, %c) : memref<?x4xf32>, memref<4xf32>
          linalg.fill ins(%two : f32) outs(%t : memref<4xf32>)
          memref.dealloc %t : memref<4xf32>
          return
        }""",
        comm=WORLD,
        cache=CACHE,
        memory_stats=True,
    )
    rng = np.random.default_rng(WORLD.rank)
    for _ in range(3):
        a, m = rng.integers(-9, 9, (2, 8, 8)).astype(np.float64)
        out, least = np.zeros((2, 8, 8))
        program.sums(a, m, out, least)
        assert np.array_equal(out, a @ a + WORLD.allreduce(m))
        assert np.array_equal(least, WORLD.allreduce(a @ a, np.minimum))
        assert (program.memory_stats.copies, program.memory_stats.leaked_bytes) == (2, 0)
    mine, part = np.full((3, 4), WORLD.rank, np.float32), np.zeros(4, np.float32)
    everything = np.zeros((3 * WORLD.size, 4), np.float32)
    sums = np.arange(4 * WORLD.size, dtype=np.float32).reshape(-1, 4)
    program.gathered(mine, everything, part, sums)
    assert np.array_equal(everything, np.repeat(np.arange(WORLD.size), 3)[:, None] * np.ones(4))
    assert np.array_equal(part, sums[WORLD.rank] * WORLD.size)


all_reduces()
begun_collectives()
others()
halos()
strides_on_one_rank()
communicators_of_the_caller()
print(f"rank {WORLD.rank} is right")
