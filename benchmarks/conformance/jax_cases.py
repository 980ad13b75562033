"""The functions of `jax_functions.py`: each is a name, a function of `jax.numpy` and the like, and its arguments."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import jax.scipy as jsp
import numpy as np
from jax import lax


@dataclass(frozen=True)
class Case:
    """One function and its arguments; `loose` multiplies the tolerance, where JAX's own error is as large."""

    group: str
    name: str
    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    loose: float = 1.0


CASES: dict[str, Case] = {}


def case(group: str, name: str, function: Callable[..., Any], *arguments: Any, loose: float = 1.0) -> None:
    """Add a function."""
    name = f"{group}.{name}"
    assert name not in CASES, name
    CASES[name] = Case(group, name, function, arguments, loose)


def data(name: str, *shape: int, dtype: Any = np.float32, low: float = -2.0, high: float = 2.0) -> Any:
    """Random numbers that depend on the name alone."""
    rng = np.random.default_rng(zlib.crc32(name.encode()))
    if np.dtype(dtype).kind in "iu":
        return rng.integers(int(low), int(high), shape).astype(dtype)
    if np.dtype(dtype).kind == "b":
        return rng.random(shape) < 0.5
    if np.dtype(dtype).kind == "c":
        return (rng.uniform(low, high, shape) + 1j * rng.uniform(low, high, shape)).astype(dtype)
    return rng.uniform(low, high, shape).astype(dtype)


X = data("x", 5, 7)
Y = data("y", 5, 7)
P = data("p", 5, 7, low=0.1, high=0.9)
V = data("v", 9)
I = data("i", 5, 7, dtype=np.int32, low=-9, high=9)  # noqa: E741
J = data("j", 5, 7, dtype=np.int32, low=1, high=6)
U = data("u", 5, 7, dtype=np.uint32, low=0, high=1000)
B = data("b", 5, 7, dtype=bool)
C = data("c", 4, 6, dtype=np.complex64)
SPECIAL = np.array([0.0, -0.0, 1.5, -1.5, np.inf, -np.inf, np.nan, 3e38, 1e-30], np.float32)
SQUARE = data("square", 5, 5)
SPD = SQUARE @ SQUARE.T + 5 * np.eye(5, dtype=np.float32)
KEY = jax.random.key_data(jax.random.key(7))


def _unary() -> None:
    general = (
        "abs arcsinh arctan cbrt ceil cos cosh deg2rad exp exp2 expm1 fabs floor isfinite isinf isnan isneginf "
        "isposinf logical_not negative positive rad2deg reciprocal rint round sign signbit sin sinc sinh square tan "
        "tanh trunc nan_to_num i0 modf frexp real imag conjugate iscomplex angle"
    )
    for name in general.split():
        case("numpy", name, getattr(jnp, name), X)
    for name in "arccos arcsin arctanh log log10 log1p log2 sqrt".split():
        case("numpy", name, getattr(jnp, name), P)
    case("numpy", "arccosh", jnp.arccosh, P + 1)
    for name in "abs sign exp log sqrt floor rint isnan tanh nan_to_num signbit".split():
        case("numpy", f"{name} of special values", getattr(jnp, name), SPECIAL)
    for name in "abs negative sign bitwise_not invert bitwise_count square".split():
        case("numpy", f"{name} of integers", getattr(jnp, name), I)


def _binary() -> None:
    floats = (
        "add arctan2 copysign divide equal floor_divide fmax fmin fmod greater greater_equal heaviside hypot less "
        "less_equal logaddexp logaddexp2 maximum minimum mod multiply nextafter not_equal remainder subtract "
        "true_divide divmod isclose"
    )
    for name in floats.split():
        case("numpy", name, getattr(jnp, name), X, Y)
    for name in "power float_power".split():
        case("numpy", name, getattr(jnp, name), P, Y)
    for name in "maximum minimum fmax fmin equal".split():
        case("numpy", f"{name} of special values", getattr(jnp, name), SPECIAL, SPECIAL[::-1].copy())
    integers = (
        "add bitwise_and bitwise_or bitwise_xor floor_divide gcd lcm left_shift right_shift mod multiply power "
        "remainder subtract true_divide divmod fmod"
    )
    for name in integers.split():
        case("numpy", f"{name} of integers", getattr(jnp, name), I, J)
    for name in "floor_divide remainder right_shift add maximum less true_divide".split():
        case("numpy", f"{name} of unsigned integers", getattr(jnp, name), U, U[::-1] % 5 + 1)
    for name in "logical_and logical_or logical_xor".split():
        case("numpy", name, getattr(jnp, name), B, X > 0)
    case("numpy", "ldexp", jnp.ldexp, X, J)


