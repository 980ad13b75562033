"""Every named linalg op, in place in its init, which is an argument; and some whose init is read later as well."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..program import Program

Array = np.ndarray[Any, Any]
Function = Callable[..., Any]
Operand = tuple[str, str]
"""Shape and element type; a scalar has the shape "-"."""


def type_of(operand: Operand) -> str:
    shape, element = operand
    return element if shape == "-" else f"tensor<{shape}x{element}>" if shape else f"tensor<{element}>"


def argument_of(operand: Operand, suffix: str) -> str | float:
    shape, element = operand
    if shape == "-":
        return 3 if element.startswith("i") else 3.0
    return f"{shape}x{element}{suffix}" if shape else element


def named(
    op: str,
    ins: Sequence[Operand],
    out: Operand,
    numpy: Function | None,
    *,
    before: str = "",
    maps: str = "",
    name: str = "",
    rtol: float = 0.0,
    keeps_init: bool = False,
) -> Program:
    """`op` on arguments, the last of which is the init; `keeps_init` returns that too."""
    names = [f"%a{number}" for number in range(len(ins))]
    types = [type_of(operand) for operand in ins]
    init = type_of(out)
    arguments = ", ".join(f"{name}: {type_}" for name, type_ in zip((*names, "%o"), (*types, init), strict=True))
    results = f"({init}, {init})" if keeps_init else init
    returned = f"%0, %o : {init}, {init}" if keeps_init else f"%0 : {init}"
    suffix = ":random" if rtol else ""
    return Program(
        f"linalg_{name or op}{'_keeps_init' if keeps_init else ''}",
        f"""{maps}
        func.func @main({arguments}) -> {results} {{
          %0 = linalg.{op} {before} ins({", ".join(names)} : {", ".join(types)}) outs(%o : {init}) -> {init}
          return {returned}
        }}""",
        args=tuple(argument_of(operand, suffix) for operand in (*ins, out)),
        numpy=(lambda *given: (numpy(*given), given[-1])) if numpy and keeps_init else numpy,
        rtol=rtol,
    )


def f32s(*shapes: str) -> list[Operand]:
    return [(shape, "f32") for shape in shapes]


def sized(text: str) -> Array:
    """An array of that shape, to find out the shape of a result."""
    return np.zeros([int(size) for size in text.split("x")])


def shape_text(array: Array) -> str:
    return "x".join(map(str, array.shape))


# --- elementwise -----------------------------------------------------------------------------------------------------


def unary(op: str, function: Function, rtol: float = 0.0, keeps_init: bool = False) -> Program:
    return named(op, f32s("3x4"), ("3x4", "f32"), lambda a, o: function(a), rtol=rtol, keeps_init=keeps_init)


def binary(op: str, function: Function, element: str = "f32", keeps_init: bool = False) -> Program:
    operand = ("3x4", element)
    return named(op, [operand, operand], operand, lambda a, b, o: function(a, b), keeps_init=keeps_init)


ELEMENTWISE = [
    unary("abs", np.abs),
    unary("ceil", np.ceil),
    unary("copy", np.copy, keeps_init=True),
    unary("erf", np.vectorize(math.erf, otypes=[np.float32]), rtol=1e-5),
    unary("exp", np.exp, rtol=1e-5, keeps_init=True),
    unary("floor", np.floor),
    unary("negf", np.negative),
    unary("reciprocal", np.reciprocal, rtol=1e-5),
    unary("round", np.round),
    unary("square", np.square),
    unary("tanh", np.tanh, rtol=1e-5),
    *(
        named(op, f32s("3x4"), ("3x4", "f32"), None)
        for op in ("log", "rsqrt", "sqrt")  # Upstream alone: the last digits are the library's.
    ),
    binary("add", np.add, keeps_init=True),
    binary("div", np.divide),
    binary("div_unsigned", np.floor_divide, "i32"),
    binary("max", np.maximum),
    binary("min", np.minimum, "i32"),
    binary("mul", np.multiply),
    binary("sub", np.subtract),
    named("powf", f32s("3x4", "3x4"), ("3x4", "f32"), None),
    named("select", [("3x4", "i1"), *f32s("3x4", "3x4")], ("3x4", "f32"), lambda c, a, b, o: np.where(c, a, b)),
    named("fill", [("-", "f32")], ("3x4", "f32"), lambda f, o: np.full_like(o, f), keeps_init=True),
    named("fill_rng_2d", [("-", "f64"), ("-", "f64"), ("-", "i32")], ("3x4", "f32"), None),
    named(
        "elementwise",
        f32s("3x4", "3x4"),
        ("3x4", "f32"),
        lambda a, b, o: a - b,
        before="kind=#linalg.elementwise_kind<sub>",
    ),
    named(
        "elementwise",
        f32s("4", "3x4"),
        ("3x4", "f32"),
        lambda a, b, o: a * b,
        before="kind=#linalg.elementwise_kind<mul> indexing_maps = [#row, #id, #id]",
        maps="#row = affine_map<(i, j) -> (j)>\n#id = affine_map<(i, j) -> (i, j)>",
        name="elementwise_broadcast",
        keeps_init=True,
    ),
]

# --- contractions ----------------------------------------------------------------------------------------------------


def contraction(op: str, first: str, second: str, einsum: str, **options: Any) -> Program:
    out = np.einsum(einsum, sized(first), sized(second))
    return named(
        op, f32s(first, second), (shape_text(out), "f32"), lambda a, b, o: o + np.einsum(einsum, a, b), **options
    )


def quantized(op: str, first: str, second: str, function: Function, **options: Any) -> Program:
    """Operands less their zero points; `function` gets both as 32-bit integers."""
    out = function(sized(first), sized(second))
    zero = ("-", "i32")
    return named(
        op,
        [(first, "i8"), (second, "i8"), zero, zero],
        (shape_text(out), "i32"),
        lambda a, b, x, y, o: o + function(a.astype(np.int32) - x, b.astype(np.int32) - y),
        **options,
    )


CONTRACTIONS = [
    contraction("matmul", "3x4", "4x5", "ij,jk->ik", keeps_init=True),
    contraction(
        "matmul",
        "4x3",
        "5x4",
        "ji,kj->ik",
        before="indexing_maps = [#a, #b, #c]",
        maps="""#a = affine_map<(i, k, j) -> (j, i)>
        #b = affine_map<(i, k, j) -> (k, j)>
        #c = affine_map<(i, k, j) -> (i, k)>""",
        name="matmul_transposed",
    ),
    contraction(
        "contract",
        "3x4",
        "4x3x2",
        "ij,jik->ki",
        before="indexing_maps = [#a, #b, #c]",
        maps="""#a = affine_map<(i, j, k) -> (i, j)>
        #b = affine_map<(i, j, k) -> (j, i, k)>
        #c = affine_map<(i, j, k) -> (k, i)>""",
        keeps_init=True,
    ),
    contraction("matvec", "3x4", "4", "ij,j->i"),
    contraction("vecmat", "3", "3x4", "i,ij->j"),
    contraction("dot", "5", "5", "i,i->"),
    contraction("batch_matmul", "2x3x4", "2x4x5", "bij,bjk->bik"),
    contraction("batch_matvec", "2x3x4", "2x4", "bij,bj->bi"),
    contraction("batch_vecmat", "2x3", "2x3x4", "bi,bij->bj"),
    contraction("batch_reduce_matmul", "2x3x4", "2x4x5", "bij,bjk->ik"),
    contraction("mmt4d", "2x3x2x4", "3x3x5x4", "mkij,nkpj->mnip"),
    contraction("batch_mmt4d", "2x2x3x2x4", "2x3x3x5x4", "bmkij,bnkpj->bmnip"),
    quantized("quantized_matmul", "3x4", "4x5", lambda a, b: np.einsum("ij,jk->ik", a, b)),
    quantized("quantized_batch_matmul", "2x3x4", "2x4x5", lambda a, b: np.einsum("bij,bjk->bik", a, b)),
]

