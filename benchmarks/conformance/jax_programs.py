"""The larger functions of `jax_functions.py`: control flow, indexing, transformations, models, optimizers, dtypes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
from jax import lax

Add = Callable[..., None]


def _control(case: Add, x: Any) -> None:
    programs: dict[str, Callable[..., Any]] = {
        "scan sum": lambda a: lax.scan(lambda c, r: (c + r, c * 2), jnp.zeros(7), a),
        "scan reverse": lambda a: lax.scan(lambda c, r: (c * 0.5 + r, c), jnp.zeros(7), a, reverse=True),
        "scan unrolled": lambda a: lax.scan(lambda c, r: (c + r, c), jnp.zeros(7), a, unroll=2),
        "scan without inputs": lambda a: lax.scan(lambda c, _: (c * 0.9, c.sum()), a, None, length=4),
        "scan of pytrees": lambda a: lax.scan(
            lambda c, r: ({"n": c["n"] + 1, "s": c["s"] + r["u"]}, c["n"] * r["w"][0]),
            {"n": jnp.int32(0), "s": jnp.zeros(7)},
            {"u": a, "w": a * 2},
        ),
        "nested scans": lambda a: lax.scan(
            lambda c, r: (c + lax.scan(lambda d, e: (d * 0.5 + e, None), 0.0, r)[0], c), jnp.float32(0), a
        ),
        "scan with an update in place": lambda a: lax.scan(
            lambda c, i: (c.at[i].set(c[i - 1] * 2 + 1), None), a, jnp.arange(1, 5)
        )[0],
        "fori_loop": lambda a: lax.fori_loop(0, 5, lambda i, c: c + a[i].sum() * i, jnp.zeros(3)),
        "fori_loop in place": lambda a: lax.fori_loop(1, 5, lambda i, c: c.at[i].add(c[i - 1]), a),
        "fori_loop of a dynamic count": lambda a: lax.fori_loop(
            0, jnp.int32(jnp.abs(a[0, 0]) * 3), lambda i, c: c * 1.1, a
        ),
        "while_loop": lambda a: lax.while_loop(
            lambda c: c[0] < 10.0, lambda c: (c[0] + 3.0, c[1] * 1.5), (jnp.abs(a[0, 0]), a)
        ),
        "while_loop of Newton": lambda a: lax.while_loop(
            lambda c: jnp.max(jnp.abs(c * c - (a * a + 1))) > 1e-3,
            lambda c: (c + (a * a + 1) / c) / 2,
            jnp.ones_like(a),
        ),
        "while_loop never": lambda a: lax.while_loop(lambda c: c[0, 0] > 99.0, lambda c: c * 2, a),
        "cond true": lambda a: lax.cond(a[0, 0] < 9.0, lambda b: b * 2, lambda b: b - 1, a),
        "cond false": lambda a: lax.cond(a[0, 0] > 9.0, lambda b: b * 2, lambda b: b - 1, a),
        "cond of pytrees": lambda a: lax.cond(a.sum() > 0, lambda: {"u": a, "w": a[0]}, lambda: {"u": -a, "w": a[1]}),
        "switch": lambda a: lax.switch(2, [lambda b: b, lambda b: b * 2, lambda b: b @ b.T @ b], a),
        "switch of a dynamic index": lambda a: lax.switch(
            jnp.int32(jnp.abs(a[0, 0])) + 9, [lambda b: b, lambda b: b * 2, lambda b: b - 3], a
        ),
        "cond in a scan": lambda a: lax.scan(
            lambda c, r: (lax.cond(r[0] > 0, lambda: c + r, lambda: c - r), c[0]), jnp.zeros(7), a
        ),
        "associative_scan": lambda a: lax.associative_scan(jnp.add, a, axis=1),
        "associative_scan of pairs": lambda a: lax.associative_scan(
            lambda p, q: (p[0] * q[0], q[0] * p[1] + q[1]), (jnp.tanh(a), a)
        ),
        "map": lambda a: lax.map(lambda r: jnp.sort(r)[::-1], a),
        "batched map": lambda a: lax.map(lambda r: r.sum() * r, a, batch_size=2),
        "prefix maximum by scan": lambda a: lax.scan(lambda c, r: (jnp.maximum(c, r),) * 2, a[0], a)[1],
        "bubble sort": lambda a: lax.fori_loop(
            0,
            7,
            lambda _, c: lax.fori_loop(
                0,
                6,
                lambda j, d: d.at[j].set(jnp.minimum(d[j], d[j + 1])).at[j + 1].set(jnp.maximum(d[j], d[j + 1])),
                c,
            ),
            a[0],
        ),
        "Collatz steps": lambda a: (
            lax.while_loop(
                lambda c: c[0] != 1,
                lambda c: (jnp.where(c[0] % 2 == 0, c[0] // 2, 3 * c[0] + 1), c[1] + 1),
                (jnp.int32(27), 0),
            )[1]
            + a[0, 0].astype(jnp.int32)
        ),
        "power iteration": lambda a: lax.fori_loop(
            0, 10, lambda _, u: (a @ (a.T @ u)) / jnp.linalg.norm(a @ (a.T @ u)), jnp.ones(5)
        ),
        "conjugate gradients": lambda a: jax.scipy.sparse.linalg.cg(a @ a.T + 9 * jnp.eye(5), a[:, 0], maxiter=5)[0],
        "custom_jvp": jax.grad(lambda a: jnp.sum(jax.nn.relu(a) * a)),
        "checkpoint": jax.grad(lambda a: jnp.sum(jax.checkpoint(lambda b: jnp.sin(jnp.sin(b)))(a))),
    }
    for name, function in programs.items():
        case("control", name, function, x, loose=2)


def _indexing(case: Add, x: Any, integers: Any) -> None:
    rows = jnp.array([3, 0, 3, 1])
    out = jnp.array([3, -1, 9, 1])
    programs: dict[str, Callable[..., Any]] = {
        "set a row": lambda a: a.at[2].set(7.0),
        "set an element": lambda a: a.at[2, 3].set(7.0),
        "set a slice": lambda a: a.at[1:4, ::2].set(a[:3, :4]),
        "add rows, repeated": lambda a: a.at[rows].add(a[:4]),
        "multiply rows, repeated": lambda a: a.at[rows].multiply(a[:4]),
        "min rows": lambda a: a.at[rows].min(a[:4]),
        "max rows": lambda a: a.at[rows].max(a[:4]),
        "set rows, unique": lambda a: a.at[rows[1:]].set(a[:3], unique_indices=True),
        "add to elements": lambda a: a.at[rows, jnp.array([1, 2, 1, 6])].add(jnp.array([1.0, 2.0, 3.0, 4.0])),
        "set columns": lambda a: a.at[:, rows[1:]].set(a[:, :3] * 2),
        "add out of bounds": lambda a: a.at[out].add(1.0),
        "add out of bounds, dropped": lambda a: a.at[jnp.array([3, 7, 9])].add(1.0, mode="drop"),
        "add out of bounds, clipped": lambda a: a.at[jnp.array([3, 7, 9])].add(1.0, mode="clip"),
        "apply": lambda a: a.at[rows[1:]].apply(jnp.exp),
        "divide": lambda a: a.at[1].divide(3.0),
        "get rows": lambda a: a[rows],
        "get elements": lambda a: a[rows, jnp.array([1, 2, 1, 6])],
        "get by a matrix of indices": lambda a: a[jnp.array([[0, 1], [4, 2]])],
        "get columns": lambda a: a[:, rows],
        "get reversed": lambda a: a[::-1, 1:6:2],
        "get negative": lambda a: a[-1, -3:],
        "get with a new axis": lambda a: a[:, None, 2],
        "segment_sum": lambda a: jax.ops.segment_sum(a, jnp.array([0, 2, 0, 1, 2]), 4),
        "segment_max": lambda a: jax.ops.segment_max(a, jnp.array([0, 2, 0, 1, 2]), 3),
        "scatter of a batch": lambda a: jax.vmap(lambda r, i: r.at[i].set(9.0))(a, jnp.arange(5)),
        "histogram by scatter": lambda a: (
            jnp.zeros(4, jnp.int32).at[jnp.clip(jnp.floor(a + 2), 0, 3).astype(int)].add(1)
        ),
        "gradient of gather": jax.grad(lambda a: (a[rows] ** 2).sum()),
        "gradient of scatter": jax.grad(lambda a: (a.at[rows].add(a[:4]) ** 2).sum()),
        "embedding and its gradient": jax.value_and_grad(lambda a: jnp.tanh(a[jnp.array([1, 1, 4])]).sum()),
        "in-place chain": lambda a: a.at[0].set(1.0).at[1].add(2.0).at[2, 2].multiply(3.0),
    }
    for name, function in programs.items():
        case("indexing", name, function, x)
    case("indexing", "set a row by a dynamic index", lambda a, i: a.at[i].set(0.0), x, np.int32(3))
    case("indexing", "add of integers", lambda a: a.at[rows].add(5), integers)


def _transformations(case: Add, x: Any, y: Any) -> None:
    programs: dict[str, Callable[..., Any]] = {
        "grad": jax.grad(lambda a, b: jnp.sum(jnp.tanh(a) * b)),
        "grad of two": jax.grad(lambda a, b: jnp.sum(jnp.exp(-a * a) @ b.T), argnums=(0, 1)),
        "value_and_grad": jax.value_and_grad(lambda a, b: jnp.mean((a - b) ** 2)),
        "value_and_grad with aux": jax.value_and_grad(lambda a, b: (jnp.mean((a - b) ** 2), a.max()), has_aux=True),
        "jacfwd": lambda a, b: jax.jacfwd(lambda c: jnp.tanh(b[:, :3] @ c))(a[0, :3]),
        "jacrev": lambda a, b: jax.jacrev(lambda c: jnp.tanh(b[:, :3] @ c))(a[0, :3]),
        "hessian": lambda a, b: jax.hessian(lambda c: jnp.sum(jnp.tanh(b[:, :3] @ c)))(a[0, :3]),
        "jvp": lambda a, b: jax.jvp(jnp.sin, (a,), (b,)),
        "vjp": lambda a, b: jax.vjp(lambda c: jnp.cumsum(c, 1), a)[1](b),
        "linearize": lambda a, b: jax.linearize(jnp.exp, a)[1](b),
        "vmap": jax.vmap(jnp.dot),
        "vmap of columns": jax.vmap(jnp.dot, in_axes=1),
        "vmap of vmap": lambda a, b: jax.vmap(lambda r: jax.vmap(lambda s: jnp.sum(jnp.abs(r - s)))(b))(a),
        "vmap of grad": lambda a, b: jax.vmap(jax.grad(lambda r, s: jnp.sum(r * s) ** 2))(a, b),
        "vmap of a scan": lambda a, b: jax.vmap(lambda r, s: lax.scan(lambda c, e: (c * 0.5 + e, c), s[0], r))(a, b),
        "vmap of cond": lambda a, b: jax.vmap(lambda r, s: lax.cond(r[0] > 0, lambda: r, lambda: s))(a, b),
        "vmap of while_loop": lambda a, b: jax.vmap(
            lambda r: lax.while_loop(lambda c: c.sum() < 9, lambda c: c + 1, r)
        )(a),
        "vmap of solve": lambda a, b: jax.vmap(
            lambda r: jnp.linalg.solve(jnp.eye(3) * 4 + jnp.outer(r[:3], r[:3]), r[:3])
        )(a),
        "vmap of sort": lambda a, b: jax.vmap(jnp.sort)(a) + b,
        "grad of scan": jax.grad(lambda a, b: lax.scan(lambda c, r: (jnp.tanh(c + r), c.sum()), b[0], a)[1].sum()),
        "grad of fori_loop": jax.grad(lambda a, b: lax.fori_loop(0, 3, lambda i, c: jnp.sin(c) * b, a).sum()),
        "grad of cond": jax.grad(lambda a, b: lax.cond(b[0, 0] > 0, lambda c: (c**2).sum(), lambda c: c.sum(), a)),
        "grad of sort": jax.grad(lambda a, b: (jnp.sort(a, axis=1) * b).sum()),
        "grad of cumprod": jax.grad(lambda a, b: (jnp.cumprod(a, axis=1) * b).sum()),
        "grad of max": jax.grad(lambda a, b: a.max(axis=1).sum()),
        "grad of logsumexp": jax.grad(lambda a, b: jax.nn.logsumexp(a * b, axis=1).sum()),
        "second derivative": lambda a, b: jax.vmap(jax.grad(jax.grad(lambda t: jnp.sin(t) * t)))(a[0]),
        "einsum gradient": jax.grad(lambda a, b: jnp.einsum("ij,kj->ik", a, b).std()),
        "jit in jit": lambda a, b: jax.jit(lambda c: jax.jit(jnp.sin)(c) + jax.jit(jnp.sin)(b))(a),
        "custom_vjp": lambda a, b: jax.grad(lambda c: _clipped(c).sum())(a),
    }
    for name, function in programs.items():
        case("transform", name, function, x, y, loose=2)


@jax.custom_vjp
def _clipped(a: Any) -> Any:
    return a * a


_clipped.defvjp(lambda a: (a * a, a), lambda a, g: (jnp.clip(2 * a * g, -1, 1),))


def _norm(a: Any, g: Any) -> Any:
    a = a - a.mean(-1, keepdims=True)
    return a * lax.rsqrt((a * a).mean(-1, keepdims=True) + 1e-5) * g


def _block(p: Any, x: Any, mask: Any = None) -> Any:
    """A transformer block; `x` is length by width."""
    h = _norm(x, p["g1"])
    q, k, v = (jnp.einsum("lw,whd->hld", h, p[n]) for n in ("q", "k", "v"))
    scores = jnp.einsum("hld,hmd->hlm", q, k) / 2.8
    if mask is not None:
        scores = jnp.where(mask, scores, -1e9)
    mixed = jnp.einsum("hlm,hmd->lhd", jax.nn.softmax(scores), v)
    x = x + mixed.reshape(x.shape) @ p["o"]
    return x + jax.nn.gelu(_norm(x, p["g2"]) @ p["up"]) @ p["down"]


def _models(case: Add, data: Callable[..., Any]) -> None:
    w = 32
    block = {
        **{n: data(n, w, 4, 8) / 6 for n in ("q", "k", "v")},
        "o": data("o", w, w) / 6,
        "up": data("up", w, 2 * w) / 6,
        "down": data("down", 2 * w, w) / 8,
        "g1": np.ones(w, np.float32),
        "g2": np.ones(w, np.float32),
    }
    x = data("tokens", 10, w)
    mask = np.tril(np.ones((10, 10), bool))
    case("model", "transformer block", _block, block, x)
    case("model", "causal transformer block", _block, block, x, mask)
    case(
        "model",
        "gradient of a transformer block",
        jax.grad(lambda p, x, m: (_block(p, x, m) ** 2).mean()),
        block,
        x,
        mask,
        loose=5,
    )
    layers = jax.tree.map(lambda a: np.stack([a, a * 0.9, a * 1.1]), block)
    deep = lambda p, x: lax.scan(lambda h, q: (_block(q, h), None), x, p)[0]  # noqa: E731
    case("model", "transformer by scan", deep, layers, x, loose=5)
    case(
        "model",
        "gradient of a transformer by scan",
        jax.grad(lambda p, x: (deep(p, x) ** 2).mean()),
        layers,
        x,
        loose=20,
    )
    case("model", "batch of transformer blocks", jax.vmap(_block, (None, 0)), block, np.stack([x, -x]))

    cache = {"k": np.zeros((16, 4, 8), np.float32), "v": np.zeros((16, 4, 8), np.float32)}

    def decode(p: Any, cache: Any, position: Any, t: Any) -> Any:
        k = lax.dynamic_update_slice(cache["k"], jnp.einsum("w,whd->hd", t, p["k"])[None], (position, 0, 0))
        v = lax.dynamic_update_slice(cache["v"], jnp.einsum("w,whd->hd", t, p["v"])[None], (position, 0, 0))
        scores = jnp.einsum("hd,mhd->hm", jnp.einsum("w,whd->hd", t, p["q"]), k)
        weights = jax.nn.softmax(jnp.where(jnp.arange(16) <= position, scores, -1e9))
        return jnp.einsum("hm,mhd->hd", weights, v).reshape(-1) @ p["o"], {"k": k, "v": v}

    case("model", "decoding step with a KV cache", decode, block, cache, np.int32(3), x[0])
    mlp = [(data("w1", 16, 24) / 4, data("b1", 24)), (data("w2", 24, 5) / 5, data("b2", 5))]
    batch, labels = data("batch", 12, 16), data("labels", 12, dtype=np.int32, low=0, high=5)

    def loss(p: Any, a: Any, y: Any) -> Any:
        for weights, bias in p[:-1]:
            a = jax.nn.relu(a @ weights + bias)
        logits = jax.nn.log_softmax(a @ p[-1][0] + p[-1][1])
        return -jnp.take_along_axis(logits, y[:, None], 1).mean()

    case("model", "MLP loss", loss, mlp, batch, labels)
    case("model", "MLP gradient", jax.value_and_grad(loss), mlp, batch, labels)
    for name, update in _optimizers().items():
        state = jax.tree.map(np.zeros_like, {"m": mlp, "v": mlp, "n": np.float32(0)})

        def step(p: Any, s: Any, a: Any, y: Any, update: Any = update) -> Any:
            value, g = jax.value_and_grad(loss)(p, a, y)
            p, s = update(p, g, s)
            return p, s, value

        case("optimizer", name, step, mlp, state, batch, labels, loose=20)
    case(
        "optimizer",
        "ten steps in a loop",
        lambda p, a, y: lax.fori_loop(
            0, 10, lambda _, q: jax.tree.map(lambda u, g: u - 0.1 * g, q, jax.grad(loss)(q, a, y)), p
        ),
        mlp,
        batch,
        labels,
        loose=20,
    )
    image, filters = data("picture", 2, 3, 12, 12), data("filters", 4, 3, 3, 3) / 3

    def net(k: Any, head: Any, a: Any) -> Any:
        a = jax.nn.relu(lax.conv(a, k, (1, 1), "SAME"))
        a = lax.reduce_window(a, -jnp.inf, lax.max, (1, 1, 2, 2), (1, 1, 2, 2), "VALID")
        a = (a - a.mean((0, 2, 3), keepdims=True)) * lax.rsqrt(a.var((0, 2, 3), keepdims=True) + 1e-5)
        return a.mean((2, 3)) @ head

    case("model", "convolution net", net, filters, data("head", 4, 5), image, loose=5)
    case(
        "model",
        "gradient of a convolution net",
        jax.grad(lambda k, h, a: (net(k, h, a) ** 2).sum(), (0, 1)),
        filters,
        data("head", 4, 5),
        image,
        loose=20,
    )
    gates, series = data("gates", 24, 64) / 5, data("series", 9, 8)

    def lstm(p: Any, s: Any) -> Any:
        def cell(c: Any, e: Any) -> Any:
            i, f, g, o = jnp.split(jnp.concatenate([e, c[0]]) @ p, 4)
            m = jax.nn.sigmoid(f) * c[1] + jax.nn.sigmoid(i) * jnp.tanh(g)
            h = jax.nn.sigmoid(o) * jnp.tanh(m)
            return (h, m), h

        return lax.scan(cell, (jnp.zeros(16), jnp.zeros(16)), s)

    case("model", "LSTM", lstm, gates, series)
    case("model", "gradient of an LSTM", jax.grad(lambda p, s: lstm(p, s)[1].sum()), gates, series, loose=5)
    case(
        "model",
        "k-means step",
        lambda c, a: jax.ops.segment_sum(a, jnp.argmin(((a[:, None] - c) ** 2).sum(-1), 1), 4),
        batch[:4],
        batch,
    )
    case(
        "model",
        "Gaussian process",
        lambda a, y: jax.scipy.linalg.cho_solve(
            (jnp.linalg.cholesky(jnp.exp(-((a[:, None] - a) ** 2).sum(-1)) + jnp.eye(12)), True), y
        ),
        batch,
        batch[:, 0],
        loose=5,
    )
    case(
        "model",
        "beam search step",
        lambda s, logits: lax.top_k((s[:, None] + jax.nn.log_softmax(logits)).ravel(), 4),
        data("s", 4),
        data("l", 4, 9),
    )
    case(
        "model",
        "mixture of experts",
        lambda g, e, a: jnp.einsum("be,ebd->bd", jax.nn.softmax(a @ g), jnp.einsum("bw,ewd->ebd", a, e)),
        data("g", 16, 3),
        data("e", 3, 16, 6),
        batch,
    )
    case(
        "model",
        "rotary embedding",
        lambda a: jnp.concatenate(
            [
                a[:, :16] * jnp.cos(jnp.arange(10.0))[:, None] - a[:, 16:] * jnp.sin(jnp.arange(10.0))[:, None],
                a[:, :16] * jnp.sin(jnp.arange(10.0))[:, None] + a[:, 16:] * jnp.cos(jnp.arange(10.0))[:, None],
            ],
            1,
        ),
        x,
    )
    case(
        "model",
        "Game of Life",
        lambda b: lax.fori_loop(0, 4, lambda _, a: _life(a), b),
        data("life", 12, 12, dtype=bool),
    )
    case(
        "model",
        "heat equation",
        lambda a: lax.fori_loop(
            0,
            8,
            lambda _, u: u.at[1:-1, 1:-1].add(
                0.1 * (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4 * u[1:-1, 1:-1])
            ),
            a,
        ),
        data("heat", 12, 12),
    )
    case(
        "model",
        "Runge-Kutta",
        lambda a: lax.scan(lambda u, _: (_runge_kutta(u), u), a, None, length=6),
        data("pendulum", 2),
    )


def _life(a: Any) -> Any:
    n = sum(jnp.roll(a, (i, j), (0, 1)).astype(jnp.int8) for i in (-1, 0, 1) for j in (-1, 0, 1) if i or j)
    return (n == 3) | (a & (n == 2))


def _runge_kutta(u: Any, h: float = 0.1) -> Any:
    f = lambda s: jnp.stack([s[1], -jnp.sin(s[0])])  # noqa: E731
    k1 = f(u)
    k2 = f(u + h / 2 * k1)
    k3 = f(u + h / 2 * k2)
    return u + h / 6 * (k1 + 2 * k2 + 2 * k3 + f(u + h * k3))


def _optimizers() -> dict[str, Callable[[Any, Any, Any], Any]]:
    each = jax.tree.map

    def adam(p: Any, g: Any, s: Any) -> Any:
        n = s["n"] + 1
        m = each(lambda a, b: 0.9 * a + 0.1 * b, s["m"], g)
        v = each(lambda a, b: 0.99 * a + 0.01 * b * b, s["v"], g)
        step = lambda q, a, b: q - 0.01 * (a / (1 - 0.9**n)) / (jnp.sqrt(b / (1 - 0.99**n)) + 1e-8)  # noqa: E731
        return each(step, p, m, v), {"m": m, "v": v, "n": n}

    def momentum(p: Any, g: Any, s: Any) -> Any:
        m = each(lambda a, b: 0.9 * a + b, s["m"], g)
        return each(lambda a, b: a - 0.1 * b, p, m), {**s, "m": m}

    def rmsprop(p: Any, g: Any, s: Any) -> Any:
        v = each(lambda a, b: 0.9 * a + 0.1 * b * b, s["v"], g)
        return each(lambda a, b, c: a - 0.01 * b * lax.rsqrt(c + 1e-6), p, g, v), {**s, "v": v}

    def lion(p: Any, g: Any, s: Any) -> Any:
        m = each(lambda a, b: 0.9 * a + 0.1 * b, s["m"], g)
        return each(lambda a, b: a - 0.01 * jnp.sign(b), p, m), {**s, "m": m}

    def clipped(p: Any, g: Any, s: Any) -> Any:
        norm = jnp.sqrt(sum(jnp.sum(a * a) for a in jax.tree.leaves(g)))
        return each(lambda a, b: a - 0.1 * b * jnp.minimum(1.0, 1.0 / norm), p, g), s

    return {
        "gradient descent": lambda p, g, s: (each(lambda a, b: a - 0.1 * b, p, g), s),
        "Adam": adam,
        "momentum": momentum,
        "RMSProp": rmsprop,
        "Lion": lion,
        "clipping by the global norm": clipped,
        "weight decay": lambda p, g, s: (each(lambda a, b: a * 0.999 - 0.1 * b, p, g), s),
    }


def _dtypes(case: Add, data: Callable[..., Any]) -> None:
    types = {
        "f16": np.float16,
        "bf16": ml_dtypes.bfloat16,
        "i8": np.int8,
        "u8": np.uint8,
        "i16": np.int16,
        "u16": np.uint16,
    }
    for name, dtype in types.items():
        a = data(name, 5, 7, low=0, high=5).astype(dtype)
        b = data(name + "'", 5, 7, low=1, high=5).astype(dtype)
        case("dtype", f"{name} arithmetic", lambda a, b: (a + b * a - b) // b, a, b)
        case("dtype", f"{name} sum", lambda a, b: (a * b).sum(axis=1), a, b)
        case("dtype", f"{name} product of matrices", lambda a, b: a @ b.T, a, b)
        case("dtype", f"{name} maximum and comparison", lambda a, b: (jnp.maximum(a, b), a > b, jnp.argmax(a)), a, b)
        case("dtype", f"{name} sort and scatter", lambda a, b: jnp.sort(a, axis=1).at[1].add(b[0]), a, b)
        case("dtype", f"{name} to f32", lambda a, b: a.astype(jnp.float32) / b.astype(jnp.float32), a, b)
    c, d = data("c1", 4, 6, dtype=np.complex64), data("c2", 4, 6, dtype=np.complex64)
    complexes: dict[str, Callable[..., Any]] = {
        "complex arithmetic": lambda a, b: a * b + a - b,
        "complex division": lambda a, b: a / b,
        "complex exp": lambda a, b: jnp.exp(a),
        "complex abs and angle": lambda a, b: (jnp.abs(a), jnp.angle(a)),
        "complex parts": lambda a, b: (a.real, b.imag, jnp.conj(a)),
        "complex sum": lambda a, b: (a * b).sum(0),
        "complex product of matrices": lambda a, b: a @ b.T,
        "complex from parts": lambda a, b: lax.complex(a.real, b.real),
        "complex log": lambda a, b: jnp.log(a),
        "complex sqrt": lambda a, b: jnp.sqrt(a),
    }
    for name, function in complexes.items():
        case("dtype", name, function, c, d)


def add_programs(case: Add, data: Callable[..., Any]) -> None:
    """Add all of them by `case`; `data` makes arrays."""
    x, y = data("x", 5, 7), data("y", 5, 7)
    integers = data("i", 5, 7, dtype=np.int32, low=-9, high=9)
    _control(case, x)
    _indexing(case, x, integers)
    _transformations(case, x, y)
    _models(case, data)
    _dtypes(case, data)
