"""`mi.from_torch`: values of ops that torch-mlir gets wrong, refuses, or ends the process at."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import mlir_inplace as mi

torch: Any = pytest.importorskip("torch", minversion="2.12")

torch.set_num_threads(1)

F = torch.nn.functional
INF, NAN = float("inf"), float("nan")


class Applied(torch.nn.Module):
    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__()
        self._function = function

    def forward(self, *tensors: Any) -> Any:
        return self._function(*tensors)


def check(function: Callable[..., Any], *tensors: Any, optimize: bool = False, relative: float = 1e-5) -> None:
    """Compare each result of a function with eager PyTorch's."""
    exported = torch.export.export(Applied(function), tuple(one.clone() for one in tensors), strict=False)
    got = mi.from_torch(exported, optimize=optimize).main(*[one.clone() for one in tensors])
    wanted = function(*tensors)
    assert len(got) == len(wanted)
    for number, (one, other) in enumerate(zip(got, wanted, strict=True)):
        array = other.resolve_conj().numpy()
        assert (one.dtype, one.shape) == (array.dtype, array.shape), number
        np.testing.assert_allclose(one, array, rtol=relative, atol=relative / 100, err_msg=f"result {number}")


def test_programs_at_which_torch_mlir_ends_the_process() -> None:
    def ended(x: Any, empty: Any, whole: Any, one: Any) -> Any:
        three = torch.full_like(whole, 3)
        compared = three == 3.0, three < 2.5, torch.full_like(x, 3.0) == 3, torch.full_like(x, 3.0) < 3
        pooled = F.max_pool3d(whole, 2), F.max_pool2d(whole[0], 2, padding=1, ceil_mode=True)
        return *compared, *pooled, one.logsumexp(0), F.unfold(empty, 2), torch.nonzero_static(x, size=4)

    x = torch.tensor([[1.0, 0, 2], [0, 0, -3]])
    check(ended, x, torch.zeros(0, 2, 4, 4), torch.arange(64).reshape(1, 1, 4, 4, 4), torch.tensor(2.0))


@pytest.mark.parametrize("optimize", [False, pytest.param(True, marks=pytest.mark.full)])
def test_nan_is_the_greatest_number(optimize: bool) -> None:
    def ordered(x: Any) -> Any:
        sorts = [one for down in (False, True) for one in x.sort(dim=0, stable=True, descending=down)]
        chosen = *x.topk(3, dim=1), x.topk(2, dim=1, largest=False)[0], x.kthvalue(2, dim=1)[0], x.nanmedian(1)[0]
        extrema = x.argmax(), x.argmin(1), *x.max(1), *x.min(0), *x.median(1), x.median(), x.nanmedian()
        return *sorts, *chosen, *extrema

    check(ordered, torch.tensor([[1, NAN, -INF, 3, -2, 4, INF], [2, 5, 1, 1, 0, -0.0, NAN]]), optimize=optimize)


def test_sorts_of_numbers_without_a_sign() -> None:
    def ordered(x: Any, flags: Any, whole: Any) -> Any:
        return *x.sort(stable=True), *flags.sort(stable=True, descending=True), *whole.mode(1)

    whole = torch.tensor([[1, 2, 2, 1, 3], [5, 4, 5, 4, 5], [3, 2, 1, 0, 9]])
    check(ordered, torch.tensor([200, 3, 100, 255, 0], dtype=torch.uint8), torch.tensor([True, False, True]), whole)


@pytest.mark.parametrize("optimize", [False, pytest.param(True, marks=pytest.mark.full)])
def test_where_maxima_are(optimize: bool) -> None:
    def pooled(x: Any) -> Any:
        one = F.max_pool1d(x[0], 2, return_indices=True)
        two = F.max_pool2d(x, 3, stride=2, padding=1, return_indices=True, ceil_mode=True)
        return *one, *two, *F.max_pool2d(x, 2, dilation=2, return_indices=True)

    x = torch.sin(torch.arange(2 * 2 * 7 * 6) * 7.0).reshape(2, 2, 7, 6)
    x[0, 0, 1:3, 2] = NAN
    x[1, :2] = -INF
    check(pooled, x, optimize=optimize)


