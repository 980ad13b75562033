"""Kernels compiled while the rest is lowered: the same results as in one object file, and what must stay stays."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pytest
from mlir import ir

import mlir_inplace as mi
from mlir_inplace.runtime.compilation.program import Program, native_code
from mlir_inplace.runtime.compilation.stages import one_object, watched_stages
from mlir_inplace.runtime.native import early_kernels
from mlir_inplace.runtime.native.early_kernels import EarlyKernels
from mlir_inplace.runtime.native.object_code import CodeEmitter

SIZES = (48, 64, 80)
TYPES = [f"tensor<{n}x{n}xf32>" for n in SIZES]


def link(n: int, k: int) -> str:
    """A product, and the larger of its elements and of a constant row, as kernel `k` of a chain on `n` by `n`."""
    t, source = f"tensor<{n}x{n}xf32>", f"%x{n}_{k - 1}" if k else f"%a{n}"
    return f"""
  %e{n}_{k} = tensor.empty() : {t}
  %f{n}_{k} = linalg.fill ins(%z : f32) outs(%e{n}_{k} : {t}) -> {t}
  %m{n}_{k} = linalg.matmul ins({source}, %a{n} : {t}, {t}) outs(%f{n}_{k} : {t}) -> {t}
  %x{n}_{k} = linalg.generic {{indexing_maps = [#both, #column, #both], iterator_types = ["parallel", "parallel"]}}
      ins(%m{n}_{k}, %c{n} : {t}, tensor<{n}xf32>) outs(%e{n}_{k} : {t}) {{
  ^bb0(%p: f32, %q: f32, %r: f32):
    %s = arith.maximumf %p, %q : f32
    linalg.yield %s : f32
  }} -> {t}"""


CHAINS = "\n".join(
    [
        "#both = affine_map<(i, j) -> (i, j)>\n#column = affine_map<(i, j) -> (j)>",
        f"func.func @main({', '.join(f'%a{n}: {t}' for n, t in zip(SIZES, TYPES, strict=True))})",
        f"    -> ({', '.join(TYPES)}) {{\n  %z = arith.constant 0.0 : f32",
        *(f"  %c{n} = arith.constant dense<{[k / n for k in range(n)]}> : tensor<{n}xf32>" for n in SIZES),
        *(link(n, k) for n in SIZES for k in range(6)),
        f"  return {', '.join(f'%x{n}_5' for n in SIZES)} : {', '.join(TYPES)}\n}}",
    ]
)

KERNEL = "attributes {llvm.no_inline, llvm.linkage = #llvm.linkage<internal>}"
MODULE = f"""
memref.global "private" constant @row : memref<4xf32> = dense<[1.0, 2.0, 3.0, 4.0]>
memref.global "private" constant @large : memref<65536xf32> = dense<1.0>
memref.global "private" @state : memref<4xf32> = dense<0.0>
memref.global constant @seen : memref<4xf32> = dense<1.0>
func.func private @inplace_plain(%p: !llvm.ptr, %n: i64) {KERNEL} {{ return }}
func.func private @inplace_row(%p: !llvm.ptr) {KERNEL} {{
  %m = memref.get_global @row : memref<4xf32>
  return
}}
func.func private @inplace_large(%p: !llvm.ptr) {KERNEL} {{
  %m = memref.get_global @large : memref<65536xf32>
  return
}}
func.func private @inplace_state(%p: !llvm.ptr) {KERNEL} {{
  %m = memref.get_global @state : memref<4xf32>
  return
}}
func.func private @inplace_seen(%p: !llvm.ptr) {KERNEL} {{
  %m = memref.get_global @seen : memref<4xf32>
  return
}}
func.func private @inplace_allocates(%p: !llvm.ptr) {KERNEL} {{
  %m = memref.alloc() : memref<4xf32>
  return
}}
func.func private @inplace_divides(%n: i64, %m: i64) {KERNEL} {{
  scf.execute_region {{
    %q = arith.divsi %n, %m : i64
    scf.yield
  }}
  return
}}
func.func private @inplace_asserts(%b: i1) {KERNEL} {{
  cf.assert %b, "no"
  return
}}
func.func private @inplace_calls(%p: !llvm.ptr) {KERNEL} {{
  call @inplace_row(%p) : (!llvm.ptr) -> ()
  return
}}
func.func private @inplace_threads(%n: index) {KERNEL} {{
  scf.forall (%i) in (%n) {{ }}
  return
}}
func.func private @inplace_memref(%m: memref<4xf32>) {KERNEL} {{ return }}
func.func private @inplace_inlined(%p: !llvm.ptr) attributes {{llvm.linkage = #llvm.linkage<internal>}} {{ return }}
func.func private @exp(%p: !llvm.ptr) {KERNEL} {{ return }}
func.func @main(%p: !llvm.ptr) {{ return }}
"""


@pytest.fixture(autouse=True)
def _few_kernels_too() -> Iterator[None]:
    cores = mock.patch("os.sched_getaffinity", lambda pid: {0, 1})
    with mock.patch.object(early_kernels, "LEAST_WORK", 0), cores:
        yield


def objects(program: Program) -> int:
    return len(native_code(program, contiguous=True).engine.objects)


def inputs() -> list[np.ndarray]:
    return [np.random.default_rng(n).standard_normal((n, n), np.float32) / n for n in SIZES]


def expected() -> list[np.ndarray]:
    results = []
    for n, a in zip(SIZES, inputs(), strict=True):
        x = a
        for _ in range(6):
            x = np.maximum(x @ a, np.arange(n, dtype=np.float32) / n)
        results.append(x)
    return results


@pytest.mark.parametrize("optimize", [False, True])
def test_a_program_whose_kernels_are_compiled_early(tmp_path: Path, *, optimize: bool) -> None:
    with one_object():
        whole = mi.compile(CHAINS, optimize=optimize, cache=False)
    assert objects(whole) == 1
    for _ in range(2):  # compiled, then loaded
        program = mi.compile(CHAINS, optimize=optimize, cache=tmp_path)
        assert objects(program) == 3
        for found, same, wanted in zip(program.main(*inputs()), whole.main(*inputs()), expected(), strict=True):
            np.testing.assert_array_equal(found, same)
            np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-5)
    assert len(list(tmp_path.iterdir())) == 1


def test_kernels_that_were_optimized_by_themselves_are_taken_first() -> None:
    taken: dict[str, set[str]] = {}

    def first(self: EarlyKernels, module: ir.Module, lower: Callable[[ir.Module], None]) -> None:
        taken["module"] = set(re.findall(r"func.func private @(\w+)\([^)]*\) attributes", str(module)))
        self._take(module, lower, (1.0,))
        taken["first"] = set(self._names)

    with mock.patch.object(EarlyKernels, "take_first", first):
        program = mi.compile(CHAINS, optimize=True, cache=False)
    assert taken["first"] == taken["module"]
    assert len(taken["first"]) >= len(SIZES)
    for found, wanted in zip(program.main(*inputs()), expected(), strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("first", [False, True])
def test_which_kernels_are_taken(*, first: bool) -> None:
    with ir.Context():
        module = ir.Module.parse(MODULE)
    taken: list[str] = []
    with mock.patch.object(early_kernels, "CheckedCode"), mock.patch.object(CodeEmitter, "code"):
        early = EarlyKernels(2, (), {})
        take = early.take_first if first else early.take
        take(module, lambda part: taken.append(str(part)))
        early.stop()
    assert sorted(early._names) == ["inplace_plain", "inplace_row"]
    text = "".join(taken)
    assert "@row" in text
    assert "@large" not in text
    # What was taken is declared, with its attributes; all others are as they were.
    left = {ir.StringAttr(op.attributes["sym_name"]).value: op.operation for op in module.body.operations}
    bodies = {name for name, op in left.items() if op.name == "func.func" and len(op.regions[0].blocks)}
    assert {name for name, op in left.items() if op.name == "func.func"} - bodies == set(early._names)
    assert "llvm.no_inline" in left["inplace_row"].attributes
    assert "llvm.linkage" not in left["inplace_row"].attributes
    assert module.operation.verify()


def test_a_watched_compilation_shows_all_kernels() -> None:
    stages: dict[str, str] = {}
    with watched_stages(lambda stage, module: stages.update({stage: str(module)})):
        program = mi.compile(CHAINS, cache=False)
    for found, wanted in zip(program.main(*inputs()), expected(), strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-5)
    names = [line.split("(")[0].split("@")[1] for line in stages["functions"].splitlines() if "@inplace_kernel" in line]
    assert names
    assert all(f"llvm.func internal @{name}(" in stages["llvm"] for name in set(names))


def test_one_processor_compiles_nothing_early() -> None:
    with mock.patch("os.sched_getaffinity", lambda pid: {3}):
        assert objects(mi.compile(CHAINS, cache=False)) == 1


@pytest.mark.parametrize("failure", [None, b"", b"\x7fELF"])
def test_code_that_cannot_be_loaded_is_compiled_again(failure: bytes | None) -> None:
    with mock.patch.object(CodeEmitter, "code", lambda *_: failure):
        program = mi.compile(CHAINS, cache=False)
    assert objects(program) == 1
    for found, wanted in zip(program.main(*inputs()), expected(), strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-5)


def test_what_another_thread_raises_is_compiled_again(capfd: pytest.CaptureFixture[str]) -> None:
    code = CodeEmitter.code

    def fail(*arguments: Any) -> bytes | None:
        if threading.current_thread().name == "inplace-compile":
            raise MemoryError("no memory for code")
        return code(*arguments)

    with mock.patch.object(CodeEmitter, "code", fail):
        program = mi.compile(CHAINS, cache=False)
    assert objects(program) == 1
    for found, wanted in zip(program.main(*inputs()), expected(), strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-5)
    assert not capfd.readouterr().err


def test_no_thread_is_left_when_the_rest_is_refused() -> None:
    def refuse(*_: object) -> None:
        raise mi.PassError("no")

    guard = mock.patch("mlir_inplace.runtime.compilation.steps.guard_entries", refuse)
    with guard, pytest.raises(mi.PassError, match="no"):
        mi.compile(CHAINS, cache=False)
    assert not [thread for thread in threading.enumerate() if thread.name == "inplace-compile"]
