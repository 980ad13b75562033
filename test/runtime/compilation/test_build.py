"""The route of a compilation: which phases run, in which order, and with which options, by the settings."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from mlir_inplace.passes.pipeline.elements import inplace_passes
from mlir_inplace.passes.pipeline.pipeline import Pipeline
from mlir_inplace.runtime.compilation import lowering
from mlir_inplace.runtime.compilation.program import Program
from mlir_inplace.runtime.compilation.settings import Settings
from mlir_inplace.runtime.native.openmp import find_openmp
from mlir_inplace.runtime.source import private_copy

DEFAULT = Settings(None, 0, memory_stats=False)
UPSTREAM = Pipeline.parse("one-shot-bufferize{bufferize-function-boundaries=true}")
MACHINE = "l2=1048576 cores=2"

ADD = """
func.func @main(%a: T) -> T {
  %e = tensor.empty() : T
  %s = linalg.add ins(%a, %a : T, T) outs(%e : T) -> T
  return %s : T
}""".replace("T", "tensor<8xf32>")
LARGE = ADD.replace("8xf32", "?xf32").replace(
    "%e = ", "%z = arith.constant 0 : index\n%n = tensor.dim %a, %z : T\n%e = "
)
LARGE = LARGE.replace("empty()", "empty(%n)").replace("T", "tensor<?xf32>")
BRANCHES = """
func.func @main(%a: memref<4xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    scf.execute_region {
      cf.br ^head(%c0 : index)
    ^head(%k: index):
      %more = arith.cmpi slt, %k, %i : index
      cf.cond_br %more, ^body, ^end
    ^body:
      %w = memref.alloc() : memref<4xf32>
      memref.copy %a, %w : memref<4xf32> to memref<4xf32>
      %next = arith.addi %k, %c1 : index
      cf.br ^head(%next : index)
    ^end:
      scf.yield
    }
  }
  return
}"""
FREES = BRANCHES.replace("%next =", "memref.dealloc %w : memref<4xf32>\n%next =")
UNRANKED = """
func.func @main(%p: i1) -> index {
  %z = arith.constant 0 : index
  %a = memref.alloc() : memref<4xf32>
  %u = memref.cast %a : memref<4xf32> to memref<*xf32>
  cf.cond_br %p, ^a, ^b(%u : memref<*xf32>)
^a:
  %f = memref.alloc() : memref<8xf32>
  %v = memref.cast %f : memref<8xf32> to memref<*xf32>
  cf.br ^b(%v : memref<*xf32>)
^b(%r: memref<*xf32>):
  %n = memref.dim %r, %z : memref<*xf32>
  return %n : index
}"""

TENSORS = ["elementwise fusion", "two versions", "destinations", "old contents", "operands", "tiles and vectors"]
MARKED = ["layers", *TENSORS[:-1], "kernels", TENSORS[-1]]
MEMREFS = ["destinations", "old contents", "bufferize", "results in arguments", "contiguous arguments"]
UNOPTIMIZED = ["two versions", *MEMREFS]
BUFFERS = ["hoist", "streams", "sorts"]
OUTLINE = ["copies", "kernels", "arena", "tables"]
LLVM = ["loops", "addresses", "control flow", "assertions", "arithmetic", "LLVM"]
NARROW = [*LLVM, "narrow registers"]
"""For a program with bf16, and for a pipeline, which may make some."""
KEPT = "unrolled loops"
ENDING = [name for name in NARROW if name != "assertions"]
"""For the checker, whose programs end where an assertion fails."""


@pytest.fixture
def phases(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[tuple[lowering.Phase, Pipeline]]]:
    """The phases that run, each with the pipeline that it is a part of."""
    found: list[tuple[lowering.Phase, Pipeline]] = []
    made = lowering.pipeline

    def pipeline(phases: Any, **options: Any) -> Pipeline:
        phases = tuple(phases)
        result = made(phases, **options)
        found.extend((phase, result) for phase in phases)
        return result

    monkeypatch.setattr(lowering, "pipeline", pipeline)
    yield found


def compiled(text: str, settings: Settings) -> None:
    Program(private_copy(text), settings)


@pytest.mark.parametrize(
    ("text", "changes", "names"),
    [
        pytest.param(ADD, {}, [*UNOPTIMIZED, "freed", *OUTLINE, *LLVM], id="default"),
        pytest.param(
            ADD, {"optimize": True}, [*MARKED, *MEMREFS, "freed", *BUFFERS, *OUTLINE, *LLVM, KEPT], id="optimize"
        ),
        pytest.param(
            ADD,
            {"optimize": True, "kernels": False},
            [*TENSORS, *MEMREFS, "freed", *BUFFERS, *OUTLINE, *LLVM, KEPT],
            id="kernels=False",
        ),
        pytest.param(
            ADD,
            {"optimize": True, "pipeline": UPSTREAM},
            [*TENSORS, *MEMREFS[3:], "freed", *BUFFERS, *OUTLINE, *NARROW, KEPT],
            id="the caller's pipeline",
        ),
        pytest.param(ADD.replace("f32", "bf16"), {}, [*UNOPTIMIZED, "freed", *OUTLINE, *NARROW], id="bf16"),
        pytest.param(
            ADD.replace("@main(%a", "@main(%unused: bf16, %a"),
            {},
            [*UNOPTIMIZED, "freed", *OUTLINE, *NARROW],
            id="bf16 argument",
        ),
        pytest.param(ADD.replace("f32", "f8E5M2"), {}, [*UNOPTIMIZED, "freed", *OUTLINE, *NARROW], id="f8"),
        pytest.param(ADD.replace("f32", "f16"), {}, [*UNOPTIMIZED, "freed", *OUTLINE, *LLVM], id="f16"),
        pytest.param(
            ADD, {"memory_stats": True}, [*UNOPTIMIZED, "freed", "count", *OUTLINE, *LLVM], id="memory statistics"
        ),
        pytest.param(
            ADD,
            {"pipeline": UPSTREAM, "plain": True, "memory_stats": True},
            ["verify", "count", *OUTLINE, *ENDING],
            id="plain",
        ),
        pytest.param(
            ADD,
            {"checked": True, "memory_stats": True},
            [*UNOPTIMIZED, "freed", "count", *OUTLINE, *ENDING[:-1]],
            id="checked",
        ),
        pytest.param(BRANCHES, {}, [*UNOPTIMIZED, "structure", "deallocate", "clones", *OUTLINE, *LLVM], id="branches"),
        pytest.param(FREES, {}, [*UNOPTIMIZED, *OUTLINE, *LLVM], id="a program that frees"),
        pytest.param(UNRANKED, {}, [*UNOPTIMIZED, "structure", "deallocate", *OUTLINE, *LLVM], id="unranked memrefs"),
    ],
)
def test_phases_by_settings(
    phases: list[tuple[lowering.Phase, Pipeline]], text: str, changes: dict[str, Any], names: list[str]
) -> None:
    compiled(text, replace(DEFAULT, **changes))
    assert [phase.name for phase, _ in phases] == names


def test_every_pass_that_declares_an_option_is_told(phases: list[tuple[lowering.Phase, Pipeline]]) -> None:
    compiled(ADD, replace(DEFAULT, optimize=True, threads=3, machine=MACHINE, memory_stats=True, eager=True))
    passes = [found for _, pipeline in phases for element in pipeline.elements for found in inplace_passes(element)]
    told = {"machine": MACHINE, "threads": 3}
    wrong = {
        (found.cls.argument, spec.name)
        for found in passes
        for spec in found.options.specs()
        if spec.attribute in told and getattr(found.options, spec.attribute) != told[spec.attribute]
    }
    assert not wrong
    assert {"inplace-distribute", "inplace-skew-time", "inplace-prefetch-rows"} <= {
        found.cls.argument for found in passes
    }
    texts = {str(found) for found in passes}
    assert f'inplace-mark-kernels{{repeats=1 many=1 elements=1 crowd=1 machine="{MACHINE}"}}' in texts
    assert {"inplace-outline-kernels{repeats=2 crowd=1}", "inplace-tabulate-calls{fewest=2 of-kind=1}"} <= texts


@pytest.mark.parametrize(
    ("text", "changes", "generic", "fenced", "threads"),
    [
        (ADD, {}, True, False, 1),
        (ADD, {"plain": True}, False, False, 1),
        (LARGE, {}, True, False, 1),
        (ADD, {"memory_stats": True, "threads": 2}, True, False, 1),
        (LARGE, {"pipeline": UPSTREAM}, True, False, 1),
        (ADD, {"optimize": True}, True, True, 1),
        (ADD, {"threads": 2}, True, False, 2),
        (ADD, {"threads": 2, "optimize": True}, True, True, 2),
    ],
)
def test_upstream_passes_by_settings(
    phases: list[tuple[lowering.Phase, Pipeline]],
    text: str,
    changes: dict[str, Any],
    generic: bool,
    fenced: bool,
    threads: int,
) -> None:
    compiled(text, replace(DEFAULT, **changes, shared_libs=(find_openmp() or "",)[: threads - 1]))
    pipeline = str(phases[-1][1])
    assert ("finalize-memref-to-llvm{use-generic-functions=true}" in pipeline) == generic
    assert ("inplace-fence-streams" in pipeline) == fenced
    assert (f"convert-scf-to-openmp{{num-threads={threads}}}" in pipeline) == (threads > 1)
    assert ("scf-forall-to-for" in pipeline) == (threads == 1)


def test_pipelines_are_kept_by_passes_and_options() -> None:
    first = lowering.pipeline(lowering.OPTIMIZE, threads=2, machine=MACHINE)
    assert lowering.pipeline(list(lowering.OPTIMIZE), threads=2, machine=MACHINE) is first
    for phases, threads, machine in (
        (lowering.OPTIMIZE[:-1], 2, MACHINE),
        (lowering.OPTIMIZE, 3, MACHINE),
        (lowering.OPTIMIZE, 2, "l2=524288"),
    ):
        other = lowering.pipeline(phases, threads=threads, machine=machine)
        assert str(other) != str(first)
        options = [{spec.attribute for spec in found.options.specs()} for found in inplace_passes(other)]
        assert any("threads" in names for names in options)
        assert f"threads={threads}" in str(other)