@pytest.mark.parametrize("optimize", [False, pytest.param(True, marks=pytest.mark.full)])
def test_quotients_and_remainders(optimize: bool) -> None:
    def divided(x: Any, y: Any, large: Any) -> Any:
        column = x.unsqueeze(1)
        floors = column // y, torch.floor_divide(x, 1), x // -2
        rests = torch.fmod(x, 3), torch.fmod(column, y), x % 3, torch.remainder(column, y), large % 3, large % -7
        return *floors, *rests, torch.div(column, y, rounding_mode="trunc"), F.gelu(x)

    x = torch.tensor([INF, -INF, NAN, 7, -7, 0, -0.0, 5.5])
    check(divided, x, torch.tensor([2, -2, INF, -INF, 0, 3, NAN, 0.5]), torch.tensor([1e10, -1e30]), optimize=optimize)


def test_rolls_farther_than_a_dimension_and_along_all_as_one() -> None:
    def rolled(x: Any, empty: Any, number: Any) -> Any:
        along = x.roll(1, 0), x.roll((-9, 9), (0, -1)), x.roll(4, 2), x.roll((1, 2), (1, 1)), x.roll(0, 1)
        flat = x.roll(5), x.roll(-30), x.transpose(0, 2).roll(3), number.roll(2)
        return *along, *flat, empty.roll(2), empty.roll(-1, 1)

    check(rolled, torch.arange(24.0).reshape(2, 3, 4), torch.zeros(3, 0), torch.tensor(3.0))


def test_negative_paddings_take_elements_away() -> None:
    def padded(x: Any, whole: Any) -> Any:
        along_rows = F.pad(x, (-1, 2), value=2.5), F.pad(x, (-2, -1)), F.pad(x, (3, -4), value=-1), F.pad(x, (-6, 1))
        along_all = F.pad(x, (1, 1, -1, 2)), F.pad(x, (-3, 0, 0, 0, 1, 0), value=7), F.pad(whole, (-1, 1), value=3)
        return *along_rows, *along_all, F.pad(x, (-1, 2), mode="reflect"), F.pad(x, (-1, 2), mode="replicate")

    x = torch.arange(120.0).reshape(4, 5, 6)
    check(padded, x, torch.arange(6).reshape(2, 3))


@pytest.mark.parametrize("optimize", [False, pytest.param(True, marks=pytest.mark.full)])
def test_places_counted_from_the_end(optimize: bool) -> None:
    def updated(x: Any, i: Any, bytes_: Any) -> Any:
        added, listed, one, last = x.clone(), x.clone(), x.clone(), x.clone()
        added[torch.tensor([1, -1])] += 1  # A scatter beside the read: both go through StableHLO.
        listed[[0, 2], [1, -2]] = 5.0
        one[-1, torch.tensor([-1, -2])] = x[0, :2]
        last[..., torch.tensor([[-1], [-2]])] = 0.0
        filled = x.index_fill(0, i, 2.0), x.index_fill(1, i, 3.0)
        summed = x.index_put((i,), x[:2], accumulate=True), x.index_put((i, -1 - i), x[0, :2], accumulate=True)
        return added, listed, one, last, *filled, *summed, x[i], x[:, i], x[i, i], x[bytes_], x.take(i)

    check(updated, torch.arange(20.0).reshape(4, 5), torch.tensor([0, -1]), torch.tensor([-4, 3]), optimize=optimize)


def test_masks_as_places() -> None:
    def updated(x: Any) -> Any:
        number, row, column, both = x.clone(), x.clone(), x.clone(), x.clone()
        number[x > 5] = 2.0
        row[x.sum(1) > 30] = x[0]
        column[:, x[0] > 2] = 7.0
        both[x.sum(1) > 30] = -1.0
        return number, row, column, both, x.index_put((x > 7,), torch.full((), 3.0))

    check(updated, torch.arange(20.0).reshape(4, 5))


