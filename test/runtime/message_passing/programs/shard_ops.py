"""Every op of the shard dialect that communicates, against NumPy, on the ranks that run this; memory is counted.

What ranks have differs in its elements, and in its sizes where the op allows that.
"""

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np
from mpi4py import MPI

import mlir_inplace as mi
from mlir_inplace.runtime.message_passing import communicators

WORLD = MPI.COMM_WORLD
SIZE, RANK = WORLD.size, WORLD.rank
CACHE = sys.argv[1]
DTYPES = {"f32": np.float32, "f64": np.float64, "i8": np.int8, "i64": np.int64, "bf16": ml_dtypes.bfloat16}
Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Case:
    """One op on a tensor `%t`.

    A rank copies its own part; columns are copied to and from memory in which they lie side by side, but its own.

    `shape_of` gives the sizes of a rank's tensor, `expected` what a rank gets for the tensors of all ranks, and
    `copies` how many copies each rank makes.
    """

    op: str
    type_: str
    result: str
    shape_of: Callable[[int], tuple[int, ...]]
    expected: Callable[[list[Array], int], Array | None]
    copies: int = 0
    writable: bool = False

    def given(self, rank: int) -> Array:
        shape, dtype = self.shape_of(rank), DTYPES[self.type_.rpartition("x")[2].rstrip(">")]
        return (np.arange(np.prod(shape)) + 1 + 7 * rank).reshape(shape).astype(dtype)


def uneven(rank: int) -> int:
    """Rows that differ, none among them."""
    return (2, 0, 3, 1)[rank]


def total(arrays: list[Array], function: Any = np.add) -> Array:
    found = arrays[0]
    for one in arrays[1:]:
        found = function(found, one)
    return found


def part(array: Array, rank: int, dimension: int = 0) -> Array:
    return np.array_split(array, SIZE, dimension)[rank]


def exchanged(split: int, concat: int) -> Callable[[list[Array], int], Array]:
    return lambda arrays, rank: np.concatenate([part(one, rank, split) for one in arrays], concat)


def shifted(offset: int, *, around: bool) -> Callable[[list[Array], int], Array | None]:
    """None where nothing is received, whose content is undefined."""
    return lambda arrays, rank: arrays[(rank - offset) % SIZE] if around or 0 <= rank - offset < SIZE else None


