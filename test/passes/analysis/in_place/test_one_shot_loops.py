"""The rules of the in-place analysis for loops: what is still to be read in a later iteration, and what loops carry."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from analysed import analyse, analyse_bottom_up, analyse_with, function, loop

import mlir_inplace as mi
from mlir_inplace.passes.analysis.in_place.decision_order import Heuristic
from mlir_inplace.passes.analysis.in_place.options import AnalysisOptions

THREE = '%t: !v, %u: !v loc("u"), %s: !v, %f: f32, %i: index, %j: index, %n: index, %p: i1'


# --- the way around --------------------------------------------------------------------------------------------------


def test_a_value_from_outside_is_read_again_in_the_next_iteration() -> None:
    a = analyse(
        loop(
            "",
            """
      %r = tensor.extract %t[%j] : !v loc("r")
      %w = tensor.insert %f into %t[%i] : !v loc("w")
    """,
        )
    )
    assert a.not_in_place == {"w#1": "copy: READ_AFTER_WRITE write=w#1 read=r#0 value=t"}


def test_an_update_reads_what_it_updates_in_the_next_iteration() -> None:
    a = analyse(loop("", '%w = tensor.insert %f into %t[%k] : !v loc("w")\n%r = tensor.extract %w[%j] : !v'))
    assert a.not_in_place == {"w#1": "copy: READ_AFTER_WRITE write=w#1 read=w#1 value=t"}


def test_an_elementwise_op_reads_in_the_next_iteration_what_it_wrote() -> None:
    a = analyse(loop("", '%w = linalg.exp ins(%t : !v) outs(%t : !v) -> !v loc("w")'))
    assert a.not_in_place == {"w#1": "alloc: READ_AFTER_WRITE write=w#1 read=w#0 value=t"}


def test_a_value_defined_in_the_loop_is_a_new_one_in_every_iteration() -> None:
    a = analyse(
        loop(
            "",
            """
      %x = tensor.splat %f : !v
      %r = tensor.extract %x[%j] : !v
      %w = tensor.insert %f into %x[%i] : !v loc("w")
    """,
        )
    )
    assert a["w#1"] == "in-place"


def test_the_innermost_loop_that_defines_the_value_decides() -> None:
    """%x is new in every outer iteration, but the same in all inner ones."""
    body = """
      %x = tensor.splat %f : !v loc("x")
      {}
      scf.for %o = %c0 to %n step %c1 {{
        {}
      }}
      {}
    """
    read, write = '%r = tensor.extract %x[%j] : !v loc("r")', '%w = tensor.insert %f into %x[%i] : !v loc("w")'
    a = analyse(loop("", body.format(read, "", write)))
    assert a["w#1"] == "in-place"
    a = analyse(loop("", body.format("", read, write)))
    assert a["w#1"] == "in-place"
    a = analyse(loop("", body.format("", read + write, "")))
    assert a.not_in_place == {"w#1": "copy: READ_AFTER_WRITE write=w#1 read=r#0 value=x"}


def test_a_read_before_the_loop_is_over() -> None:
    a = analyse(
        "%r = tensor.extract %t[%j] : !v\n"
        + loop(
            "%a = %t",
            """
      %w = tensor.insert %f into %a[%i] : !v loc("w")
      scf.yield %w : !v
    """,
        )
    )
    assert a.not_in_place == {}


@pytest.mark.parametrize(("read", "in_place"), [("0", True), ("2", False)])
def test_disjoint_slices_stay_disjoint_in_all_iterations(read: str, in_place: bool) -> None:
    a = analyse(
        loop(
            "",
            f"""
      %h = tensor.empty() : !h
      %s = tensor.extract_slice %t[{read}] [4] [1] : !v to !h loc("s")
      %r = tensor.extract %s[%c0] : !h loc("r")
      %w = tensor.insert_slice %h into %t[4] [4] [1] : !h into !v loc("w")
    """,
        )
    )
    assert a.not_in_place == ({} if in_place else {"w#1": "copy: READ_AFTER_WRITE write=w#1 read=s#0 value=t"})


@pytest.mark.parametrize(("offset", "in_place"), [("%i", True), ("%k", False)])
def test_equal_offsets_differ_in_another_iteration_if_the_loop_changes_them(offset: str, in_place: bool) -> None:
    """%t lives through all iterations, and each one needs of it what no earlier one may have overwritten."""
    a = analyse(
        loop(
            "",
            f"""
      %h = tensor.empty() : !h
      %w = tensor.insert_slice %h into %t[{offset}] [4] [1] : !h into !v loc("w")
    """,
        )
    )
    assert a.not_in_place == ({} if in_place else {"w#1": "copy: READ_AFTER_WRITE write=w#1 read=w#1 value=t"})


COMPUTED = {
    "%o = arith.minsi %i, %c4 : index": True,
    "%e = arith.index_cast %i : index to i64\n%g = arith.remui %e, %e : i64\n"
    "%o = arith.index_cast %g : i64 to index": True,
    "%e = arith.muli %i, %j : index\n%o = affine.min affine_map<(d0)[s0] -> (d0, s0)>(%e)[%j]": True,
    "%e = arith.cmpi slt, %i, %j : index\n%o = arith.select %e, %i, %j : index": True,
    "%o = arith.minsi %k, %c4 : index": False,
    "%e = arith.muli %i, %k : index\n%o = affine.min affine_map<(d0)[s0] -> (d0, s0)>(%i)[%e]": False,
    "%e = arith.cmpi slt, %i, %k : index\n%o = arith.select %e, %i, %j : index": False,
    "%o = memref.load %m[] : memref<index>": False,
    "%o = affine.load %m[] : memref<index>": False,
    "%e = tensor.extract %x[%i] : tensor<8xindex>\n%o = arith.minsi %e, %c4 : index": False,
    "%o = scf.if %p -> index {\n%l = memref.load %m[] : memref<index>\nscf.yield %l : index\n} else {\n"
    "scf.yield %i : index\n}": False,
    "\n".join(f"%o{n + 1} = arith.muli %o{n}, %o{n} : index" for n in range(4)).replace("%o4", "%o"): True,
    "\n".join(f"%o{n + 1} = arith.muli %o{n}, %o{n} : index" for n in range(5)).replace("%o5", "%o"): False,
}


@pytest.mark.parametrize(("offset", "in_place"), COMPUTED.items())
def test_what_each_iteration_computes_of_the_same_numbers_is_the_same(offset: str, in_place: bool) -> None:
    """Memory, other tensors and induction variables change; more than four ops in a row are not followed."""
    a = analyse(
        loop(
            "",
            f"""
      {offset.replace("%o0", "%i")}
      %h = tensor.empty() : !h
      %w = tensor.insert_slice %h into %t[%o] [4] [1] : !h into !v loc("w")
    """,
        ),
        '%t: !v loc("t"), %x: tensor<8xindex>, %m: memref<index>, %f: f32, %i: index, %j: index, %n: index, %p: i1',
    )
    assert a.not_in_place == ({} if in_place else {"w#1": "copy: READ_AFTER_WRITE write=w#1 read=w#1 value=t"})


@pytest.mark.parametrize(("symbol", "in_place"), [("%i", True), ("%k", False)])
def test_known_distances_hold_in_all_iterations_only_if_no_loop_changes_the_symbol(symbol: str, in_place: bool) -> None:
    """What one iteration writes the next one would read, though the two are apart within each."""
    a = analyse(
        loop(
            "",
            f"""
      %h = tensor.empty() : !h
      %b = affine.apply affine_map<(d0) -> (d0 + 4)>({symbol})
      %s = tensor.extract_slice %t[{symbol}] [4] [1] : !v to !h loc("s")
      %r = tensor.extract %s[%c0] : !h loc("r")
      %w = tensor.insert_slice %h into %t[%b] [4] [1] : !h into !v loc("w")
    """,
        )
    )
    assert a.not_in_place == ({} if in_place else {"w#1": "copy: READ_AFTER_WRITE write=w#1 read=s#0 value=t"})


def test_equal_offsets_are_equal_within_one_iteration() -> None:
    a = analyse(
        loop(
            "%a = %t",
            """
      %s = tensor.extract_slice %a[%k] [4] [1] : !v to !h loc("s")
      %g = linalg.exp ins(%s : !h) outs(%s : !h) -> !h loc("g")
      %w = tensor.insert_slice %g into %a[%k] [4] [1] : !h into !v loc("w")
      scf.yield %w : !v
    """,
        )
        + "return %l#0 : !v"
    )
    assert a.not_in_place == {}
    assert a.redundant == {"w#1"}


# --- what a loop is given --------------------------------------------------------------------------------------------

UPDATE = """
  %w = tensor.insert %f into %a[%i] : !v loc("w")
  scf.yield %w : !v