@pytest.mark.parametrize("accumulate", [False, True])
def test_masks_with_a_value_for_each_place(accumulate: bool) -> None:
    def updated(x: Any, rows: Any, none: Any, values: Any) -> Any:
        same = [((x > 7,), x[0, 0]), ((rows,), x[0]), ((rows,), x[:1] + 50), ((x > 17,), values[:1])]
        each = [((rows,), x[1:3] + 50), ((x > 17,), values), ((rows & ~rows,), none)]
        return [x.index_put(mask, value, accumulate=accumulate) for mask, value in same + each]

    rows = torch.tensor([True, False, True, False])
    check(updated, torch.arange(20.0).reshape(4, 5), rows, torch.zeros(0, 5), torch.tensor([-1.0, -2.0]))


@pytest.mark.parametrize("accumulate", [False, True])
def test_single_places_of_rank_zero(accumulate: bool) -> None:
    """At two of them and a value of rank 0, torch-mlir ends the process."""

    def updated(x: Any, k: Any) -> Any:
        put = torch.ops.aten.index_put
        all_of_them = put(x[0], [k, k], x[0, 0, 1], accumulate), put(x, [k - 1, k, k], x[0, 0, 1], accumulate)
        leading = put(x, [k - 1], x[0] + 3, accumulate), put(x, [k - 1, k], x[0, 0], accumulate)
        middle = put(x, [None, k], x[:, 0] * 7, accumulate), put(x, [None, k, -k], x[:, 1, 0], accumulate)
        return *all_of_them, *leading, *middle, put(x, [None, k], x[0, 0], accumulate)

    check(updated, torch.arange(24.0).reshape(2, 3, 4), torch.tensor(2))


def test_a_mask_beside_other_indices_is_refused() -> None:
    mask, values = torch.tensor([True, False, True]), torch.arange(6.0).reshape(3, 2)
    with pytest.raises(mi.PassError, match="a mask beside other indices has a number of places that depends on values"):
        mi.from_torch(Applied(lambda x, m: x.index_put((m, torch.tensor([-1, 0])), x[0])), values, mask)


@pytest.mark.filterwarnings("error")
def test_sizes_that_depend_on_values_are_refused() -> None:
    """torch-mlir does not end at some of them."""
    with pytest.raises(mi.PassError, match=r"because of aten\.index\.Tensor: the size of its result depends on values"):
        mi.from_torch(Applied(lambda x: x[x > 5]), torch.arange(20.0))


def test_running_sums_of_exponentials() -> None:
    def scanned(x: Any, one: Any) -> Any:
        return x.logcumsumexp(0), x.logcumsumexp(1), one.logcumsumexp(0), x[:, :0].logcumsumexp(1)

    check(scanned, torch.tensor([[1e4, 0, -1e4, 2], [-INF, -INF, 5, INF], [3, NAN, 1, -2]]), torch.tensor(2.0))


def test_bags_of_embeddings() -> None:
    def summed(table: Any, index: Any, offsets: Any, weights: Any) -> Any:
        modes = [F.embedding_bag(index, table, offsets, mode=mode, padding_idx=-1) for mode in ("sum", "mean", "max")]
        weighted = F.embedding_bag(index, table, offsets, per_sample_weights=weights, mode="sum")
        to_the_last = F.embedding_bag(index, table, offsets, mode="max", include_last_offset=True)
        return *modes, weighted, to_the_last, F.embedding_bag(index.reshape(3, 2), table)

    table = -torch.arange(1, 16.0).reshape(5, 3)  # A maximum that began with zeros would be seen.
    index, offsets = torch.tensor([0, 4, 2, 2, 4, 1]), torch.tensor([0, 1, 3, 3, 6])
    check(summed, table, index, offsets, torch.tensor([2, -1, 0.5, 3, 1, -4]))


def test_logarithms_of_determinants() -> None:
    def taken(x: Any, empty: Any) -> Any:
        return *torch.linalg.slogdet(x), x.logdet(), *torch.linalg.slogdet(empty), empty.logdet()

    x = [[[0.0, 1, 2], [3, 0, 1], [4, 5, 0]], [[1, 2, 3], [2, 4, 7], [0, 2, 2]], [[1, 2, 1], [0, 0, 0], [3, 1, 2]]]
    check(taken, torch.tensor(x), torch.zeros(0, 0))


