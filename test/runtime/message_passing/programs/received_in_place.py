"""What is received and inserted into a larger tensor lands there: against NumPy, on the ranks that run this.

The bytes of all copies are counted. A rank's own part is copied to its place where parts are exchanged in turn; what is
received in columns, or in rows with gaps, is copied from memory of the size of one part, and never from a second whole.
"""

import sys
from dataclasses import dataclass
from typing import Any

import numpy as np
from mpi4py import MPI

import mlir_inplace as mi

WORLD = MPI.COMM_WORLD
SIZE, RANK = WORLD.size, WORLD.rank
CACHE = sys.argv[1]
Array = np.ndarray[Any, Any]
ROWS, COLUMNS = 3, 4


@dataclass(frozen=True)
class Case:
    """An op on `%x`, whose result is inserted at row 2 and column `at` of a tensor that is `wider` by some columns.

    `parts` are the tensors of all ranks, `made` what this rank gets; `copied` is how many bytes it copies. Sizes are
    known at run time only if they are `dynamic`, and so is the `row`, unless it is 2.
    """

    op: str
    parts: list[Array]
    made: Array
    copied: int
    at: int = 0
    wider: int = 0
    dynamic: bool = False
    row: str = "%i"


def part(rank: int, rows: int = ROWS, columns: int = COLUMNS) -> Array:
    return np.arange(float(rows * columns)).reshape(rows, columns) + 100 * rank


def uneven(rank: int) -> int:
    return (2, 0, 3, 1)[rank]


def gathered(axis: int) -> str:
    return f"shard.all_gather %x on @g grid_axes = [0] gather_axis = {axis}"


EVEN = [part(rank) for rank in range(SIZE)]
BYTES = EVEN[0].nbytes
LOW = [part(rank, rows=uneven(rank)) for rank in range(SIZE)]
NARROW = [part(rank, columns=uneven(rank)) for rank in range(SIZE)]
LONG = [part(rank, rows=2 * SIZE) for rank in range(SIZE)]
BELOW, BESIDE = np.concatenate(EVEN), np.concatenate(EVEN, 1)
CASES = {
    "rows": Case(gathered(0), EVEN, BELOW, 0),
    "rows with gaps": Case(gathered(0), EVEN, BELOW, SIZE * BYTES, 2, 5),
    "columns": Case(gathered(1), EVEN, BESIDE, SIZE * BYTES),
    "columns with gaps": Case(gathered(1), EVEN, BESIDE, SIZE * BYTES, 1, 3),
    "uneven rows": Case(gathered(0), LOW, np.concatenate(LOW), LOW[RANK].nbytes, dynamic=True),
    "uneven rows with gaps": Case(
        gathered(0), LOW, np.concatenate(LOW), sum(one.nbytes for one in LOW), 1, 3, dynamic=True
    ),
    "uneven columns": Case(
        gathered(1), NARROW, np.concatenate(NARROW, 1), sum(one.nbytes for one in NARROW), 1, 3, dynamic=True
    ),
    "one row from each, of all": Case(
        "shard.all_to_all %x on @g grid_axes = [0] split_axis = 0 concat_axis = 1",
        LONG,
        np.concatenate([one[2 * RANK : 2 * RANK + 2] for one in LONG], 1),
        LONG[0].nbytes,
        1,
        2,
    ),
    "shifted": Case("shard.shift %x on @g grid_axes = [0] shift_axis = 0 offset = 1 rotate", EVEN, EVEN[RANK - 1], 0),
    "shifted, with gaps": Case(
        "shard.shift %x on @g grid_axes = [0] shift_axis = 0 offset = 1 rotate", EVEN, EVEN[RANK - 1], BYTES, 1, 2
    ),
    "reduced": Case(
        "shard.reduce_scatter %x on @g grid_axes = [0] scatter_dim = 0",
        LONG,
        sum(LONG)[2 * RANK : 2 * RANK + 2],  # type: ignore[index]
        0,
    ),
    "reduced, with gaps": Case(
        "shard.reduce_scatter %x on @g grid_axes = [0] scatter_dim = 0",
        LONG,
        sum(LONG)[2 * RANK : 2 * RANK + 2],  # type: ignore[index]
        2 * COLUMNS * 8,
        1,
        2,
    ),
    "broadcast": Case("shard.broadcast %x on @g grid_axes = [0] root = [0]", EVEN, EVEN[0], BYTES, 1, 2, row="2"),
}


def program_of(case: Case) -> tuple[str, tuple[int, int]]:
    """The program, and the shape of the larger tensor."""
    rows, columns = case.made.shape
    given, made = ("x".join(map(str, one.shape)) for one in (case.parts[0], case.made))
    sizes = f"[{rows}, {columns}]"
    if case.dynamic:
        is_low = case.parts[0].shape[1] == COLUMNS
        given = made = f"?x{COLUMNS}" if is_low else f"{ROWS}x?"
        sizes = f"[%n, {columns}]" if is_low else f"[{rows}, %n]"
    whole = rows + 5, columns + case.wider
    outer, inner = f"tensor<{whole[0]}x{whole[1]}xf64>", f"tensor<{made}xf64>"
    arrow = f"(tensor<{given}xf64>) -> {inner}" if "broadcast" in case.op else f"tensor<{given}xf64> -> {inner}"
    text = f"""
      shard.grid @g(shape = {SIZE})
      func.func @main(%x: tensor<{given}xf64>, %t: {outer} {{bufferization.writable = true}}, %i: index, %n: index)
          -> {outer} {{
        %a = {case.op} : {arrow}
        %r = tensor.insert_slice %a into %t[{case.row}, {case.at}] {sizes} [1, 1] : {inner} into {outer}
        return %r : {outer}
      }}"""
    return text, whole


def check(name: str, case: Case, *, optimize: bool) -> None:
    text, whole = program_of(case)
    program = mi.compile(text, comm=WORLD, cache=CACHE, memory_stats=True, optimize=optimize)
    target = np.full(whole, -1.0)
    expected = target.copy()
    rows, columns = case.made.shape
    expected[2 : 2 + rows, case.at : case.at + columns] = case.made
    own = case.parts[RANK].copy()
    result = program.main(own, target, 2, sum(one.shape[case.parts[0].shape[1] != COLUMNS] for one in case.parts))
    assert np.array_equal(result, expected), (name, result)
    assert np.shares_memory(result, target)
    assert np.array_equal(own, case.parts[RANK]), name
    stats = program.memory_stats
    assert stats is not None
    assert (stats.copied_bytes, stats.leaked_bytes) == (case.copied, 0), (name, stats)
    part_bytes = max(one.nbytes for one in case.parts) + 64
    told = 8 * (2 * SIZE + 2) + 3 * 64  # The sizes that ranks tell each other; blocks are aligned to 64 bytes.
    assert stats.peak_bytes <= part_bytes + told * case.dynamic, (name, stats)


for optimize in (False, True):
    for name, case in CASES.items():
        check(name, case, optimize=optimize)
print(f"rank {RANK} is right")