"""


def test_a_loop_works_in_the_buffer_it_is_given() -> None:
    a = analyse(loop("%a = %t", UPDATE) + "return %l#0 : !v")
    assert (a["for#3"], a["w#1"], a["scf.yield#0"]) == ("in-place", "in-place", "in-place")


def test_a_loop_gets_a_copy_of_what_is_read_after_it() -> None:
    a = analyse(loop("%a = %t", UPDATE) + 'return %l#0, %t : !v, !v loc("r")')
    assert a.not_in_place == {"for#3": "copy: READ_AFTER_WRITE write=w#1 read=r#1 value=t"}


def test_a_loop_gets_a_copy_of_what_it_also_captures() -> None:
    a = analyse(loop("%a = %t", '%r = tensor.extract %t[%j] : !v loc("r")' + UPDATE))
    assert a.not_in_place == {"for#3": "copy: READ_AFTER_WRITE write=w#1 read=r#0 value=t"}


def test_a_loop_reads_its_init_when_it_starts() -> None:
    a = analyse(
        '%w = tensor.insert %f into %t[%i] : !v loc("w")\n'
        + loop("%a = %t", "%r = tensor.extract %a[%j] : !v\nscf.yield %a : !v")
    )
    assert a.not_in_place == {"w#1": "copy: READ_AFTER_WRITE write=w#1 read=for#3 value=t"}


def test_a_loop_that_writes_nothing_shares_its_buffer() -> None:
    a = analyse(loop("%a = %t", "%r = tensor.extract %a[%j] : !v\nscf.yield %a : !v") + "return %l#0, %t : !v, !v")
    assert a.not_in_place == {}


def test_a_loop_that_never_reads_its_init_gets_a_new_buffer() -> None:
    """Nothing of %t is needed, not even after no iteration at all: nobody reads the result."""
    a = analyse(
        loop(
            "%a = %t",
            """
      %w = linalg.fill ins(%f : f32) outs(%a : !v) -> !v loc("w")
      %r = tensor.extract %w[%j] : !v
      scf.yield %w : !v
    """,
        )
        + 'return %t : !v loc("r")'
    )
    assert a.not_in_place == {"for#3": "alloc: READ_AFTER_WRITE write=w#1 read=r#0 value=t"}


def test_the_result_of_a_loop_may_be_its_init() -> None:
    """There may be no iteration, so what the loop overwrites first is read after it."""
    a = analyse(
        loop(
            "%a = %t",
            """
      %w = linalg.fill ins(%f : f32) outs(%a : !v) -> !v loc("w")
      scf.yield %w : !v
    """,
        )
        + 'return %l#0, %t : !v, !v loc("r")'
    )
    assert a.not_in_place == {"for#3": "copy: READ_AFTER_WRITE write=w#1 read=r#1 value=t"}


def test_a_constant_must_not_be_updated_by_a_loop() -> None:
    a = analyse('%x = arith.constant dense<0.0> : !v loc("x")' + loop("%a = %x", UPDATE))
    assert a.not_in_place == {"for#3": "copy: NOT_WRITABLE write=w#1 value=x"}


@pytest.mark.parametrize(
    "yielded",
    ["%a", "%u", "%x"],
    ids=["in place", "copied to what is carried", "copied to a new buffer"],
)
def test_what_a_loop_returns_may_be_its_init(yielded: str) -> None:
    """Whatever is yielded: there may be no iteration."""
    a = analyse(
        loop("%a = %t", f"%x = arith.select %p, %a, %u : !v\nscf.yield {yielded} : !v")
        + """
      %w = tensor.insert %f into %l#0[%i] : !v loc("w")
      %r = tensor.extract %t[%j] : !v loc("r")
    """
    )
    conflicts = [text for text in a.costs if "NOT_EQUIVALENT" not in text]
    assert len(conflicts) == 1
    assert "READ_AFTER_WRITE" in conflicts[0]
    assert conflicts[0].endswith("read=r#0 value=t")


def test_what_a_swapping_loop_returns_may_be_either_init() -> None:
    for read in ("t", "u"):
        a = analyse(
            loop("%a = %t, %b = %u", "scf.yield %b, %a : !v, !v")
            + f"""
          %w = tensor.insert %f into %l#0[%i] : !v loc("w")
          %r = tensor.extract %{read}[%j] : !v loc("r")
        """
        )
        assert a.costs == [f"copy: READ_AFTER_WRITE write=w#1 read=r#0 value={read}"]


# --- what a loop yields ----------------------------------------------------------------------------------------------


def test_yielding_a_captured_tensor_copies_it_to_the_carried_buffer() -> None:
    a = analyse_bottom_up(
        loop("%a = %t", '%r = tensor.extract %a[%j] : !v\nscf.yield %u : !v loc("y")') + "return %l#0 : !v"
    )
    assert a["for#3"] == "in-place"
    assert a.not_in_place == {"y#0": "copy-to-carried: NOT_EQUIVALENT read=y#0 value=u"}


def test_what_may_be_the_carried_buffer_is_passed_on() -> None:
    a = analyse(
        loop(
            "%a = %t",
            """
      %x = arith.select %p, %a, %u : !v loc("x")
      scf.yield %x : !v loc("y")
    """,
        )
        + "return %l#0 : !v"
    )
    assert a.not_in_place == {}
    assert a["y#0"] == "pass-on"


def test_a_carried_buffer_is_not_overwritten_while_the_yield_reads_it() -> None:
    """(%a, %b) becomes (%u, %a): copying %u to %a first would lose %a."""
    a = analyse_bottom_up(
        loop("%a = %t, %b = %s", 'scf.yield %u, %a : !v, !v loc("y")') + "return %l#0, %l#1 : !v, !v", THREE
    )
    assert a["y#0"] == "pass-on"
    assert a.not_in_place == {
        "y#1": "copy-to-carried: NOT_EQUIVALENT read=y#1 value=for^1",
    }


def test_a_captured_tensor_that_starts_in_the_loop_is_not_overwritten_by_the_copy() -> None:
    """The carried buffer would be that of %t, which every iteration yields."""
    a = analyse_bottom_up(
        loop("%a = %t", '%r = tensor.extract %a[%j] : !v\nscf.yield %t : !v loc("y")') + "return %l#0 : !v"
    )
    assert list(a.not_in_place) == ["for#3", "y#0"]
    assert a["for#3"].startswith("copy: READ_")


# --- reshaped views of what is carried -------------------------------------------------------------------------------

THERE_AND_BACK = """
  %x = tensor.expand_shape %a [[0, 1]] output_shape [2, 4] : !v into tensor<2x4xf32> loc("x")
  %w = linalg.negf ins(%x : tensor<2x4xf32>) outs(%x : tensor<2x4xf32>) -> tensor<2x4xf32> loc("w")
  %z = tensor.collapse_shape %w [[0, 1]] : tensor<2x4xf32> into !v loc("z")