# --- convolutions ----------------------------------------------------------------------------------------------------


def windows(image: Array, sizes: Sequence[int], axes: Sequence[int]) -> Array:
    return np.lib.stride_tricks.sliding_window_view(image, sizes, axes)


def convolution(op: str, image: str, kernel: str, axes: Sequence[int], einsum: str) -> Program:
    """In `einsum` the last indices of the image are those within a window."""
    indices = einsum.partition(",")[2].partition("->")[0]

    def function(a: Array, w: Array) -> Array:
        sizes = [w.shape[indices.index(index)] for index in "ijk"[: len(axes)]]
        return np.einsum(einsum, windows(a, sizes, axes), w)

    if op.endswith("_q"):
        return quantized(op, image, kernel, function)
    out = shape_text(function(sized(image), sized(kernel)))
    return named(op, f32s(image, kernel), (out, "f32"), lambda a, w, o: o + function(a, w))


CONVOLUTIONS = [
    convolution(op, image, kernel, axes, einsum)
    for op, image, kernel, axes, einsum in (
        ("conv_1d", "7", "3", (0,), "oi,i->o"),
        ("conv_1d_ncw_fcw", "2x3x7", "4x3x2", (2,), "ncoi,fci->nfo"),
        ("conv_1d_nwc_wcf", "2x7x3", "2x3x4", (1,), "noci,icf->nof"),
        ("conv_2d", "5x6", "2x3", (0, 1), "opij,ij->op"),
        ("conv_2d_nchw_fchw", "1x2x4x5", "3x2x2x3", (2, 3), "ncopij,fcij->nfop"),
        ("conv_2d_nchw_fchw_q", "1x2x4x5", "3x2x2x3", (2, 3), "ncopij,fcij->nfop"),
        ("conv_2d_ngchw_fgchw", "1x2x2x4x5", "3x2x2x2x3", (3, 4), "ngcopij,fgcij->ngfop"),
        ("conv_2d_ngchw_gfchw", "1x2x2x4x5", "2x3x2x2x3", (3, 4), "ngcopij,gfcij->ngfop"),
        ("conv_2d_ngchw_gfchw_q", "1x2x2x4x5", "2x3x2x2x3", (3, 4), "ngcopij,gfcij->ngfop"),
        ("conv_2d_nhwc_fhwc", "1x4x5x2", "3x2x3x2", (1, 2), "nopcij,fijc->nopf"),
        ("conv_2d_nhwc_fhwc_q", "1x4x5x2", "3x2x3x2", (1, 2), "nopcij,fijc->nopf"),
        ("conv_2d_nhwc_hwcf", "1x4x5x2", "2x3x2x3", (1, 2), "nopcij,ijcf->nopf"),
        ("conv_2d_nhwc_hwcf_q", "1x4x5x2", "2x3x2x3", (1, 2), "nopcij,ijcf->nopf"),
        ("conv_2d_nhwgc_gfhwc", "1x4x5x2x2", "2x3x2x3x2", (1, 2), "nopgcij,gfijc->nopgf"),
        ("conv_2d_nhwgc_gfhwc_q", "1x4x5x2x2", "2x3x2x3x2", (1, 2), "nopgcij,gfijc->nopgf"),
        ("conv_3d", "3x4x3", "2x2x2", (0, 1, 2), "opqijk,ijk->opq"),
        ("conv_3d_ncdhw_fcdhw", "1x2x3x3x4", "3x2x2x2x2", (2, 3, 4), "ncopqijk,fcijk->nfopq"),
        ("conv_3d_ndhwc_dhwcf", "1x3x3x4x2", "2x2x2x2x3", (1, 2, 3), "nopqcijk,ijkcf->nopqf"),
        ("conv_3d_ndhwc_dhwcf_q", "1x3x3x4x2", "2x2x2x2x3", (1, 2, 3), "nopqcijk,ijkcf->nopqf"),
        ("depthwise_conv_1d_ncw_cw", "2x3x7", "3x2", (2,), "ncoi,ci->nco"),
        ("depthwise_conv_1d_nwc_wc", "2x7x3", "2x3", (1,), "noci,ic->noc"),
        ("depthwise_conv_1d_nwc_wcm", "2x7x3", "2x3x2", (1,), "noci,icm->nocm"),
        ("depthwise_conv_2d_nchw_chw", "1x2x4x5", "2x2x3", (2, 3), "ncopij,cij->ncop"),
        ("depthwise_conv_2d_nhwc_hwc", "1x4x5x2", "2x3x2", (1, 2), "nopcij,ijc->nopc"),
        ("depthwise_conv_2d_nhwc_hwc_q", "1x4x5x2", "2x3x2", (1, 2), "nopcij,ijc->nopc"),
        ("depthwise_conv_2d_nhwc_hwcm", "1x4x5x2", "2x3x2x3", (1, 2), "nopcij,ijcm->nopcm"),
        ("depthwise_conv_2d_nhwc_hwcm_q", "1x4x5x2", "2x3x2x3", (1, 2), "nopcij,ijcm->nopcm"),
        ("depthwise_conv_3d_ncdhw_cdhw", "1x2x3x3x4", "2x2x2x2", (2, 3, 4), "ncopqijk,cijk->ncopq"),
        ("depthwise_conv_3d_ndhwc_dhwc", "1x3x3x4x2", "2x2x2x2", (1, 2, 3), "nopqcijk,ijkc->nopqc"),
        ("depthwise_conv_3d_ndhwc_dhwcm", "1x3x3x4x2", "2x2x2x2x3", (1, 2, 3), "nopqcijk,ijkcm->nopqcm"),
    )
]

