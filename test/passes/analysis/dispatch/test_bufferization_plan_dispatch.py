"""The plan of dispatch functions: classes with the memory of bindings, the store set, and what is copied into it."""

from functools import cache

import pytest
from mlir import ir
from plans import plans_of

from mlir_inplace.dialects import dispatch
from mlir_inplace.dialects.dispatch.parsing import import_text
from mlir_inplace.passes.analysis.conflicts.decisions import Rule
from mlir_inplace.passes.analysis.dispatch.plan_data import (
    FunctionPlan,
    SeparationRule,
    StorageKind,
    UnionKind,
    UnionRule,
)
from mlir_inplace.passes.dispatch.promote_bindings import promote_bindings

TYPES = {"!r": "!dispatch.readonly<tensor<8xf32>>", "!w": "!dispatch.writeonly<tensor<8xf32>>"}
TYPES["!b"] = "!dispatch.readwrite<tensor<8xf32>>"


@cache
def context() -> ir.Context:
    shared = ir.Context()
    dispatch.register(shared)
    return shared


def plan(body: str) -> FunctionPlan:
    """The plan of a function with `body`, promoted, but not brought into destination style."""
    for short, long in TYPES.items():
        body = body.replace(short, long)
    with context():
        module = ir.Module.parse(import_text(f"func.func @f(%f: f32, %i: index, %p: i1) {{\n{body}\nreturn\n}}"))
        promote_bindings(module.operation)
    return plans_of(module)["f"]


def storages(found: FunctionPlan) -> list[tuple[StorageKind, tuple[int, int] | None, str, bool]]:
    """Of each class, its only storage, binding and access, and whether it is stored."""
    assert all(len(each.storages) == 1 for each in found.classes)
    return [(c.storages[0].kind, c.storages[0].binding, c.storages[0].access, c.is_stored) for c in found.classes]


def unions(found: FunctionPlan, rule: UnionRule) -> list[UnionKind]:
    return [union.kind for each in found.classes for union in each.unions if union.rule is rule]


def rules(found: FunctionPlan) -> list[tuple[str, object, bool]]:
    return [(s.op, s.rule, s.copies) for s in found.separations]


def test_a_tile_is_updated_in_its_binding() -> None:
    found = plan("""
        %b = dispatch.binding set(1) binding(2) : !b
        %t = dispatch.load %b[2] [4] [1] : !b -> tensor<4xf32>
        %w = linalg.exp ins(%t : tensor<4xf32>) outs(%t : tensor<4xf32>) -> tensor<4xf32>
        dispatch.store %w, %b[2] [4] [1] : tensor<4xf32> -> !b""")
    assert storages(found) == [(StorageKind.BINDING, (1, 2), "readwrite", True)]
    assert found.store_set == found.classes
    assert unions(found, UnionRule.LOAD) == [UnionKind.SLICE]
    assert unions(found, UnionRule.INPUT_REUSED) == [UnionKind.SAME]
    assert unions(found, UnionRule.STORE) == [UnionKind.SAME]
    assert unions(found, UnionRule.STORED_VALUE) == [UnionKind.SLICE]
    assert unions(found, UnionRule.COMMIT) == [UnionKind.SAME]
    assert not found.separations


def test_whole_loads_are_loads_and_slices_of_them_are_not() -> None:
    found = plan("""
        %a = dispatch.binding set(0) binding(0) : !r
        %t = dispatch.load %a : !r -> tensor<8xf32>
        %s = tensor.extract_slice %t[2] [4] [1] : tensor<8xf32> to tensor<4xf32>
        %x = tensor.extract %s[%i] : tensor<4xf32>""")
    assert storages(found) == [(StorageKind.BINDING, (0, 0), "readonly", False)]
    assert unions(found, UnionRule.LOAD) == [UnionKind.SAME]
    assert unions(found, UnionRule.VIEW) == [UnionKind.SLICE]


def test_a_read_only_binding_is_not_written() -> None:
    found = plan("""
        %a = dispatch.binding set(0) binding(0) : !r
        %o = dispatch.binding set(0) binding(1) : !w
        %t = dispatch.load %a : !r -> tensor<8xf32>
        %w = linalg.exp ins(%t : tensor<8xf32>) outs(%t : tensor<8xf32>) -> tensor<8xf32>
        dispatch.store %w, %o : tensor<8xf32> -> !w""")
    assert rules(found) == [
        ("linalg.exp", Rule.NOT_WRITABLE, False),
        ("tensor.insert_slice", SeparationRule.OWN_BUFFER, True),
    ]
    assert found.separations[0].notes[-1][0].startswith("the value lies in the readonly memory of set 0 binding 0")
    assert [each.is_stored for each in found.classes] == [False, True, False]