AXES = "on @g grid_axes = [0]"
WIDE, LONG = f"tensor<2x{3 * SIZE}xf32>", f"tensor<{2 * SIZE}x3xf32>"
CASES: dict[str, Case] = {
    "all_reduce": Case(
        f"shard.all_reduce %t {AXES} reduction = sum : tensor<3x5xf64> -> tensor<3x5xf64>",
        "tensor<3x5xf64>",
        "tensor<3x5xf64>",
        lambda _: (3, 5),
        lambda arrays, _: total(arrays),
        writable=True,
    ),
    "all_reduce_max": Case(
        f"shard.all_reduce %t {AXES} reduction = max : tensor<?xi8> -> tensor<?xi8>",
        "tensor<?xi8>",
        "tensor<?xi8>",
        lambda _: (5,),
        lambda arrays, _: total(arrays, np.maximum),
        writable=True,
    ),
    "reduce_scatter": Case(
        f"shard.reduce_scatter %t {AXES} scatter_dim = 0 : tensor<{2 * SIZE}x3xf32> -> tensor<2x3xf32>",
        f"tensor<{2 * SIZE}x3xf32>",
        "tensor<2x3xf32>",
        lambda _: (2 * SIZE, 3),
        lambda arrays, rank: part(total(arrays), rank),
    ),
    "reduce_scatter_of_uneven_rows": Case(
        f"shard.reduce_scatter %t {AXES} scatter_dim = 0 : tensor<?x3xf32> -> tensor<?x3xf32>",
        "tensor<?x3xf32>",
        "tensor<?x3xf32>",
        lambda _: (7, 3),
        lambda arrays, rank: part(total(arrays), rank),
        copies=2,
    ),
    "reduce_scatter_of_uneven_columns": Case(
        f"shard.reduce_scatter %t {AXES} reduction = min scatter_dim = 1 : tensor<3x?xi64> -> tensor<3x?xi64>",
        "tensor<3x?xi64>",
        "tensor<3x?xi64>",
        lambda _: (3, 5),
        lambda arrays, rank: part(total(arrays, np.minimum), rank, 1),
        copies=2,
    ),
    "all_gather": Case(
        f"shard.all_gather %t {AXES} gather_axis = 0 : tensor<2x3xf32> -> tensor<{2 * SIZE}x3xf32>",
        "tensor<2x3xf32>",
        f"tensor<{2 * SIZE}x3xf32>",
        lambda _: (2, 3),
        lambda arrays, _: np.concatenate(arrays),
    ),
    "all_gather_of_uneven_rows": Case(
        f"shard.all_gather %t {AXES} gather_axis = 0 : tensor<?x3xbf16> -> tensor<?x3xbf16>",
        "tensor<?x3xbf16>",
        "tensor<?x3xbf16>",
        lambda rank: (uneven(rank), 3),
        lambda arrays, _: np.concatenate(arrays),
        copies=1,
    ),
    "all_gather_of_uneven_columns": Case(
        f"shard.all_gather %t {AXES} gather_axis = 1 : tensor<3x?xf64> -> tensor<3x?xf64>",
        "tensor<3x?xf64>",
        "tensor<3x?xf64>",
        lambda rank: (3, uneven(rank)),
        lambda arrays, _: np.concatenate(arrays, 1),
        copies=SIZE,
    ),
    "all_to_all": Case(
        f"shard.all_to_all %t {AXES} split_axis = 1 concat_axis = 0 : {WIDE} -> {LONG}",
        WIDE,
        LONG,
        lambda _: (2, 3 * SIZE),
        exchanged(1, 0),
        copies=SIZE,
    ),
    "all_to_all_of_uneven_parts": Case(
        f"shard.all_to_all %t {AXES} split_axis = 1 concat_axis = 0 : tensor<?x?xf32> -> tensor<?x?xf32>",
        "tensor<?x?xf32>",
        "tensor<?x?xf32>",
        lambda rank: (uneven(rank), 5),
        exchanged(1, 0),
        copies=SIZE,
    ),
    "all_to_all_of_one_dimension": Case(
        f"shard.all_to_all %t {AXES} split_axis = 0 concat_axis = 0 : tensor<?x2xi64> -> tensor<?x2xi64>",
        "tensor<?x2xi64>",
        "tensor<?x2xi64>",
        lambda rank: (4 + uneven(rank), 2),
        exchanged(0, 0),
        copies=1,
    ),
    "broadcast": Case(
        f"shard.broadcast %t {AXES} root = [{SIZE - 1}] : (tensor<3x5xf32>) -> tensor<3x5xf32>",
        "tensor<3x5xf32>",
        "tensor<3x5xf32>",
        lambda _: (3, 5),
        lambda arrays, _: arrays[-1],
        writable=True,
    ),
    "broadcast_of_small_floats": Case(
        f"shard.broadcast %t {AXES} root = [0] : (tensor<?xbf16>) -> tensor<?xbf16>",
        "tensor<?xbf16>",
        "tensor<?xbf16>",
        lambda _: (7,),
        lambda arrays, _: arrays[0],
        writable=True,
    ),
    "shift": Case(
        f"shard.shift %t {AXES} shift_axis = 0 offset = 1 rotate : tensor<2x3xf32> -> tensor<2x3xf32>",
        "tensor<2x3xf32>",
        "tensor<2x3xf32>",
        lambda _: (2, 3),
        shifted(1, around=True),
    ),
    "shift_of_uneven_rows": Case(
        f"shard.shift %t {AXES} shift_axis = 0 offset = -1 rotate : tensor<?x3xf32> -> tensor<?x3xf32>",
        "tensor<?x3xf32>",
        "tensor<?x3xf32>",
        lambda rank: (uneven(rank), 3),
        shifted(-1, around=True),
    ),
    "shift_to_the_end": Case(
        f"shard.shift %t {AXES} shift_axis = 0 offset = 1 : tensor<?x?xf64> -> tensor<?x?xf64>",
        "tensor<?x?xf64>",
        "tensor<?x?xf64>",
        lambda rank: (uneven(rank), 2 + rank),
        shifted(1, around=False),
    ),
}


def function_of(name: str, case: Case) -> str:
    argument = f"%t: {case.type_}{' {bufferization.writable = true}' * case.writable}"
    return f"func.func @{name}({argument}) -> {case.result} {{ %r = {case.op} return %r : {case.result} }}\n"


