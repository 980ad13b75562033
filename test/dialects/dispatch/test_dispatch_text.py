"""The lighter text form of the dispatch dialect: what it stands for, what it leaves alone, what it refuses."""

from __future__ import annotations

from pathlib import Path

import pytest
from mlir import ir

from mlir_inplace.dialects import dispatch
from mlir_inplace.dialects.dispatch import DispatchSyntaxError, import_text
from mlir_inplace.runtime.source import private_copy

HEAD = """func.func private @values() -> (index, index)
func.func @kernel(%i: index) {
%v:2 = call @values() : () -> (index, index)
"""
SOURCE = "%b = dispatch.binding set(0) binding(0) : !dispatch.readwrite<tensor<4x?xf32>>\n"
MARKER = ir.ShapedType.get_dynamic_size()


def parsed(line: str) -> str:
    """A line of a function, parsed and printed in generic form."""
    with ir.Context() as context:
        module = dispatch.parse(HEAD + line + "\nreturn\n}", context)
        (block,) = list(module.body.operations)[1].regions[0]
        return str(list(block.operations)[-2])


GENERIC = {
    "%b = dispatch.binding set(1) binding(2) : !dispatch.readonly<tensor<4xf32>>": (
        '"dispatch.binding"() {binding = 2 : i64, operandSegmentSizes = array<i32: 0, 0>, set = 1 : i64}'
        " : () -> !dispatch.readonly<tensor<4xf32>>"
    ),
    "%b=dispatch.binding  set( 1 )binding(2)offset(%i)sizes( %v#1 ,%i ):!dispatch.readwrite < tensor<?x?xi8> >": (
        '"dispatch.binding"(%arg0, %0#1, %arg0) {binding = 2 : i64, operandSegmentSizes = array<i32: 1, 2>,'
        " set = 1 : i64} : (index, index, index) -> !dispatch.readwrite<tensor<?x?xi8>>"
    ),
    "%b = dispatch.binding set(0) binding(0) sizes() : memref<4xf32, strided<[?], offset: ?>, 3>": (
        '"dispatch.binding"() {binding = 0 : i64, operandSegmentSizes = array<i32: 0, 0>, set = 0 : i64}'
        " : () -> memref<4xf32, strided<[?], offset: ?>, 3>"
    ),
    "%b = dispatch.binding set(0) binding(0) : memref<4xf32, affine_map<(d0)[s0] -> (d0 + s0)>>": (
        '"dispatch.binding"() {binding = 0 : i64, operandSegmentSizes = array<i32: 0, 0>, set = 0 : i64}'
        " : () -> memref<4xf32, affine_map<(d0)[s0] -> (d0 + s0)>>"
    ),
    SOURCE + "%t = dispatch.tie_shape %b, [%v#0] : !dispatch.readwrite<tensor<4x?xf32>>": (
        '"dispatch.tie_shape"(%1, %0#0) {operandSegmentSizes = array<i32: 1, 1>}'
        " : (!dispatch.readwrite<tensor<4x?xf32>>, index) -> !dispatch.readwrite<tensor<4x?xf32>>"
    ),
    SOURCE + "%t = dispatch.load %b : !dispatch.readwrite<tensor<4x?xf32>> -> tensor<4x?xf32>": (
        '"dispatch.load"(%1) {operandSegmentSizes = array<i32: 1, 0, 0, 0>, static_offsets = array<i64>,'
        " static_sizes = array<i64>, static_strides = array<i64>}"
        " : (!dispatch.readwrite<tensor<4x?xf32>>) -> tensor<4x?xf32>"
    ),
    SOURCE + "%t = dispatch.load %b[%i, 0] [1, %v#1] [1, %i] : !dispatch.readwrite<tensor<4x?xf32>> -> tensor<?xf32>": (
        f'"dispatch.load"(%1, %arg0, %0#1, %arg0) {{operandSegmentSizes = array<i32: 1, 1, 1, 1>,'
        f" static_offsets = array<i64: {MARKER}, 0>, static_sizes = array<i64: 1, {MARKER}>,"
        f" static_strides = array<i64: 1, {MARKER}>}}"
        " : (!dispatch.readwrite<tensor<4x?xf32>>, index, index, index) -> tensor<?xf32>"
    ),
    "%b = dispatch.binding set(0) binding(0) : !dispatch.readwrite<tensor<f32>>\n"
    "%t = dispatch.load %b[] [] [] : !dispatch.readwrite<tensor<f32>> -> tensor<f32>": (
        '"dispatch.load"(%1) {operandSegmentSizes = array<i32: 1, 0, 0, 0>, static_offsets = array<i64>,'
        " static_sizes = array<i64>, static_strides = array<i64>} : (!dispatch.readwrite<tensor<f32>>) -> tensor<f32>"
    ),
    SOURCE + '%x = "tensor.empty"() : () -> tensor<2x3xf32>\n'
    "dispatch.store %x, %b[1, %i] [2, 3] [1, 2] : tensor<2x3xf32> -> !dispatch.readwrite<tensor<4x?xf32>>": (
        '"dispatch.store"(%2, %1, %arg0) {operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>,'
        f" static_offsets = array<i64: 1, {MARKER}>, static_sizes = array<i64: 2, 3>,"
        " static_strides = array<i64: 1, 2>} : (tensor<2x3xf32>, !dispatch.readwrite<tensor<4x?xf32>>, index) -> ()"
    ),
    "%p = dispatch.push_constant 3 : i16": '"dispatch.push_constant"() {index = 3 : i64} : () -> i16',
    "%p = dispatch.workgroup_id 0 : index": '"dispatch.workgroup_id"() {dimension = 0 : i64} : () -> index',
    "%p = dispatch.workgroup_size 1 : index": '"dispatch.workgroup_size"() {dimension = 1 : i64} : () -> index',
    "%p = dispatch.workgroup_count 2 : index": '"dispatch.workgroup_count"() {dimension = 2 : i64} : () -> index',
    SOURCE + "%c = dispatch.contents %b : !dispatch.readwrite<tensor<4x?xf32>> -> tensor<4x?xf32>": (
        '"dispatch.contents"(%1) : (!dispatch.readwrite<tensor<4x?xf32>>) -> tensor<4x?xf32>'
    ),
    SOURCE + "%c = dispatch.contents %b : !dispatch.readwrite<tensor<4x?xf32>> -> tensor<4x?xf32>\n"
    "dispatch.commit %c, %c : tensor<4x?xf32>": (
        '"dispatch.commit"(%2, %2) : (tensor<4x?xf32>, tensor<4x?xf32>) -> ()'
    ),
    '%p = dispatch.push_constant 3 {a = "} : >", b = [1, {c}], d = affine_set<(d0) : (d0 >= 0)>} : index': (
        '"dispatch.push_constant"() {a = "} : >", b = [1, {c}], d = affine_set<(d0) : (d0 >= 0)>, index = 3 : i64}'
        " : () -> index"
    ),
}