def test_what_is_read_after_a_store_is_copied_at_the_load() -> None:
    """The tensor loaded is a value: the store must not change what is read of it later."""
    found = plan("""
        %b = dispatch.binding set(0) binding(0) : !b
        %t = dispatch.load %b[0] [4] [1] : !b -> tensor<4xf32>
        %e = tensor.empty() : tensor<4xf32>
        %w = linalg.fill ins(%f : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
        dispatch.store %w, %b[0] [4] [1] : tensor<4xf32> -> !b
        dispatch.store %t, %b[4] [4] [1] : tensor<4xf32> -> !b""")
    assert ("tensor.extract_slice", Rule.READ_AFTER_WRITE, True) in rules(found)
    notes = [text for s in found.separations if s.op == "tensor.extract_slice" for text, _ in s.notes]
    assert notes[:2] == [
        "operand #1 of 'tensor.insert_slice' writes the buffer",
        "operand #0 of 'tensor.insert_slice' reads the old content",
    ]


def test_what_is_read_before_a_store_is_not_copied() -> None:
    found = plan("""
        %b = dispatch.binding set(0) binding(0) : !b
        %t = dispatch.load %b[0] [4] [1] : !b -> tensor<4xf32>
        %x = tensor.extract %t[%i] : tensor<4xf32>
        %s = dispatch.load %b[4] [4] [1] : !b -> tensor<4xf32>
        %w = linalg.fill ins(%x : f32) outs(%s : tensor<4xf32>) -> tensor<4xf32>
        dispatch.store %w, %b[4] [4] [1] : tensor<4xf32> -> !b""")
    assert not found.separations


@pytest.mark.parametrize(
    ("source", "rule"),
    [
        ("%v = arith.constant dense<1.0> : tensor<4xf32>", SeparationRule.CONSTANT),
        ("%v = dispatch.load %a[0] [4] [1] : !r -> tensor<4xf32>", SeparationRule.OTHER_BINDING),
        ("%v = dispatch.load %o[4] [4] [1] : !b -> tensor<4xf32>", SeparationRule.OTHER_PART),
        ("%v = dispatch.load %c[0] [4] [1] : !b -> tensor<4xf32>", SeparationRule.OTHER_OFFSET),
        ("%v = tensor.generate { ^bb0(%j: index): tensor.yield %f : f32 } : tensor<4xf32>", SeparationRule.OWN_BUFFER),
    ],
)
def test_where_a_stored_value_comes_from(source: str, rule: SeparationRule) -> None:
    found = plan(f"""
        %c32 = arith.constant 32 : index
        %a = dispatch.binding set(0) binding(0) : !r
        %o = dispatch.binding set(0) binding(1) : !b
        %c = dispatch.binding set(0) binding(1) offset(%c32) : !b
        {source}
        dispatch.store %v, %o[0] [4] [1] : tensor<4xf32> -> !b""")
    assert rules(found) == [("tensor.insert_slice", rule, True)]


def test_an_offset_is_told() -> None:
    found = plan("""
        %c32 = arith.constant 32 : index
        %a = dispatch.binding set(0) binding(0) offset(%c32) : !r
        %b = dispatch.binding set(0) binding(0) offset(%i) : !r
        %t = dispatch.load %a : !r -> tensor<8xf32>
        %u = dispatch.load %b : !r -> tensor<8xf32>
        %x = tensor.extract %t[%i] : tensor<8xf32>
        %y = tensor.extract %u[%i] : tensor<8xf32>""")
    assert [each.storages[0].offset for each in found.classes] == ["32", "%arg1"]


def test_a_value_for_two_outputs_is_in_one_of_them() -> None:
    found = plan("""
        %o = dispatch.binding set(0) binding(0) : !b
        %q = dispatch.binding set(0) binding(1) : !w
        %t = dispatch.load %o : !b -> tensor<8xf32>
        %w = linalg.fill ins(%f : f32) outs(%t : tensor<8xf32>) -> tensor<8xf32>
        dispatch.store %w, %o : tensor<8xf32> -> !b
        dispatch.store %w, %q : tensor<8xf32> -> !w""")
    assert [each.is_stored for each in found.classes] == [True, True]
    assert rules(found) == [("tensor.insert_slice", SeparationRule.OTHER_BINDING, True)]


def test_contents_that_branches_hand_on_are_stored_in() -> None:
    found = plan("""
        %b = dispatch.binding set(0) binding(0) : !b
        scf.if %p {
          %t = dispatch.load %b[0] [4] [1] : !b -> tensor<4xf32>
          %w = linalg.fill ins(%f : f32) outs(%t : tensor<4xf32>) -> tensor<4xf32>
          dispatch.store %w, %b[0] [4] [1] : tensor<4xf32> -> !b
        }
        %u = dispatch.load %b[4] [4] [1] : !b -> tensor<4xf32>
        %v = linalg.fill ins(%f : f32) outs(%u : tensor<4xf32>) -> tensor<4xf32>
        dispatch.store %v, %b[4] [4] [1] : tensor<4xf32> -> !b""")
    assert len(found.store_set) == len(found.classes) == 1
    assert unions(found, UnionRule.LOAD) == [UnionKind.SLICE, UnionKind.SLICE]
    assert unions(found, UnionRule.STORE) == [UnionKind.SAME, UnionKind.SAME]
    assert not found.separations