def _reductions() -> None:
    floats = "sum prod mean var std max min argmax argmin nansum nanmax nanmin nanmean nanstd median ptp cumsum cumprod"
    for name in floats.split():
        case("numpy", name, getattr(jnp, name), X)
        case("numpy", f"{name} along an axis", lambda a, f=getattr(jnp, name): f(a, axis=1), X)
    for name in "any all count_nonzero".split():
        case("numpy", name, getattr(jnp, name), B)
        case("numpy", f"{name} along an axis", lambda a, f=getattr(jnp, name): f(a, axis=0), B)
    for name in "sum prod max min argmax cumsum mean".split():
        case("numpy", f"{name} of integers", lambda a, f=getattr(jnp, name): f(a, axis=0), I)
    for name in "max min sum argmin".split():
        case("numpy", f"{name} of unsigned integers", lambda a, f=getattr(jnp, name): f(a, axis=1), U)
    case("numpy", "percentile", lambda a: jnp.percentile(a, 30.0), X)
    case("numpy", "quantile", lambda a: jnp.quantile(a, jnp.array([0.1, 0.5]), axis=1), X)
    case("numpy", "average", lambda a, w: jnp.average(a, axis=0, weights=w), X, P)
    case("numpy", "trapezoid", jnp.trapezoid, X)
    case("numpy", "argmax with NaN", jnp.argmax, SPECIAL)
    case("numpy", "max with NaN", jnp.max, SPECIAL)
    case("numpy", "cov", jnp.cov, X)
    case("numpy", "corrcoef", jnp.corrcoef, X)
    case("numpy", "ediff1d", jnp.ediff1d, V)
    case("numpy", "diff", lambda a: jnp.diff(a, n=2), X)
    case("numpy", "gradient", jnp.gradient, V)
    case("numpy", "convolve", lambda a, b: jnp.convolve(a, b, mode="same"), V, V[:4])
    case("numpy", "correlate", lambda a, b: jnp.correlate(a, b, mode="full"), V, V[:4])
    case("numpy", "histogram", lambda a: jnp.histogram(a, bins=4)[0], V)
    case("numpy", "bincount", lambda a: jnp.bincount(a, length=9), J.ravel())
    case("numpy", "interp", jnp.interp, V, np.arange(5, dtype=np.float32), V[:5])
    case("numpy", "polyval", jnp.polyval, V[:4], X)
    case("numpy", "polyfit-like Vandermonde", lambda a: jnp.vander(a, 4), V)
    case("numpy", "unwrap", jnp.unwrap, V * 4)