def check_cases() -> None:
    text = f"shard.grid @g(shape = {SIZE})\n" + "".join(map(function_of, CASES, CASES.values()))
    for optimize in (False, True):
        check_program(text, list(CASES), range(SIZE), optimize=optimize)
    if SIZE == 4:  # The same on a grid of two axes, which number the ranks in another order.
        names = [name for name in CASES if not name.startswith("shift")]
        text = "shard.grid @g(shape = 2x2)\n" + "".join(function_of(name, CASES[name]) for name in names)
        text = (
            text.replace(AXES, "on @g grid_axes = [1, 0]")
            .replace("[3]", "[1, 1]")
            .replace("root = [0]", "root = [0, 0]")
        )
        check_program(text, names, (0, 2, 1, 3), optimize=False)


def check_program(text: str, names: Sequence[str], members: Sequence[int], *, optimize: bool) -> None:
    """Call each function; `members` are the ranks in the order of their group."""
    program = mi.compile(text, comm=WORLD, cache=CACHE, memory_stats=True, optimize=optimize)
    for name in names:
        case = CASES[name]
        arrays = [case.given(rank) for rank in members]
        place = members.index(RANK)
        mine = arrays[place].copy()
        found, expected = program[name](mine), case.expected(arrays, place)
        if expected is not None:
            np.testing.assert_array_equal(found, expected, err_msg=name)
        assert case.writable or np.array_equal(mine, arrays[place]), name
        assert (found is mine) == case.writable, name
        stats = program.memory_stats
        assert (stats.copies, stats.leaked_bytes) == (case.copies, 0), (name, stats)


def check_slices() -> None:
    """What is reduced are columns of a larger tensor, which MPI does not take: they are packed, and put back."""
    rows = 2 * SIZE
    text = f"""
      shard.grid @g(shape = {SIZE})
      func.func @reduced(%t: tensor<?x9xf32> {{bufferization.writable = true}}, %n: index) -> tensor<?x9xf32> {{
        %x = tensor.extract_slice %t[1, 2] [%n, 3] [1, 2] : tensor<?x9xf32> to tensor<?x3xf32>
        %s = shard.all_reduce %x {AXES} : tensor<?x3xf32> -> tensor<?x3xf32>
        %r = tensor.insert_slice %s into %t[1, 2] [%n, 3] [1, 2] : tensor<?x3xf32> into tensor<?x9xf32>
        return %r : tensor<?x9xf32>
      }}
      func.func @scattered(%t: tensor<{rows}x9xf64>) -> tensor<2x4xf64> {{
        %x = tensor.extract_slice %t[0, 5] [{rows}, 4] [1, 1] : tensor<{rows}x9xf64> to tensor<{rows}x4xf64>
        %s = shard.reduce_scatter %x {AXES} scatter_dim = 0 : tensor<{rows}x4xf64> -> tensor<2x4xf64>
        return %s : tensor<2x4xf64>
      }}"""
    given = [np.arange(rows * 9.0).reshape(rows, 9) + 10 * rank for rank in range(SIZE)]
    for optimize in (False, True):
        program = mi.compile(text, comm=WORLD, cache=CACHE, memory_stats=True, optimize=optimize)
        mine, expected = given[RANK].astype(np.float32), given[RANK].astype(np.float32)
        expected[1:, 2:8:2] = total(given)[1:, 2:8:2]
        assert program["reduced"](mine, rows - 1) is mine
        np.testing.assert_array_equal(mine, expected)
        stats = program.memory_stats
        assert (stats.copies, stats.leaked_bytes) == (2, 0), stats
        np.testing.assert_array_equal(program["scattered"](given[RANK]), part(total(given), RANK)[:, 5:])
        stats = program.memory_stats
        assert (stats.copies, stats.leaked_bytes) == (1, 0), stats


