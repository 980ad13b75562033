"""Types and data layouts that native code cannot have: one diagnostic before anything is lowered."""

from __future__ import annotations

import re

import numpy as np
import pytest

import mlir_inplace as mi

OPTIONS = [pytest.param({}, id="default"), pytest.param({"optimize": True}, id="optimize")]


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize(
    "body",
    [
        "%w = vector.transfer_write %v, %t[%c0] : vector<[4]xf32>, tensor<?xf32>",
        "%w = vector.transfer_read %t[%c0], %x : tensor<?xf32>, vector<[4]xf32>",
        "%m = memref.alloc() : memref<3xvector<2x[4]xf32>>",
    ],
)
def test_scalable_vectors(body: str, options: dict[str, bool]) -> None:
    argument = "" if "%w" not in body or "%v" not in body else ", %v: vector<[4]xf32>"
    with pytest.raises(mi.PassError, match=r"^-:\d+:\d+: .* is a scalable vector, which cannot be compiled; give the"):
        mi.compile(
            f"""
            func.func @main(%t: tensor<?xf32>, %x: f32) -> f32 {{
              return %x : f32
            }}
            func.func @other(%t: tensor<?xf32>, %x: f32{argument}) {{
              %c0 = arith.constant 0 : index
              {body}
              return
            }}""",
            **options,
        )


def test_the_scale_of_scalable_vectors() -> None:
    with pytest.raises(mi.PassError, match=r"^-:1:\d+: 'llvm.intr.vscale' cannot be lowered to LLVM: there are no"):
        mi.compile("func.func @main() -> index { %0 = vector.vscale return %0 : index }")


@pytest.mark.parametrize(
    ("entry", "found"),
    [("index = 32 : i32", "an index of 32 bits"), ('"dlti.endianness" = "big"', "big-endian memory")],
)
def test_layouts_of_other_machines(entry: str, found: str) -> None:
    message = f"-:1:1: the data layout of the module has {found}, but code is compiled for this processor, which is "
    message += "little-endian with an index of 64 bits; remove 'dlti.dl_spec' or what it says of this"
    with pytest.raises(mi.PassError, match=f"^{re.escape(message)}$"):
        mi.compile(
            f"""module attributes {{dlti.dl_spec = #dlti.dl_spec<f64 = dense<64> : vector<2xi64>, {entry}>}} {{
              func.func @main(%t: tensor<?xf32>) -> tensor<?xf32> {{ return %t : tensor<?xf32> }} }}"""
        )


def test_the_layout_of_this_machine() -> None:
    program = mi.compile(
        """module attributes {dlti.dl_spec = #dlti.dl_spec<index = 64 : i32, "dlti.endianness" = "little">} {
             func.func @main(%t: tensor<?xf32>) -> tensor<?xf32> { return %t : tensor<?xf32> } }"""
    )
    np.testing.assert_array_equal(program.main(np.ones(3, np.float32)), np.ones(3, np.float32))


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("type_", ["tf32", "tensor<4xtf32>", "complex<tf32>"])
def test_tf32(type_: str, options: dict[str, bool]) -> None:
    message = "numbers of type tf32 cannot be compiled, as no memory holds them; use f32"
    with pytest.raises(mi.PassError, match=f"^-:2:3: {message}$"):
        mi.compile(
            f"""func.func @main(%p: i1) -> i1 {{ return %p : i1 }}
  func.func private @f(%x: {type_}) {{ return }}""",
            **options,
        )


def test_vectors_of_f80() -> None:
    message = "vector<4xf80> cannot be compiled, as memory has 16 bytes for an f80 but vectors 10; use a tensor instead"
    with pytest.raises(mi.PassError, match=f"^-:1:1: {message}$"):
        mi.compile("func.func @main(%v: vector<4xf80>) { return }")


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("type_", ["f4E2M1FN", "f6E2M3FN", "f6E3M2FN", "f8E8M0FNU"])
def test_floats_that_can_only_be_moved(type_: str, options: dict[str, bool]) -> None:
    moved = f"""
        func.func @main(%i: index) -> index {{
          %c0 = arith.constant 0 : index
          %t = arith.constant dense<[1.0, 2.0, 4.0, 2.0]> : tensor<4x{type_}>
          %x = tensor.extract %t[%i] : tensor<4x{type_}>
          %u = tensor.insert %x into %t[%c0] : tensor<4x{type_}>
          %y = tensor.extract %u[%c0] : tensor<4x{type_}>
          return %i : index
        }}"""
    assert mi.compile(moved, **options).main(2) == 2
    message = f"-:8:16: 'arith.extf' of {type_} cannot be compiled, as numbers of this type can only be moved; use "
    message += "f8E4M3FN, or compute with their bits (arith.bitcast)"
    with pytest.raises(mi.PassError, match=f"^{re.escape(message)}$"):
        mi.compile(
            moved.replace("return", f"%z = arith.extf %u : tensor<4x{type_}> to tensor<4xf32>\nreturn"), **options
        )


