"""What is read from programs about indices, loops and slices, and what follows from it."""

from __future__ import annotations

import pytest
from analysed import Analysed, analyse
from index_set_problems import touched_once
from test_index_sets import NO, UNKNOWN, YES

from mlir_inplace.passes.analysis.effects.sizes import followed_size
from mlir_inplace.passes.analysis.index_sets.coverage import covers
from mlir_inplace.passes.analysis.index_sets.points import Direction
from mlir_inplace.passes.analysis.index_sets.problems import Answer
from mlir_inplace.passes.analysis.index_sets.reader import IndexReader
from mlir_inplace.passes.analysis.index_sets.relations import IndexSets
from mlir_inplace.passes.analysis.index_sets.slices import Slice
from mlir_inplace.passes.analysis.index_sets.symbols import InductionVariable

ARGUMENTS = '%t: !d loc("t"), %a: tensor<?x?xf32> loc("a"), %f: f32, %n: index, %m: index, %ts: index, %p: i1'


class Read:
    """A program with its reader; slices and loops by the locations of the ops that have them."""

    def __init__(self, body: str) -> None:
        self.program: Analysed = analyse(body, ARGUMENTS, allow_unknown=True)
        effects = self.program.analysis.effects
        self.reader = IndexReader(self.program.snapshot, lambda tensor, d: followed_size(effects, tensor, d))
        self.sets = IndexSets(self.reader.terms)

    def slice(self, label: str) -> Slice:
        """The slice that the op reads or writes; of an insertion, of its destination."""
        op = self.program.op(label)
        operand = self.program.snapshot.operands(op)[self.program.snapshot.op_name[op].startswith("tensor.insert")]
        return self.reader.slice(self.program.analysis.effects.slices[operand])

    def nest(self, label: str) -> tuple[InductionVariable, ...]:
        return self.reader.loops_around(self.program.snapshot.op_block[self.program.op(label)])

    def is_written_once(self, label: str) -> Answer:
        return touched_once(self.sets, self.slice(label), self.nest(label)).answer

    def is_covered(self, label: str, tensor: str, rank: int = 1) -> Answer:
        sizes = [self.reader.size(self.program.value(tensor), d) for d in range(rank)]
        return covers(self.sets, [self.slice(label)], sizes, self.nest(label)).answer


def tiles(size: str, upper: str = "%d", step: str = "%c4", before: str = "") -> str:
    """A loop over tiles of %t; `size` computes %s from the induction variable %i and the tensor's size %d."""
    return f"""
      %d = tensor.dim %t, %c0 : !d
      {before}
      %r = scf.for %i = %c0 to {upper} step {step} iter_args(%x = %t) -> !d {{
        {size}
        %e = tensor.extract_slice %x[%i] [%s] [1] : !d to !d loc("e")
        %w = tensor.insert_slice %e into %x[%i] [%s] [1] : !d into !d loc("w")
        scf.yield %w : !d
      }}
      return %r : !d"""


@pytest.mark.parametrize(
    ("size", "once", "covered"),
    [
        ("%s = affine.min affine_map<(d0)[s0] -> (4, -d0 + s0)>(%i)[%d]", YES, YES),
        ("%q = arith.subi %d, %i : index\n%s = arith.minsi %q, %c4 : index", YES, YES),
        ("%s = affine.min affine_map<(d0)[s0] -> (3, -d0 + s0)>(%i)[%d]", YES, NO),
        ("%s = affine.min affine_map<(d0)[s0] -> (5, -d0 + s0)>(%i)[%d]", NO, YES),
        ("%q = arith.subi %d, %i : index\n%s = arith.minui %q, %c4 : index", NO, UNKNOWN),
        ("%s = affine.apply affine_map<(d0)[s0] -> ((s0 - d0) floordiv 1000 + 4)>(%i)[%d]", NO, YES),
        ("%s = arith.maxsi %c2, %c4 : index", YES, YES),
    ],
)
def test_sizes_of_tiles(size: str, once: Answer, covered: Answer) -> None:
    read = Read(tiles(size))
    assert read.is_written_once("w") is once
    assert read.is_covered("w", "t") is covered


@pytest.mark.parametrize(
    ("upper", "step", "covered"),
    [("%d", "%c4", YES), ("%m", "%c4", NO), ("%d", "%ts", NO), ("%u", "%c4", YES), ("%v", "%c4", NO)],
)
def test_bounds_of_loops(upper: str, step: str, covered: Answer) -> None:
    bounds = """
      %u = affine.apply affine_map<()[s0] -> ((s0 ceildiv 4) * 4)>()[%d]
      %v = affine.apply affine_map<()[s0] -> (s0 - s0 mod 4)>()[%d]"""
    read = Read(tiles("%s = arith.constant 4 : index", upper, step, bounds))
    assert read.is_covered("w", "t") is covered