# --- pooling ---------------------------------------------------------------------------------------------------------

POOLED = {"sum": (np.sum, np.add), "max": (np.max, np.maximum), "min": (np.min, np.minimum)}


def pooling(layout: str, kind: str, image: str, window: str, *, keeps_init: bool = False) -> Program:
    """The second operand is only a shape: nothing reads it."""
    reduce, combine = POOLED[kind.partition("_")[0]]
    sizes = [int(size) for size in window.split("x")]
    first = 2 if layout.startswith("nc") else 1
    axes = range(first, first + len(sizes))
    inner = tuple(range(-len(sizes), 0))
    element = "i32" if kind.endswith("unsigned") else "f32"
    out = shape_text(reduce(windows(sized(image), sizes, axes), inner))
    return named(
        f"pooling_{layout}_{kind}",
        [(image, element), (window, element)],
        (out, element),
        lambda a, w, o: combine(o, reduce(windows(a, sizes, axes), inner)),
        keeps_init=keeps_init,
    )


POOLING = [
    pooling("nchw", "max", "1x2x4x5", "2x3"),
    pooling("nchw", "sum", "1x2x4x5", "2x3"),
    pooling("ncw", "max", "2x3x7", "2"),
    pooling("ncw", "sum", "2x3x7", "2"),
    *(pooling("ndhwc", kind, "1x3x3x4x2", "2x2x2") for kind in ("max", "min", "sum")),
    *(pooling("nhwc", kind, "1x4x5x2", "2x3") for kind in ("max_unsigned", "min", "min_unsigned", "sum")),
    pooling("nhwc", "max", "1x4x5x2", "2x3", keeps_init=True),
    *(pooling("nwc", kind, "2x7x3", "2") for kind in ("max", "max_unsigned", "min", "min_unsigned", "sum")),
]

