"""Operations of the dispatch dialect in generic form with anything wrong: one diagnostic, never a traceback."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mlir import ir

from mlir_inplace.dialects import dispatch

ARGUMENTS = {
    "i": "index",
    "n": "i32",
    "t": "tensor<4x?xf32>",
    "m": "memref<4x?xf32>",
    "r": "!dispatch.readonly<tensor<4x?xf32>>",
    "w": "!dispatch.writeonly<tensor<4x?xf32>>",
    "b": "!dispatch.readwrite<tensor<4x?xf32>>",
}
OPERATIONS = (
    *("binding", "tie_shape", "load", "store", "push_constant"),
    *("workgroup_id", "workgroup_size", "workgroup_count", "contents", "commit"),
)
WHOLE = "static_offsets = array<i64>, static_sizes = array<i64>, static_strides = array<i64>"


def errors(operation: str) -> list[str]:
    """What the parser says of a function with that operation."""
    arguments = ", ".join(f"%{name}: {type_}" for name, type_ in ARGUMENTS.items())
    with ir.Context() as context:
        dispatch.register(context)
        try:
            ir.Module.parse(f"func.func @f({arguments}) {{\n{operation}\nreturn\n}}")
        except ir.MLIRError as error:
            assert type(error) is ir.MLIRError
            return [found.message for found in error.error_diagnostics]
        return []


def generic(name: str, operands: str, attributes: str, results: str = "") -> str:
    types = ", ".join(ARGUMENTS[operand] for operand in operands)
    names = ", ".join(f"%{operand}" for operand in operands)
    return f'"dispatch.{name}"({names}) {{{attributes}}} : ({types}) -> ({results})'


SEGMENTS_OF_LOAD = "it must be an array<i32> with the number of operands of each of source, offsets, sizes, strides"
MALFORMED = {
    generic("load", "r", "", ARGUMENTS["t"]): f"has no attribute 'operandSegmentSizes'; {SEGMENTS_OF_LOAD}",
    generic("load", "r", "operandSegmentSizes = 4", ARGUMENTS["t"]): (
        f"has operandSegmentSizes = 4 : i64; {SEGMENTS_OF_LOAD}"
    ),
    generic("load", "r", "operandSegmentSizes = array<i32: 1, 0>", ARGUMENTS["t"]): (
        f"has operandSegmentSizes = array<i32: 1, 0>; {SEGMENTS_OF_LOAD}"
    ),
    generic("load", "r", "operandSegmentSizes = array<i32: 0, 1, 0, 0>", ARGUMENTS["t"]): (
        "has operandSegmentSizes with 0 for source; it must be 1"
    ),
    generic("load", "r", "operandSegmentSizes = array<i32: 1, 1, -1, 0>", ARGUMENTS["t"]): (
        "has operandSegmentSizes with -1 for sizes; it must be 0 operands or more"
    ),
    generic("load", "r", "operandSegmentSizes = array<i32: 1, 1, 0, 0>", ARGUMENTS["t"]): (
        "has 1 operand, but operandSegmentSizes adds up to 2"
    ),
    generic("load", "r", "operandSegmentSizes = array<i32: 1, 0, 0, 0>", ARGUMENTS["t"]): (
        "has no attribute 'static_offsets'; it must be an array<i64>"
    ),
    generic("load", "r", "operandSegmentSizes = array<i32: 1, 0, 0, 0>, static_offsets = [0]", ARGUMENTS["t"]): (
        "has static_offsets = [0]; it must be an array<i64>"
    ),
    generic("load", "ri", f"operandSegmentSizes = array<i32: 1, 0, 1, 0>, {WHOLE}", ARGUMENTS["t"]): (
        "marks 0 values as dynamic in static_sizes, but has 1 operand for sizes; they must be as many"
    ),
    generic("load", "r", f"operandSegmentSizes = array<i32: 1, 0, 0, 0>, {WHOLE}"): "has 0 results; it must have 1",
    generic("load", "r", f"operandSegmentSizes = array<i32: 1, 0, 0, 0>, {WHOLE}", "index"): (
        "has a result of type 'index'; it must be a ranked tensor"
    ),
    generic("store", "t", f"operandSegmentSizes = array<i32: 1, 0, 0, 0, 0>, {WHOLE}"): (
        "has operandSegmentSizes with 0 for target; it must be 1"
    ),
    generic("store", "tw", f"operandSegmentSizes = array<i32: 1, 1, 0, 0, 0>, {WHOLE}", "index"): (
        "has 1 result; it must have 0"
    ),
    generic("binding", "ii", "operandSegmentSizes = array<i32: 2, 0>, set = 0, binding = 0", ARGUMENTS["r"]): (
        "has operandSegmentSizes with 2 for byte_offset; it must be 0 or 1"
    ),
    generic("binding", "n", "operandSegmentSizes = array<i32: 1, 0>, set = 0, binding = 0", ARGUMENTS["r"]): (
        "has operand 0 of type 'i32'; it must be index: use arith.index_cast"
    ),
    generic("binding", "", "operandSegmentSizes = array<i32: 0, 0>, binding = 0", ARGUMENTS["r"]): (
        "has no attribute 'set'; it must be an i64"
    ),
    generic("binding", "", "operandSegmentSizes = array<i32: 0, 0>, set = 0, binding = 0 : index", ARGUMENTS["r"]): (
        "has binding = 0 : index; it must be an i64"
    ),
    generic("binding", "", "operandSegmentSizes = array<i32: 0, 0>, set = true, binding = 0", ARGUMENTS["r"]): (
        "has set = true; it must be an i64"
    ),
    generic("binding", "", 'operandSegmentSizes = array<i32: 0, 0>, set = "0", binding = 0', ARGUMENTS["r"]): (
        'has set = "0"; it must be an i64'
    ),
    generic("tie_shape", "bi", "operandSegmentSizes = array<i32: 1, 1>", ARGUMENTS["r"]): (
        "has a result of type '!dispatch.readonly<tensor<4x?xf32>>'; it must be the operand's,"
        " '!dispatch.readwrite<tensor<4x?xf32>>'"
    ),
    generic("push_constant", "i", "index = 0", "index"): "has 1 operand; it must have 0",
    generic("push_constant", "", "", "index"): "has no attribute 'index'; it must be an i64",
    generic("workgroup_id", "", "dimension", "index"): "has dimension = unit; it must be an i64",
    generic("workgroup_count", "", "dimension = 0", "index, index"): "has 2 results; it must have 1",
    generic("contents", "t", "", ARGUMENTS["t"]): (
        "has an operand of type 'tensor<4x?xf32>'; it must be a binding, such as '!dispatch.readonly<tensor<4xf32>>'"
    ),
    generic("contents", "", "", ARGUMENTS["t"]): "has 0 operands; it must have 1",
    generic("commit", "t", ""): "has 1 operand; it must have 2",
}


@pytest.mark.parametrize(("operation", "message"), MALFORMED.items())
def test_malformed(operation: str, message: str) -> None:
    name = operation.split('"')[1]
    assert errors(operation) == [f"'{name}' op {message}"]


WELL_FORMED = (
    generic("binding", "", "operandSegmentSizes = array<i32: 0, 0>, set = 0, binding = 0", ARGUMENTS["r"]),
    generic("binding", "ii", "operandSegmentSizes = array<i32: 1, 1>, set = 7, binding = 9", ARGUMENTS["m"]),
    generic("tie_shape", "mi", "operandSegmentSizes = array<i32: 1, 1>", ARGUMENTS["m"]),
    generic("load", "b", f"operandSegmentSizes = array<i32: 1, 0, 0, 0>, {WHOLE}", ARGUMENTS["t"]),
    "dispatch.load %r[0, 9] [4, 0] [1, 5] : !dispatch.readonly<tensor<4x?xf32>> -> tensor<4x0xf32>",
    "dispatch.load %r[4, 0] [0, 1] [9, 1] : !dispatch.readonly<tensor<4x?xf32>> -> tensor<0xf32>",
    "dispatch.load %r[0, 3] [2, 5] [3, 2] : !dispatch.readonly<tensor<4x?xf32>> -> tensor<2x5xf32>",
    "dispatch.load %r[%i, %i] [1, 1] [%i, 1] : !dispatch.readonly<tensor<4x?xf32>> -> tensor<f32>",
    "dispatch.load %r[%i, %i] [1, 1] [1, 1] : !dispatch.readonly<tensor<4x?xf32>> -> tensor<1xf32>",
    "dispatch.load %r[4, 0] [%i, 1] [1, 1] : !dispatch.readonly<tensor<4x?xf32>> -> tensor<?xf32>",
    "dispatch.store %t, %w : tensor<4x?xf32> -> !dispatch.writeonly<tensor<4x?xf32>>",
    "dispatch.store %t, %b[0, 0] [4, %i] [1, 1] : tensor<4x?xf32> -> !dispatch.readwrite<tensor<4x?xf32>>",
    "%c = dispatch.contents %w : !dispatch.writeonly<tensor<4x?xf32>> -> tensor<4x?xf32>\n"
    "dispatch.commit %t, %c : tensor<4x?xf32>",
    "dispatch.push_constant 9 : i1",
    "dispatch.workgroup_count 2 : index",
)


@pytest.mark.parametrize("operation", WELL_FORMED)
def test_well_formed(operation: str) -> None:
    assert errors(dispatch.import_text(operation)) == []


ATTRIBUTES = st.dictionaries(
    st.sampled_from(
        (
            *("operandSegmentSizes", "set", "binding", "index", "dimension"),
            *("static_offsets", "static_sizes", "static_strides"),
        )
    ),
    st.one_of(
        st.integers(-2, 3).map(str),
        st.sampled_from(("unit", "4 : index", "2 : ui64", "1.0", '"x"', "array<i64>", "array<i32>", "[]", "{}")),
        st.sampled_from(("dense<0> : tensor<2xi64>", "99999999999999999999 : i128", "#dispatch", "f32")),
        st.lists(st.integers(-1, 2), min_size=1, max_size=5).map(lambda v: f"array<i32: {str(v)[1:-1]}>"),
        st.lists(st.integers(-1, 5), min_size=1, max_size=3).map(lambda v: f"array<i64: {str(v)[1:-1]}>"),
    ),
)


@given(
    st.sampled_from(OPERATIONS),
    st.text("intmrwb", max_size=4),
    ATTRIBUTES,
    st.lists(st.sampled_from(sorted(ARGUMENTS.values())), max_size=2),
)
def test_anything_gives_one_diagnostic(
    name: str, operands: str, attributes: dict[str, str], results: list[str]
) -> None:
    given_attributes = ", ".join(f"{key} = {value}" for key, value in attributes.items())
    found = errors(generic(name, operands, given_attributes, ", ".join(results)))
    assert len(found) <= 1
