"""What a loop reads of the old content of a tensor that it writes: in place where no earlier iteration wrote it."""

from __future__ import annotations

import itertools
from collections import Counter

import pytest
from analysed import analyse, context
from fast_run import scaled
from generated import program
from mlir import ir

import mlir_inplace as mi

ARGUMENTS = '%t: !d loc("t"), %f: f32, %i: index, %n: index, %m: index, %p: i1'


def sweep(read: str, write: str, *, loop: str = "%c0 to %n step %c4", size: str = "[4]", before: str = "") -> str:
    """`read` of the original and `write` of the carried tensor are offsets, over %k, %a = %k + 4 and %b = %k - 4."""
    tile, empty = ("!h", "()") if size == "[4]" else ("!d", "(%m)")
    return f"""
      %four = arith.constant 4 : index
      {before}
      %r = scf.for %k = {loop} iter_args(%x = %t) -> !d {{
        %a = arith.addi %k, %four : index
        %b = arith.subi %k, %four : index
        %e = tensor.extract_slice %t[{read}] {size} [1] : !d to {tile} loc("e")
        %o = tensor.empty{empty} : {tile}
        %g = linalg.generic {{indexing_maps = [#id, #id], iterator_types = ["parallel"]}}
            ins(%e : {tile}) outs(%o : {tile}) {{
        ^bb0(%in: f32, %out: f32):
          %s = arith.addf %in, %in : f32
          linalg.yield %s : f32
        }} -> {tile} loc("g")
        %w = tensor.insert_slice %g into %x[{write}] {size} [1] : {tile} into !d loc("w")
        scf.yield %w : !d
      }} loc("loop")
      return %r : !d"""


@pytest.mark.parametrize(
    ("text", "is_free"),
    [
        # What an iteration reads is what it writes.
        (sweep("%k", "%k"), True),
        # It reads what later ones write, or what earlier ones wrote.
        (sweep("%a", "%k"), True),
        (sweep("%b", "%k"), False),
        # The tiles of two iterations overlap, or it is not known that they do not.
        (sweep("%k", "%k", loop="%c0 to %n step %c2"), False),
        (sweep("%k", "%k", loop="%c0 to %n step %m"), False),
        (sweep("%k", "%k", loop="%c0 to %n step %m", size="[%m]"), True),
        (sweep("%k", "%k", loop="%n to %m step %c4"), True),
        (sweep("%k", "%k", loop="%c0 to %c4 step %c2"), False),
        # One iteration only.
        (sweep("%k", "%k", loop="%c2 to %c4 step %c2"), True),
        # The same place in all iterations.
        (sweep("%m", "%m"), False),
        (sweep("%m", "%k"), False),
    ],
)
def test_what_other_iterations_write(text: str, *, is_free: bool) -> None:
    a = analyse(text, ARGUMENTS)
    assert (a.not_in_place == {}) is is_free, a.not_in_place


def test_a_loop_inside() -> None:
    """The inner loop writes the tiles of its row, of which the next row reads none; or it comes back to them."""
    for offset, is_free in (("d0 * 64 + d1 * 4", True), ("d0 * 4 + d1 * 4", False), ("d1 * 4", False)):
        a = analyse(
            f"""
          %c16 = arith.constant 16 : index
          %r = scf.for %j = %c0 to %n step %c1 iter_args(%y = %t) -> !d {{
            %q = scf.for %k = %c0 to %c16 step %c1 iter_args(%x = %y) -> !d {{
              %o = affine.apply affine_map<(d0, d1) -> ({offset})>(%j, %k)
              %e = tensor.extract_slice %t[%o] [4] [1] : !d to !h
              %z = "test.use"(%e) : (!h) -> f32
              %w = tensor.insert_slice %h into %x[%o] [4] [1] : !h into !d loc("w")
              scf.yield %w : !d
            }} loc("inner")
            scf.yield %q : !d
          }} loc("outer")
          return %r : !d""",
            ARGUMENTS + ", %h: !h",
            allow_unknown=True,
        )
        assert (a.not_in_place == {}) is is_free, a.not_in_place


BLOCKS = """
      cf.br ^again(%n : index)
    ^again(%j: index):
      %o = tensor.empty(%n) : !d
      %u = linalg.fill ins(%f : f32) outs(%o : !d) -> !d
      scf.for %k = %c0 to %n step %c4 {
        %e = tensor.extract_slice READ [4] [1] : !d to !h loc("e")
        %z = "test.use"(%e) : (!h) -> f32
        %w = tensor.extract_slice WRITE [4] [1] : !d to !h loc("w")
        %g = linalg.fill ins(%z : f32) outs(%w : !h) -> !h
        "test.use"(%g) : (!h) -> ()
      }
      %less = arith.subi %j, %c1 : index
      cf.cond_br %p, ^again(%less : index), ^end
    ^end:
      return"""
"""A loop inside of a loop of blocks."""