def test_histograms() -> None:
    def counted(x: Any, edges: Any, weight: Any) -> Any:
        by_number = *torch.histogram(x, 4), *torch.histogram(x, 3, range=(-1, 2), weight=weight, density=True)
        return *by_number, *torch.histogram(x, edges), *torch.histogram(x[:1], 2)

    x = torch.tensor([-3, -1, 0.25, 0.5, 2, 2, 1.75, 5])
    check(counted, x, torch.tensor([-3, 0, 0.5, 2]), torch.arange(1, 9.0))


def test_conversions_to_complex_numbers() -> None:
    check(lambda x: (x.cdouble(), x.cfloat().cdouble() * 2, x.cdouble().cfloat()), torch.tensor([0.1, -2, 3]))


def test_bits_of_numbers() -> None:
    def taken(x: Any, y: Any) -> Any:
        return *torch.frexp(x), torch.nextafter(x.unsqueeze(1), y), torch.copysign(x, y), x.signbit(), x.isfinite()

    check(taken, torch.tensor([INF, NAN, 7, -7, -0.0, 1e-40, -3e-45]), torch.tensor([2, -2, INF, 0, 3, NAN, -1e-40]))


@pytest.mark.full
def test_complex_numbers_and_transforms() -> None:
    def transformed(x: Any) -> Any:
        fft = torch.fft
        half, whole = fft.rfft(x), fft.fft(x)
        back = fft.irfft(half, n=7), fft.irfft(half, n=6, norm="ortho"), fft.irfftn(fft.rfftn(x)), fft.hfft(x)
        complex_ = whole + 2 * whole, whole - x, whole.conj() * 1j, whole / 2, -whole, whole.abs(), whole.sgn()
        return half, whole, *back, *complex_, fft.ifft2(x), fft.ihfft(x)

    check(transformed, torch.sin(torch.arange(24.0)).reshape(2, 4, 3), relative=1e-4)


@pytest.mark.full
@pytest.mark.filterwarnings("ignore:.* is in beta and the API")
def test_what_tensors_tell_the_places_of() -> None:
    def combined(x: Any, index: Any) -> Any:
        kinds = ("sum", "mean", "prod", "amin", "amax")
        all_ = [
            torch.scatter_reduce(x, 1, index, x * 2 + 1, reduce=kind, include_self=own)
            for kind in kinds
            for own in (True, False)
        ]
        rows = index[:, 0]
        others = torch.index_reduce(x, 0, rows, x + 1, "prod"), x.put(rows, x[:, 0]), x.put(rows, x[:, 0], True)
        segments = [torch.segment_reduce(x, kind, lengths=rows, unsafe=True) for kind in ("sum", "mean", "max")]
        strided = torch.as_strided_scatter(x, x[:2, :2] * 0, (2, 2), (1, 2), 1)
        return *all_, *others, *segments, strided, torch.histc(x, bins=5), torch.histc(x, bins=4, min=-1, max=1)

    x = torch.sin(torch.arange(12.0) * 5).reshape(4, 3)
    check(combined, x, torch.tensor([[0, 2, 0], [1, 1, 1], [2, 0, 1], [1, 0, 2]]))


@pytest.mark.full
def test_singular_values_and_eigenvalues() -> None:
    """Of vectors what does not depend on their signs."""

    def factored(x: Any) -> Any:
        u, s, vh = torch.linalg.svd(x, full_matrices=False)
        square = x.mT @ x
        values, vectors = torch.linalg.eigh(square)
        products = u * s.unsqueeze(-2) @ vh, u.mT @ u, vectors * values.unsqueeze(-2) @ vectors.mT
        others = torch.linalg.pinv(x), torch.linalg.svdvals(x.mT), torch.linalg.matrix_rank(x), torch.matrix_exp(square)
        return *products, s, values, *others, torch.cdist(x, x + 1), torch.cdist(x, x + 1, p=3.0), F.pdist(x[0])

    torch.manual_seed(0)
    check(factored, torch.randn(2, 4, 3), relative=1e-4)


