"""Fuzzing configurations: heuristics and random orders of the analysis, each of our passes, optimization."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...runtime.compilation import lowering

__all__ = [
    "CONFIGURATIONS",
    "KERNEL_CONFIGURATIONS",
    "OPTIMIZE_CONFIGURATIONS",
    "SEARCH_CONFIGURATIONS",
    "Configuration",
    "find_configurations",
]

_BUFFERIZE = "inplace-one-shot-bufferize{{bufferize-function-boundaries=true warn-written-arguments=false {0}}}"

_CONTIGUOUS = "function-boundary-type-conversion=identity-layout-map"


@dataclass(frozen=True)
class Configuration:
    """Passes that bufferize, and passes on memrefs after that, before memory is freed.

    `{seed}` in `bufferize` is replaced by the number of the program.
    """

    name: str
    bufferize: str
    on_memrefs: str = ""
    on_freed: str = ""
    """Passes on memrefs after memory is freed, of programs that are evaluated."""
    threads: int = 0
    """The number of threads to optimize compiled programs for; 0 for no optimization."""
    machine: str = ""
    """The machine to optimize for, as the option `machine` of passes; the detected one if empty."""
    orders: int = 0
    """So many random orders of decisions of the main function, in place of the order of `bufferize`."""
    ranks: bool = False
    """Whether the program is split at random over ranks, which are evaluated together."""
    eager: bool = False
    """Whether code of compiled programs is outlined and tabulated even if it is not repeated."""

    def bufferization(self, seed: int) -> str:
        """Return the passes that bufferize the program of a seed."""
        return self.bufferize.replace("{seed}", str(seed))

    def pipeline(self, seed: int) -> str:
        """Return the pipeline up to memrefs for the program of a seed."""
        return f"builtin.module({','.join(filter(None, [self.bufferization(seed), self.on_memrefs]))})"


def _one_shot(options: str = "") -> str:
    return _BUFFERIZE.format(options).replace(" }", "}")


def _fuzzed(number: int) -> str:
    return f"analysis-heuristic=fuzzer analysis-fuzzer-seed={number}{{seed}}"


def _before(*passes: str, options: str = "") -> str:
    return ",".join([*passes, _one_shot(options)])


CONFIGURATIONS: tuple[Configuration, ...] = (
    Configuration("cheapest", _one_shot()),
    Configuration("bottom-up", _one_shot("analysis-heuristic=bottom-up")),
    Configuration("top-down", _one_shot("analysis-heuristic=top-down")),
    Configuration("from-terminators", _one_shot("analysis-heuristic=bottom-up-from-terminators")),
    Configuration("fuzzer-1", _one_shot("analysis-heuristic=fuzzer analysis-fuzzer-seed={seed}")),
    Configuration("fuzzer-2", _one_shot(_fuzzed(9))),
    Configuration("identity-layout", _one_shot(f"{_CONTIGUOUS} {_fuzzed(8)}")),
    Configuration("copy-before-write", _one_shot("copy-before-write=true")),
    Configuration("destinations", _before("inplace-convert-to-destination-style")),
    # The result of these passes must be right for any order of decisions; `destinations` tests the order with the
    # fewest copies.
    Configuration("eliminate-empties", _before("inplace-eliminate-empty-tensors", options=_fuzzed(7))),
    Configuration("remove-outs", _before("inplace-remove-outs-dependency", options=_fuzzed(6))),
    Configuration("empty-outs", _before("inplace-remove-outs-dependency{mode=empty}", options=_fuzzed(10))),
    Configuration("move-reads", _before("inplace-move-reads", "inplace-detach-inits", options=_fuzzed(12))),
    Configuration("rewrite-updates", _before("inplace-rewrite-destructive-updates", options=_fuzzed(5))),
    Configuration(
        "out-params",
        _before("inplace-convert-to-destination-style"),
        "inplace-drop-equivalent-results,inplace-results-to-out-params{copy-results=true},inplace-contiguous-arguments",
    ),
    Configuration("called-out-params", _one_shot(), "inplace-results-to-out-params{modify-called-functions=true}"),
    Configuration(
        "dynamic-layout",
        _one_shot(f"function-boundary-type-conversion=fully-dynamic-layout-map {_fuzzed(11)}"),
        "inplace-results-to-out-params{modify-called-functions=true hoist-dynamic-allocs=true}",
    ),
    Configuration("hoist", _one_shot(), "inplace-hoist-allocations"),
)
"""All configurations, by which findings are named."""

SEARCH_CONFIGURATIONS: tuple[Configuration, ...] = (
    Configuration("optimal", _one_shot("analysis-heuristic=optimal")),
    Configuration(
        "planned",
        _one_shot(),
        "inplace-results-to-out-params{modify-called-functions=true}",
        on_freed="inplace-plan-memory{called-functions}",
    ),
    Configuration("orders", _one_shot("analysis-heuristic=fuzzer analysis-fuzzer-seed={seed}"), orders=8),
    Configuration(
        "ranks",
        f"inplace-convert-to-destination-style,{_one_shot()}",
        "inplace-receive-in-place,inplace-exchange-in-turn",
        ranks=True,
    ),
    Configuration("optimal-planned", _one_shot("analysis-heuristic=optimal"), on_freed="inplace-plan-memory"),
)
"""Configurations that are tried if they are named: the search for the cheapest decisions, one arena a function, orders,
random shardings.

