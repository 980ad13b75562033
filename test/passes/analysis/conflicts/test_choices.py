"""An op may read one of several buffers, each of which is the one that it writes, or apart from that."""

from __future__ import annotations

import pytest
from analysed import analyse

from mlir_inplace.passes.analysis.conflicts.decisions import Rule

ADD = """
  %w = linalg.generic {{indexing_maps = [{map}, #id], iterator_types = ["parallel"]}}
      ins({read} : !v) outs({written} : !v) {{
  ^bb0(%p0: f32, %p1: f32):
    %z = arith.addf %p0, %p1 : f32
    linalg.yield %z : f32
  }} -> !v loc("w")
  return %w : !v
"""
ID, REVERSED = "#id", "affine_map<(i) -> (7 - i)>"
IF = """
  %x = scf.if %p -> !v {{
    %e = tensor.splat %f : !v
    scf.yield %e : !v
  }} else {{
    scf.yield {other} : !v loc("y")
  }} loc("x")
"""
ARGUMENTS = "%t: !v, %u: !v, %f: f32, %i: index, %n: index, %p: i1, %q: i1"


def not_in_place(choice: str, read: str, written: str, map_: str = ID) -> dict[str, str]:
    return analyse(choice + ADD.format(map=map_, read=read, written=written), ARGUMENTS).not_in_place


@pytest.mark.parametrize(("read", "written"), [("%x", "%t"), ("%t", "%x")])
def test_each_branch_yields_the_buffer_or_another_one(read: str, written: str) -> None:
    assert not_in_place(IF.format(other="%t"), read, written) == {}


def test_a_choice_of_choices() -> None:
    second = IF.replace("%x", "%s").replace("%p", "%q").replace('"x"', '"s"').format(other="%x")
    assert not_in_place(IF.format(other="%t") + second, "%s", "%t") == {}


@pytest.mark.parametrize(("stride", "in_place"), [("0] [8] [1", True), ("7] [8] [-1", False)])
def test_what_comes_from_a_copy_is_compared_with_it(stride: str, in_place: bool) -> None:
    """%x is a copy of %t, as that is read later, and %s is all of it, in the same order or in the other one."""
    text = f"""
      %x = tensor.cast %t : !v to !v loc("x")
      %s = tensor.extract_slice %x[{stride}] : !v to !v loc("s")
    """ + ADD.format(map=ID, read="%x", written="%s")
    after = f"""
      %r = tensor.insert_slice %w into %x[{stride}] : !v into !v loc("r")
      return %r, %t : !v, !v
    """
    a = analyse(text.replace("  return %w : !v\n", after), ARGUMENTS)
    assert a["x#0"].startswith("copy")
    assert (a.not_in_place.keys() == {"x#0"}) is in_place, a.not_in_place


def test_a_block_argument() -> None:
    between = """
      cf.cond_br %p, ^join(%t : !v), ^join(%u : !v)
    ^join(%x: !v):
    """
    assert not_in_place(between, "%x", "%t") == {}


@pytest.mark.parametrize(("other", "in_place"), [("%t", True), ("%o", False)])
def test_both_are_choices(other: str, in_place: bool) -> None:
    """Each yields %t or a new tensor; or one yields %t shifted by an element, which the other may yield as it is."""
    slices = """
      %t = tensor.extract_slice %m[0] [8] [1] : !d to !v loc("t")
      %o = tensor.extract_slice %m[1] [8] [1] : !d to !v loc("o")
    """
    first = IF.format(other=other)
    second = IF.replace("%x", "%s").replace("%p", "%q").replace('"x"', '"s"').format(other="%t")
    body = slices + first + second + ADD.format(map=ID, read="%x", written="%s")
    decisions = analyse(body, ARGUMENTS.replace("%t: !v", "%m: !d")).function().decisions.values()
    rules = {one.conflict.rule for one in decisions if one.conflict is not None}
    assert (Rule.READ_BY_WRITER in rules) != in_place


@pytest.mark.parametrize(("read", "written"), [("%x", "%t"), ("%t", "%x")])
def test_elements_in_another_order_are_copied(read: str, written: str) -> None:
    assert not_in_place(IF.format(other="%t"), read, written, REVERSED) != {}


def test_a_part_that_overlaps_is_copied() -> None:
    """One branch yields elements that the op writes in other iterations than it reads them."""
    slices = """
      %0 = tensor.extract_slice %t[%i] [8] [1] : !d to !v loc("a")
      %b = tensor.extract_slice %t[%n] [8] [1] : !d to !v loc("b")
    """
    arguments = ARGUMENTS.replace("%t: !v", "%t: !d")
    body = slices + IF.format(other="%0") + ADD.format(map=ID, read="%x", written="%b")
    assert any("READ_BY_WRITER" in text for text in analyse(body, arguments).not_in_place.values())


def test_a_part_of_the_choice_is_copied() -> None:
    """It overlaps whatever was chosen: the op would read what it has just written."""
    body = """
      %x = scf.if %p -> !d {
        scf.yield %t : !d
      } else {
        scf.yield %u : !d
      }
      %a = tensor.extract_slice %x[0] [8] [1] : !d to !v loc("a")
      %b = tensor.extract_slice %x[1] [8] [1] : !d to !v loc("b")
    """
    found = analyse(
        body + ADD.format(map=ID, read="%a", written="%b"), ARGUMENTS.replace("%t: !v, %u: !v", "%t: !d, %u: !d")
    ).not_in_place
    assert any("READ_BY_WRITER" in text for text in found.values())


def test_a_choice_of_an_older_iteration_is_copied() -> None:
    """The slices are of one class, but this iteration's is not the one that the last iteration chose."""
    body = """
      %e = tensor.splat %f : !v
      cf.br ^loop(%i, %e : index, !v)
    ^loop(%k: index, %a: !v):
      %b = tensor.extract_slice %t[%k] [8] [1] : !d to !v loc("b")
      %w = linalg.copy ins(%a : !v) outs(%b : !v) -> !v loc("w")
      %next = arith.addi %k, %c1 : index
      %more = arith.cmpi slt, %next, %n : index
      cf.cond_br %more, ^loop(%next, %w : index, !v), ^last
    ^last:
      return %w : !v
    """
    found = analyse(body, ARGUMENTS.replace("%t: !v", "%t: !d")).not_in_place
    assert any("READ_BY_WRITER" in text for text in found.values())
