"""Memref types of views, compared with what MLIR infers, and casts that are never a promise nobody made."""

from __future__ import annotations

import re

import pytest
from analysed import context
from mlir import ir

from mlir_inplace.dialects.support.memref_types import (
    collapsed_type,
    dynamic_layout_type,
    expanded_type,
    has_identity_layout,
    identity_type,
    is_castable,
    reshaped_type,
    subview_type,
)

DYNAMIC = ir.ShapedType.get_dynamic_size()


def type_(text: str) -> ir.Type:
    with context():
        return ir.Type.parse(text)


def memref(text: str) -> ir.MemRefType:
    return ir.MemRefType(type_(f"memref<{text}>"))


@pytest.mark.parametrize(
    ("tensor", "identity", "dynamic"),
    [
        ("tensor<4x?xf32>", "memref<4x?xf32>", "memref<4x?xf32, strided<[?, ?], offset: ?>>"),
        ("tensor<f32>", "memref<f32>", "memref<f32, strided<[], offset: ?>>"),
        ("tensor<0xi1>", "memref<0xi1>", "memref<0xi1, strided<[?], offset: ?>>"),
        ("tensor<*xf32>", "memref<*xf32>", "memref<*xf32>"),
    ],
)
def test_buffers_of_tensors(tensor: str, identity: str, dynamic: str) -> None:
    with context(), ir.Location.unknown():
        assert str(identity_type(type_(tensor))) == identity
        assert str(dynamic_layout_type(type_(tensor))) == dynamic
        space = ir.Attribute.parse("1")
        assert "1" in str(identity_type(type_(tensor), space)).rpartition(",")[2]
        assert "1" in str(dynamic_layout_type(type_(tensor), space)).rpartition(",")[2]


@pytest.mark.parametrize(
    ("text", "identity"),
    [
        ("4xf32", True),
        ("f32", True),
        ("4x?xf32", True),
        ("4xf32, strided<[1]>", True),
        ("4xf32, strided<[2]>", False),
        ("4xf32, strided<[1], offset: 1>", False),
        ("4x4xf32, affine_map<(d0, d1) -> (d0, d1)>", True),
        ("4x4xf32, affine_map<(d0, d1) -> (d1, d0)>", False),
    ],
)
def test_identity_layouts(text: str, identity: bool) -> None:
    with context():
        assert has_identity_layout(memref(text)) == identity


def test_other_types_have_no_layout() -> None:
    with context():
        assert not has_identity_layout(type_("memref<*xf32>"))


SUBVIEWS = [
    ("8xf32", "[2][4][1]", "4xf32, strided<[1], offset: 2>"),
    ("8xf32", "[0][4][1]", "4xf32"),
    ("8xf32", "[0][4][2]", "4xf32, strided<[2]>"),
    ("8x6xf32", "[2, 3][4, 2][1, 1]", "4x2xf32, strided<[6, 1], offset: 15>"),
    ("8x6xf32", "[0, 0][8, 6][1, 1]", "8x6xf32"),
    ("8x6xf32", "[%n, 0][4, %n][%n, 1]", "4x?xf32, strided<[?, 1], offset: ?>"),
    ("8x?xf32", "[2, 0][4, 4][1, 1]", "4x4xf32, strided<[?, 1], offset: ?>"),
    ("8x?xf32", "[0, 0][4, 4][1, 1]", "4x4xf32, strided<[?, 1]>"),
    # Rows that are known at run time only are as far apart as before, whatever is left of them.
    ("8x?xf32", "[0, 0][8, %n][1, 1]", "8x?xf32, strided<[?, 1]>"),
    ("?x?xf32", "[0, 0][%n, %n][1, 1]", "?x?xf32, strided<[?, 1]>"),
    ("8xf32, strided<[?], offset: ?>", "[0][4][1]", "4xf32, strided<[?], offset: ?>"),
    ("8xf32, strided<[3], offset: 5>", "[2][3][2]", "3xf32, strided<[6], offset: 11>"),
    # A dynamic stride does not matter where the offset is 0.
    ("8x8xf32, strided<[?, 1], offset: 4>", "[0, 2][4, 4][1, 1]", "4x4xf32, strided<[?, 1], offset: 6>"),
    # Dimensions of size one may be dropped, MLIR's choice of which.
    ("8x6xf32", "[2, 0][1, 6][1, 1]", "6xf32, strided<[1], offset: 12>"),
    ("8x6xf32", "[0, 2][8, 1][1, 1]", "8xf32, strided<[6], offset: 2>"),
    ("1x6x1xf32", "[0, 0, 0][1, 6, 1][1, 1, 1]", "6xf32"),
    ("1x6x1xf32", "[0, 0, 0][1, 6, 1][1, 1, 1]", "1x6xf32"),
    ("4x1x1xf32", "[0, 0, 0][2, 1, 1][1, 1, 1]", "2x1xf32"),
    ("4x4xf32", "[1, 1][1, 1][1, 1]", "f32, strided<[], offset: 5>"),
    ("f32", "[][][]", "f32"),
]


