"""Slices that can lie in no memory, in loops that do not run: no load or store stands for them."""

from __future__ import annotations

import numpy as np
import pytest
from test_update_refusals import rules
from updates.forced_materializations import END, program
from updates.update_programs import FIRST, STORE, TARGET, function, run, transformed

import mlir_inplace as mi
from mlir_inplace.passes.analysis.destructive_updates import outcomes as update_outcomes
from mlir_inplace.passes.analysis.destructive_updates.outcomes import RewriteRule

SMALL = "tensor<2xf64>"


def never(read: str, update: str, tile: str = "tensor<9xf64>", whole: str = "!t", source: str = "%t") -> str:
    """A loop that does not run, and may read and update what is not there."""
    return f"""
      %end = arith.xori %c2, %c0 : index
      %r = scf.for %i = %c2 to %end step %c1 iter_args(%a = {source}) -> ({whole}) {{
        %x = tensor.extract_slice {read} : {whole} to {tile}
        %y = tensor.empty() : {tile}
        %z = linalg.exp ins(%x : {tile}) outs(%y : {tile}) -> {tile}
        %n = tensor.insert_slice %z into {update} : {tile} into {whole}
        scf.yield %n : {whole}
      }}
    """


@pytest.mark.parametrize("part", ["[%i] [9] [1]", "[%c1] [9] [1]", "[%i] [9] [0]", "[%i] [9] [-1]", "[%c8] [9] [2]"])
def test_an_update_that_is_outside(part: str, monkeypatch: pytest.MonkeyPatch) -> None:
    text = function(never("%u[%i] [9] [0]", f"%a{part}") + STORE)
    assert rules(text) == [RewriteRule.OUTSIDE]
    before, after = transformed(text)
    assert after == before
    np.testing.assert_array_equal(run(text)[0], FIRST)
    monkeypatch.setattr(update_outcomes, "may_be_inside", lambda *_: True)
    with pytest.raises(mi.PassError, match="must be inside|strides are 1 or more"):
        transformed(text)


def test_reads_that_are_outside() -> None:
    """What the loop reads is no load then, be it from what was loaded or from what the loop updates."""
    for read in ("%u[%i] [9] [1]", "%t[%i] [9] [0]"):
        text = function(
            never(read, "%a[%i] [8] [1]").replace("%z into", "%u into").replace("tensor<9xf64> into", "!t into") + STORE
        )
        after = transformed(text)[1]
        assert "iter_args" not in after
        np.testing.assert_array_equal(run(after)[0], FIRST)


def test_updated_elements_that_are_read_outside() -> None:
    inserted = "%k = tensor.insert %f into %a[%i] : !t\n"
    body = never("%k[%i] [9] [1]", "%k[%i] [8] [1]").replace("%x =", inserted + "%x =", 1)
    text = function(body.replace("%z into", "%u into").replace("tensor<9xf64> into", "!t into") + STORE)
    assert rules(text) == [RewriteRule.OUTSIDE]
    assert len(set(transformed(text))) == 1


def test_a_slice_of_a_part() -> None:
    """Four elements of two lie outside; those of a part, two apart, may be of the eight elements or not."""
    for size, step, is_inside in ((4, 2, True), (5, 2, False), (8, 1, True), (9, 1, False)):
        loads = f"%h = dispatch.load %other[0] [%c2] [{step}] : !b -> tensor<?xf64>\n"
        tile = f"tensor<{size}xf64>"
        body = never(f"%h[%i] [{size}] [1]", f"%a[%i] [{size}] [1]", tile, "tensor<?xf64>", "%h")
        stored = f"dispatch.store %r, %out[0] [%c2] [{step}] : tensor<?xf64> -> !o\n"
        text = function(loads + body + stored)
        assert rules(text) == ([] if is_inside else [RewriteRule.OUTSIDE])
        after = transformed(text)[1]
        assert ("iter_args" not in after) is is_inside
        for either in (text, after):
            output, _ = run(either)
            np.testing.assert_array_equal(output, run(text)[0])
            assert (output != TARGET).sum() == 2


def test_a_slice_of_a_memref() -> None:
    text = program(never("%t[%i] [9] [0]", "%a[%i] [9] [1]") + END)
    assert rules(text) == [RewriteRule.OUTSIDE]
    assert len(set(transformed(text))) == 1


@pytest.mark.parametrize(("part", "size"), [("[%i] [8] [1]", "8"), ("[7] [1] [5]", "1"), ("[%i] [%m] [%c2]", "?")])
def test_what_may_be_inside_is_stored(part: str, size: str) -> None:
    """The last tile that fits, and one that may have any size."""
    body = f"""
      %end = arith.xori %c2, %c0 : index
      %m = arith.xori %c8, %c0 : index
      %x = tensor.empty({"%m" if size == "?" else ""}) : tensor<{size}xf64>
      %r = scf.for %i = %c2 to %end step %c1 iter_args(%a = %t) -> (!t) {{
        %n = tensor.insert_slice %x into %a{part} : tensor<{size}xf64> into !t
        scf.yield %n : !t
      }}
    """
    after = transformed(function(body + STORE))[1]
    assert "iter_args" not in after
    np.testing.assert_array_equal(run(after)[0], FIRST)