"""


def test_a_loop_passes_on_what_it_carries_reshaped() -> None:
    body = loop("%a = %t", THERE_AND_BACK + 'scf.yield %z : !v loc("y")') + "return %l#0 : !v"
    a = analyse(body, single_order=True)
    assert a["y#0"] == "pass-on"
    assert a.not_in_place == {}
    # A buffer of unknown layout is copied once rather than reshaped in each iteration.
    assert list(analyse(body).not_in_place) == ["for#3"]


def test_a_loop_that_passes_on_starts_in_a_copy_of_what_is_read_later() -> None:
    """Whether a reshape copies is not known: the first iteration may well work in the initial buffer."""
    a = analyse(loop("%a = %t", THERE_AND_BACK + 'scf.yield %z : !v loc("y")') + "return %l#0, %t : !v, !v")
    assert a["y#0"] == "pass-on"
    assert list(a.not_in_place) == ["for#3"]


def test_what_is_read_after_the_update_is_not_updated_in_place() -> None:
    """The update works in a new buffer, with which the loop goes on."""
    body = THERE_AND_BACK + '%r = tensor.extract %a[%j] : !v loc("r")\nscf.yield %z : !v loc("y")'
    a = analyse(loop("%a = %t", body) + "return %l#0 : !v")
    assert a.not_in_place == {"w#1": "alloc: READ_AFTER_WRITE write=w#1 read=r#0 value=for^1"}
    assert a["y#0"] == "pass-on"


def test_a_slice_of_what_is_carried_is_passed_on() -> None:
    """Its size may be another one in each iteration, so it cannot be copied into what is carried."""
    a = analyse("""
      %d = tensor.empty(%n) : !d
      %g = linalg.fill ins(%f : f32) outs(%d : !d) -> !d
      %l = scf.for %k = %c0 to %n step %c1 iter_args(%a = %g) -> !d {
        %s = tensor.extract_slice %a[0] [%i] [1] : !d to !d
        scf.yield %s : !d loc("y")
      }
      return %l : !d
    """)
    assert a["y#0"] == "pass-on"


@pytest.mark.parametrize(("body", "passed"), [("", True), ('%w = tensor.insert %f into %a[%i] : !d loc("w")', False)])
def test_a_captured_buffer_is_passed_on_unless_that_lets_the_body_write_it(body: str, passed: bool) -> None:
    """%q may have another size than %a."""
    a = analyse(
        loop(
            "%a = %d",
            f"""
      {body}
      %r = tensor.extract {"%w" if body else "%a"}[%j] : !d
      scf.yield %q : !d loc("y")
    """,
        ).replace("!v", "!d")
        + "return %l : !d",
        "%d: !d, %q: !d, %f: f32, %i: index, %j: index, %n: index",
    )
    assert a.not_in_place == ({} if passed else {"y#0": "copy: NOT_EQUIVALENT read=y#0 value=func.func^1"})
    assert (a["y#0"] == "pass-on") is passed


def test_the_result_of_a_loop_that_passes_on_is_not_known_to_be_its_init() -> None:
    """The insert that puts it back has to be made: a reshape may have copied."""
    body = THERE_AND_BACK + 'scf.yield %z : !v loc("y")'
    back = '%b = tensor.insert_slice %l#0 into %u[0] [8] [1] : !v into !v loc("b")\nreturn %b : !v'
    assert analyse(loop("%a = %u", body) + back).redundant == set()
    assert analyse(loop("%a = %u", 'scf.yield %a : !v loc("y")') + back).redundant == {"b#1"}


# --- rotation --------------------------------------------------------------------------------------------------------

SWAP = 'scf.yield %b, %a : !v, !v loc("y")'


def test_a_loop_swaps_buffers() -> None:
    a = analyse(loop("%a = %t, %b = %u", SWAP) + "return %l#0, %l#1 : !v, !v")
    assert (a["y#0"], a["y#1"]) == ("rotate", "rotate")
    assert (a["for#3"], a["for#4"]) == ("in-place", "in-place")


def test_a_loop_swaps_buffers_it_updates() -> None:
    """The two-buffer stencil: the new value is computed from one buffer in the other one."""
    a = analyse(
        loop(
            "%a = %t, %b = %u",
            """
      %w = linalg.copy ins(%a : !v) outs(%b : !v) -> !v loc("w")
      scf.yield %w, %a : !v, !v loc("y")
    """,
        )
        + "return %l#0 : !v"
    )
    assert (a["w#1"], a["y#0"], a["y#1"]) == ("in-place", "rotate", "rotate")
    assert a.not_in_place == {}


def test_a_loop_rotates_three_buffers() -> None:
    a = analyse(
        loop("%a = %t, %b = %u, %c = %s", 'scf.yield %b, %c, %a : !v, !v, !v loc("y")')
        + "return %l#0, %l#1, %l#2 : !v, !v, !v",
        THREE,
    )
    assert [a[f"y#{n}"] for n in range(3)] == ["rotate"] * 3
    assert a.not_in_place == {}


UPDATE_AND_SWAP = """
  %w = tensor.insert %f into %a[%i] : !v loc("w")
  scf.yield %b, %w : !v, !v loc("y")