@pytest.mark.parametrize(("source", "slice_", "result"), SUBVIEWS)
def test_subviews(source: str, slice_: str, result: str) -> None:
    groups = [
        [DYNAMIC if entry.strip() == "%n" else int(entry) for entry in group.split(",") if entry.strip()]
        for group in re.findall(r"\[(.*?)\]", slice_)
    ]
    with context(), ir.Location.unknown():
        expected = memref(result)
        assert subview_type(memref(source), *groups, expected.shape) == expected


@pytest.mark.parametrize(("source", "slice_", "result"), SUBVIEWS)
def test_mlir_agrees_on_subviews(source: str, slice_: str, result: str) -> None:
    text = f"""func.func @f(%m: memref<{source}>, %n: index) {{
      %0 = memref.subview %m{slice_} : memref<{source}> to memref<{result}>
      return
    }}"""
    with context():
        assert ir.Module.parse(text).operation.verify()


@pytest.mark.parametrize(
    ("source", "shape", "result"),
    [
        ("4x4xf32", [4, DYNAMIC], "4x?xf32"),
        ("4x?xf32", [4, 4], "4x4xf32"),
        ("4x4xf32, strided<[8, 1], offset: 2>", [DYNAMIC, 4], "?x4xf32, strided<[8, 1], offset: 2>"),
        ("?xf32, strided<[?], offset: ?>", [4], "4xf32, strided<[?], offset: ?>"),
        ("4x4xf32, strided<[?, 1]>", [4, DYNAMIC], "4x?xf32, strided<[?, 1]>"),
    ],
)
def test_casts_of_the_shape_keep_the_layout(source: str, shape: list[int], result: str) -> None:
    with context(), ir.Location.unknown():
        found = reshaped_type(memref(source), shape)
        assert found == memref(result)
        assert is_castable(memref(source), found)


def test_a_strided_layout_that_the_new_shape_makes_contiguous_is_written_as_none() -> None:
    with context(), ir.Location.unknown():
        assert str(reshaped_type(memref("?x4xf32, strided<[4, 1], offset: 0>"), [2, 4])) == "memref<2x4xf32>"
        assert str(reshaped_type(memref("2x?xf32, strided<[4, 1]>"), [2, 4])) == "memref<2x4xf32>"


EXPANSIONS = [
    ("8xf32", [2, 4], [[0, 1]], "2x4xf32"),
    ("?xf32", [DYNAMIC, 4], [[0, 1]], "?x4xf32"),
    ("8xf32, strided<[3], offset: 5>", [2, 4], [[0, 1]], "2x4xf32, strided<[12, 3], offset: 5>"),
    ("8xf32, strided<[?], offset: ?>", [2, 4], [[0, 1]], "2x4xf32, strided<[?, ?], offset: ?>"),
    ("8x6xf32, strided<[12, 2]>", [8, 2, 3], [[0], [1, 2]], "8x2x3xf32, strided<[12, 6, 2]>"),
    ("?x6xf32, strided<[12, 2]>", [2, DYNAMIC, 6], [[0, 1], [2]], "2x?x6xf32, strided<[?, 12, 2]>"),
    ("f32, strided<[], offset: 7>", [1, 1], [], "1x1xf32, strided<[1, 1], offset: 7>"),
]


@pytest.mark.parametrize(("source", "shape", "groups", "result"), EXPANSIONS)
def test_expanding_is_always_a_view(source: str, shape: list[int], groups: list[list[int]], result: str) -> None:
    with context(), ir.Location.unknown():
        assert expanded_type(memref(source), shape, groups) == memref(result)