@pytest.mark.parametrize(
    ("read", "write", "is_free"),
    [
        # Each run of the blocks has a tensor of its own; %j is the same in all iterations of the loop inside.
        ("%u[%k]", "%u[%k]", True),
        ("%u[%j]", "%u[%j]", False),
        # All read the tensor that the first one writes. %j is another one in each of them.
        ("%t[%k]", "%t[%k]", False),
        ("%t[4]", "%t[%j]", False),
        ("%t[4]", "%t[0]", True),
    ],
)
def test_a_loop_in_a_loop_of_blocks(read: str, write: str, *, is_free: bool) -> None:
    text = BLOCKS.replace("READ", read).replace("WRITE", write)
    a = analyse(text, ARGUMENTS, allow_unknown=True)
    assert (a.not_in_place == {}) is is_free, a.not_in_place


def test_values_computed_in_the_loop_are_not_compared() -> None:
    text = sweep("%l", "%l").replace("%a = arith.addi", '%l = "test.index"() : () -> index\n%a = arith.addi')
    a = analyse(text, ARGUMENTS, allow_unknown=True)
    assert a.not_in_place


def test_threads_have_no_order() -> None:
    """Thread k reads what thread k + 1 writes, which may be done already."""
    text = """
      %r = scf.forall (%k) in (%n) shared_outs(%x = %t) -> !d {
        %a = affine.apply affine_map<(d0) -> (d0 * 4 + 4)>(%k)
        %b = affine.apply affine_map<(d0) -> (d0 * 4)>(%k)
        %e = tensor.extract_slice %t[%a] [4] [1] : !d to !h
        %o = tensor.empty() : !h
        %g = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%e : !h) outs(%o : !h) {
        ^bb0(%in: f32, %out: f32):
          %s = arith.addf %in, %in : f32
          linalg.yield %s : f32
        } -> !h
        scf.forall.in_parallel {
          tensor.parallel_insert_slice %g into %x[%b] [4] [1] : !h into !d
        }
      }
      return %r : !d"""
    assert analyse(text, ARGUMENTS).costs == [
        "copy: READ_AFTER_WRITE write=tensor.parallel_insert_slice#1 read=tensor.extract_slice#0 value=t"
    ]
    # Its own tile is another matter.
    assert analyse(text.replace("d0 * 4 + 4", "d0 * 4"), ARGUMENTS).costs == []


def threads(read: str, write: str, runs: int) -> str:
    """`read` of the original and `write` of the shared tensor are offsets over j, an outer loop, and k, the thread."""
    return f"""
      %end = arith.constant {runs} : index
      %out = scf.for %j = %c0 to %end step %c1 iter_args(%y = %t) -> !d {{
        %r = scf.forall (%k) in (4) shared_outs(%x = %y) -> !d {{
          %a = affine.apply affine_map<(j, k) -> ({read})>(%j, %k)
          %b = affine.apply affine_map<(j, k) -> ({write})>(%j, %k)
          %e = tensor.extract_slice %t[%a] [2] [1] : !d to tensor<2xf32>
          %o = tensor.empty() : tensor<2xf32>
          %g = linalg.exp ins(%e : tensor<2xf32>) outs(%o : tensor<2xf32>) -> tensor<2xf32>
          scf.forall.in_parallel {{
            tensor.parallel_insert_slice %g into %x[%b] [2] [1] : tensor<2xf32> into !d
          }}
        }}
        scf.yield %r : !d
      }}
      return %out : !d"""


@pytest.mark.parametrize("runs", [1, 3])
def test_threads_that_read_elements_that_no_other_one_writes(runs: int) -> None:
    """In place if and only if nothing that is read was written in an earlier run, or may be by another thread."""
    found: Counter[bool] = Counter()
    for outer, shift in itertools.product((0, 8, -8), (-9, -8, -4, -2, 0, 1, 2, 3, 4, 8, 9)):
        points = list(itertools.product(range(runs), range(4)))
        wanted = any(
            abs(first[0] * outer + first[1] * 4 - (second[0] * outer + second[1] * 4 + shift)) < 2
            for first, second in itertools.product(points, points)
            if first[0] < second[0] or (first[0] == second[0] and first != second)
        )
        written = f"j * {outer} + k * 4 + 32"
        a = analyse(threads(f"{written} + {shift}", written, runs), ARGUMENTS)
        assert (a.costs != []) is wanted, (outer, shift, a.costs)
        found[wanted] += 1
    assert min(found[True], found[False]) > 4


def test_some_random_sweeps_are_free() -> None:
    """Loops that read and write a vector at computed places; their values are tested in `test_soundness.py`."""
    made = (program("sweeps", seed, size=1) for seed in range(scaled(120, 40)))
    with context():
        sweeps = [ir.Module.parse(each.text) for each in made if ("indices.sweep", 1) in each.productions]
        free = [sweep for sweep in sweeps if not mi.bufferize(sweep).copies]
    assert 2 <= len(free) < len(sweeps)
