"""Stores of slices in the place of carried tensors: values, over several grids and for sizes with remainders."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from updates.update_programs import FILL, STORE, function, loop, plain, put, run, transformed

import mlir_inplace as mi

Array = np.ndarray[Any, Any]

LIT = Path(__file__).parent / "rewrite-destructive-updates.mlir"


# --- the three functions that tiling leaves behind ----------------------------------------------------------------


def tiled(name: str) -> str:
    """A function of the lit test, with the maps that it uses."""
    text = LIT.read_text().partition("// -----")[0]
    maps = "\n".join(line for line in text.splitlines() if line.startswith("#"))
    body = text.partition(f"func.func @{name}()")[2].partition("\n}\n")[0]
    return f"{maps}\nfunc.func @main(){body}\n}}\n"


def product(name: str, a: Array, b: Array, c: Array) -> Array:
    if name == "tile_from_pointwise_lhs":
        return c + np.exp(a) @ b
    return (np.exp(c) if name == "tile_from_pointwise_init" else c) + a @ b


@pytest.mark.parametrize("name", ["tile_from_tensor_load", "tile_from_pointwise_lhs", "tile_from_pointwise_init"])
def test_tiled_products_over_grids(name: str) -> None:
    before, after = transformed(tiled(name))
    assert "iter_args" in before
    assert "iter_args" not in after
    a, b, c = (np.linspace(-1, 1, m * n, dtype=np.float32).reshape(m, n) for m, n in ((4, 5), (5, 6), (4, 6)))
    wanted = product(name, a, b, c)
    # Workgroups that all store the whole tensor race, so the original runs as one only.
    grids = [(before, (x, y, 1, 1)) for x, y in ((1, 1), (2, 3), (4, 4), (7, 9))]
    grids += [
        (after, (x, y, m, n)) for x, y, m, n in ((1, 1, 1, 1), (2, 3, 1, 2), (4, 3, 2, 1), (1, 2, 3, 4), (5, 7, 2, 2))
    ]
    programs = {text: mi.compile(text) for text in (before, after)}
    for text, grid in grids:
        output = np.full((4, 6), -77, np.float32)
        programs[text].main(a, b, c, output, *grid)
        np.testing.assert_allclose(output, wanted, rtol=1e-5, err_msg=f"{grid}")


# --- what the memory of the target holds -----------------------------------------------------------------------


def test_elements_that_are_left_out_keep_the_source() -> None:
    text = function(loop(FILL, "%c1 to %c8 step %c2") + STORE)
    after = transformed(text)[1]
    assert "iter_args" not in after
    wanted = np.array([1, 50, 3, 50, 5, 50, 7, 50.0])
    for program in (text, after):
        np.testing.assert_array_equal(run(program)[0], wanted)
    forced = function(plain(put("%f", "%i"), "%c1 to %c8 step %c2"))
    np.testing.assert_array_equal(run(forced)[0], [-1, 50, -3, 50, -5, 50, -7, 50])


def test_tiled_reductions_accumulate_in_the_target() -> None:
    body = """
      %r = scf.for %k = %c0 to %c8 step %c1 iter_args(%a = %t) -> (!t) {
        %v = tensor.extract %u[%k] : !t
        %q = scf.for %i = %c0 to %c8 step %c4 iter_args(%h = %a) -> (!t) {
          %s = tensor.extract_slice %h[%i] [4] [1] : !t to tensor<4xf64>
          %e = tensor.splat %v : tensor<4xf64>
          %m = linalg.add ins(%s, %e : tensor<4xf64>, tensor<4xf64>) outs(%e : tensor<4xf64>) -> tensor<4xf64>
          %n = tensor.insert_slice %m into %h[%i] [4] [1] : tensor<4xf64> into !t
          scf.yield %n : !t
        }
        scf.yield %q : !t
      }
    """
    text = function(body + STORE)
    after = transformed(text)[1]
    assert "iter_args" not in after
    for program in (text, after):
        np.testing.assert_array_equal(run(program)[0], np.arange(1, 9) + 360.0)
    before, kept = transformed(function(body + STORE, "writeonly"))
    assert kept == before


# --- memrefs ------------------------------------------------------------------------------------------------------

MEMREF = """
func.func @main(%t: tensor<?xf64>, %m: memref<?xf64>, %f: f64) -> f64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %n = tensor.dim %t, %c0 : tensor<?xf64>
  %r = scf.for %i = FIRST to %n step %c3 iter_args(%a = %t) -> (tensor<?xf64>) {
    %w = affine.min affine_map<(i)[n] -> (3, n - i)>(%i)[%n]
    %s = tensor.extract_slice %a[%i] [%w] [1] : tensor<?xf64> to tensor<?xf64>
    %d = tensor.empty(%w) : tensor<?xf64>
    %x = linalg.add ins(%s, %s : tensor<?xf64>, tensor<?xf64>) outs(%d : tensor<?xf64>) -> tensor<?xf64>
    %u = tensor.insert_slice %x into %a[%i] [%w] [1] : tensor<?xf64> into tensor<?xf64>
    scf.yield %u : tensor<?xf64>
  }
  LOADED
  bufferization.materialize_in_destination %r in restrict writable %m : (tensor<?xf64>, memref<?xf64>) -> ()
  return %e : f64
}
"""


@pytest.mark.parametrize("first", [0, 1])
@pytest.mark.parametrize("size", [1, 3, 8])
def test_tiles_in_a_memref(first: int, size: int) -> None:
    text = MEMREF.replace("FIRST", f"%c{first}").replace("LOADED", "%e = arith.constant 1.0 : f64")
    after = transformed(text)[1]
    assert "iter_args" not in after
    assert after.count("materialize_in_destination") == 1 + first
    source = np.arange(1.0, size + 1)
    for program in (text, after):
        target = np.full(size, -7.0)
        mi.compile(program, opt_level=0).main(source, target, 5.0)
        np.testing.assert_array_equal(target, [*source[:first], *source[first:] * 2])


# --- stores of what is there anyway -------------------------------------------------------------------------------


@pytest.mark.parametrize(("end", "is_redundant"), [(4, True), (5, False)])
def test_what_was_loaded_is_stored_back(end: int, *, is_redundant: bool) -> None:
    again = "dispatch.store %v, %out[4] [4] [1] : tensor<4xf64> -> !o\n"
    body = f"""
      %v = dispatch.load %out[4] [4] [1] : !o -> tensor<4xf64>
      %one = tensor.from_elements %f : tensor<1xf64>
      scf.for %i = %c0 to %c{end} step %c1 {{
        {again}
        dispatch.store %one, %out[%i] [1] [1] : tensor<1xf64> -> !o
      }}
      {again}
    """
    text = function(body)
    after = transformed(text)[1]
    # One more store is in the loop in any case.
    assert after.count("dispatch.store") == (1 if is_redundant else 3)
    forced = function(body.replace(again, ""))
    wanted = np.array([50, 50, 50, 50, -5, -6, -7, -8.0])
    np.testing.assert_array_equal(run(text)[0], wanted)
    np.testing.assert_array_equal(run(after)[0], wanted)
    assert (run(forced)[0] == wanted).all() == is_redundant
