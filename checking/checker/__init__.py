"""`check`: compare a compiled program with a reference that copies before every write."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...passes.pipeline.pipeline import Pipeline
from ...runtime.native.engine import library_paths
from ...runtime.source import Source, private_copy
from .options import default_tolerance
from .reduction import Reduction, reduce_program
from .report import CheckReport, Counts, Difference, DifferenceKind, Origin, Unchecked
from .supervisor import ENGINES, Options, check_with

__all__ = [
    "CheckReport",
    "Counts",
    "Difference",
    "DifferenceKind",
    "Origin",
    "Reduction",
    "Unchecked",
    "check",
    "reduce_program",
]


def check(  # noqa: PLR0913 - all but the program are keywords, with defaults
    module: Source,
    pipeline: str | Pipeline | None = None,
    *,
    function: str | None = None,
    inputs: Sequence[Sequence[Any]] | None = None,
    seed: int = 0,
    rounds: int = 8,
    tolerance: float | None = None,
    time_limit: float = 10.0,
    shared_libs: Sequence[str] = (),
    engine: str = "jit",
    optimize: bool = False,
    threads: int = 1,
) -> CheckReport:
    """Compare a program, as compiled through `pipeline`, with a version of it that copies before every write.

    Both run on the same inputs. Results and memory that the call writes must be equal bit for bit (NaN equals NaN),
    other arguments unchanged, a second call must give the same, and no memory may leak or be freed twice. Elements
    that depend on uninitialized memory are ignored. Everything runs in child processes (forks), so a crash or an
    endless loop of generated code is a difference like any other.

    Args:
        module: a module, MLIR text or bytecode, or the path of a file; it is not changed.
        pipeline: replaces bufferization, as in `compile`; our own by default.
        function: the function to check; all public ones by default.
        inputs: argument lists to use instead of generated ones.
        seed: of the generated values and sizes.
        rounds: the number of input sets if sizes or scalars can vary.
        tolerance: the largest error of floats, relative to the largest expected magnitude but at least to 1. For
            pipelines that change the order of float operations. By default 0, or 1e-5 with `optimize`.
        time_limit: seconds for one call; compiling may take twelve times as long.
        shared_libs: as in `compile`.
        engine: computes the expected values: "jit", a compiled reference, which the NumPy evaluator overrules if it
            agrees with the program; or "evaluator", the evaluator alone. It rounds functions as NumPy does, so
            that programs with `exp` and the like need a tolerance.
        optimize: check `compile(optimize=True)`.
        threads: compile for this many threads; the code runs on one.

    Raises:
        PassError, ir.MLIRError: the program cannot be compiled through `pipeline`.
        PipelineError, OSError, TypeError, ValueError: as in `compile`.
    """
    if engine not in ENGINES:
        raise ValueError(f"engine must be one of {', '.join(ENGINES)}, got {engine!r}")
    if rounds < 1 or seed < 0 or time_limit <= 0 or (tolerance or 0) < 0:
        raise ValueError("rounds and time_limit must be positive, seed and tolerance not negative")
    if threads < 1:
        raise ValueError(f"threads must be at least 1, got {threads}")
    options = Options(
        pipeline=Pipeline.parse(pipeline) if isinstance(pipeline, str) else pipeline,
        functions=None if function is None else (function,),
        inputs=None if inputs is None else lambda _: inputs,
        seed=seed,
        rounds=rounds,
        tolerance=default_tolerance(tolerance, optimize=optimize),
        time_limit=time_limit,
        shared_libs=library_paths(shared_libs),
        engine=engine,
        optimize=optimize,
        threads=threads,
    )
    return check_with(private_copy(module), options)
