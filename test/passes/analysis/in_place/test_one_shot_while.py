"""The rules of the in-place analysis for scf.while: two regions that take turns, and what goes around with them."""

from __future__ import annotations

import pytest
from analysed import analyse, analyse_bottom_up, loop

DYNAMIC = '%t: !d loc("t"), %f: f32, %i: index, %n: index, %p: i1'


def while_loop(carried: str, before: str, passed: str, after: str, yielded: str, type_: str = "!v") -> str:
    """A loop called "while" that goes on as long as %p; what is passed has the names %b0, %b1, … in the second region.

    Its terminators are called "condition" and "yield", its results %l.
    """
    inputs, values = carried.count("="), [value.strip() for value in passed.split(",") if value.strip()]
    types_in, types_out = ", ".join([type_] * inputs), ", ".join([type_] * len(values))
    arguments = ", ".join(f"%b{i}: {type_}" for i in range(len(values)))
    end = f"{', '.join(values)} : {types_out}" if values else ""
    results = f"%l:{len(values)} = " if values else ""
    return f"""{results}scf.while ({carried}) : ({types_in}) -> ({types_out}) {{
      {before}
      scf.condition(%p) {end} loc("condition")
    }} do {{
    ^bb0({arguments}):
      {after}
      scf.yield {f"{yielded} : {types_in}" if yielded else ""} loc("yield")
    }} loc("while")
    """


READ = '%r = tensor.extract %t[%i] : !v loc("r")'
WRITE = '%w = tensor.insert %f into %t[%i] : !v loc("w")'
UPDATE = '%x = tensor.insert %f into %b0[%i] : !v loc("x")'


def test_one_buffer_goes_around() -> None:
    a = analyse(while_loop("%a = %t", "", "%a", UPDATE, "%x") + "%r = tensor.extract %l#0[%i] : !v")
    assert a.not_in_place == {}
    assert a["yield#0"] == a["condition#1"] == a["while#0"] == a["x#1"] == "in-place"


@pytest.mark.parametrize(("before", "after"), [(READ, WRITE), (WRITE, READ), (WRITE + READ, ""), ("", WRITE + READ)])
def test_a_value_from_outside_is_read_again_whichever_region_writes_it(before: str, after: str) -> None:
    """Reads that come before the write in the text are reached too: each region runs after the other."""
    a = analyse(while_loop("", before, "", after, ""))
    assert a.not_in_place == {"w#1": "copy: READ_AFTER_WRITE write=w#1 read=r#0 value=t"}


@pytest.mark.parametrize(("before", "after"), [(WRITE, ""), ("", WRITE)])
def test_a_value_from_outside_that_nobody_reads_is_overwritten(before: str, after: str) -> None:
    """What the insert leaves as it was has no reader either."""
    a = analyse(READ + while_loop("", before, "", after, ""))
    assert a.not_in_place == {}


def test_what_the_first_region_reads_of_its_argument_is_read_before_the_second_one_writes() -> None:
    before = "%r = tensor.extract %a[%j] : !v"
    a = analyse(while_loop("%a = %t", before, "%a", UPDATE, "%x"))
    assert a.not_in_place == {}


def test_the_initial_value_is_read_in_the_first_region() -> None:
    a = analyse(while_loop("%a = %t", READ, "%a", UPDATE, "%x"))
    assert a.not_in_place == {"while#0": "copy: READ_AFTER_WRITE write=x#1 read=r#0 value=t"}


def test_the_initial_value_is_read_after_the_loop() -> None:
    a = analyse(while_loop("%a = %t", "", "%a", UPDATE, "%x") + READ)
    assert a.not_in_place == {"while#0": "copy: READ_AFTER_WRITE write=x#1 read=r#0 value=t"}


def test_what_is_passed_is_still_read_in_the_next_iteration() -> None:
    a = analyse(while_loop("", "", "%t", UPDATE + "%r = tensor.extract %x[%j] : !v", ""))
    assert a.not_in_place == {"condition#1": "copy: READ_AFTER_WRITE write=x#1 read=condition#1 value=t"}


def test_what_is_passed_twice_and_written_once() -> None:
    after = UPDATE + '%r = tensor.extract %b1[%i] : !v loc("r")'
    a = analyse(while_loop("%a = %t", "", "%a, %a", after, "%x"))
    assert list(a.not_in_place) == ["condition#2"]
    a = analyse(while_loop("%a = %t", "", "%a, %a", '%r = tensor.extract %b1[%i] : !v loc("r")' + UPDATE, "%x"))
    assert a.not_in_place == {}


@pytest.mark.parametrize(("passed", "yielded"), [("%a, %c", "%b1, %x"), ("%c, %a", "%x, %b1")])
def test_swapped_buffers_rotate(passed: str, yielded: str) -> None:
    """Both the yield and the condition may swap them; a swap by each of them is none."""
    a = analyse(while_loop("%a = %t, %c = %u", "", passed, UPDATE, yielded))
    assert a.not_in_place == {}
    assert a["yield#0"] == a["yield#1"] == "rotate"


def test_two_swaps_are_none() -> None:
    a = analyse(while_loop("%a = %t, %c = %u", "", "%c, %a", UPDATE, "%b1, %x"))
    assert a.not_in_place == {}
    assert a["yield#0"] == a["yield#1"] == "in-place"