def check_messages() -> None:
    """A tensor goes from rank to rank, each of which adds its own, in one buffer on each."""
    text = f"""
      shard.grid @g(shape = {SIZE})
      func.func @relayed(%t: tensor<?x3xf32> {{bufferization.writable = true}}, %own: tensor<?x3xf32>)
          -> tensor<?x3xf32> {{
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %last = arith.constant {SIZE - 1} : index
        %rank = shard.process_linear_index on @g : index
        %before = arith.subi %rank, %c1 : index
        %after = arith.addi %rank, %c1 : index
        %is_first = arith.cmpi eq, %rank, %c0 : index
        %is_last = arith.cmpi eq, %rank, %last : index
        %r = scf.if %is_first -> tensor<?x3xf32> {{
          scf.yield %t : tensor<?x3xf32>
        }} else {{
          %v = shard.recv %t {AXES} source = [%before] : (tensor<?x3xf32>, index) -> tensor<?x3xf32>
          scf.yield %v : tensor<?x3xf32>
        }}
        %s = linalg.add ins(%r, %own : tensor<?x3xf32>, tensor<?x3xf32>) outs(%r : tensor<?x3xf32>) -> tensor<?x3xf32>
        %p = scf.if %is_last -> tensor<?x3xf32> {{
          scf.yield %s : tensor<?x3xf32>
        }} else {{
          %o = shard.send %s {AXES} destination = [%after] : (tensor<?x3xf32>, index) -> tensor<?x3xf32>
          scf.yield %o : tensor<?x3xf32>
        }}
        return %p : tensor<?x3xf32>
      }}
      func.func @nobody(%t: tensor<3xf32> {{bufferization.writable = true}}, %to: index) -> tensor<3xf32> {{
        %p = shard.send %t {AXES} destination = [%to] : (tensor<3xf32>, index) -> tensor<3xf32>
        return %p : tensor<3xf32>
      }}"""
    for optimize in (False, True):
        program = mi.compile(text, comm=WORLD, cache=CACHE, memory_stats=True, optimize=optimize)
        own = [np.arange(12, dtype=np.float32).reshape(4, 3) * (rank + 1) for rank in range(SIZE)]
        mine = np.full((4, 3), 5 if RANK == 0 else -1, np.float32)
        found = program.relayed(mine, own[RANK])
        assert found is mine
        assert np.array_equal(found, 5 + total(own[: RANK + 1]))
        stats = program.memory_stats
        assert (stats.allocations, stats.copies, stats.leaked_bytes) == (0, 0, 0), stats
        communicators._PATIENCE = 60.0  # All ranks fail and arrive, but this machine may have other work.
        try:
            program.nobody(np.zeros(3, np.float32), SIZE)
        except (RuntimeError, AssertionError) as error:
            assert "mpi.send failed" in str(error), error
        else:
            raise AssertionError("a message to nobody was sent")


def check_a_message_before_an_exchange() -> None:
    """MPI keeps a short message for later, and must not take it for that of the halo."""
    if SIZE == 1:
        return
    text = f"""
      shard.grid @g(shape = {SIZE})
      func.func @main(%t: tensor<4x6xf32> {{bufferization.writable = true}}) -> (tensor<4x6xf32>, tensor<1x6xf32>) {{
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %rank = shard.process_linear_index on @g : index
        %is_first = arith.cmpi eq, %rank, %c0 : index
        %is_second = arith.cmpi eq, %rank, %c1 : index
        %e = tensor.generate {{
          ^bb0(%i: index, %j: index):
            %zero = arith.constant 0.0 : f32
            tensor.yield %zero : f32
        }} : tensor<1x6xf32>
        scf.if %is_first {{
          %a = tensor.extract_slice %t[0, 0] [1, 6] [1, 1] : tensor<4x6xf32> to tensor<1x6xf32>
          %s = shard.send %a {AXES} destination = [1] : (tensor<1x6xf32>) -> tensor<1x6xf32>
        }}
        %h = shard.update_halo %t on @g split_axes = [[0]] halo_sizes = [1, 1] : tensor<4x6xf32>
        %r = scf.if %is_second -> tensor<1x6xf32> {{
          %v = shard.recv %e {AXES} source = [0] : (tensor<1x6xf32>) -> tensor<1x6xf32>
          scf.yield %v : tensor<1x6xf32>
        }} else {{
          scf.yield %e : tensor<1x6xf32>
        }}
        return %h, %r : tensor<4x6xf32>, tensor<1x6xf32>
      }}"""
    program = mi.compile(text, comm=WORLD, cache=CACHE, memory_stats=True)
    arrays = [(np.arange(24, dtype=np.float32) + 100 * rank).reshape(4, 6) for rank in range(SIZE)]
    expected = arrays[RANK].copy()
    if RANK > 0:
        expected[0] = arrays[RANK - 1][2]
    if RANK < SIZE - 1:
        expected[3] = arrays[RANK + 1][1]
    halo, received = program.main(arrays[RANK].copy())
    np.testing.assert_array_equal(halo, expected)
    np.testing.assert_array_equal(received, arrays[0][:1] if RANK == 1 else np.zeros((1, 6)))
    assert program.memory_stats.leaked_bytes == 0


check_cases()
check_messages()
check_slices()
check_a_message_before_an_exchange()
print(f"rank {RANK} is right")