def _shapes() -> None:
    one = {
        "reshape": lambda a: a.reshape(7, 5),
        "ravel": jnp.ravel,
        "transpose": jnp.transpose,
        "swapaxes": lambda a: jnp.swapaxes(a, 0, 1) + 1,
        "moveaxis": lambda a: jnp.moveaxis(a[None], 0, 2),
        "concatenate": lambda a: jnp.concatenate([a, a * 2, a[:2]], 0),
        "stack": lambda a: jnp.stack([a, a + 1], 1),
        "hstack": lambda a: jnp.hstack([a, a[:, :2]]),
        "vstack": lambda a: jnp.vstack([a, a[0]]),
        "dstack": lambda a: jnp.dstack([a, a * a]),
        "column_stack": lambda a: jnp.column_stack([a[:, 0], a]),
        "split": lambda a: jnp.split(a[:, :6], 3, axis=1),
        "array_split": lambda a: jnp.array_split(a, 3, axis=1),
        "tile": lambda a: jnp.tile(a, (2, 3)),
        "repeat": lambda a: jnp.repeat(a, 3, axis=1),
        "repeat by counts": lambda a: jnp.repeat(a, jnp.array([1, 2, 0, 1, 3]), axis=0, total_repeat_length=7),
        "roll": lambda a: jnp.roll(a, 2, axis=1),
        "roll by all": lambda a: jnp.roll(a, (1, -2), axis=(0, 1)),
        "flip": jnp.flip,
        "fliplr": jnp.fliplr,
        "rot90": jnp.rot90,
        "pad": lambda a: jnp.pad(a, ((1, 2), (0, 3)), constant_values=7),
        "pad edge": lambda a: jnp.pad(a, 2, mode="edge"),
        "pad reflect": lambda a: jnp.pad(a, 2, mode="reflect"),
        "pad wrap": lambda a: jnp.pad(a, 2, mode="wrap"),
        "broadcast_to": lambda a: jnp.broadcast_to(a, (3, 5, 7)),
        "expand_dims": lambda a: jnp.expand_dims(a, (0, 2)),
        "squeeze": lambda a: jnp.squeeze(a[:1]),
        "diag": jnp.diag,
        "diagonal": jnp.diagonal,
        "diagflat": lambda a: jnp.diagflat(a[0]),
        "trace": jnp.trace,
        "tril": jnp.tril,
        "triu": lambda a: jnp.triu(a, 1),
        "clip": lambda a: jnp.clip(a, -1, 0.5),
        "where": lambda a: jnp.where(a > 0, a, 2 * a),
        "select": lambda a: jnp.select([a > 1, a > 0], [a, a * 2], -a),
        "piecewise": lambda a: jnp.piecewise(a, [a < 0, a > 1], [lambda v: -v, lambda v: v * 3, 0.5]),
        "sort": lambda a: jnp.sort(a, axis=1),
        "sort columns": lambda a: jnp.sort(a, axis=0),
        "sort descending": lambda a: jnp.sort(a, axis=1, descending=True),
        "argsort": lambda a: jnp.argsort(a, axis=0),
        "lexsort": lambda a: jnp.lexsort((a[0], jnp.round(a[1]))),
        "partition": lambda a: jnp.sort(jnp.partition(a, 3, axis=1)[:, :3], axis=1),
        "unique": lambda a: jnp.unique(jnp.round(a), size=8, fill_value=9),
        "nonzero": lambda a: jnp.nonzero(a > 0, size=20, fill_value=-1),
        "flatnonzero": lambda a: jnp.flatnonzero(a > 0, size=20),
        "argwhere": lambda a: jnp.argwhere(a > 0, size=20),
        "searchsorted": lambda a: jnp.searchsorted(jnp.sort(a[0]), a[1]),
        "digitize": lambda a: jnp.digitize(a, jnp.array([-1.0, 0.0, 1.0])),
        "take": lambda a: jnp.take(a, jnp.array([3, 0, 4]), axis=0),
        "take_along_axis": lambda a: jnp.take_along_axis(a, jnp.argsort(a, axis=1), axis=1),
        "put_along_axis": lambda a: jnp.put_along_axis(a, jnp.argmax(a, 1, keepdims=True), 9.0, axis=1, inplace=False),
        "insert": lambda a: jnp.insert(a, 2, 9.0, axis=1),
        "delete": lambda a: jnp.delete(a, 2, axis=1),
        "append": lambda a: jnp.append(a, a[:1], axis=0),
        "apply_along_axis": lambda a: jnp.apply_along_axis(lambda v: v - v.mean(), 1, a),
        "meshgrid": lambda a: jnp.meshgrid(a[0], a[1, :4]),
        "arange and linspace": lambda a: a[0] + jnp.arange(7) * jnp.linspace(0, 1, 7),
        "eye": lambda a: a[:5, :5] + jnp.eye(5),
        "kron": lambda a: jnp.kron(a, a[:2, :2]),
        "outer": lambda a: jnp.outer(a[0], a[1]),
        "inner": lambda a: jnp.inner(a, a),
        "vdot": lambda a: jnp.vdot(a, a),
        "cross": lambda a: jnp.cross(a[:, :3], a[:, 3:6]),
        "tensordot": lambda a: jnp.tensordot(a, a, axes=([1], [1])),
        "matmul": lambda a: a @ a.T,
        "matvec": lambda a: a @ a[0],
        "einsum batch": lambda a: jnp.einsum("ij,kj->ikj", a, a),
        "einsum trace": lambda a: jnp.einsum("ii->", a[:, :5]),
        "einsum three": lambda a: jnp.einsum("ij,kj,k->i", a, a, a[:, 0]),
        "astype": lambda a: (a * 10).astype(jnp.int8),
        "view": lambda a: a.view(jnp.int32),
        "packbits": lambda a: jnp.packbits(a > 0),
        "unpackbits": lambda a: jnp.unpackbits(jnp.abs(a * 20).astype(jnp.uint8), axis=1),
        "resize": lambda a: jax.image.resize(a, (10, 14), "linear"),
        "resize nearest": lambda a: jax.image.resize(a, (3, 4), "nearest"),
        "compress": lambda a: jnp.compress(jnp.array([True, False, True, True, False]), a, axis=0, size=3),
        "tri": lambda a: a[:5, :5] * jnp.tri(5),
        "isin": lambda a: jnp.isin(jnp.round(a), jnp.array([0.0, 1.0])),
        "union1d": lambda a: jnp.union1d(jnp.round(a[0]), jnp.round(a[1]), size=8),
        "fill_diagonal": lambda a: jnp.fill_diagonal(a[:, :5], 3.0, inplace=False),
        "trim_zeros-like mask": lambda a: jnp.cumsum(a != 0, axis=1),
        "block": lambda a: jnp.block([[a, a], [a[:2], a[:2]]]),
        "choose": lambda a: jnp.choose(jnp.array([0, 1, 1, 0, 1, 0, 0]), [a, -a], mode="wrap"),
        "nanargmax": lambda a: jnp.nanargmax(a, axis=1),
        "rollaxis": lambda a: jnp.rollaxis(a[None], 2),
        "bool index of known size": lambda a: jnp.where(a > 0, size=10, fill_value=0)[0],
        "fft": lambda a: jnp.abs(jnp.fft.fft(a)),
        "rfft": lambda a: jnp.fft.rfft(a).real,
        "fftshift": jnp.fft.fftshift,
    }
    for name, function in one.items():
        case("numpy", name, function, X)


