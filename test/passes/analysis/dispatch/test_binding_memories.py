"""What the bindings of a function declare, and what promotion plans from it."""

from __future__ import annotations

import pytest
from mlir import ir

from mlir_inplace.dialects import dispatch
from mlir_inplace.dialects.dispatch.parsing import import_text
from mlir_inplace.dialects.support.element_sizes import buffer_bytes
from mlir_inplace.passes.analysis.dispatch.promotion_plan import PromotionPlan, plan_promotion
from mlir_inplace.passes.analysis.dispatch.ranges import overlapping
from mlir_inplace.passes.analysis.ir.block_graph import BlockGraph
from mlir_inplace.passes.analysis.ir.dominance_frontier import DominatorTree
from mlir_inplace.passes.analysis.ir.snapshot import Snapshot

RW = "!dispatch.readwrite<tensor<8xf32>>"


def plan(body: str) -> tuple[PromotionPlan, Snapshot]:
    """The plan for a function with index arguments %m and %n; the context lives as long as the snapshot."""
    context = ir.Context()
    dispatch.register(context)
    text = f"func.func @f(%m: index, %n: index, %x: tensor<8xf32>) {{\n{body}\nreturn\n}}"
    module = ir.Module.parse(import_text(text), context)
    snapshot = Snapshot(module.operation, lambda _op, _name, _region: False)
    return plan_promotion(snapshot, snapshot.op_name.index("func.func")), snapshot


def store(name: str) -> str:
    return f"dispatch.store %x, %{name} : tensor<8xf32> -> {RW}\n"


def test_equal_declarations_are_one_memory() -> None:
    """Equal sums over equal push constants are the same offset, whatever values they are."""
    body = "".join(
        f"%p{i} = dispatch.push_constant 3 : index\n%o{i} = arith.addi %p{i}, %p{i} : index\n"
        f"%b{i} = dispatch.binding set(0) binding(0) offset(%o{i}) : {RW}\n{store(f'b{i}')}"
        for i in range(2)
    )
    found, _ = plan(body)
    assert found.problems == ()
    (memory,) = found.bindings.memories
    assert (len(memory.declarations), len(memory.stores)) == (2, 2)
    assert str(found.bindings) == (
        "set 0 binding 0: readwrite tensor<8xf32> from byte a dynamic offset, declared 2, loaded 0, stored 2 times"
    )


@pytest.mark.parametrize(("distance", "apart"), [(32, True), (31, False), (-32, True), (-31, False)])
def test_ranges_at_a_distance_that_is_known(distance: int, apart: bool) -> None:
    body = (
        f"%d = arith.constant {distance} : index\n%o = arith.addi %m, %d : index\n"
        f"%a = dispatch.binding set(0) binding(0) offset(%m) : {RW}\n{store('a')}"
        f"%b = dispatch.binding set(0) binding(0) offset(%o) : {RW}\n{store('b')}"
    )
    found, _ = plan(body)
    assert (found.problems == ()) is apart
    assert len(found.bindings.memories) == 2


def test_different_push_constants_are_different() -> None:
    body = "".join(
        f"%p{i} = dispatch.push_constant {i} : index\n"
        f"%b{i} = dispatch.binding set(0) binding(0) offset(%p{i}) : {RW}\n{store(f'b{i}')}"
        for i in range(2)
    )
    found, _ = plan(body)
    assert "cannot be shown to be disjoint" in found.problems[0].message


def test_what_is_stored_where() -> None:
    body = (
        f"%a = dispatch.binding set(0) binding(0) : {RW}\n%b = dispatch.binding set(0) binding(1) : {RW}\n"
        f"scf.for %i = %m to %n step %m {{\nscf.for %j = %m to %n step %m {{\n{store('a')}}}\n"
        f"scf.for %k = %m to %n step %m {{\n%v = dispatch.load %b : {RW} -> tensor<8xf32>\n}}\n}}\n{store('b')}"
    )
    found, s = plan(body)
    names = {op: s.op_name[op] for op in found.stored}
    loops = [op for op, name in enumerate(s.op_name) if name == "scf.for"]
    assert found.stored == {found.bindings.function: (0, 1), loops[0]: (0,), loops[1]: (0,)}
    assert set(names.values()) == {"func.func", "scf.for"}


@pytest.mark.parametrize(
    ("type_", "size"),
    [
        ("f32", 4),
        ("i1", 1),
        ("i4", 1),
        ("i24", 4),
        ("index", 8),
        ("complex<f64>", 16),
        ("bf16", 2),
        ("vector<2xf32>", None),
    ],
)
def test_bytes_of_an_element(type_: str, size: int | None) -> None:
    with ir.Context():
        assert buffer_bytes(ir.RankedTensorType(ir.Type.parse(f"tensor<3x{type_}>"))) == (
            None if size is None else 3 * size
        )


@pytest.mark.parametrize(
    ("offsets", "pair"),
    [
        ([0, 16, 32], None),
        ([32, 0, 16], None),
        ([0, 16, 28], (1, 2)),
        ([40, 0, 36], (0, 2)),
        ([8, 8], (0, 1)),
    ],
)
def test_overlapping_ranges(offsets: list[int], pair: tuple[int, int] | None) -> None:
    with ir.Context():
        type_ = ir.RankedTensorType(ir.Type.parse("tensor<4xf32>"))
        found = overlapping([(offset, type_) for offset in offsets])
    assert (None if found is None else found[:2]) == pair


def _by_definition(graph: BlockGraph, definitions: set[int]) -> set[int]:
    """The iterated dominance frontier, as it is defined."""
    found: set[int] = set()
    while True:
        sources = definitions | found
        new = {
            target
            for block in range(len(graph.order))
            for target in graph.successors[block]
            for source in sources
            if graph.dominates(source, block) and (source == target or not graph.dominates(source, target))
        }
        if new <= found:
            return found
        found |= new


GRAPHS = {
    "diamond": [[1, 2], [3], [3], []],
    "loop": [[1], [2, 3], [1], []],
    "nested": [[1], [2], [3, 2], [1, 4], []],
    "irreducible": [[1, 2], [2, 3], [1], []],
    "ladder": [[1, 2], [3, 2], [3, 4], [4, 0 + 5], [5], []],
}


@pytest.mark.parametrize("name", GRAPHS)
def test_where_versions_meet(name: str) -> None:
    graph = BlockGraph(GRAPHS[name])
    tree = DominatorTree(graph)
    blocks = range(len(graph.order))
    for definitions in ({a, b} for a in blocks for b in blocks):
        assert tree.joins(definitions) == _by_definition(graph, definitions)