def test_swapped_buffers_must_not_start_in_one() -> None:
    a = analyse(while_loop("%a = %t, %c = %t", "", "%a, %c", UPDATE, "%b1, %x"))
    assert [place for place in a.not_in_place if place.startswith("while")] == ["while#1"]


def test_another_tensor_is_copied_into_the_carried_buffer() -> None:
    a = analyse_bottom_up(
        while_loop("%a = %t", "", "%a", "%x = tensor.splat %f : !v", "%x") + "%r = tensor.extract %l#0[%i] : !v"
    )
    assert a.not_in_place == {"yield#0": "copy-to-carried: NOT_EQUIVALENT read=yield#0 value=tensor.splat"}


def test_a_new_tensor_is_passed_as_it_is() -> None:
    """Nothing keeps what is passed in one buffer, so nothing has to be copied."""
    a = analyse(while_loop("", "%x = tensor.splat %f : !v", "%x", "", "") + "%r = tensor.extract %l#0[%i] : !v")
    assert a.not_in_place == {}


def test_a_slice_of_the_next_iteration_is_another_one() -> None:
    """%w needs what lies outside of the slice at its %k; %x writes what was the slice at the last iteration's %k."""
    a = analyse("""
      %l = scf.while () : () -> !h {
        %k = "test.index"() : () -> index
        %h = tensor.extract_slice %t[%k] [4] [1] : !v to !h loc("h")
        %g = tensor.splat %f : !h
        %w = tensor.insert_slice %g into %t[%k] [4] [1] : !h into !v loc("w")
        %q = tensor.extract %w[%j] : !v
        scf.condition(%p) %h : !h loc("condition")
      } do {
      ^bb0(%b: !h):
        %x = linalg.fill ins(%f : f32) outs(%b : !h) -> !h loc("x")
        %r = tensor.extract %x[%j] : !h
        scf.yield
      }
    """)
    assert a.not_in_place == {
        "w#1": "copy: READ_AFTER_WRITE write=w#1 read=w#1 value=t",
        "x#1": "alloc: READ_AFTER_WRITE write=x#1 read=w#1 value=t",
    }


# --- sizes -----------------------------------------------------------------------------------------------------------

SAME_SIZE = """
      %d = tensor.dim %t, %c0 : !d
      %e = tensor.empty(%d) : !d
      %x = linalg.fill ins(%f : f32) outs(%e : !d) -> !d loc("x")
"""
SLICED = (
    SAME_SIZE
    + """
      %y = tensor.extract_slice %x[0] [%d] [1] : !d to !d
      %z = tensor.insert %f into %y[%c0] : !d loc("z")
"""
)
OTHER_SIZE = """
      %e = tensor.empty(%i) : !d
      %x = linalg.fill ins(%f : f32) outs(%e : !d) -> !d loc("x")
"""
READ_RESULT = "%r = tensor.extract %l#0[%i] : !d"


@pytest.mark.parametrize(
    ("body", "yielded", "cost"),
    [(SAME_SIZE, "%x", "copy-to-carried"), (SLICED, "%z", "copy-to-carried"), (OTHER_SIZE, "%x", "pass-on")],
    ids=["same", "slice", "other"],
)
@pytest.mark.parametrize("measured", ["%t", "%b0"], ids=["initial", "carried"])
def test_only_what_has_the_same_size_is_copied_into_the_carried_buffer(
    body: str, yielded: str, cost: str, measured: str
) -> None:
    body = body.replace("dim %t", f"dim {measured}")
    a = analyse_bottom_up(while_loop("%a = %t", "", "%a", body, yielded, "!d") + READ_RESULT, DYNAMIC)
    assert a["yield#0"].partition(":")[0] == cost
    text = loop("%b0 = %t", f"{body}\nscf.yield {yielded} : !d").replace("!v", "!d").replace("%l:1", "%l")
    a = analyse_bottom_up(text + READ_RESULT.replace("%l#0", "%l"), DYNAMIC)
    assert a["scf.yield#0"].partition(":")[0] == cost


def test_a_size_that_grows_is_not_the_initial_one() -> None:
    grown = """
      %d = tensor.dim %b0, %c0 : !d
      %s = arith.addi %d, %c1 : index
      %e = tensor.empty(%s) : !d
      %x = linalg.fill ins(%f : f32) outs(%e : !d) -> !d loc("x")
    """
    a = analyse_bottom_up(while_loop("%a = %t", "", "%a", grown, "%x", "!d") + READ_RESULT, DYNAMIC)
    assert a["yield#0"] == "pass-on"


def test_a_size_that_another_carried_tensor_has_is_not_the_initial_one() -> None:
    """%c starts with the size of %t, as %a does; but it gets another one."""
    body = (
        "%d = tensor.dim %b1, %c0 : !d\n"
        + SAME_SIZE.replace("%d = tensor.dim %t, %c0 : !d", "")
        + OTHER_SIZE.replace("%e ", "%g ").replace("%e :", "%g :").replace("%x", "%y").replace('"x"', '"y"')
    )
    text = while_loop("%a = %t, %c = %t", "", "%a, %c", body, "%x, %y", "!d")
    a = analyse_bottom_up(text + READ_RESULT + "\n%q = tensor.extract %l#1[%i] : !d", DYNAMIC)
    assert [a[f"yield#{i}"] for i in (0, 1)] == ["pass-on", "pass-on"]