def test_sizes_of_what_a_loop_carries() -> None:
    """It has the size of the initial value, if what is yielded keeps it."""
    size = """%c = tensor.dim %x, %c0 : !d
        %s = affine.min affine_map<(d0)[s0] -> (4, -d0 + s0)>(%i)[%c]"""
    assert Read(tiles(size)).is_covered("w", "t") is YES
    other = tiles(size).replace("scf.yield %w", '%y = "test.other"(%w) : (!d) -> !d\nscf.yield %y')
    assert Read(other).is_covered("w", "t") is UNKNOWN


def test_a_tile_size_that_is_an_argument() -> None:
    size = "%s = affine.min affine_map<(d0)[s0, s1] -> (s1, -d0 + s0)>(%i)[%d, %ts]"
    read = Read(tiles(size, step="%ts"))
    assert read.is_written_once("w") is YES
    assert read.is_covered("w", "t") is YES


def test_a_sweep_reads_what_the_iteration_before_wrote() -> None:
    read = Read("""
      %d = tensor.dim %t, %c0 : !d
      %end = arith.subi %d, %c1 : index
      %r = scf.for %i = %c1 to %end step %c1 iter_args(%x = %t) -> !d {
        %j = arith.subi %i, %c1 : index
        %e = tensor.extract %x[%j] : !d loc("e")
        %w = tensor.insert %e into %x[%i] : !d loc("w")
        scf.yield %w : !d
      }
      return %r : !d""")
    nest = read.nest("w")
    (loop,) = nest
    written, element = read.slice("w"), read.slice("e")
    answers = {d: read.sets.are_disjoint(written, element, nest, {loop.variable: d}).answer for d in Direction}
    assert answers == {Direction.SAME: YES, Direction.LATER: NO, Direction.EARLIER: YES, Direction.ANY: NO}


def test_threads_and_parallel_loops() -> None:
    read = Read("""
      %d0 = tensor.dim %a, %c0 : tensor<?x?xf32>
      %d1 = tensor.dim %a, %c1 : tensor<?x?xf32>
      %r = scf.forall (%i, %j) = (0, 0) to (%d0, %d1) step (4, 8)
          shared_outs(%o = %a) -> tensor<?x?xf32> {
        %h = affine.min affine_map<(d0)[s0] -> (4, -d0 + s0)>(%i)[%d0]
        %v = affine.min affine_map<(d0)[s0] -> (8, -d0 + s0)>(%j)[%d1]
        %e = tensor.extract_slice %a[%i, %j] [%h, %v] [1, 1] : tensor<?x?xf32> to tensor<?x?xf32> loc("e")
        scf.forall.in_parallel {
          tensor.parallel_insert_slice %e into %o[%i, %j] [%h, %v] [1, 1] : tensor<?x?xf32> into tensor<?x?xf32>
        }
      }
      scf.parallel (%i, %j) = (%c0, %c0) to (%n, %m) step (%c2, %c2) {
        %e = tensor.extract_slice %a[%i, %j] [2, 2] [1, 1] : tensor<?x?xf32> to tensor<2x2xf32> loc("pairs")
        scf.reduce
      }
      return %r : tensor<?x?xf32>""")
    assert len(read.nest("e")) == len(read.nest("pairs")) == 2
    assert read.is_written_once("e") is YES
    assert read.is_covered("e", "a", 2) is YES
    assert read.is_written_once("pairs") is YES
    assert read.is_covered("pairs", "a", 2) is NO


def test_workgroups_that_take_turns() -> None:
    """The dispatch dialect's grid: read by the names of its ops."""
    read = Read("""
      %d = tensor.dim %t, %c0 : !d
      %id = "dispatch.workgroup_id"() {dimension = 0 : i64} : () -> index
      %size = "dispatch.workgroup_size"() {dimension = 0 : i64} : () -> index
      %count = "dispatch.workgroup_count"() {dimension = 0 : i64} : () -> index
      %lb = affine.apply affine_map<()[s0, s1] -> (s0 * s1)>()[%id, %size]
      %step = arith.muli %size, %count : index
      scf.for %i = %lb to %d step %step {
        %s = affine.min affine_map<(d0)[s0, s1] -> (s0, -d0 + s1)>(%i)[%size, %d]
        %e = tensor.extract_slice %t[%i] [%s] [1] : !d to !d loc("e")
      }
      return""")
    grid = read.reader.workgroups(1)
    nest = (*grid, *read.nest("e"))
    assert len(nest) == 2
    assert touched_once(read.sets, read.slice("e"), nest).answer is YES
    size = read.reader.size(read.program.value("t"), 0)
    assert covers(read.sets, [read.slice("e")], [size], nest).answer is YES
    # One workgroup alone leaves tiles out.
    assert covers(read.sets, [read.slice("e")], [size], read.nest("e")).answer is not YES