def test_floats_that_are_no_arguments() -> None:
    message = "type f8E8M0FNU cannot cross the NumPy boundary; .*, floats of 8 bits but f8E8M0FNU, complex<f32>"
    with pytest.raises(mi.UnsupportedTypeError, match=message):
        mi.compile("func.func @main(%x: tensor<4xf8E8M0FNU>) { return }")["main"]


ALLOCATED = """
    func.func @main(%t: tensor<4xf32>, %x: f32) -> tensor<4xf32> {
      %c1 = arith.constant 1 : index
      %a = bufferization.alloc_tensor() copy(%t) {memory_space = SPACE} : tensor<4xf32>
      %r = tensor.insert %x into %a[%c1] : tensor<4xf32>
      return %r : tensor<4xf32>
    }"""
MEMREFS = """
    memref.global "private" constant @g : memref<4xf32, SPACE> = dense<[0.0, 1.0, 2.0, 3.0]>
    func.func private @copy(%m: memref<4xf32, SPACE>) -> memref<*xf32, SPACE> {
      %n = memref.alloc() : memref<4xf32, SPACE>
      memref.copy %m, %n : memref<4xf32, SPACE> to memref<4xf32, SPACE>
      %u = memref.cast %n : memref<4xf32, SPACE> to memref<*xf32, SPACE>
      return %u : memref<*xf32, SPACE>
    }
    func.func @main(%t: tensor<4xf32>, %x: f32) -> tensor<4xf32> {
      %c1 = arith.constant 1 : index
      %g = memref.get_global @g : memref<4xf32, SPACE>
      %u = func.call @copy(%g) : (memref<4xf32, SPACE>) -> memref<*xf32, SPACE>
      %m = memref.cast %u : memref<*xf32, SPACE> to memref<4xf32, SPACE>
      memref.store %x, %m[%c1] : memref<4xf32, SPACE>
      %h = memref.memory_space_cast %m : memref<4xf32, SPACE> to memref<4xf32>
      %r = bufferization.to_tensor %h restrict : memref<4xf32> to tensor<4xf32>
      return %r : tensor<4xf32>
    }"""
NUMBERS = np.arange(4, dtype=np.float32)


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("space", ["1", "257", "-1", '"tile"', "#gpu.address_space<workgroup>"])
@pytest.mark.parametrize("text", [ALLOCATED, MEMREFS], ids=["tensors", "memrefs"])
def test_all_memory_spaces_are_the_memory_of_the_host(text: str, space: str, options: dict[str, bool]) -> None:
    program = mi.compile(text.replace("SPACE", space), memory_stats=True, **options)
    np.testing.assert_array_equal(program.main(NUMBERS, 7.0), [0, 7, 2, 3])
    assert program.memory_stats.leaked_bytes == 0


def test_memory_spaces_of_a_pipeline() -> None:
    """It may have a use for them; what it leaves is in one memory."""
    route = "builtin.module(inplace-one-shot-bufferize{bufferize-function-boundaries=true})"
    program = mi.compile(ALLOCATED.replace("SPACE", "1"), pipeline=route, memory_stats=True)
    np.testing.assert_array_equal(program.main(NUMBERS, 7.0), [0, 7, 2, 3])


def test_a_memref_argument_in_a_memory_space() -> None:
    program = mi.compile(
        """func.func @main(%m: memref<?xf32, 1>, %x: f32) {
             %c0 = arith.constant 0 : index
             memref.store %x, %m[%c0] : memref<?xf32, 1>
             return
           }"""
    )
    array = NUMBERS.copy()
    program.main(array, 5.0)
    np.testing.assert_array_equal(array, [5, 1, 2, 3])


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize(
    ("op", "type_", "problem"),
    [
        ("math.sin %x", "f80", "f80 cannot be compiled, as there are functions of floats up to 64 bits; use f64"),
        ("math.isinf %x", "f128", "f128 cannot be compiled, as there are functions of floats up to 64 bits; use f64"),
        ("math.ipowi %x, %x", "index", "index cannot be compiled; use an integer type (arith.index_cast)"),
    ],
)
def test_functions_that_do_not_exist(op: str, type_: str, problem: str, options: dict[str, bool]) -> None:
    message = f"-:3:8: '{op.partition(' ')[0]}' of {problem}"
    for wrapped in (type_, f"tensor<4x{type_}>"):
        with pytest.raises(mi.PassError, match=f"^{re.escape(message)}$"):
            mi.compile(
                f"""func.func @main(%p: i1) -> i1 {{ return %p : i1 }}
func.func private @f(%x: {wrapped}) {{
  %0 = {op} : {wrapped}
  return }}""",
                **options,
            )


def test_wide_floats_are_moved_and_compared() -> None:
    program = mi.compile(
        """
        func.func @main(%a: f64, %b: f64) -> i1 {
          %x = arith.extf %a : f64 to f80
          %y = arith.extf %b : f64 to f80
          %0 = arith.cmpf olt, %x, %y : f80
          return %0 : i1
        }"""
    )
    assert program.main(1.0, 2.0) is True and program.main(2.0, 1.0) is False
