"""Operands without content that get a buffer of their own, as that saves a copy elsewhere."""

from __future__ import annotations

import re

import numpy as np
import pytest
from analysed import analyse, loop

import mlir_inplace as mi

FILL = "linalg.fill ins(%f : f32) outs(%s : !h) -> !h"
UPDATE = "tensor.insert %f into %s[%j] : !h"
COPY_OF_T = "copy: READ_AFTER_WRITE write=w#1 read=s#0 value=t"


def slices(step: str, tensor: str = "%t") -> str:
    """A loop that takes slices of a tensor from outside, and inserts what it makes of them into what it carries."""
    body = f"""
      %s = tensor.extract_slice {tensor}[%k] [4] [1] : !v to !h loc("s")
      %x = {step} loc("x")
      %w = tensor.insert_slice %x into %a[%i] [4] [1] : !h into !v loc("w")
      scf.yield %w : !v
    """
    return loop("%a = %t", body) + "return %l#0 : !v"


def test_a_slice_without_content_is_allocated_rather_than_the_tensor_copied() -> None:
    """In place in %t it would be overwritten by the insertion that reads it."""
    assert analyse(slices(FILL)).not_in_place == {"x#1": "alloc: READ_BY_WRITER write=w#1 read=w#0 value=x"}


def test_a_slice_with_content_is_copied_as_well_as_the_tensor() -> None:
    copies = {"for#3": COPY_OF_T, "s#0": "copy: READ_AFTER_WRITE write=x#1 read=s#0 value=t"}
    assert analyse(slices(UPDATE)).not_in_place == copies


def test_a_slice_of_another_tensor_is_in_place() -> None:
    assert analyse(slices(FILL, "%u")).not_in_place == {}


TWO = "tensor<2xf32>"


@pytest.mark.parametrize("count", [1, 2, 3])
def test_each_slice_without_content_is_allocated_rather_than_the_tensor_copied(count: int) -> None:
    """Each conflict names one write only."""
    assert in_one_iteration([FILL] * count) == {str(n): "alloc" for n in range(count)}


@pytest.mark.parametrize(
    ("steps", "paid"),
    [
        ([UPDATE], {"0": "copy"}),
        ([FILL, UPDATE], {"0": "alloc", "1": "copy"}),
        # Alone, neither saves anything: the two are refused together, instead of a copy of the tensor.
        ([UPDATE, FILL], {"0": "copy", "1": "alloc"}),
    ],
)
def test_something_is_copied_if_one_slice_has_content(steps: list[str], paid: dict[str, str]) -> None:
    assert in_one_iteration(steps) == paid


def in_one_iteration(steps: list[str]) -> dict[str, str]:
    """What is paid for by a loop of one iteration that inserts updated elements of its initial value elsewhere.

    By the number of the slice, which is paid for where it is taken or where it is written; or the name of another op.
    """
    body, target = "", "%a"
    for n, step in enumerate(steps):
        body += f"""
          %s{n} = tensor.extract_slice %v[{n}] [2] [1] : !v to {TWO} loc("s{n}")
          %x{n} = {step.replace("%s", f"%s{n}").replace("!h", TWO)} loc("x{n}")
          %w{n} = tensor.insert_slice %x{n} into {target}[{n + 4}] [2] [1] : {TWO} into !v loc("w{n}")"""
        target = f"%w{n}"
    a = analyse(f"""
      %v = linalg.fill ins(%f : f32) outs(%t : !v) -> !v
      %l = scf.for %k = %c0 to %c1 step %c1 iter_args(%a = %v) -> !v {{{body}
        scf.yield {target} : !v
      }} loc("for")
      return %l : !v""")
    return {re.sub(r"[sx](\d)#\d", r"\1", operand): text.partition(":")[0] for operand, text in a.not_in_place.items()}


def test_what_must_be_in_place_is_not_refused() -> None:
    """The store puts %x where it already is, whatever else needs a copy."""
    body = """
      %m0 = bufferization.to_tensor %m restrict writable : memref<8xf32> to !v
      %x = linalg.fill ins(%f : f32) outs(%m0 : !v) -> !v loc("x")
      bufferization.materialize_in_destination %x in restrict writable %m : (!v, memref<8xf32>) -> ()
      %w = tensor.insert %f into %t[%i] : !v loc("w")
      return %w, %t : !v, !v
    """
    a = analyse(body, '%t: !v loc("t"), %m: memref<8xf32>, %f: f32, %i: index')
    assert list(a.not_in_place) == ["w#1"]


PROGRAM = """
func.func @main(%t: tensor<8xf32>, %f: f32, %n: index, %i: index) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %l = scf.for %k = %c0 to %n step %c1 iter_args(%a = %t) -> (tensor<8xf32>) {
    %s = tensor.extract_slice %t[%k] [4] [1] : tensor<8xf32> to tensor<4xf32>
    STEP
    %w = tensor.insert_slice %x into %a[%i] [4] [1] : tensor<4xf32> into tensor<8xf32>
    scf.yield %w : tensor<8xf32>
  }
  return %l : tensor<8xf32>
}
"""


@pytest.mark.parametrize(
    ("step", "copies"),
    [
        ("%x = linalg.fill ins(%f : f32) outs(%s : tensor<4xf32>) -> tensor<4xf32>", 1),
        ("%x = tensor.insert %f into %s[%c1] : tensor<4xf32>", 2),
    ],
)
def test_values(step: str, copies: int) -> None:
    """The argument, which must not change, is copied into the result; content of a slice is copied as well."""
    program = mi.compile(PROGRAM.replace("STEP", step), opt_level=0, memory_stats=True)
    given = np.arange(8, dtype=np.float32)
    wanted, part = given.copy(), given[0:4].copy()
    part[:] = 99 if "fill" in step else part
    part[1] = 99
    wanted[3:7] = part
    assert np.array_equal(program.main(given, 99.0, 1, 3), wanted)
    assert np.array_equal(given, np.arange(8, dtype=np.float32))
    assert program.memory_stats.copies == copies