# --- structured ops with attributes or regions of their own ----------------------------------------------------------

OTHERS = [
    Program(
        "linalg_strided_convolution",
        """
        func.func @main(%a: tensor<1x7x8x2xf32>, %w: tensor<2x2x2x3xf32>) -> tensor<1x3x3x3xf32> {
          %z = arith.constant 0.0 : f32
          %e = tensor.empty() : tensor<1x3x3x3xf32>
          %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x3x3x3xf32>) -> tensor<1x3x3x3xf32>
          %0 = linalg.conv_2d_nhwc_hwcf {dilations = dense<[1, 3]> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>}
              ins(%a, %w : tensor<1x7x8x2xf32>, tensor<2x2x2x3xf32>) outs(%f : tensor<1x3x3x3xf32>)
              -> tensor<1x3x3x3xf32>
          return %0 : tensor<1x3x3x3xf32>
        }""",
        args=("1x7x8x2xf32", "2x2x2x3xf32"),
        numpy=lambda a, w: np.einsum("nopcij,ijcf->nopf", windows(a, (2, 4), (1, 2))[:, ::2, ::2, :, :, ::3], w),
    ),
    Program(
        "linalg_transpose_and_its_source",
        """
        func.func @main(%a: tensor<3x3xf32>) -> (tensor<3x3xf32>, tensor<3x3xf32>) {
          %0 = linalg.transpose ins(%a : tensor<3x3xf32>) outs(%a : tensor<3x3xf32>) permutation = [1, 0]
          %1 = linalg.add ins(%0, %a : tensor<3x3xf32>, tensor<3x3xf32>) outs(%0 : tensor<3x3xf32>) -> tensor<3x3xf32>
          return %0, %1 : tensor<3x3xf32>, tensor<3x3xf32>
        }""",
        args=("3x3xf32",),
        numpy=lambda a: (a.T, a.T + a),
    ),
    Program(
        "linalg_broadcast_over_what_is_read",
        """
        func.func @main(%a: tensor<3xf32>, %o: tensor<3x4xf32>) -> (tensor<3x4xf32>, tensor<3x4xf32>) {
          %0 = linalg.broadcast ins(%a : tensor<3xf32>) outs(%o : tensor<3x4xf32>) dimensions = [1]
          return %0, %o : tensor<3x4xf32>, tensor<3x4xf32>
        }""",
        args=("3xf32", "3x4xf32"),
        numpy=lambda a, o: (np.broadcast_to(a[:, None], (3, 4)), o),
    ),
    Program(
        "linalg_reduce_with_two_results",
        """
        func.func @main(%a: tensor<3x4xf32>, %b: tensor<3x4xf32>, %o: tensor<3xf32>, %p: tensor<3xf32>)
            -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) {
          %0:2 = linalg.reduce ins(%a, %b : tensor<3x4xf32>, tensor<3x4xf32>)
              outs(%o, %p : tensor<3xf32>, tensor<3xf32>) dimensions = [1]
            (%x: f32, %y: f32, %s: f32, %m: f32) {
              %1 = arith.addf %x, %s : f32
              %2 = arith.maximumf %y, %m : f32
              linalg.yield %1, %2 : f32, f32
            }
          return %0#0, %0#1, %p : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
        }""",
        args=("3x4xf32", "3x4xf32", "3xf32", "3xf32"),
        numpy=lambda a, b, o, p: (o + a.sum(1), np.maximum(p, b.max(1)), p),
    ),
    Program(
        "linalg_map_with_indices",
        """
        func.func @main(%a: tensor<3x4xi64>) -> (tensor<3x4xi64>, tensor<3x4xi64>) {
          %0 = linalg.map ins(%a : tensor<3x4xi64>) outs(%a : tensor<3x4xi64>) (%x: i64, %y: i64) {
            %i = linalg.index 0 : index
            %j = linalg.index 1 : index
            %k = arith.muli %i, %j : index
            %1 = arith.index_cast %k : index to i64
            %2 = arith.addi %1, %x : i64
            linalg.yield %2 : i64
          }
          %3 = linalg.map { arith.muli } ins(%0, %0 : tensor<3x4xi64>, tensor<3x4xi64>) outs(%a : tensor<3x4xi64>)
          return %0, %3 : tensor<3x4xi64>, tensor<3x4xi64>
        }""",
        args=("3x4xi64",),
        numpy=lambda a: ((a + np.outer(range(3), range(4))), (a + np.outer(range(3), range(4))) ** 2),
    ),
    Program(
        "linalg_on_memrefs_beside_tensors",
        """
        #id = affine_map<(i) -> (i)>
        func.func @main(%t: tensor<6xf32>) -> tensor<6xf32> {
          %m = memref.alloc() : memref<6xf32>
          %c = bufferization.to_buffer %t read_only : tensor<6xf32> to memref<6xf32>
          linalg.exp ins(%c : memref<6xf32>) outs(%m : memref<6xf32>)
          linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
              ins(%c : memref<6xf32>) outs(%m : memref<6xf32>) {
            ^bb0(%x: f32, %y: f32):
              %0 = arith.addf %x, %x : f32
              linalg.yield %0 : f32
          }
          %u = bufferization.to_tensor %m restrict writable : memref<6xf32> to tensor<6xf32>
          %1 = linalg.add ins(%u, %t : tensor<6xf32>, tensor<6xf32>) outs(%u : tensor<6xf32>) -> tensor<6xf32>
          return %1 : tensor<6xf32>
        }""",
        args=("6xf32",),
        numpy=lambda t: 3 * t,
    ),
]

PROGRAMS = [*ELEMENTWISE, *CONTRACTIONS, *CONVOLUTIONS, *POOLING, *OTHERS]