POINTS = [-30.0, -9.1, -3.2, -1.9, -0.3, 0.0, 1e-8, 0.5, 1.9, 2.1, 5.3, 9.1, 13.7, 30.5, 80.0, INF, -INF, NAN]


@pytest.mark.full
def test_error_functions() -> None:
    def computed(x: Any, p: Any) -> Any:
        special = torch.special
        return torch.erfc(x), special.erfcx(x / 5), special.log_ndtr(x), torch.erfinv(p), special.ndtri(p)

    check(computed, torch.tensor(POINTS), torch.tensor([-1, -0.999, -0.5, 0, 1e-10, 0.3, 0.999, 1, 1.1, NAN]))


@pytest.mark.full
def test_bessel_functions() -> None:
    names = (
        "bessel_j0 bessel_j1 bessel_y0 bessel_y1 i0 i0e i1 i1e modified_bessel_k0 modified_bessel_k1 airy_ai "
        "scaled_modified_bessel_k0 scaled_modified_bessel_k1 spherical_bessel_j0"
    )

    def computed(x: Any) -> Any:
        return tuple(getattr(torch.special, name)(x) for name in names.split())

    check(computed, torch.tensor(POINTS), relative=1e-4)


@pytest.mark.full
def test_gamma_functions() -> None:
    def computed(a: Any, x: Any) -> Any:
        a = a.unsqueeze(1)
        incomplete = torch.igamma(a, x), torch.igammac(a, x)
        known = torch.cat([x[:9], x[-2:]])  # PyTorch's own are inexact below.
        return *incomplete, torch.special.zeta(a, x), *[torch.polygamma(order, known) for order in (1, 2, 3)]

    a = torch.tensor([0, 0.1, 1, 1.5, 2, 3, 10, 200, 1e4, INF, NAN, -1])
    check(computed, a, torch.tensor([0, 0.1, 1, 2.5, 11, 190, 1e4, 2e4, -0.5, -2, -20.3, INF, NAN]), relative=1e-4)


@pytest.mark.full
def test_polynomials() -> None:
    kinds = [f"{first}chebyshev_polynomial_{kind}" for first in ("", "shifted_") for kind in "tuvw"]
    names = [*kinds, "hermite_polynomial_h", "hermite_polynomial_he", "laguerre_polynomial_l", "legendre_polynomial_p"]

    def computed(x: Any, n: Any) -> Any:
        return tuple(getattr(torch.special, name)(x.unsqueeze(1), n) for name in names)

    x = torch.tensor([-1, -0.7, 0, 0.3, 1, 2.5])
    check(computed, x, torch.tensor([0, 1, 2, 3, 5, 7.9, 12, -1, 30]), relative=1e-3)


WIDTH = 8


class EncoderOps(torch.nn.Module):
    """A layer of an encoder as one op, and its attention as one."""

    def __init__(self, mask: Any, kind: int | None, use_gelu: bool, norm_first: bool) -> None:
        super().__init__()
        made = torch.Generator().manual_seed(3)
        shapes = [(3 * WIDTH, WIDTH), (WIDTH, WIDTH), (2 * WIDTH, WIDTH), (WIDTH, 2 * WIDTH)]
        lengths = [3 * WIDTH, *[WIDTH] * 5, 2 * WIDTH, WIDTH]
        self._weights = [torch.randn(shape, generator=made) / 3 for shape in shapes]
        self._biases = [torch.randn(length, generator=made) for length in lengths]
        self._mask, self._kind, self._use_gelu, self._norm_first = mask, kind, use_gelu, norm_first

    def forward(self, x: Any) -> Any:
        weights, biases = self._weights, self._biases
        attention = weights[0], biases[0], weights[1], biases[1]
        inner = weights[2], biases[6], weights[3], biases[7]
        aten, mask = torch.ops.aten, (self._mask, self._kind)
        layer = aten._transformer_encoder_layer_fwd(
            x, WIDTH, 2, *attention, self._use_gelu, self._norm_first, 1e-3, *biases[2:6], *inner, *mask
        )
        found = aten._native_multi_head_attention(
            x, x, x, WIDTH, 2, *attention, mask[0], True, self._norm_first, mask[1]
        )
        return layer, *found


