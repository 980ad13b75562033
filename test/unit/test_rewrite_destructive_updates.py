"""Stores of slices in the place of carried tensors: values over several grids, and what each refusal prevents.

For each rule that refuses, the program runs as it is and as it would be if the rule were ignored, rewritten by hand:
the values differ, and the pass leaves the program alone.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from mlir import ir

import mlir_inplace as mi
from mlir_inplace.dialects import dispatch

Array = np.ndarray[Any, Any]

PASS = "inplace-rewrite-destructive-updates{print-rewritten=false print-kept=false}"
LIT = Path(__file__).parents[1] / "passes" / "rewrite-destructive-updates.mlir"


def transformed(text: str) -> tuple[str, str]:
    """The program before and after the pass, as MLIR prints it."""
    with ir.Context() as context:
        module = dispatch.parse(text, context)
        before = str(module)
        mi.run_pipeline(module, f"builtin.module({PASS})")
        return before, str(module)


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


# --- what refusals prevent ----------------------------------------------------------------------------------------

T = "tensor<8xf64>"


def function(body: str, access: str = "readwrite") -> str:
    constants = "\n".join(f"%c{n} = arith.constant {n} : index" for n in range(9))
    return f"""func.func @main() {{
      {constants}
      %f = arith.constant 50.0 : f64
      %g = arith.constant 60.0 : f64
      %zero = arith.constant 0.0 : f64
      %in = dispatch.binding set(0) binding(0) : !dispatch.readonly<{T}>
      %second = dispatch.binding set(0) binding(1) : !dispatch.readonly<{T}>
      %out = dispatch.binding set(0) binding(2) : !dispatch.{access}<{T}>
      %other = dispatch.binding set(0) binding(3) : !dispatch.readwrite<{T}>
      %t = dispatch.load %in : !dispatch.readonly<{T}> -> {T}
      %u = dispatch.load %second : !dispatch.readonly<{T}> -> {T}
      {body.replace("!o", f"!dispatch.{access}<{T}>").replace("!b", f"!dispatch.readwrite<{T}>").replace("!t", T)}
      return
    }}"""


def run(text: str, *grid: int) -> list[Array]:
    first, second, output, other = (np.arange(1.0, 9) * factor for factor in (1, 10, -1, -10))
    program = mi.compile(text, opt_level=0)
    program.main(first, second, output, other, *grid)
    return [output, other]


def sum_of(element: str, body: str) -> str:
    """A loop that carries the tensor and a sum, which is stored to the other binding; `body` yields %n."""
    return f"""
      %r:2 = scf.for %i = %c0 to %c8 step %c1 iter_args(%a = %t, %s = %zero) -> (!t, f64) {{
        {body}
        %z = arith.addf %s, {element} : f64
        scf.yield %n, %z : !t, f64
      }}
      dispatch.store %r#0, %out : !t -> !o
      {keep("%r#1")}
    """


def forced_sum(element: str, body: str) -> str:
    return f"""
      dispatch.store %t, %out : !t -> !o
      %r = scf.for %i = %c0 to %c8 step %c1 iter_args(%s = %zero) -> (f64) {{
        {body}
        %z = arith.addf %s, {element} : f64
        scf.yield %z : f64
      }}
      {keep("%r")}
    """


def keep(number: str) -> str:
    return f"""
      %kept = tensor.from_elements {number} : tensor<1xf64>
      dispatch.store %kept, %other[0] [1] [1] : tensor<1xf64> -> !b
    """


def put(number: str, at: str, name: str = "v") -> str:
    return f"""
      %{name} = tensor.from_elements {number} : tensor<1xf64>
      dispatch.store %{name}, %out[{at}] [1] [1] : tensor<1xf64> -> !o
    """


def get(name: str, at: str, binding: str = "%out", type_: str = "!o") -> str:
    return f"""
      %{name}t = dispatch.load {binding}[{at}] [1] [1] : {type_} -> tensor<1xf64>
      %{name} = tensor.extract %{name}t[%c0] : tensor<1xf64>
    """


def loop(body: str, bounds: str = "%c0 to %c8 step %c1") -> str:
    return f"%r = scf.for %i = {bounds} iter_args(%a = %t) -> (!t) {{\n{body}\n}}\n"


def plain(body: str, bounds: str = "%c0 to %c8 step %c1") -> str:
    return f"scf.for %i = {bounds} {{\n{body}\n}}\n"


READ = "!dispatch.readonly<!t>"
STORE = "dispatch.store %r, %out : !t -> !o\n"
FILL = "%n = tensor.insert %f into %a[%i] : !t\nscf.yield %n : !t"
SHIFT = "%next = arith.addi %i, %c1 : index\n"

REFUSED = {
    "late read": (
        sum_of("%e", "%n = tensor.insert %f into %a[%i] : !t\n%e = tensor.extract %a[%i] : !t"),
        forced_sum("%e", put("%f", "%i") + get("e", "%i")),
    ),
    "second version": (
        sum_of(
            "%e",
            "%n = tensor.insert %f into %a[%i] : !t\n%m = tensor.insert %g into %a[%c3] : !t\n"
            "%e = tensor.extract %m[%c3] : !t",
        ),
        forced_sum("%e", put("%f", "%i") + put("%g", "%c3", "w") + get("e", "%c3")),
    ),
    "ping-pong": (
        """
        %r:2 = scf.for %i = %c0 to %c8 step %c1 iter_args(%a = %t, %b = %u) -> (!t, !t) {
          %n = tensor.insert %f into %a[%i] : !t
          %m = tensor.insert %g into %b[%i] : !t
          scf.yield %m, %n : !t, !t
        }
        dispatch.store %r#0, %out : !t -> !o
        """,
        "dispatch.store %t, %out : !t -> !o\n" + plain(put("%f", "%i")),
    ),
    "read meanwhile": (
        """
        %r = scf.for %k = %c0 to %c1 step %c1 iter_args(%a = %t) -> (!t) {
          %q = scf.for %i = %c1 to %c8 step %c1 iter_args(%h = %a) -> (!t) {
            %before = arith.subi %i, %c1 : index
            %e = tensor.extract %a[%before] : !t
            %n = tensor.insert %e into %h[%i] : !t
            scf.yield %n : !t
          }
          scf.yield %q : !t
        }
        """
        + STORE,
        "dispatch.store %t, %out : !t -> !o\n"
        + plain(
            "%before = arith.subi %i, %c1 : index\n" + get("e", "%before") + put("%e", "%i"), "%c1 to %c8 step %c1"
        ),
    ),
    "unused": (
        loop("%n = tensor.insert %f into %u[%i] : !t\nscf.yield %n : !t") + STORE,
        "dispatch.store %u, %out : !t -> !o\n" + plain(put("%f", "%i")),
    ),
    "no update": (
        loop(
            "%e = tensor.extract %a[%i] : !t\n%n = tensor.insert %e into %u[%i] : !t\nscf.yield %n : !t",
        )
        + STORE,
        plain(get("e", "%i", "%in", READ) + put("%e", "%i")),
    ),
    "captured twice": (
        loop(
            """
            %p = arith.cmpi ult, %i, %c4 : index
            %n = scf.if %p -> (!t) {
              %m = tensor.insert %f into %a[%i] : !t
              scf.yield %m : !t
            } else {
              scf.yield %u : !t
            }
            scf.yield %n : !t
            """
        )
        + STORE,
        "dispatch.store %t, %out : !t -> !o\n"
        + plain(f"%p = arith.cmpi ult, %i, %c4 : index\nscf.if %p {{\n{put('%f', '%i')}\n}}"),
    ),
    "whole read": (
        loop(
            f"""
            {SHIFT}
            %e0 = tensor.empty() : !t
            %x = linalg.add ins(%a, %a : !t, !t) outs(%e0 : !t) -> !t
            %e = tensor.extract %x[%i] : !t
            %n = tensor.insert %e into %a[%next] : !t
            scf.yield %n : !t
            """,
            "%c0 to %c7 step %c1",
        )
        + STORE,
        "dispatch.store %t, %out : !t -> !o\n"
        + plain(
            SHIFT + get("e", "%i", "%in", READ) + "%y = arith.addf %e, %e : f64\n" + put("%y", "%next"),
            "%c0 to %c7 step %c1",
        ),
    ),
    "interleaved": (
        loop(FILL) + get("e", "%c2") + STORE + keep("%e"),
        plain(put("%f", "%i")) + get("e", "%c2") + keep("%e"),
    ),
    "elsewhere": (
        loop(FILL) + f"%q = tensor.extract %t[%c0] : !t\n%p = arith.cmpf ogt, %q, %f : f64\nscf.if %p {{\n{STORE}}}\n",
        plain(put("%f", "%i")),
    ),
}


@pytest.mark.parametrize("rule", REFUSED)
def test_what_a_refusal_prevents(rule: str) -> None:
    text, forced = map(function, REFUSED[rule])
    before, after = transformed(text)
    assert after == before
    assert any((x != y).any() for x, y in zip(run(text), run(forced), strict=True))


WRITE_ONLY = {
    "reads target": (
        loop(f"{SHIFT}%e = tensor.extract %a[%i] : !t\n%n = tensor.insert %e into %a[%next] : !t\nscf.yield %n : !t",
             "%c0 to %c7 step %c1") + STORE,
        "dispatch.store %t, %out : !t -> !o\n"
        + plain(SHIFT + get("e", "%i", "%in", READ) + put("%e", "%next"), "%c0 to %c7 step %c1"),
    ),
    "other users": (
        loop(FILL) + STORE + "%e = tensor.extract %r[%c2] : !t\n" + keep("%e"),
        plain(put("%f", "%i")) + "%e = tensor.extract %t[%c2] : !t\n" + keep("%e"),
    ),
}  # fmt: skip


@pytest.mark.parametrize("rule", WRITE_ONLY)
def test_what_cannot_be_loaded_back(rule: str) -> None:
    text, forced = (function(body, "writeonly") for body in WRITE_ONLY[rule])
    before, after = transformed(text)
    assert after == before
    assert any((x != y).any() for x, y in zip(run(text), run(forced), strict=True))


def test_elements_that_are_left_out_keep_the_source() -> None:
    text = function(loop(FILL, "%c1 to %c8 step %c2") + STORE)
    after = transformed(text)[1]
    assert "iter_args" not in after
    wanted = np.array([1, 50, 3, 50, 5, 50, 7, 50.0])
    for program in (text, after):
        np.testing.assert_array_equal(run(program)[0], wanted)
    forced = function(plain(put("%f", "%i"), "%c1 to %c8 step %c2"))
    np.testing.assert_array_equal(run(forced)[0], [-1, 50, -3, 50, -5, 50, -7, 50])


def test_a_grid_that_leaves_elements_out() -> None:
    ids = "%x = dispatch.workgroup_id 0 : index\n"
    text = function(ids + loop(FILL, "%x to %c8 step %c4") + STORE)
    before, after = transformed(text)
    assert after == before
    forced = function(ids + plain(put("%f", "%i"), "%x to %c8 step %c4"))
    np.testing.assert_array_equal(run(text, 1)[0], [50, 2, 3, 4, 50, 6, 7, 8])
    np.testing.assert_array_equal(run(forced, 1)[0], [50, -2, -3, -4, 50, -6, -7, -8])


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


def test_what_is_loaded_from_the_memref_in_between() -> None:
    before, after = transformed(
        MEMREF.replace("FIRST", "%c0").replace("LOADED", "%e = memref.load %m[%c1] : memref<?xf64>")
    )
    assert after == before
    store = "bufferization.materialize_in_destination"
    target, forced_target = np.full(4, -7.0), np.full(4, -7.0)
    assert mi.compile(before, opt_level=0).main(np.arange(4.0), target, 5.0) == -7
    lines = before.splitlines()
    (load,) = [line for line in lines if "memref.load" in line]
    lines.remove(load)
    place = next(number for number, line in enumerate(lines) if store in line)
    forced = "\n".join([*lines[: place + 1], load, *lines[place + 1 :]])
    assert mi.compile(forced, opt_level=0).main(np.arange(4.0), forced_target, 5.0) == 2


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
