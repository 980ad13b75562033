"""A memref of a tensor that an older iteration made holds other elements than the one that this iteration makes."""

from __future__ import annotations

import pytest
from analysed import analyse

LOOP = """
  %e = tensor.splat %f : !v
  %r:2 = scf.for %k = %c0 to %n step %c1 iter_args(%a = %e, %s = {first}) -> (!v, {type}) {{
    %w = tensor.insert %f into %a[%k] : !v loc("w")
    {read}
    %j = arith.addi %k, %c1 : index
    %q = tensor.extract_slice %w[%j] [1] [1] : !v to tensor<1xf32> loc("q")
    %m = bufferization.to_buffer %q read_only : tensor<1xf32> to memref<1xf32, strided<[?], offset: ?>>
    {use}
    scf.yield %w, {yielded} : !v, {type} loc("y")
  }}
  return %r#0 : !v
"""
MEMREF = "memref<1xf32, strided<[?], offset: ?>>"
ARGUMENTS = f"%f: f32, %n: index, %first: {MEMREF}, %out: memref<1xf32>"


def not_in_place(
    use: str, yielded: str = "%f", read: str = "", type_: str = "f32", first: str = "%f"
) -> dict[str, str]:
    text = LOOP.format(first=first, type=type_, read=read, use=use, yielded=yielded)
    return analyse(text, ARGUMENTS).not_in_place


def test_the_slice_that_the_last_iteration_handed_on_is_copied() -> None:
    """`%q` is at `%k + 1`, so what the last iteration made of it is at `%k`, where this one writes."""
    found = not_in_place("", "%m", f"%x = memref.load %s[%c0] : {MEMREF}", MEMREF, "%first")
    assert any("READ_AFTER_WRITE" in text for text in found.values())


@pytest.mark.parametrize("name", ['"test.keep"(%m)', "%p = memref.extract_aligned_pointer_as_index %m"])
def test_what_may_keep_the_memref_counts_as_handing_it_on(name: str) -> None:
    type_ = f"({MEMREF}) -> ()" if "keep" in name else f"{MEMREF} -> index"
    found = not_in_place(f"{name} : {type_}")
    assert any("READ_AFTER_WRITE" in text for text in found.values())


def test_a_memref_that_its_own_iteration_uses_up_stays_in_place() -> None:
    assert not_in_place(f"memref.copy %m, %out : {MEMREF} to memref<1xf32>") == {}