PAIRS = torch.ones(5, 5).triu(1).bool()
KEYS = torch.tensor([[False, False, False, True, True], [False, True, False, False, False]])
ALL = (PAIRS | KEYS[:, None])[:, None].expand(2, 2, 5, 5).contiguous()
MASKS = [(None, None), (PAIRS, 0), (KEYS, 1), (ALL, 2), (torch.where(PAIRS, float("-inf"), 0.0), 0)]


@pytest.mark.each_value
@pytest.mark.parametrize("number", range(len(MASKS)))
@pytest.mark.parametrize("flags", [(False, False), (True, True), (False, True)])
def test_a_layer_of_an_encoder_as_one_op(number: int, flags: tuple[bool, bool]) -> None:
    mask, kind = MASKS[number]
    x = torch.randn(2, 5, WIDTH, generator=torch.Generator().manual_seed(1))
    module = EncoderOps(mask, kind, *flags)
    expected = module(x)
    for optimize in (False, True):
        found = mi.from_torch(module, x, optimize=optimize, cache=False).main(x)
        for one, other in zip(found, expected, strict=True):
            torch.testing.assert_close(torch.as_tensor(one), other, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("dtype", [torch.int8, torch.uint8, torch.int16, torch.int32, torch.int64])
def test_integers_are_divided_and_negated_as_integers(dtype: Any) -> None:
    def divided(x: Any, y: Any) -> Any:
        column = x.unsqueeze(1)
        truncated = torch.div(column, y, rounding_mode="trunc"), torch.div(x, 7, rounding_mode="trunc")
        quotients = *truncated, column // y, x // 7
        rests = column % y, x % 7, torch.fmod(column, y), torch.fmod(x, 7), torch.remainder(100, y)
        return *quotients, *rests, -x, torch.gcd(column, y), torch.lcm(column // 4, y // 4)

    info = torch.iinfo(dtype)
    numbers = [1, 2, 3, 5, 60, 100, info.max, info.max - 6]
    numbers += [-1, -2, -3, -100, info.min + 1] if dtype.is_signed else [128, 129, 200]
    check(divided, torch.tensor([0, *numbers], dtype=dtype), torch.tensor(numbers, dtype=dtype), relative=0)


def test_the_least_integer_and_zero_have_divisors_as_in_torch() -> None:
    def divisor(x: Any, y: Any) -> Any:
        return (torch.gcd(x, y),)

    least = torch.tensor([-128, -128, 0, 6, 0], dtype=torch.int8)
    check(divisor, least, torch.tensor([0, 6, -128, -128, 0], dtype=torch.int8), relative=0)
    check(divisor, torch.tensor([[12], [18]]), torch.tensor([8, 27, 0], dtype=torch.int32), relative=0)


def test_no_op_is_in_two_tables() -> None:
    """The later table would win without a word."""
    from mlir_inplace.frontends.torch.decompositions import table

    aten = torch.ops.aten
    tables = [*(family.table(aten) for family in table._FAMILIES), table._copies(aten), table._own(aten)]
    seen: set[Any] = set()
    for one in tables:
        assert seen.isdisjoint(one)
        seen.update(one)


def test_what_is_decomposed_is_what_torch_and_torch_mlir_say() -> None:
    """Their own functions for it ask the dispatcher for all ops once for each library."""
    from mlir.extras.fx_decomp_util import get_decomposition_table
    from mlir.extras.fx_importer import _get_mlir_op_name_for_schema
    from torch._export.utils import _collect_all_valid_cia_ops

    from mlir_inplace.frontends.torch.decompositions import table

    assert table.implicit_ops() == _collect_all_valid_cia_ops()
    assert table.wanted_decomposed(table.implicit_ops()).keys() == get_decomposition_table().keys()
    schemas = [overload._schema for overload in table.decompositions() if hasattr(overload, "_schema")]
    assert all(table._imported_as(schema) == _get_mlir_op_name_for_schema(schema) for schema in schemas)