COLLAPSES = [
    ("2x4xf32", [8], [[0, 1]], "8xf32"),
    ("?x4xf32", [DYNAMIC], [[0, 1]], "?xf32"),
    ("2x4xf32, strided<[4, 1], offset: 3>", [8], [[0, 1]], "8xf32, strided<[1], offset: 3>"),
    ("2x4xf32, strided<[8, 2]>", [8], [[0, 1]], "8xf32, strided<[2]>"),
    ("2x4xf32, strided<[8, 1]>", [8], [[0, 1]], None),
    ("2x4xf32, strided<[?, 1]>", [8], [[0, 1]], None),
    ("2x4xf32, strided<[4, ?]>", [8], [[0, 1]], None),
    ("2x?xf32, strided<[?, 1]>", [DYNAMIC], [[0, 1]], None),
    ("2x3x4xf32, strided<[100, 4, 1]>", [2, 12], [[0], [1, 2]], "2x12xf32, strided<[100, 1]>"),
    # Where a dimension has size one its stride means nothing.
    ("1x4xf32, strided<[99, 1]>", [4], [[0, 1]], "4xf32, strided<[1]>"),
    ("4x1xf32, strided<[9, 99]>", [4], [[0, 1]], "4xf32, strided<[9]>"),
    ("?x1xf32, strided<[9, 99]>", [DYNAMIC], [[0, 1]], "?xf32, strided<[9]>"),
    ("1x?xf32, strided<[99, 9]>", [DYNAMIC], [[0, 1]], "?xf32, strided<[?]>"),
    ("1x1xf32, strided<[9, 99], offset: 2>", [], [], "f32, strided<[], offset: 2>"),
]


@pytest.mark.parametrize(("source", "shape", "groups", "result"), COLLAPSES)
def test_collapsing_is_a_view_of_contiguous_dimensions_only(
    source: str, shape: list[int], groups: list[list[int]], result: str | None
) -> None:
    with context(), ir.Location.unknown():
        found = collapsed_type(memref(source), shape, groups)
        assert found == (None if result is None else memref(result))


@pytest.mark.parametrize(
    ("name", "source", "groups", "result"),
    [("expand_shape", s, g, r) for s, _, g, r in EXPANSIONS]
    + [("collapse_shape", s, g, r) for s, _, g, r in COLLAPSES if r is not None],
)
def test_mlir_agrees_on_reshapes(name: str, source: str, groups: list[list[int]], result: str) -> None:
    sizes = re.match(r"((?:[\d?]+x)*)", result).group(1).split("x")[:-1]
    shape = ", ".join("%n" if size == "?" else size for size in sizes)
    output = f" output_shape [{shape}]" if name == "expand_shape" else ""
    text = f"""func.func @f(%m: memref<{source}>, %n: index) {{
      %0 = memref.{name} %m {groups}{output} : memref<{source}> into memref<{result}>
      return
    }}"""
    with context():
        assert ir.Module.parse(text).operation.verify()


LAYOUTS = ["4x4xf32", "4x4xf32, strided<[8, 1]>", "4x4xf32, strided<[?, 1]>", "4x4xf32, strided<[?, ?], offset: ?>"]


@pytest.mark.parametrize(
    ("source", "target", "castable"),
    [(s, t, LAYOUTS.index(s) <= LAYOUTS.index(t) and (s, t) != tuple(LAYOUTS[:2])) for s in LAYOUTS for t in LAYOUTS]
    + [
        ("4x4xf32", "4x4xf32, strided<[4, 1]>", True),
        ("4x4xf32, strided<[4, 1]>", "4x4xf32", True),
        ("4x4xf32", "4x4xf32, strided<[4, 1], offset: 1>", False),
        ("4x4xf32, strided<[4, 1], offset: ?>", "4x4xf32", False),
        ("4x?xf32", "4x4xf32", True),
        ("4x4xf32", "4x?xf32", True),
        ("4x?xf32", "4x?xf32, strided<[4, 1]>", False),
        ("4x?xf32", "4x?xf32, strided<[?, 1]>", True),
        ("4x?xf32, strided<[?, 1]>", "4x?xf32", False),
        ("?x4xf32, strided<[4, 1]>", "?x4xf32", True),
        ("4x4xf32, 1", "4x4xf32, 2", False),
        ("4x4xf32, 1", "4x4xf32, strided<[?, ?], offset: ?>, 1", True),
        ("4x4xf32", "16xf32", False),
        ("*xf32", "4xf32", False),
        ("*xf32", "4xf32, strided<[1], offset: ?>", False),
        ("*xf32", "4xf32, strided<[?], offset: ?>", True),
        ("*xf32", "*xf32", True),
        ("4xf32", "*xf32", True),
        ("4xf32", "*xf64", False),
    ],
)
def test_a_cast_never_makes_a_stride_or_an_offset_up(source: str, target: str, castable: bool) -> None:
    with context():
        assert is_castable(type_(f"memref<{source}>"), type_(f"memref<{target}>")) == castable


@pytest.mark.parametrize("source", LAYOUTS)
@pytest.mark.parametrize("target", LAYOUTS)
def test_mlir_accepts_the_casts(source: str, target: str) -> None:
    with context():
        if is_castable(memref(source), memref(target)):
            text = f"""func.func @f(%m: memref<{source}>) {{
              %0 = memref.cast %m : memref<{source}> to memref<{target}>
              return
            }}"""
            assert ir.Module.parse(text).operation.verify()