@pytest.mark.parametrize(("line", "generic"), GENERIC.items())
def test_what_it_stands_for(line: str, generic: str) -> None:
    without_name = parsed(line).partition(" = ")[2] if parsed(line).startswith("%") else parsed(line)
    assert without_name == generic


def test_locations_and_comments_stay_behind_an_operation() -> None:
    text = '%p = dispatch.push_constant 3 : index loc("here") // dispatch.load %x'
    assert import_text(text).endswith(': () -> index loc("here") // dispatch.load %x')


def test_several_operations_on_one_line() -> None:
    line = "func.func @f() { %a = dispatch.workgroup_id 0 : index  %b = dispatch.workgroup_id 1 : index return }"
    with ir.Context() as context:
        printed = str(dispatch.parse(line, context))
    assert printed.count('"dispatch.workgroup_id"') == 2


def test_operations_without_results_follow_each_other() -> None:
    line = "dispatch.commit %a, %b : tensor<4xf32> dispatch.commit %b, %a : tensor<4xf32>"
    assert import_text(line) == (
        '"dispatch.commit"(%a, %b) : (tensor<4xf32>, tensor<4xf32>) -> ()'
        ' "dispatch.commit"(%b, %a) : (tensor<4xf32>, tensor<4xf32>) -> ()'
    )


def test_operations_behind_braces_and_labels() -> None:
    text = "{ dispatch.commit %a, %b : i1 } ^bb1: dispatch.commit %c, %d : i1"
    assert import_text(text) == (
        '{ "dispatch.commit"(%a, %b) : (i1, i1) -> () } ^bb1: "dispatch.commit"(%c, %d) : (i1, i1) -> ()'
    )


@pytest.mark.parametrize("line", GENERIC)
def test_line_numbers_stay_and_generic_text_passes(line: str) -> None:
    generic = import_text(line)
    assert generic.count("\n") == line.count("\n")
    assert import_text(generic) == generic


@pytest.mark.parametrize(
    "text",
    [
        "// %p = dispatch.push_constant",
        "  // dispatch.load wrongly",
        'module attributes {a = "dispatch.load %x", b = "\\"dispatch.store"} {}',
        "module attributes {dispatch.load = 1 : i32, dispatch.store} {}",
        "module attributes {\n  dispatch.load = 1 : i32,\n  dispatch.store,\n dispatch.commit }  {}",
        "func.func @f(%a: !dispatch.readonly<tensor<4xf32>>) {return}",
        "func.func @dispatch.load() {return}",
        "%a = my.dispatch.load %b",
        "call @dispatch.load() : () -> ()",
    ],
)
def test_what_it_leaves_alone(text: str) -> None:
    assert import_text(text) == text


