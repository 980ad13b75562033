"""Dispatch operations printed in the lighter form: what is printed parses back, and nothing else changes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mlir import ir

from mlir_inplace.dialects import dispatch
from mlir_inplace.dialects.dispatch import ReadWrite, export_text, import_text
from mlir_inplace.passes.pipeline.asm_flags import AsmFlags
from mlir_inplace.passes.pipeline.ir_text import ir_text

DYNAMIC = ir.ShapedType.get_dynamic_size()
ELEMENTS = ("f32", "i8", "index", "complex<f32>", "vector<2x[4]xf32>")
ATTRIBUTES = (
    '"a, b = } > ]"',
    "[1, [2, 3]]",
    "{x = 1 : i8, y}",
    "unit",
    "array<i64: 1, 2>",
    "affine_map<(d0) -> (d0 + 1)>",
    "affine_set<(d0) : (d0 - 2 >= 0)>",
    "(index, f32) -> tensor<2xf32>",
    "@f::@g",
    '"dispatch.load %x"',
)


@st.composite
def programs(draw: st.DrawFn) -> list[tuple[object, ...]]:
    """For each binding: its element, its shape, how it is declared, its slice, and attributes for the load."""
    bindings: list[tuple[object, ...]] = []
    for _ in range(draw(st.integers(1, 4))):
        shape = draw(st.lists(st.sampled_from((DYNAMIC, 4, 7)), max_size=3))
        entry = st.sampled_from((None, 1, 2))
        offsets, strides = [[draw(entry) for _ in shape] for _ in range(2)]
        sizes = [draw(st.sampled_from((None, 1))) for _ in shape]
        extra = draw(st.dictionaries(st.sampled_from(("a", "b.c", "d-e", "f$")), st.sampled_from(ATTRIBUTES)))
        element = draw(st.sampled_from(ELEMENTS))
        bindings.append((element, shape, draw(st.booleans()), draw(st.booleans()), (offsets, sizes, strides), extra))
    return bindings


def build(bindings: list[tuple[object, ...]]) -> ir.Module:
    """A module with a load and a store of each binding."""
    module = ir.Module.create()
    with ir.InsertionPoint(module.body):
        n = dispatch.workgroup_size(1)
        for number, (element, shape, with_offset, with_sizes, groups, extra) in enumerate(bindings):
            type_ = ReadWrite(ir.RankedTensorType.get(shape, ir.Type.parse(element)))
            sizes = [n] * shape.count(DYNAMIC)
            binding = dispatch.binding(
                number, 0, type_, byte_offset=n if with_offset else None, sizes=sizes if with_sizes else ()
            )
            binding = dispatch.tie_shape(binding, sizes)
            entries = [[n if entry is None else entry for entry in group] for group in groups]
            tile = dispatch.load(binding, *entries)
            for name, value in extra.items():
                tile.owner.attributes[name] = ir.Attribute.parse(value)
            dispatch.store(tile, binding, *entries)
            dispatch.store(dispatch.load(binding), binding)
            contents = dispatch.contents(binding)
            dispatch.commit(contents, contents)
    return module


@given(programs(), st.booleans())
def test_what_is_printed_parses_back(bindings: list[tuple[object, ...]], locations: bool) -> None:
    with ir.Context() as context, ir.Location.file("k.mlir", 3, 4):
        dispatch.register(context)
        module = build(bindings)
        assert module.operation.verify()
        printed = module.operation.get_asm(enable_debug_info=locations)
        lighter = export_text(printed)
        assert '"dispatch.' not in lighter.replace('"dispatch.load %x"', "")
        again = dispatch.parse(lighter, context)
        assert again.operation.get_asm(enable_debug_info=locations) == printed


@pytest.mark.parametrize(
    "line",
    [
        '  %0 = "dispatch.launch"() : () -> index',
        '  %0 = "test.op"() {a = "dispatch.load"} : () -> index',
        '  %0 = "dispatch.load"(%1) : (!dispatch.readonly<tensor<4xf32>>) -> tensor<4xf32>',
        '  %0 = "dispatch.workgroup_id"() : () -> index',
        '  %0 = "dispatch.workgroup_id"() {dimension = 0 : i32} : () -> index',
        '  %0 = "dispatch.workgroup_id"(%1) {dimension = 0 : i64} : (index) -> index',
        '  %0:2 = "dispatch.workgroup_id"() {dimension = 0 : i64} : () -> (index, index)',
        '  "dispatch.commit"(%0, %1) : (tensor<4xf32>, tensor<?xf32>) -> ()',
        '  "dispatch.commit"(%0) : (tensor<4xf32>) -> ()',
        '  %0 = "dispatch.contents"() : () -> tensor<4xf32>',
        '  %0 = "dispatch.tie_shape"(%1) {operandSegmentSizes = array<i32: 1, 1>} : (!t) -> !t',
        '  %0 = "dispatch.tie_shape"(%1, %2) {operandSegmentSizes = array<i32: 1, 1>} : (!t, i32) -> !t',
        '  %0 = "dispatch.tie_shape"(%1) {operandSegmentSizes = array<i32: 1, 0>} : (!t) -> !u',
        '#loc = loc("dispatch.load"("f":1:2))',
        '  %0 = "dispatch.workgroup_id"() ({',
    ],
)
def test_what_it_cannot_say_stays_generic(line: str) -> None:
    assert export_text(line) == line


def test_an_example_of_each() -> None:
    text = """module {
  func.func @kernel(%arg0: index) {
    %0 = dispatch.push_constant 0 : i32
    %1 = dispatch.workgroup_id 0 : index
    %2 = dispatch.workgroup_size 1 : index
    %3 = dispatch.workgroup_count 2 : index
    %4 = dispatch.binding set(0) binding(0) : !dispatch.readonly<tensor<f32>>
    %5 = dispatch.binding set(1) binding(2) offset(%1) sizes(%2, %3) : !dispatch.readwrite<tensor<?x?x4xf32>>
    %6 = dispatch.tie_shape %5, [%2, %3] {tied} : !dispatch.readwrite<tensor<?x?x4xf32>>
    %7 = dispatch.load %4 : !dispatch.readonly<tensor<f32>> -> tensor<f32>
    %8 = dispatch.load %6[%1, 0, 2] [1, %2, 1] [1, 3, 1] : !dispatch.readwrite<tensor<?x?x4xf32>> -> tensor<?xf32>
    dispatch.store %8, %6[0, %1, 0] [%2, 1, 1] [1, 1, 1] : tensor<?xf32> -> !dispatch.readwrite<tensor<?x?x4xf32>>
    %9 = dispatch.contents %6 : !dispatch.readwrite<tensor<?x?x4xf32>> -> tensor<?x?x4xf32>
    dispatch.commit %9, %9 : tensor<?x?x4xf32>
    return
  }
}
"""
    with ir.Context() as context:
        module = dispatch.parse(text, context)
        assert ir_text(module.operation) == text
        generic = ir_text(module.operation, AsmFlags(generic=True))
        assert generic.count('"dispatch.') == 12
        assert import_text(generic) == generic
        assert ir_text(dispatch.parse(generic, context).operation, AsmFlags(generic=True)) == generic
