"""What a loop makes in one iteration is not what it made in the one before, as far as that is certain."""

from __future__ import annotations

from analysed import analyse, loop

MADE = """
  %e = tensor.empty() : !v loc("e")
  %x = linalg.add ins(%a, %a : !v, !v) outs(%e : !v) -> !v loc("x")
"""
YIELD = 'scf.yield %x : !v loc("y")'
RETURN = "return %l#0 : !v"


def test_what_is_made_is_apart_from_what_was_made_before() -> None:
    """Reading %a while %x is written is fine: they are buffers of two iterations."""
    a = analyse(loop("%a = %t", MADE.replace("%a, %a", "%a, %u") + YIELD) + RETURN)
    assert a.not_in_place == {}
    assert a["y#0"] == "pass-on"
    reversed_ = """
      %e = tensor.empty() : !v
      %x = linalg.generic {indexing_maps = [affine_map<(i) -> (7 - i)>, #id], iterator_types = ["parallel"]}
          ins(%a : !v) outs(%e : !v) {
      ^bb0(%p0: f32, %p1: f32):
        linalg.yield %p0 : f32
      } -> !v
    """
    assert analyse(loop("%a = %t", reversed_ + YIELD) + RETURN).not_in_place == {}


def test_what_is_made_in_front_of_the_loop_is_one_buffer() -> None:
    made = '%e = tensor.empty() : !v loc("e")\n'
    body = MADE.partition("\n  %x")[2]
    a = analyse(
        made
        + loop(
            "%a = %t",
            "%r = tensor.extract %a[%j] : !v\n%x"
            + body.replace("%a, %a", "%u, %u")
            + '%q = tensor.extract %a[%j] : !v loc("q")\n'
            + YIELD,
        )
        + RETURN,
        single_order=True,
    )
    assert a.not_in_place == {"y#0": "copy-to-carried: NOT_EQUIVALENT read=y#0 value=x"}


def test_a_memref_is_the_same_in_each_iteration() -> None:
    body = """
      %e = bufferization.to_tensor %m restrict writable : memref<8xf32> to !v
      %x = linalg.fill ins(%f : f32) outs(%e : !v) -> !v loc("x")
      %q = tensor.extract %a[%j] : !v loc("q")
      %z = arith.addf %q, %q : f32
      %w = tensor.insert %z into %x[%j] : !v loc("w")
      scf.yield %w : !v loc("y")
    """
    a = analyse(loop("%a = %t", body) + RETURN, "%t: !v, %f: f32, %j: index, %n: index, %m: memref<8xf32>")
    assert a.not_in_place != {}


def test_what_is_carried_twice_is_made_before_either_way() -> None:
    """%b is what %a was: both are of earlier iterations, of which one may be the other's."""
    body = MADE.replace("%a, %a", "%a, %b") + 'scf.yield %x, %a : !v, !v loc("y")'
    a = analyse(loop("%a = %t, %b = %u", body) + "return %l#0, %l#1 : !v, !v")
    assert a.not_in_place == {}
    write = '%w = tensor.insert %f into %a[%i] : !v loc("w")\n%r = tensor.extract %b[%i] : !v\n'
    a = analyse(loop("%a = %t, %b = %a0", write + body).replace("%a0", "%u") + "return %l#0, %l#1 : !v, !v")
    assert a.not_in_place != {}


def test_an_iteration_of_an_outer_loop_says_nothing_of_the_inner_one() -> None:
    """What the inner loop made last is still held when the outer one comes round and makes the first again."""
    inner = loop("%a = %o", MADE + 'scf.yield %x : !v loc("y")').replace("%l:1", "%l").replace("%k", "%k1")
    text = f"""
      %r = scf.for %k0 = %c0 to %n step %c1 iter_args(%o = %t) -> !v {{
        {inner}
        %q = tensor.extract %o[%i] : !v loc("q")
        %z = arith.addf %q, %q : f32
        %w = tensor.insert %z into %l[%i] : !v loc("w")
        scf.yield %w : !v loc("outer")
      }} loc("outer_for")
      return %r : !v
    """
    a = analyse(text)
    assert a["y#0"] == "pass-on"
    assert a.not_in_place == {}


OVERWRITTEN = """
  %s = tensor.extract_slice %t[2] [4] [1] : !v to !h loc("s")
  %x = linalg.fill ins(%f : f32) outs(%s : !h) -> !h loc("x")
  %q = tensor.extract %a[%i] : !h loc("q")
  %z = arith.addf %q, %f : f32
  %w = tensor.insert %z into %x[%j] : !h loc("w")
  scf.yield %w : !h loc("y")
"""
HALVES = '%t: !v loc("t"), %h: !h, %f: f32, %i: index, %j: index, %n: index'


def test_the_copy_of_a_slice_is_made_in_each_iteration() -> None:
    """%t is read later, so its slice is filled in a buffer of its own: what is carried is that of another iteration."""
    text = loop("%a = %h", OVERWRITTEN).replace("-> (!v)", "-> (!h)") + "return %l#0, %t : !h, !v"
    a = analyse(text, HALVES)
    assert a["y#0"] == "pass-on"
    assert a.not_in_place == {"s#0": "alloc: READ_AFTER_WRITE write=w#1 read=func.return#1 value=t"}


def test_a_slice_in_place_is_the_same_in_each_iteration() -> None:
    """What is carried would be read after the slice is filled again."""
    text = loop("%a = %h", OVERWRITTEN).replace("-> (!v)", "-> (!h)") + "return %l#0 : !h"
    a = analyse(text, HALVES, single_order=True)
    assert a.not_in_place == {"y#0": "copy-to-carried: NOT_EQUIVALENT read=y#0 value=w"}


BLOCKS = """
  cf.br ^loop(%i, %t : index, !v)
^loop(%k: index, %a: !v):
  %q = tensor.extract %a[%k] : !v
  %w = tensor.insert %f into %u[%k] : !v loc("w")
  %x = linalg.fill ins(%q : f32) outs(%w : !v) -> !v loc("x")
  %y = tensor.insert %f into %x[%k] : !v loc("z")
  %next = arith.addi %k, %c1 : index
  %more = arith.cmpi slt, %next, %n : index
  cf.cond_br %more, ^loop(%next, %y : index, !v), ^last loc("b")
^last:
  return {returned} : !v, !v, !v
"""


def test_nothing_lies_in_what_is_made_after_it_in_loops_of_blocks() -> None:
    """%a, which is read after the loop, may be what the last iteration made; %w is made anew."""
    found = analyse(BLOCKS.format(returned="%a, %y, %u")).not_in_place
    assert list(found) == ["w#1"]


def test_what_is_made_before_may_be_written() -> None:
    """%x lies in what %w is, and is defined later: %y would overwrite it."""
    assert "z#1" in analyse(BLOCKS.format(returned="%a, %y, %x")).not_in_place