ERRORS = {
    "  dispatch.launch %x": (
        3,
        "there is no operation 'dispatch.launch'; there are binding, tie_shape, load, store, contents, commit,"
        " push_constant, workgroup_id, workgroup_size, workgroup_count",
    ),
    "%b = dispatch.binding": (22, "expected 'set' of dispatch.binding, found the end of the line"),
    "%b = dispatch.binding set 0": (27, "expected '(' after 'set', found '0'"),
    "%b = dispatch.binding set(%i)": (27, "expected the number of the set, found '%i'"),
    "%b = dispatch.binding set(0) : i32": (30, "expected 'binding' of dispatch.binding, found ':'"),
    "%b = dispatch.binding set(0) binding(99999999999999999999)": (
        38,
        "99999999999999999999 does not fit 64 bits",
    ),
    "%b = dispatch.binding set(0) binding(0) offset(4) : i": (48, "expected the byte offset, a value, found '4'"),
    "%b = dispatch.binding set(0) binding(0) sizes(%a, 4) : i": (51, "expected a size, a value, found '4'"),
    "%b = dispatch.binding set(0) binding(0) sizes(%a %b) : i": (50, "expected ')' or ',' after a size, found '%b'"),
    "%b = dispatch.binding set(0) binding(0) // : i": (
        41,
        "expected ':' before the types of dispatch.binding, found the end of the line",
    ),
    "%b = dispatch.binding set(0) binding(0) : !dispatch.readonly<tensor<4xf32>": (
        61,
        "'<' is not closed on this line",
    ),
    "%t = dispatch.tie_shape %b, [4] : i": (28, "the sizes of dispatch.tie_shape are values, not constants"),
    "%t = dispatch.tie_shape %b [%m] : i": (28, "expected ',' after the binding, found '['"),
    "%v = dispatch.load : i -> i": (20, "expected the binding to load from, a value, found ':'"),
    "%v = dispatch.load %b[0] : i -> i": (26, "expected '[' with the sizes, after the offsets, found ':'"),
    "%v = dispatch.load %b[0] [1] : i -> i": (30, "expected '[' with the strides, after the sizes, found ':'"),
    "%v = dispatch.load %b[0, x] [1] [1] : i -> i": (
        26,
        "expected an offset, a constant or a value, found 'x'",
    ),
    "%v = dispatch.load %b[0 [1] [1] : i -> i": (25, "expected ']' or ',' after an offset, found '['"),
    "%v = dispatch.load %b : i": (26, "expected '->' after the type of the binding, found the end of the line"),
    "%v = dispatch.load %b : -> i": (25, "expected the type of the binding, found '->'"),
    "dispatch.store %v %o : i -> i": (19, "expected ',' after the tensor to store, found '%o'"),
    "dispatch.store %v, %o {a = 1 : i -> i": (23, "'{' is not closed on this line"),
    "%p = dispatch.push_constant : index": (29, "expected the index, found ':'"),
    "%p = dispatch.workgroup_id x : index": (28, "expected the dimension, found 'x'"),
    "%c = dispatch.contents %b : i -> ": (34, "expected the type of the result, found the end of the line"),
    "dispatch.commit %c : i": (20, "expected ',' after the tensor to commit, found ':'"),
    f"%v = dispatch.load %b[{MARKER}] [1] [1] : i -> i": (23, f"{MARKER} does not fit 64 bits"),
}


@pytest.mark.parametrize(("line", "expected"), ERRORS.items())
def test_what_it_refuses(line: str, expected: tuple[int, str]) -> None:
    with pytest.raises(DispatchSyntaxError) as caught:
        import_text(f"module {{\n{line}\n}}", "kernel.mlir")
    error = caught.value
    assert (error.line, error.column, error.message) == (2, *expected)
    assert str(error) == f"kernel.mlir:2:{expected[0]}: error: {expected[1]}"
    assert isinstance(error, ir.MLIRError)


def test_the_parser_refuses_nothing_silently() -> None:
    with ir.Context() as context, pytest.raises(DispatchSyntaxError) as caught:
        dispatch.parse("module {\n  dispatch.load // here\n}", context, "kernel.mlir")
    assert str(caught.value) == (
        "kernel.mlir:2:3: error: 'dispatch.load' must have its operands behind it, on its line"
    )


def test_other_errors_come_from_the_parser() -> None:
    with ir.Context() as context, pytest.raises(ir.MLIRError, match="undeclared SSA value name") as caught:
        dispatch.parse("%v = dispatch.load %b : !dispatch.readonly<tensor<f32>> -> tensor<f32>", context)
    assert not isinstance(caught.value, DispatchSyntaxError)


def test_a_file_keeps_its_name(tmp_path: Path) -> None:
    path = tmp_path / "kernel.mlir"
    path.write_text("\n%p = dispatch.push_constant 3 : index")
    module = private_copy(path)
    assert str(module.body.operations[0].location) == f'loc("{path}":2:6)'
    path.write_text("\n%p = dispatch.push_constant x : index")
    with pytest.raises(DispatchSyntaxError) as caught:
        private_copy(path)
    assert str(caught.value) == f"{path}:2:29: error: expected the index, found 'x'"


def test_text_for_compile() -> None:
    module = private_copy("\n%p = dispatch.push_constant 3 : index")
    assert module.body.operations[0].attributes["index"].value == 3