def _lax() -> None:
    window = {"window_dimensions": (2, 3), "window_strides": (1, 2), "padding": "SAME"}
    image = data("image", 2, 3, 8, 8)
    kernel = data("kernel", 4, 3, 3, 3)
    dims = ("NCHW", "OIHW", "NCHW")
    one: dict[str, Callable[..., Any]] = {
        "reduce_window add": lambda a: lax.reduce_window(a, 0.0, lax.add, **window),
        "reduce_window max": lambda a: lax.reduce_window(a, -jnp.inf, lax.max, **window),
        "reduce_window dilated": lambda a: lax.reduce_window(
            a, 0.0, lax.add, (2, 2), (1, 1), "VALID", window_dilation=(1, 2)
        ),
        "reduce": lambda a: lax.reduce(a, 1.0, lax.mul, (0,)),
        "reduce two operands": lambda a: lax.reduce(
            (a, lax.iota(jnp.int32, 35).reshape(5, 7)),
            (-jnp.inf, 0),
            lambda p, q: (jnp.maximum(p[0], q[0]), jnp.where(p[0] >= q[0], p[1], q[1])),
            (1,),
        ),
        "reduce_precision": lambda a: lax.reduce_precision(a, 5, 10),
        "reduce_and": lambda a: lax.reduce(a > 0, True, lax.bitwise_and, (1,)),
        "cummax": lambda a: lax.cummax(a, 1),
        "cummin reverse": lambda a: lax.cummin(a, 0, reverse=True),
        "cumlogsumexp": lambda a: lax.cumlogsumexp(a, 1),
        "cumprod": lambda a: lax.cumprod(a, 0),
        "pad": lambda a: lax.pad(a, 3.0, ((1, 2, 1), (-1, 0, 2))),
        "pad negative": lambda a: lax.pad(a, 3.0, ((-1, -2, 0), (-1, 2, 0))),
        "slice": lambda a: lax.slice(a, (1, 0), (5, 7), (2, 3)),
        "dynamic_slice": lambda a: lax.dynamic_slice(a, (jnp.int32(a[0, 0] * 0) + 9, 2), (2, 3)),
        "dynamic_update_slice": lambda a: lax.dynamic_update_slice(a, a[:2, :2] * 2, (jnp.int32(a[0, 0] * 0) + 9, 1)),
        "dynamic_index_in_dim": lambda a: lax.dynamic_index_in_dim(a, 3, 0),
        "rev": lambda a: lax.rev(a, (1,)),
        "broadcast_in_dim": lambda a: lax.broadcast_in_dim(a, (5, 2, 7), (0, 2)),
        "iota": lambda a: lax.broadcasted_iota(jnp.int32, (5, 7), 1) + a,
        "select_n": lambda a: lax.select_n((a > 0).astype(jnp.int32) + (a > 1), a, a * 2, a * 3),
        "clamp": lambda a: lax.clamp(-1.0, a, 1.0),
        "sort two keys": lambda a: lax.sort((jnp.round(a), a * 2, -a), dimension=1, num_keys=2),
        "sort stable": lambda a: lax.sort(
            (jnp.round(a), lax.iota(jnp.int32, 35).reshape(5, 7)), dimension=1, num_keys=1
        ),
        "top_k": lambda a: lax.top_k(a, 3),
        "approx_max_k": lambda a: lax.approx_max_k(a, 2)[0],
        "argmax": lambda a: lax.argmax(a, 1, jnp.int32),
        "erf": lax.erf,
        "erfc": lax.erfc,
        "erf_inv": lambda a: lax.erf_inv(a / 3),
        "lgamma": lambda a: lax.lgamma(jnp.abs(a) + 0.5),
        "digamma": lambda a: lax.digamma(jnp.abs(a) + 0.5),
        "igamma": lambda a: lax.igamma(jnp.abs(a) + 0.5, jnp.abs(a)),
        "igammac": lambda a: lax.igammac(jnp.abs(a) + 0.5, jnp.abs(a)),
        "betainc": lambda a: lax.betainc(jnp.abs(a) + 0.5, jnp.abs(a) + 1, jnp.full_like(a, 0.3)),
        "bessel_i0e": lax.bessel_i0e,
        "bessel_i1e": lax.bessel_i1e,
        "polygamma": lambda a: lax.polygamma(1.0, jnp.abs(a) + 1),
        "zeta": lambda a: lax.zeta(jnp.abs(a) + 1.5, 1.0),
        "logistic": lax.logistic,
        "rsqrt": lambda a: lax.rsqrt(jnp.abs(a) + 0.1),
        "integer_pow": lambda a: lax.integer_pow(a, -3),
        "pow by integers": lambda a: lax.pow(a, jnp.full(a.shape, 3)),
        "square": lax.square,
        "is_finite": lax.is_finite,
        "nextafter": lambda a: lax.nextafter(a, a + 1),
        "round to even": lambda a: lax.round(a * 2, lax.RoundingMethod.TO_NEAREST_EVEN),
        "round away": lambda a: lax.round(a * 2, lax.RoundingMethod.AWAY_FROM_ZERO),
        "dot_general batch": lambda a: lax.dot_general(
            a[:4].reshape(2, 2, 7), a[1:].reshape(2, 2, 7), (((2,), (2,)), ((0,), (0,)))
        ),
        "bitcast_convert_type": lambda a: lax.bitcast_convert_type(a, jnp.uint32),
        "bitcast to smaller": lambda a: lax.bitcast_convert_type(a, jnp.uint16),
        "convert to bf16": lambda a: a.astype(jnp.bfloat16).astype(jnp.float32),
        "convert to f16": lambda a: a.astype(jnp.float16).astype(jnp.float32),
        "convert to bool": lambda a: a.astype(bool),
        "convert to uint8": lambda a: jnp.abs(a * 100).astype(jnp.uint8),
        "population_count": lambda a: lax.population_count(a.view(jnp.uint32)),
        "clz": lambda a: lax.clz(a.view(jnp.uint32)),
        "shift_right_logical": lambda a: lax.shift_right_logical(a.view(jnp.int32), 3),
        "shift by too much": lambda a: lax.shift_left(a.view(jnp.int32), jnp.full(a.shape, 40)),
        "stop_gradient": lambda a: lax.stop_gradient(a) + 1,
        "gather clip": lambda a: a.at[jnp.array([0, 9, 2])].get(mode="clip"),
        "gather fill": lambda a: a.at[jnp.array([0, 9, 2])].get(mode="fill", fill_value=5.0),
        "expand_dims": lambda a: lax.expand_dims(a, (1,)),
        "concatenate": lambda a: lax.concatenate([a, a[:, :2]], 1),
        "conv patches": lambda a: lax.conv_general_dilated_patches(a[None, None], (2, 2), (1, 1), "VALID"),
        "map": lambda a: lax.map(lambda v: v * v.sum(), a),
        "optimization_barrier": lambda a: lax.optimization_barrier(a) * 2,
        "tan": lax.tan,
        "population of bool": lambda a: jnp.sum(a > 0, dtype=jnp.int32),
    }
    for name, function in one.items():
        case("lax", name, function, X)
    convolutions: dict[str, Callable[..., Any]] = {
        "conv": lambda a, k: lax.conv(a, k, (1, 1), "SAME"),
        "conv strides": lambda a, k: lax.conv(a, k, (2, 2), "VALID"),
        "conv dilated": lambda a, k: lax.conv_general_dilated(
            a, k, (1, 1), "SAME", rhs_dilation=(2, 2), dimension_numbers=dims
        ),
        "conv transposed": lambda a, k: lax.conv_general_dilated(
            a, k, (1, 1), ((1, 1), (1, 2)), lhs_dilation=(2, 2), dimension_numbers=dims
        ),
        "conv NHWC": lambda a, k: lax.conv_general_dilated(
            a.transpose(0, 2, 3, 1), k.transpose(2, 3, 1, 0), (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")
        ),
        "conv_transpose": lambda a, k: lax.conv_transpose(
            a.transpose(0, 2, 3, 1), k.transpose(2, 3, 1, 0), (2, 2), "SAME"
        ),
        "conv depthwise": lambda a, k: lax.conv_general_dilated(
            a, k[:3, :1], (1, 1), "SAME", feature_group_count=3, dimension_numbers=dims
        ),
        "conv grouped by batch": lambda a, k: lax.conv_general_dilated(
            a, k, (1, 1), "SAME", batch_group_count=2, dimension_numbers=dims
        ),
        "conv 1D": lambda a, k: lax.conv_general_dilated(a[:, :, 0], k[:, :, 0], (1,), "SAME"),
        "conv gradient": jax.grad(lambda a, k: jnp.sum(lax.conv(a, k, (2, 2), "SAME") ** 2), (0, 1)),
        "max pool": lambda a, k: lax.reduce_window(a, -jnp.inf, lax.max, (1, 1, 2, 2), (1, 1, 2, 2), "VALID"),
        "max pool gradient": jax.grad(
            lambda a, k: jnp.sum(lax.reduce_window(a, -jnp.inf, lax.max, (1, 1, 2, 2), (1, 1, 2, 2), "VALID") ** 2)
        ),
        "average pool gradient": jax.grad(
            lambda a, k: jnp.sum(lax.reduce_window(a, 0.0, lax.add, (1, 1, 3, 3), (1, 1, 2, 2), "SAME") ** 2)
        ),
    }
    for name, function in convolutions.items():
        case("lax", name, function, image, kernel)


def _nn() -> None:
    activations = (
        "relu relu6 sigmoid softplus soft_sign silu log_sigmoid leaky_relu hard_sigmoid hard_silu hard_tanh elu celu "
        "selu gelu glu squareplus mish softmax log_softmax logsumexp standardize sparse_plus identity relu"
    )
    for name in dict.fromkeys(activations.split()):
        case("nn", name, getattr(jax.nn, name), X[:, :6])
    case("nn", "gelu exact", lambda a: jax.nn.gelu(a, approximate=False), X)
    case("nn", "one_hot", lambda a: jax.nn.one_hot(a, 7), J[0])
    case("nn", "softmax of a mask", lambda a, m: jax.nn.softmax(a, where=m, axis=0), X, X > -9)
    case("nn", "gradient of gelu", jax.grad(lambda a: jax.nn.gelu(a).sum()), X)
    case("nn", "gradient of log_softmax", jax.grad(lambda a: (jax.nn.log_softmax(a)[:, 0] ** 2).sum()), X)
    q, k, v = (data(n, 2, 6, 4, 8) for n in ("q", "k", "v"))
    case("nn", "dot_product_attention", jax.nn.dot_product_attention, q, k, v)
    case("nn", "causal attention", lambda *a: jax.nn.dot_product_attention(*a, is_causal=True), q, k, v)
    case("nn", "grouped query attention", jax.nn.dot_product_attention, q, k[:, :, :2], v[:, :, :2])
    case("nn", "gradient of attention", jax.grad(lambda *a: jax.nn.dot_product_attention(*a).sum(), (0, 1, 2)), q, k, v)
    special = (
        "expit logit erf erfinv gammaln xlogy xlog1py entr ndtr ndtri log_ndtr i0 i1e rel_entr kl_div betaln digamma"
    )
    for name in special.split():
        function = getattr(jsp.special, name)
        two = name in ("xlogy", "xlog1py", "rel_entr", "kl_div", "betaln")
        case("scipy", name, function, *((P, P[::-1].copy()) if two else (P,)))
    case("scipy", "multigammaln", lambda a: jsp.special.multigammaln(a + 3, 2), P)
    case("scipy", "norm.logpdf", jsp.stats.norm.logpdf, X)
    case("scipy", "norm.cdf", jsp.stats.norm.cdf, X)
    case("scipy", "t.logpdf", lambda a: jsp.stats.t.logpdf(a, 3.0), X)
    case("scipy", "gamma.logpdf", lambda a: jsp.stats.gamma.logpdf(a, 2.0), P)
    case(
        "scipy",
        "multivariate_normal.logpdf",
        lambda a, s: jsp.stats.multivariate_normal.logpdf(a, jnp.zeros(5), s),
        X.T.copy(),
        SPD,
    )
    case("scipy", "convolve2d", lambda a, b: jsp.signal.convolve2d(a, b, mode="same"), X, X[:3, :3])
    case(
        "scipy",
        "map_coordinates",
        lambda a: jsp.ndimage.map_coordinates(a, [jnp.array([0.5, 2.2]), jnp.array([1.5, 3.3])], 1),
        X,
    )


def _linalg() -> None:
    upper = np.triu(SQUARE) + 3 * np.eye(5, dtype=np.float32)
    case("linalg", "cholesky", jnp.linalg.cholesky, SPD)
    case("linalg", "cholesky of a batch", jnp.linalg.cholesky, np.stack([SPD, 2 * SPD]))
    case("linalg", "solve_triangular", lambda a, b: jsp.linalg.solve_triangular(a, b), upper, SQUARE)
    case(
        "linalg", "solve_triangular transposed", lambda a, b: jsp.linalg.solve_triangular(a, b, trans=1), upper, SQUARE
    )
    case(
        "linalg",
        "solve_triangular lower",
        lambda a, b: jsp.linalg.solve_triangular(a, b, lower=True),
        upper.T.copy(),
        SQUARE[0],
    )
    case("linalg", "cho_solve", lambda a, b: jsp.linalg.cho_solve(jsp.linalg.cho_factor(a), b), SPD, SQUARE)
    case("linalg", "inv", jnp.linalg.inv, SPD, loose=5)
    case("linalg", "solve", jnp.linalg.solve, SPD, SQUARE, loose=5)
    case("linalg", "solve of a batch", jnp.linalg.solve, np.stack([SPD, 2 * SPD]), np.stack([SQUARE, SQUARE]), loose=5)
    case("linalg", "det", jnp.linalg.det, SPD, loose=5)
    case("linalg", "det of 3x3", jnp.linalg.det, SPD[:3, :3].copy())
    case("linalg", "slogdet", jnp.linalg.slogdet, SPD)
    case("linalg", "lu", lambda a: jsp.linalg.lu(a), SQUARE, loose=5)
    case("linalg", "lu_solve", lambda a, b: jsp.linalg.lu_solve(jsp.linalg.lu_factor(a), b), SPD, SQUARE, loose=5)
    case("linalg", "expm", jsp.linalg.expm, SQUARE / 3, loose=5)
    case("linalg", "matrix_power", lambda a: jnp.linalg.matrix_power(a, 5), SQUARE / 3)
    case("linalg", "matrix_power inverse", lambda a: jnp.linalg.matrix_power(a, -2), SPD, loose=5)
    case("linalg", "qr", lambda a: jnp.abs(jnp.linalg.qr(a)[1]), SQUARE, loose=5)
    case("linalg", "qr of Q", lambda a: jnp.linalg.qr(a)[0] @ jnp.linalg.qr(a)[1], X.T.copy(), loose=5)
    case("linalg", "eigh values", jnp.linalg.eigvalsh, SPD, loose=5)
    case("linalg", "svd values", lambda a: jnp.linalg.svd(a, compute_uv=False), X, loose=5)
    case("linalg", "pinv", jnp.linalg.pinv, X, loose=10)
    case("linalg", "lstsq", lambda a, b: jnp.linalg.lstsq(a, b)[0], X.T.copy(), V[:7], loose=10)
    case("linalg", "norm", jnp.linalg.norm, X)
    case("linalg", "norm of rows", lambda a: jnp.linalg.norm(a, ord=1, axis=1), X)
    case("linalg", "norm nuclear", lambda a: jnp.linalg.norm(a, "nuc"), X, loose=5)
    case("linalg", "multi_dot", lambda a: jnp.linalg.multi_dot([a, a.T, a]), X)
    case("linalg", "gradient of cholesky", jax.grad(lambda a: jnp.linalg.cholesky(a).sum()), SPD, loose=5)
    case("linalg", "gradient of solve", jax.grad(lambda a, b: jnp.linalg.solve(a, b).sum()), SPD, SQUARE, loose=5)
    case("linalg", "gradient of logdet", jax.grad(lambda a: jnp.linalg.slogdet(a)[1]), SPD, loose=5)
    case("linalg", "toeplitz", jsp.linalg.toeplitz, V)
    case("linalg", "block_diag", lambda a: jsp.linalg.block_diag(a, a[:2]), X)


def _random() -> None:
    def with_key(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
        return lambda data: function(jax.random.wrap_key_data(data))

    draws: dict[str, Callable[[Any], Any]] = {
        "bits": lambda k: jax.random.bits(k, (7,)),
        "bits of 8 bits": lambda k: jax.random.bits(k, (7,), jnp.uint8),
        "uniform": lambda k: jax.random.uniform(k, (3, 5)),
        "normal": lambda k: jax.random.normal(k, (3, 5)),
        "truncated_normal": lambda k: jax.random.truncated_normal(k, -1.0, 1.0, (9,)),
        "bernoulli": lambda k: jax.random.bernoulli(k, 0.3, (9,)),
        "randint": lambda k: jax.random.randint(k, (9,), 3, 50),
        "split": lambda k: jax.random.key_data(jax.random.split(k, 3)),
        "fold_in": lambda k: jax.random.key_data(jax.random.fold_in(k, 5)),
        "permutation": lambda k: jax.random.permutation(k, 9),
        "shuffle of rows": lambda k: jax.random.permutation(k, jnp.arange(12.0).reshape(4, 3)),
        "choice": lambda k: jax.random.choice(k, jnp.arange(9.0), (4,), replace=False),
        "choice by weights": lambda k: jax.random.choice(k, 5, (4,), p=jnp.array([0.1, 0.2, 0.3, 0.2, 0.2])),
        "categorical": lambda k: jax.random.categorical(k, jnp.log(jnp.array([0.1, 0.2, 0.7])), shape=(6,)),
        "exponential": lambda k: jax.random.exponential(k, (9,)),
        "gumbel": lambda k: jax.random.gumbel(k, (9,)),
        "laplace": lambda k: jax.random.laplace(k, (9,)),
        "cauchy": lambda k: jax.random.cauchy(k, (9,)),
        "logistic": lambda k: jax.random.logistic(k, (9,)),
        "gamma": lambda k: jax.random.gamma(k, 2.0, (4,)),
        "beta": lambda k: jax.random.beta(k, 2.0, 3.0, (4,)),
        "dirichlet": lambda k: jax.random.dirichlet(k, jnp.array([1.0, 2.0, 3.0])),
        "poisson": lambda k: jax.random.poisson(k, 3.0, (5,)),
        "rademacher": lambda k: jax.random.rademacher(k, (9,)),
        "multivariate_normal": lambda k: jax.random.multivariate_normal(k, jnp.zeros(3), jnp.eye(3) * 2.0, (4,)),
        "dropout": lambda k: jnp.where(jax.random.bernoulli(k, 0.9, (4, 5)), jnp.ones((4, 5)) / 0.9, 0.0),
        "orthogonal-free init": lambda k: jax.nn.initializers.glorot_uniform()(k, (4, 5)),
    }
    for name, function in draws.items():
        case("random", name, with_key(function), KEY, loose=5)


for _add in (_unary, _binary, _reductions, _shapes, _lax, _nn, _linalg, _random):
    _add()


def all_cases() -> Iterator[Case]:
    """Every function, in the order of the table."""
    from jax_programs import add_programs  # the larger ones, which use `case`

    add_programs(case, data)
    yield from CASES.values()