A large search takes seconds, and needs OR-Tools: without it the program counts as refused.
"""

_PROMOTE = "inplace-promote-bindings"

_PLAN = f"{_PROMOTE},inplace-convert-to-destination-style,inplace-plan-bufferize"

_UPDATES = "inplace-rewrite-destructive-updates"

KERNEL_CONFIGURATIONS: tuple[Configuration, ...] = (
    Configuration("kernel-plan", _PLAN),
    Configuration("kernel-plan-stack", f"{_PLAN}{{allocation=stack}}"),
    Configuration("kernel-one-shot", _one_shot()),
    Configuration("kernel-fuzzer", _one_shot(_fuzzed(4))),
    Configuration("kernel-copies", _one_shot("copy-before-write=true")),
    Configuration("kernel-updates-plan", f"{_UPDATES},{_PLAN}"),
    Configuration("kernel-updates", _before(_UPDATES, options=_fuzzed(3))),
    Configuration("kernel-destinations", _before("inplace-convert-to-destination-style", options=_fuzzed(2))),
)
"""The configurations for dispatch functions."""

_TINY = "vector-bits=128 registers=16 l1=256 l2=1024 l3=4096"
"""Caches that the small tensors of random programs do not fit into, so that they are tiled, packed and skewed."""


def _optimized(
    name: str, threads: int = 1, machine: str = "", options: str = "", *, eager: bool = False
) -> Configuration:
    marks = lowering.EAGER_MARKS if eager else {}
    pipeline = lowering.pipeline(lowering.optimize_phases(kernels=eager), threads=threads, machine=machine, **marks)
    destinations = "inplace-convert-to-destination-style"
    bufferize = _before(*map(str, pipeline.elements), destinations, options=options)
    return Configuration(name, bufferize, threads=threads, machine=machine, eager=eager)


def _alone(name: str, passes: str, options: str = "") -> Configuration:
    return Configuration(name, _before(f"func.func({passes})", options=options), threads=1, machine=_TINY)


OPTIMIZE_CONFIGURATIONS: tuple[Configuration, ...] = (
    _optimized("optimize"),
    _optimized("optimize-tiny", machine=_TINY, options=_fuzzed(1)),
    _optimized("optimize-threads", 3, _TINY),
    _alone(
        "fuse",
        "inplace-branch-on-selects,convert-elementwise-to-linalg,inplace-compact-slices,"
        f'inplace-fuse{{machine="{_TINY}"}}',
    ),
    _alone("schedule", f'inplace-schedule{{machine="{_TINY}"}}', _fuzzed(2)),
    _alone("distribute", f'inplace-distribute{{threads=3 machine="{_TINY}"}}', _fuzzed(3)),
    _alone("vectorize", "inplace-vectorize"),
    _alone("vectorize-tiny", f'inplace-vectorize{{machine="{_TINY}"}}'),
    _alone("transpose-operands", "inplace-transpose-operands", _fuzzed(4)),
    _alone("unfold-windows", f'inplace-unfold-windows{{machine="{_TINY}"}}', _fuzzed(8)),
    _alone("widen-operands", "inplace-widen-operands", _fuzzed(6)),
    _alone("ping-pong", "inplace-ping-pong", _fuzzed(5)),
    _alone("skew-time", f'inplace-ping-pong,inplace-skew-time{{threads=1 machine="{_TINY}"}}'),
    _alone("skew-bands", f'inplace-ping-pong,inplace-skew-time{{threads=3 machine="{_TINY}"}}'),
    _optimized("kernels", eager=True),
    _optimized("kernels-128", machine="vector-bits=128 registers=16 l1=64", options=_fuzzed(7), eager=True),
    Configuration(
        "layers", _before("cse", "inplace-outline-layers{repeats=2 fewest=1}", options=_fuzzed(9)), threads=1
    ),
)
"""The passes of `optimize=True`, for this machine and a tiny one; each pass alone; ops marked as kernels.

Compiled programs are optimized as a whole in all of these. Kernels become functions, and calls of them tables, in
compiled programs only; nothing fits into tiny caches, and so nothing would become a kernel.
"""


def find_configurations(
    names: Sequence[str] | None = None, among: Sequence[Configuration] = CONFIGURATIONS
) -> tuple[Configuration, ...]:
    """Return the configurations with these names, or all of ``among``.

    Raises:
        ValueError: a name is not known.
    """
    named = SEARCH_CONFIGURATIONS if among is CONFIGURATIONS else ()
    known = {configuration.name: configuration for configuration in (*among, *named)}
    for name in names or ():
        if name not in known:
            raise ValueError(f"unknown configuration {name!r}; known are {', '.join(known)}")
    return tuple(among) if names is None else tuple(known[name] for name in names)
