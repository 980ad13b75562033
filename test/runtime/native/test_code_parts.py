"""Code in two object files, compiled at once: the same results as in one, and nothing that both need is lost."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from unittest import mock

import numpy as np
import pytest
from mlir import ir

import mlir_inplace as mi
from mlir_inplace.runtime.compilation.program import Program, native_code
from mlir_inplace.runtime.compilation.stages import one_object
from mlir_inplace.runtime.native import code_parts, object_code
from mlir_inplace.runtime.native.code_parts import compiled_in_parts
from mlir_inplace.runtime.native.engine import Engine
from mlir_inplace.runtime.native.loaded_object import LoadedObject, UnsupportedObjectError

CHAIN = (
    """
func.func @main(%a: tensor<64x64xf32>, %b: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %e = tensor.empty() : tensor<64x64xf32>
  %z = arith.constant 0.0 : f32
"""
    + "\n".join(
        f"""
  %f{n} = linalg.fill ins(%z : f32) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %m{n} = linalg.matmul ins({"%a" if not n else f"%x{n - 1}"}, %b : tensor<64x64xf32>, tensor<64x64xf32>)
      outs(%f{n} : tensor<64x64xf32>) -> tensor<64x64xf32>
  %x{n} = linalg.max ins(%m{n}, %a : tensor<64x64xf32>, tensor<64x64xf32>)
      outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>"""
        for n in range(12)
    )
    + "\n  return %x11 : tensor<64x64xf32>\n}"
)

SHARED = """module attributes {llvm.data_layout = ""} {
  llvm.mlir.global internal @inplace_count(7 : i64) {addr_space = 0 : i32} : i64
  llvm.mlir.global private constant @table(dense<[11, 22]> : tensor<2xi64>) {addr_space = 0 : i32}
      : !llvm.array<2 x i64>
  llvm.func @labs(i64) -> i64
  llvm.func internal @exp(%x: i64) -> i64 attributes {no_inline} {
    llvm.return %x : i64
  }
  llvm.func internal @inplace_small(%x: i64) -> i64 {
    %r = llvm.add %x, %x : i64
    llvm.return %r : i64
  }
  llvm.func internal @inplace_read() -> i64 attributes {no_inline} {
    %p = llvm.mlir.addressof @inplace_count : !llvm.ptr
    %old = llvm.load %p : !llvm.ptr -> i64
    %q = llvm.mlir.addressof @table : !llvm.ptr
    %one = llvm.getelementptr %q[1] : (!llvm.ptr) -> !llvm.ptr, i64
    %c = llvm.load %one : !llvm.ptr -> i64
    %s = llvm.add %old, %c : i64
    llvm.store %s, %p : i64, !llvm.ptr
    %n = llvm.call @inplace_other(%s) : (i64) -> i64
    llvm.return %n : i64
  }
  llvm.func internal @inplace_other(%x: i64) -> i64 attributes {no_inline} {
    %z = llvm.mlir.constant(0 : i64) : i64
    %m = llvm.sub %z, %x : i64
    %r = llvm.call @labs(%m) : (i64) -> i64
    llvm.return %r : i64
  }
  llvm.func internal @inplace_inlines(%x: i64) -> i64 attributes {no_inline} {
    %r = llvm.call @inplace_small(%x) : (i64) -> i64
    llvm.return %r : i64
  }
  llvm.func internal @inplace_calls_exp(%x: i64) -> i64 attributes {no_inline} {
    %r = llvm.call @exp(%x) : (i64) -> i64
    llvm.return %r : i64
  }
  llvm.func @_mlir_main(%table: !llvm.ptr) -> i64 {
    %p = llvm.mlir.addressof @inplace_count : !llvm.ptr
    %f = llvm.mlir.addressof @inplace_read : !llvm.ptr
    %n = llvm.call %f() : !llvm.ptr, () -> i64
    %now = llvm.load %p : !llvm.ptr -> i64
    %two = llvm.call @inplace_inlines(%now) : (i64) -> i64
    %same = llvm.call @inplace_calls_exp(%n) : (i64) -> i64
    %q = llvm.mlir.addressof @table : !llvm.ptr
    %c = llvm.load %q : !llvm.ptr -> i64
    %s = llvm.add %two, %same : i64
    %r = llvm.add %s, %c : i64
    llvm.return %r : i64
  }
}"""


@pytest.fixture(autouse=True)
def _small_modules_too() -> Iterator[None]:
    cores = mock.patch("os.sched_getaffinity", lambda pid: {0, 1})
    with mock.patch.object(code_parts, "FEWEST_OPS", 0), cores:
        yield


def parsed(text: str) -> ir.Module:
    with ir.Context():
        return ir.Module.parse(text)


def objects(program: Program) -> int:
    return len(native_code(program, contiguous=True).engine.objects)


def test_a_program_in_two_parts(tmp_path: Path) -> None:
    a, b = (np.random.default_rng(seed).standard_normal((64, 64), np.float32) / 8 for seed in (1, 2))
    with one_object():
        whole = mi.compile(CHAIN, cache=False)
    for program in (mi.compile(CHAIN, cache=tmp_path), mi.compile(CHAIN, cache=tmp_path)):  # compiled, then loaded
        assert (objects(program), objects(whole)) == (2, 1)
        np.testing.assert_array_equal(program.main(a, b), whole.main(a, b))
    assert len(list(tmp_path.iterdir())) == 1


def test_each_part_sees_what_it_needs_of_the_other_one() -> None:
    # The global is 7, then 29 = 7 + 22; 2 * 29 + 29 + 11.
    code = compiled_in_parts(parsed(SHARED), 2, (), {})
    assert isinstance(code, LoadedObject)
    assert len(code.objects) == 2
    assert code.function("main")(0) == 2 * 29 + 29 + 11 == Engine(parsed(SHARED), 2, ()).function("main")(0)
    # The second call finds the global as the first one left it.
    assert code.function("main")(0) == 3 * 51 + 11


def test_what_is_moved() -> None:
    module = parsed(SHARED)
    symbols = code_parts._symbols(module)
    movable = {name for name, one in symbols.items() if one.is_kernel and code_parts._may_move(one, symbols)}
    # One inlines another function, one calls a function that LLVM would take for that of the C library.
    assert movable == {"inplace_read", "inplace_other"}


@pytest.mark.parametrize(
    "op", ['llvm.call_intrinsic "llvm.donothing"() : () -> ()', 'llvm.inline_asm has_side_effects "nop", "" : () -> ()']
)
def test_inline_assembly_stays_whole(op: str) -> None:
    text = SHARED.replace(
        "%p = llvm.mlir.addressof @inplace_count : !llvm.ptr\n    %f",
        f"{op}\n    %p = llvm.mlir.addressof @inplace_count : !llvm.ptr\n    %f",
    )
    assert (compiled_in_parts(parsed(text), 2, (), {}) is None) == ("asm" in op)


def test_other_ops_at_the_top_stay_whole() -> None:
    text = SHARED.replace("llvm.func @labs", "llvm.comdat @c { llvm.comdat_selector @any any }\n  llvm.func @labs")
    assert compiled_in_parts(parsed(text), 2, (), {}) is None


def test_one_processor_compiles_one_part() -> None:
    with mock.patch("os.sched_getaffinity", lambda pid: {3}):
        assert objects(mi.compile(CHAIN, cache=False)) == 1


def test_bindings_with_another_constructor() -> None:
    object_code._functions.cache_clear()
    try:
        with mock.patch.object(object_code, "_PARAMETERS", "module, more"):
            assert objects(mi.compile(CHAIN, cache=False)) == 1
    finally:
        object_code._functions.cache_clear()


@pytest.mark.parametrize("failure", [None, b"", b"\x7fELF"])
def test_code_that_cannot_be_loaded_is_compiled_again(failure: bytes | None) -> None:
    a = np.eye(64, dtype=np.float32)
    with mock.patch.object(code_parts, "object_code", lambda *_: failure):
        program = mi.compile(CHAIN, cache=False)
    assert objects(program) == 1
    np.testing.assert_array_equal(program.main(a, a), a)


def test_a_symbol_that_nobody_defines() -> None:
    module = parsed(SHARED.replace("@labs", "@inplace_nowhere"))
    with pytest.raises(mi.PassError, match="'inplace_nowhere' is declared but defined nowhere"):
        compiled_in_parts(module, 2, (), {})


def test_a_part_without_code() -> None:
    with pytest.raises(UnsupportedObjectError), mock.patch.object(code_parts, "object_code", lambda *_: None):
        compiled_in_parts(parsed(SHARED), 2, (), {})


def test_other_threads_of_python_run_meanwhile() -> None:
    seen: list[bool] = []
    lock, inside = threading.Event(), object_code._functions()
    assert inside is not None

    def create(*arguments: object) -> object:
        lock.set()
        return inside.create(*arguments)

    waiting = threading.Thread(target=lambda: seen.append(lock.wait(60)))
    waiting.start()
    with mock.patch.object(object_code, "_functions", lambda: inside._replace(create=create)):
        assert objects(mi.compile(CHAIN, cache=False)) == 2
    waiting.join()
    assert seen == [True]