"""


def test_buffers_that_a_loop_swaps_start_apart() -> None:
    a = analyse(loop("%a = %t, %b = %t", UPDATE_AND_SWAP) + "return %l#0, %l#1 : !v, !v")
    assert (a["y#0"], a["y#1"]) == ("rotate", "rotate")
    assert a.not_in_place == {"for#4": "copy: ROTATION_SHARED value=t"}


INNER = """
  %in:2 = scf.for %o = %c0 to %n step %c1 iter_args({0}) -> (!v, !v) {{
    %w = tensor.insert %f into %c[%o] : !v loc("w")
    scf.yield %d, %w : !v, !v loc("z")
  }} loc("inner")
"""


@pytest.mark.parametrize("yielded", ["%in#0, %in#1", "%in#1, %in#0"])
def test_a_loop_swaps_what_a_loop_in_it_swaps(yielded: str) -> None:
    """In which order is not known, as the inner loop has any number of iterations."""
    body = INNER.format("%c = %a, %d = %b") + f'scf.yield {yielded} : !v, !v loc("y")'
    a = analyse(loop("%a = %t, %b = %u", body) + "return %l#0, %l#1 : !v, !v")
    assert (a["z#0"], a["z#1"], a["y#0"], a["y#1"]) == ("rotate",) * 4
    assert a.not_in_place == {}


@pytest.mark.parametrize(
    ("inits", "yielded"),
    [
        # One of the two may be the other's buffer; both are one; each is only half of the buffers.
        ("%c = %a, %d = %b", "%in#0, %b"),
        ("%c = %a, %d = %b", "%in#0, %in#0"),
        ("%c = %a, %d = %u", "%in#0, %in#1"),
    ],
)
def test_a_loop_does_not_swap_a_part_of_what_a_loop_in_it_swaps(inits: str, yielded: str) -> None:
    body = INNER.format(inits) + f'scf.yield {yielded} : !v, !v loc("y")'
    a = analyse(loop("%a = %t, %b = %u", body) + "return %l#0, %l#1 : !v, !v")
    assert "rotate" not in (a["y#0"], a["y#1"])
    assert a.not_in_place


@pytest.mark.parametrize(("second", "shared"), [("%l#0, %l#1", False), ("%l#1, %l#0", False), ("%l#0, %l#0", True)])
def test_loops_one_after_the_other_swap_the_same_buffers(second: str, shared: bool) -> None:
    first, other = second.split(", ")
    a = analyse_bottom_up(
        loop("%a = %t, %b = %u", UPDATE_AND_SWAP)
        + INNER.format(f"%c = {first}, %d = {other}")
        + "return %in#0, %in#1 : !v, !v"
    )
    assert [a[f"{name}#{n}"] for name in "yz" for n in range(2)] == ["rotate"] * 4
    assert bool(a.not_in_place) is shared


def test_buffers_that_nobody_writes_may_be_one_when_they_are_swapped() -> None:
    a = analyse(loop("%a = %t, %b = %t", SWAP) + "return %l#0, %l#1 : !v, !v")
    assert (a["y#0"], a["y#1"]) == ("pass-on", "pass-on")
    assert a.not_in_place == {}


def test_buffers_that_a_loop_swaps_do_not_start_in_parts_of_one() -> None:
    a = analyse(
        """
      %h = tensor.extract_slice %t[0] [4] [1] : !v to !h loc("h")
      %g = tensor.extract_slice %t[4] [4] [1] : !v to !h loc("g")
    """
        + (loop("%a = %h, %b = %g", UPDATE_AND_SWAP) + "return %l#0, %l#1 : !v, !v").replace("!v", "!h"),
    )
    assert (a["y#0"], a["y#1"]) == ("rotate", "rotate")
    assert a.not_in_place == {"h#0": "copy: ROTATION_SHARED value=t"}


def test_a_loop_does_not_swap_what_may_be_one_buffer() -> None:
    """%x is %a or %b, so a write to %b could destroy it, and after a swap it still could."""
    a = analyse(
        loop(
            "%a = %t, %b = %u",
            """
      %x = arith.select %p, %a, %b : !v loc("x")
      %w = tensor.insert %f into %b[%i] : !v loc("w")
      %r = tensor.extract %x[%j] : !v loc("r")
      scf.yield %w, %a : !v, !v loc("y")
    """,
        )
        + "return %l#0, %l#1 : !v, !v"
    )
    assert a.not_in_place == {
        "w#1": "copy: READ_AFTER_WRITE write=w#1 read=r#0 value=x",
    }
    assert (a["y#0"], a["y#1"]) == ("pass-on", "pass-on")


def test_buffers_that_a_loop_could_not_swap_may_be_one() -> None:
    """The loop is not allowed to swap, for the sake of %x; then nothing says that %a and %b start apart."""
    text = """
      %w = tensor.insert %f into %b[%i] : !v loc("w")
      %r = tensor.extract %a[%j] : !v loc("r")
      %y = tensor.extract %x[%j] : !v
      scf.yield %w, %a : !v, !v loc("y")
    """
    a = analyse(loop("%a = %t, %b = %t", "%x = arith.select %p, %a, %b : !v" + text) + "return %l#0, %l#1 : !v, !v")
    assert "rotate" not in (a["y#0"], a["y#1"])
    assert not a["w#1"] == a["for#3"] == a["for#4"] == "in-place"


def test_a_value_yielded_twice_is_not_a_rotation() -> None:
    a = analyse_bottom_up(loop("%a = %t, %b = %u", 'scf.yield %b, %b : !v, !v loc("y")') + "return %l#0, %l#1 : !v, !v")
    assert a.not_in_place == {"y#0": "copy-to-carried: NOT_EQUIVALENT read=y#0 value=for^2"}
    assert a["y#1"] == "in-place"


def test_only_the_part_of_the_yields_that_is_a_permutation_rotates() -> None:
    a = analyse_bottom_up(
        loop("%a = %t, %b = %u, %c = %s", 'scf.yield %b, %a, %a : !v, !v, !v loc("y")')
        + "return %l#0, %l#1, %l#2 : !v, !v, !v",
        THREE,
    )
    assert (a["y#0"], a["y#1"]) == ("pass-on", "pass-on")
    assert list(a.not_in_place) == ["y#2"]


def test_a_copy_next_to_a_rotation() -> None:
    a = analyse_bottom_up(
        loop("%a = %t, %b = %u, %c = %s", 'scf.yield %b, %a, %q : !v, !v, !v loc("y")')
        + "return %l#0, %l#1, %l#2 : !v, !v, !v",
        THREE + ", %q: !v",
    )
    assert [a[f"y#{n}"] for n in range(2)] == ["rotate"] * 2
    assert list(a.not_in_place) == ["y#2"]
    assert a["y#2"].startswith("copy-to-carried: NOT_EQUIVALENT")


def test_a_read_in_front_of_an_inner_loop_does_not_come_again_in_it() -> None:
    """%x is the same in all inner iterations, each of which writes what is there already."""
    a = analyse(
        loop(
            "",
            """
      %x = tensor.splat %f : !v
      %r = tensor.extract %x[%j] : !v loc("r")
      scf.for %o = %c0 to %n step %c1 {
        %w = tensor.insert %f into %x[%c0] : !v loc("w")
      }
    """,
        )
    )
    assert a.not_in_place == {}


def test_a_loop_has_read_its_init_before_its_body_runs() -> None:
    """The init lives on after the loop, which overwrites another part of it."""
    a = analyse(
        loop(
            "%a = %t",
            """
      %w = tensor.insert %f into %a[%c0] : !v loc("w")
      scf.yield %w : !v
    """,
        )
        + "%r = tensor.extract %t[%c4] : !v"
    )
    assert a.not_in_place == {}


def test_swapped_buffers_are_two_at_any_one_time() -> None:
    """So one of them may be written while the value in the other one is still read."""
    a = analyse(
        loop(
            "%a = %t, %b = %u",
            """
      %w = tensor.insert %f into %a[%i] : !v loc("w")
      %r = tensor.extract %b[%j] : !v loc("r")
      scf.yield %b, %w : !v, !v loc("y")
    """,
        )
        + "return %l#0, %l#1 : !v, !v"
    )
    assert (a["w#1"], a["y#0"], a["y#1"]) == ("in-place", "rotate", "rotate")


def test_a_swapped_buffer_is_still_one_buffer() -> None:
    a = analyse(
        loop(
            "%a = %t, %b = %u",
            """
      %w = tensor.insert %f into %a[%i] : !v loc("w")
      %r = tensor.extract %a[%j] : !v loc("r")
      scf.yield %b, %a : !v, !v loc("y")
    """,
        )
        + "return %l#0, %l#1 : !v, !v"
    )
    assert a.not_in_place == {"w#1": "copy: READ_AFTER_WRITE write=w#1 read=r#0 value=for^1"}


def test_what_a_loop_swaps_is_not_overwritten_while_its_init_is_read() -> None:
    """Each buffer holds each value in turn, so a write to one of them may be a write to either init."""
    a = analyse(
        loop(
            "%a = %t, %b = %u",
            """
      %w = tensor.insert %f into %a[%i] : !v loc("w")
      scf.yield %b, %w : !v, !v loc("y")
    """,
        )
        + 'return %u : !v loc("r")'
    )
    assert (a["y#0"], a["y#1"]) == ("rotate", "rotate")
    assert a.not_in_place == {"for#4": "copy: READ_AFTER_WRITE write=w#1 read=r#0 value=u"}


# --- nests -----------------------------------------------------------------------------------------------------------


def test_a_nest_carries_one_buffer() -> None:
    a = analyse(
        loop(
            "%a = %t",
            """
      %in = scf.for %o = %c0 to %n step %c1 iter_args(%b = %a) -> !v {
        %w = tensor.insert %f into %b[%o] : !v loc("w")
        scf.yield %w : !v
      } loc("inner")
      scf.yield %in : !v
    """,
        )
        + "return %l#0 : !v"
    )
    assert a.not_in_place == {}


def test_what_an_inner_loop_copies_into_is_still_the_one_buffer() -> None:
    a = analyse_bottom_up(
        loop(
            "%a = %t",
            """
      %in = scf.for %o = %c0 to %n step %c1 iter_args(%b = %a) -> !v {
        scf.yield %u : !v loc("z")
      } loc("inner")
      scf.yield %in : !v loc("y")
    """,
        )
        + "return %l#0 : !v"
    )
    assert a.not_in_place == {"z#0": "copy-to-carried: NOT_EQUIVALENT read=z#0 value=u"}
    assert a["y#0"] == "in-place"


def test_the_inner_loop_gets_a_copy_of_what_the_outer_one_still_reads() -> None:
    a = analyse(
        loop(
            "%a = %t",
            """
      %in = scf.for %o = %c0 to %n step %c1 iter_args(%b = %a) -> !v {
        %w = tensor.insert %f into %b[%o] : !v loc("w")
        scf.yield %w : !v
      } loc("inner")
      %r = tensor.extract %a[%j] : !v loc("r")
      scf.yield %in : !v loc("y")
    """,
        )
        + "return %l#0 : !v"
    )
    assert a.not_in_place == {
        "inner#3": "copy: READ_AFTER_WRITE write=w#1 read=r#0 value=for^1",
    }
    assert a["y#0"] == "pass-on"


def test_a_tensor_from_outside_of_the_nest_is_read_by_every_inner_loop() -> None:
    a = analyse(
        loop(
            "",
            """
      %in = scf.for %o = %c0 to %n step %c1 iter_args(%b = %t) -> !v {
        %w = tensor.insert %f into %b[%o] : !v loc("w")
        scf.yield %w : !v
      } loc("inner")
      %r = tensor.extract %in[%j] : !v
    """,
        )
    )
    assert a.not_in_place == {"inner#3": "copy: READ_AFTER_WRITE write=w#1 read=inner#3 value=t"}


# --- bodies that are no scf.for --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "loop_text",
    [
        "%l = scf.while (%k = %i) : (index) -> index { scf.condition(%p) %k : index } do {\n^bb0(%k: index):\nBODY\n"
        "scf.yield %k : index\n}",
        "affine.for %k = 0 to 10 {\nBODY\n}",
        '"test.anything"() ({\n%k = arith.constant 3 : index\nBODY\n}) : () -> ()',
    ],
    ids=["scf.while", "affine.for", "unknown op"],
)
def test_regions_of_ops_without_a_model_may_run_again(loop_text: str) -> None:
    """They are left alone when they touch no tensors themselves, but what they hold may happen many times."""
    body = '%w = tensor.insert %f into %t[%k] : !v loc("w")\n%r = tensor.extract %w[%j] : !v loc("r")'
    a = analyse(loop_text.replace("BODY", body))
    assert list(a.not_in_place) == ["w#1"]


@pytest.mark.parametrize("region", ["scf.execute_region", "memref.alloca_scope"])
def test_regions_that_run_once_are_no_loops(region: str) -> None:
    end = "scf.yield" if region.startswith("scf") else "memref.alloca_scope.return"
    a = analyse(
        f"""
      {region} {{
        %r = tensor.extract %t[%i] : !v
        %w = tensor.insert %f into %t[%i] : !v loc("w")
        {end}
      }}
    """
    )
    assert a.not_in_place == {}


def payload(body: str) -> str:
    return f"""
      %g = linalg.generic {{indexing_maps = [#id], iterator_types = ["parallel"]}} outs(%u : !v) {{
        ^bb0(%o: f32):
          %k = linalg.index 0 : index
          {body}
          linalg.yield %r : f32
      }} -> !v loc("g")
    """


def test_a_payload_runs_again() -> None:
    a = analyse(
        payload("""
          %w = tensor.insert %f into %t[%k] : !v loc("w")
          %r = tensor.extract %w[%j] : !v loc("r")
        """)
    )
    assert list(a.not_in_place) == ["w#1"]


# --- parallel regions ------------------------------------------------------------------------------------------------


def parallel(body: str) -> str:
    return f"scf.parallel (%k) = (%c0) to (%n) step (%c1) {{\n{body}\nscf.reduce\n}}\n"


def test_runs_of_a_parallel_region_do_not_write_one_buffer() -> None:
    """Nothing of %e is lost from one run to the next, but the runs overlap in time."""
    body = """
      %w = linalg.fill ins(%f : f32) outs(%e : !v) -> !v loc("w")
      %r = tensor.extract %w[%k] : !v loc("r")
    """
    a = analyse("%e = tensor.empty() : !v\n" + parallel(body))
    assert a.not_in_place == {"w#1": "alloc: PARALLEL write=w#1"}
    a = analyse("%e = tensor.empty() : !v\n" + loop("", body))
    assert a.not_in_place == {}


def test_each_run_of_a_parallel_region_may_write_a_buffer_of_its_own() -> None:
    a = analyse(
        parallel("""
      %e = tensor.empty() : !v
      %w = linalg.fill ins(%f : f32) outs(%e : !v) -> !v loc("w")
      %r = tensor.extract %w[%k] : !v loc("r")
    """)
    )
    assert a.not_in_place == {}


def test_a_loop_in_a_parallel_region_works_on_a_buffer_of_the_region() -> None:
    inner = """
      %in = scf.for %o = %c0 to %n step %c1 iter_args(%b = {}) -> !v {{
        %w = tensor.insert %f into %b[%o] : !v loc("w")
        scf.yield %w : !v
      }} loc("inner")
      %r = tensor.extract %in[%k] : !v
    """
    a = analyse(parallel("%e = tensor.splat %f : !v\n" + inner.format("%e")))
    assert a.not_in_place == {}
    a = analyse(parallel(inner.format("%t")))
    assert a.not_in_place == {"inner#3": "copy: PARALLEL write=w#1"}


def test_what_a_parallel_region_only_reads_may_be_written_after_it() -> None:
    a = analyse(parallel("%r = tensor.extract %t[%k] : !v") + '%w = tensor.insert %f into %t[%i] : !v loc("w")')
    assert a.not_in_place == {}


# --- options ---------------------------------------------------------------------------------------------------------


def test_runs_of_a_parallel_region_that_are_not_checked() -> None:
    text = function(
        "%e = tensor.empty() : !v\n"
        + parallel("""
      %w = linalg.fill ins(%f : f32) outs(%e : !v) -> !v loc("w")
      %r = tensor.extract %w[%k] : !v
    """)
    )
    assert list(analyse_with(text, AnalysisOptions(boundaries=True)).not_in_place) == ["w#1"]
    assert analyse_with(text, AnalysisOptions(boundaries=True, parallel=False)).not_in_place == {}
    reads = function(parallel('%w = tensor.insert %f into %t[%k] : !v loc("w")\n%r = tensor.extract %t[%i] : !v'))
    unchecked = analyse_with(reads, AnalysisOptions(boundaries=True, parallel=False))
    assert unchecked["w#1"].startswith("copy: READ_AFTER_WRITE"), "a parallel region is a loop still"


ONE_BUFFER = AnalysisOptions(boundaries=True, return_allocs=False)

EXCHANGE = """
  %l:2 = scf.for %k = %c0 to %n step %c1 iter_args(%a = %t, %b = %u) -> (!v, !v) {
    scf.yield %b, %a : !v, !v
  }
  return %l#0, %l#1 : !v, !v
"""


def test_loops_that_must_carry_one_buffer_do_not_swap() -> None:
    assert analyse_with(function(EXCHANGE), AnalysisOptions(boundaries=True)).refused == []
    for heuristic in Heuristic:
        refused = analyse_with(function(EXCHANGE), replace(ONE_BUFFER, heuristic=heuristic)).refused
        assert refused
        assert refused[0] == (
            "operand #0 is not in the buffer that the loop carries and cannot be copied into it; yield an update of "
            "the iteration argument, or set allow-return-allocs-from-loops=true"
        )


def test_loops_that_must_carry_one_buffer_may_copy_into_it() -> None:
    body = loop("%o = %t", '%w = tensor.insert %f into %o[%k] : !v\nscf.yield %w : !v loc("next")')
    a = analyse_with(function(body), ONE_BUFFER)
    assert (a.refused, a.not_in_place) == ([], {})
    body = loop("%o = %t", '%w = tensor.splat %f : !v\nscf.yield %w : !v loc("next")')
    a = analyse_with(function(body + "%r = tensor.extract %l#0[%i] : !v"), ONE_BUFFER)
    assert (a.refused, list(a.not_in_place)) == ([], ["next#0"])
    assert a["next#0"].startswith("copy-to-carried: NOT_EQUIVALENT")


def test_loops_that_must_carry_one_buffer_are_refused_if_it_is_still_read() -> None:
    body = loop(
        "%o = %t, %q = %u",
        """
      %w = tensor.splat %f : !v
      scf.yield %w, %o : !v, !v loc("next")
    """,
    )
    body += "%r = tensor.extract %l#0[%i] : !v\n%s = tensor.extract %l#1[%i] : !v"
    assert analyse_with(function(body), AnalysisOptions(boundaries=True)).refused == []
    assert len(analyse_with(function(body), ONE_BUFFER).refused) >= 1


@pytest.mark.parametrize(
    ("lower", "upper", "needed"),
    [("%c0", "%c4", False), ("%c1", "%c2", False), ("%c0", "%n", True), ("%c4", "%c4", True), ("%c4", "%c2", True)],
)
def test_an_init_that_is_overwritten_is_needed_only_if_the_loop_may_not_run(
    lower: str, upper: str, needed: bool
) -> None:
    a = analyse(
        f"""
      %l = scf.for %k = {lower} to {upper} step %c1 iter_args(%a = %t) -> (!v) {{
        %w = linalg.fill ins(%f : f32) outs(%a : !v) -> !v
        scf.yield %w : !v
      }} loc("l")
      return %t, %l : !v, !v loc("r")
    """,
        single_order=True,
    )
    cost = "copy" if needed else "alloc"
    assert list(a.not_in_place) == ["l#3"]
    assert a["l#3"].startswith(f"{cost}: READ_AFTER_WRITE"), a.not_in_place


def test_a_loop_without_signs_may_not_run_to_a_negative_bound() -> None:
    """-1 is the largest bound there is if it has no sign, but nothing is concluded from it."""
    a = analyse(
        """
      %m = arith.constant -1 : index
      %l = scf.for unsigned %k = %m to %c4 step %c1 iter_args(%a = %t) -> (!v) {
        %w = linalg.fill ins(%f : f32) outs(%a : !v) -> !v
        scf.yield %w : !v
      } loc("l")
      return %t, %l : !v, !v loc("r")
    """,
        single_order=True,
    )
    assert a["l#3"].startswith("copy: READ_AFTER_WRITE")


@pytest.mark.parametrize(("count", "rotates"), [(64, True), (65, False)])
def test_a_loop_swaps_up_to_so_many_buffers(count: int, rotates: bool) -> None:
    """Each is compared with each, so that more of them are copied."""
    types = ", ".join(["!v"] * count)
    carried = ", ".join(f"%b{n} = %a{n}" for n in range(count))
    yielded = ", ".join(f"%b{(n + 1) % count}" for n in range(count))
    body = f"""
      %l:{count} = scf.for %k = %c0 to %n step %c1 iter_args({carried}) -> ({types}) {{
        scf.yield {yielded} : {types} loc("y")
      }}
      return %l#0 : !v
    """
    arguments = ", ".join(f"%a{n}: !v" for n in range(count))
    a = analyse(body, f"%n: index, {arguments}")
    assert {a[f"y#{n}"].startswith("rotate") for n in range(count)} == {rotates}


@pytest.mark.parametrize("loop", ["for %k = %c0 to LAST", "parallel (%k) = (%c0) to (LAST)"])
@pytest.mark.parametrize(("last", "copies"), [("%c1", 0), ("%c2", 1)])
def test_what_one_iteration_writes_is_not_read_by_the_next(loop: str, last: str, copies: int) -> None:
    step = "step %c1" if "for" in loop else "step (%c1)"
    a = analyse(f"""
      scf.{loop.replace("LAST", last)} {step} {{
        %r = tensor.extract %t[%c0] : !v
        %w = tensor.insert %f into %t[%c0] : !v
        %q = tensor.extract %w[%c0] : !v
      }}
    """)
    assert len(a.not_in_place) == copies


@pytest.mark.parametrize(("last", "step", "copies"), [("%c4", "%c4", 1), ("%c4", "%c2", 5)])
def test_the_slice_of_the_only_iteration_is_inserted_where_it_was(last: str, step: str, copies: int) -> None:
    """Of two the second one inserts it elsewhere: each copies it twice. The argument is copied in front of the loop."""
    text = f"""
      func.func @main(%t: tensor<8xf32>, %f: f32) -> tensor<8xf32> {{
        %c0 = arith.constant 0 : index
        %c2 = arith.constant 2 : index
        %c4 = arith.constant 4 : index
        %r = scf.for %i = %c0 to {last} step {step} iter_args(%a = %t) -> tensor<8xf32> {{
          %j = arith.muli %i, %c2 : index
          %s = tensor.extract_slice %a[%i] [2] [1] : tensor<8xf32> to tensor<2xf32>
          %x = tensor.insert %f into %s[%c0] : tensor<2xf32>
          %u = tensor.insert_slice %x into %a[%j] [2] [1] : tensor<2xf32> into tensor<8xf32>
          scf.yield %u : tensor<8xf32>
        }}
        return %r : tensor<8xf32>
      }}
    """
    program = mi.compile(text, opt_level=0, memory_stats=True)
    given = np.arange(8, dtype=np.float32)
    wanted = given.copy()
    for i in range(0, 4, int(step[-1])):
        wanted[2 * i : 2 * i + 2] = 99, wanted[i + 1]
    assert np.array_equal(program.main(given, 99.0), wanted)
    assert program.memory_stats.copies == copies