def test_what_an_iteration_computes_is_not_the_same_in_the_next() -> None:
    read = Read("""
      %r = scf.for %i = %c0 to %n step %c1 iter_args(%k = %c0) -> index {
        %v = tensor.extract %t[%k] : !d loc("v")
        %l = arith.addi %k, %i : index
        %w = tensor.extract %t[%l] : !d loc("w")
        %x = tensor.extract %t[%m] : !d loc("x")
        scf.yield %l : index
      }
      return""")
    assert read.is_written_once("v") is NO
    assert read.is_written_once("w") is NO
    assert read.is_written_once("x") is NO
    (loop,) = read.nest("v")
    answer = read.sets.are_disjoint(read.slice("x"), read.slice("v"), [loop], {loop.variable: Direction.LATER}).answer
    assert answer is NO


@pytest.mark.parametrize(
    "loop",
    [
        "scf.while (%i = %c0) : (index) -> index {\n scf.condition(%p) %i : index\n} do {\n^bb0(%i: index):",
        "scf.for unsigned %i = %c0 to %n step %c1 iter_args(%x = %c0) -> index {",
    ],
)
def test_loops_whose_end_is_not_known(loop: str) -> None:
    read = Read(f"""
      %r = {loop}
        %e = tensor.extract %t[%i] : !d loc("e")
        scf.yield %i : index
      }}
      return""")
    assert len(read.nest("e")) == 1
    assert read.is_written_once("e") is NO
    assert read.is_covered("e", "t") is UNKNOWN


def test_halves() -> None:
    for half in (
        "%h = affine.apply affine_map<()[s0] -> (s0 floordiv 2)>()[%d]",
        "%h = arith.floordivsi %d, %c2 : index",
        "%h = arith.divui %d, %c2 : index",
        "%h = arith.divsi %d, %c2 : index",
    ):
        read = Read(f"""
          %d = tensor.dim %t, %c0 : !d
          {half}
          %l = arith.subi %d, %h : index
          %a1 = tensor.extract_slice %t[0] [%h] [1] : !d to !d loc("low")
          %a2 = tensor.extract_slice %t[%h] [%l] [1] : !d to !d loc("high")
          return""")
        assert read.sets.are_disjoint(read.slice("low"), read.slice("high")).answer is YES


def test_a_long_chain_of_minima_is_a_symbol_in_the_end() -> None:
    chain = "\n".join(f"%m{k + 1} = arith.minsi %m{k}, %n{k} : index" for k in range(2000))
    others = "\n".join(f"%n{k} = arith.addi %m, %i{k} : index" for k in range(2000))
    numbers = "\n".join(f"%i{k} = arith.constant {k + 1} : index" for k in range(2000))
    read = Read(f"""
      %m0 = arith.addi %n, %c0 : index
      {numbers}
      {others}
      {chain}
      %e = tensor.extract_slice %t[0] [%m2000] [1] : !d to !d loc("e")
      return""")
    assert read.sets.are_disjoint(read.slice("e"), read.slice("e")).answer is NO


@pytest.mark.parametrize(
    ("made", "sizes"),
    [
        ("bufferization.alloc_tensor() copy(%a) : tensor<?x?xf32>", "aa"),
        ("bufferization.alloc_tensor(%n, %m) : tensor<?x?xf32>", "nm"),
        ("tensor.empty(%m, %n) : tensor<?x?xf32>", "mn"),
    ],
)
def test_sizes_of_what_is_made(made: str, sizes: str) -> None:
    """A copy has the sizes of what it copies, and no operand for them."""
    lines = [f'%x = {made} loc("x")', "%r = linalg.fill ins(%f : f32) outs(%x : tensor<?x?xf32>) -> tensor<?x?xf32>"]
    program = Read("\n".join(lines)).program
    found = [followed_size(program.analysis.effects, program.value("x"), dimension) for dimension in range(2)]
    copied = program.value("a")
    first = copied + 2  # %a, %f, %n, %m
    places = {"a": [(copied, 0), (copied, 1)], "n": [(first, -1)] * 2, "m": [(first + 1, -1)] * 2}
    assert found == [places[name][dimension] for dimension, name in enumerate(sizes)]
