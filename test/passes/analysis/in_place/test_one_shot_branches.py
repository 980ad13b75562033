"""The rules of the in-place analysis for branches: what cannot happen in one run, and what results may be."""

from __future__ import annotations

import pytest
from analysed import analyse


def if_(then: str, other: str, results: str = "") -> str:
    """An scf.if called "if"; its results are %x."""
    count = len(results.split(",")) if results else 0
    left = f"%x:{count} = " if count else ""
    right = f" -> ({results})" if count else ""
    return f'{left}scf.if %p{right} {{\n{then}\n}} else {{\n{other}\n}} loc("if")\n'


READ = '%r = tensor.extract %t[%j] : !v loc("r")\n'
WRITE = '%w = tensor.insert %f into %t[%i] : !v loc("w")\n'
CONFLICT = {"w#1": "copy: READ_AFTER_WRITE write=w#1 read=r#0 value=t"}


@pytest.mark.parametrize(
    ("then", "other", "after", "refused"),
    [
        (WRITE, READ, "", {}),
        (READ, WRITE, "", {}),
        (WRITE + READ, "", "", CONFLICT),
        (READ + WRITE, "", "", {}),
        (WRITE, "", READ, CONFLICT),
        ("", WRITE, READ, CONFLICT),
        (READ, "", WRITE, {}),
    ],
)
def test_only_one_branch_runs(then: str, other: str, after: str, refused: dict[str, str]) -> None:
    assert analyse(if_(then, other) + after).not_in_place == refused


def test_a_loop_runs_one_branch_after_the_other() -> None:
    a = analyse("scf.for %k = %c0 to %n step %c1 {\n" + if_(WRITE, READ) + "}")
    assert a.not_in_place == CONFLICT


def test_branches_of_different_ifs_may_both_run() -> None:
    a = analyse(f"scf.if %p {{\n{WRITE}\n}}\nscf.if %p {{\n{READ}\n}}")
    assert a.not_in_place == CONFLICT


def test_nested_branches_are_exclusive_too() -> None:
    a = analyse(if_(f"scf.if %p {{\n{WRITE}\n}}", f"scf.if %p {{\n{READ}\n}}"))
    assert a.not_in_place == {}


# --- results ---------------------------------------------------------------------------------------------------------


def test_the_result_is_the_buffer_that_both_branches_yield() -> None:
    a = analyse(
        if_(WRITE + "scf.yield %w : !v", "scf.yield %t : !v", "!v")
        + '%z = tensor.insert %f into %x#0[%i] : !v loc("z")\nreturn %z : !v'
    )
    assert a.not_in_place == {}
    find = a.function().sets.equivalence.find
    assert find(a.value("if")) == find(a.value("t"))


@pytest.mark.parametrize(
    ("written", "read", "costs"),
    [
        ("%t", "%x#0", ["copy: READ_AFTER_WRITE write=w#1 read=r#0 value=if"]),
        ("%u", "%x#0", ["copy: READ_AFTER_WRITE write=w#1 read=r#0 value=if"]),
        ("%x#0", "%t", ["copy: READ_AFTER_WRITE write=w#1 read=r#0 value=t"]),
        ("%x#0", "%u", ["copy: READ_AFTER_WRITE write=w#1 read=r#0 value=u"]),
        ("%x#0", "%x#0", ["copy: READ_AFTER_WRITE write=w#1 read=r#0 value=if"]),
        ("%t", "%u", []),
    ],
)
def test_the_result_may_be_the_buffer_of_either_branch(written: str, read: str, costs: list[str]) -> None:
    choice = if_('scf.yield %t : !v loc("y")', 'scf.yield %u : !v loc("z")', "!v")
    a = analyse(f"""{choice}
      %w = tensor.insert %f into {written}[%i] : !v loc("w")
      %r = tensor.extract {read}[%j] : !v loc("r")
    """)
    assert a.costs == costs


def test_a_branch_may_write_its_own_buffer_although_the_other_one_yields_a_constant() -> None:
    a = analyse(
        '%c = arith.constant dense<1.0> : !v loc("c")\n'
        + if_(
            """
      %e = tensor.splat %f : !v
      %w = tensor.insert %f into %e[%i] : !v loc("w")
      scf.yield %w : !v loc("y")
    """,
            'scf.yield %c : !v loc("z")',
            "!v",
        )
        + "return %x#0 : !v"
    )
    assert a.not_in_place == {}


def test_what_may_be_a_constant_is_not_written() -> None:
    a = analyse(
        '%c = arith.constant dense<1.0> : !v loc("c")\n'
        + if_('scf.yield %t : !v loc("y")', 'scf.yield %c : !v loc("z")', "!v")
        + '%w = tensor.insert %f into %x#0[%i] : !v loc("w")'
    )
    assert a.costs == ["copy: NOT_WRITABLE write=w#1 value=c"]


def test_a_second_choice_brings_the_buffers_of_the_first_one_together() -> None:
    """The result may be %t or a buffer of its own. While it is only read, %t may be written in the other branch."""
    a = analyse(if_(WRITE + "scf.yield %w : !v", 'scf.yield %u : !v loc("z")', "!v") + "return %x#0, %u : !v, !v")
    assert a.not_in_place == {}
    a = analyse(
        if_(WRITE + "scf.yield %w : !v", 'scf.yield %u : !v loc("z")', "!v")
        + """
      %v = tensor.insert %f into %x#0[%i] : !v loc("v")
      return %v, %u : !v, !v loc("r")
    """
    )
    assert a.costs == ["copy: READ_AFTER_WRITE write=v#1 read=r#1 value=u"]


def test_results_that_swap_two_buffers_may_be_written() -> None:
    """%x#0 and %x#1 are one of %t and %u each, but in one run never the same; that is not tracked."""
    a = analyse(
        if_('scf.yield %t, %u : !v, !v loc("y")', 'scf.yield %u, %t : !v, !v loc("z")', "!v, !v")
        + """
      %w = tensor.insert %f into %x#0[%i] : !v loc("w")
      %r = tensor.extract %x#1[%j] : !v loc("r")
    """
    )
    assert len(a.not_in_place) > 0
    assert all("READ_AFTER_WRITE write=w#1 read=r#0" in text for text in a.not_in_place.values())


def test_a_write_in_a_branch_is_copied_if_the_old_value_is_yielded_next_to_it() -> None:
    a = analyse(
        if_(WRITE + 'scf.yield %w, %t : !v, !v loc("y")', 'scf.yield %u, %u : !v, !v loc("z")', "!v, !v")
        + "return %x#0, %x#1 : !v, !v"
    )
    assert a.not_in_place == {"w#1": "copy: READ_AFTER_WRITE write=w#1 read=y#1 value=t"}


def test_allocations_inside_of_a_branch_are_decided_after_the_copies_around_it() -> None:
    """Both the fill in the branch and the insert after it could take %t; only the insert would need a copy."""
    fill = '%w = linalg.fill ins(%f : f32) outs(%t : !v) -> !v loc("w")\n'
    a = analyse(
        if_(fill + "scf.yield %w : !v", "scf.yield %u : !v", "!v")
        + """
      %z = tensor.insert %f into %t[%i] : !v loc("z")
      return %x#0, %z : !v, !v loc("r")
    """
    )
    assert a["z#1"] == "in-place"
    assert list(a.not_in_place) == ["w#1"]
    assert a["w#1"].startswith("alloc: READ_AFTER_WRITE")


def test_reads_of_an_op_happen_before_its_branches() -> None:
    """The init of the inner loop is read when the loop starts, so it may be written inside."""
    a = analyse(
        """
      %l = scf.for %k = %c0 to %n step %c1 iter_args(%a = %t) -> !v {
        %w = tensor.insert %f into %a[%k] : !v loc("w")
        scf.yield %w : !v
      } loc("for")
      return %l : !v
    """
    )
    assert a.not_in_place == {}


def test_a_payload_that_captures_a_tensor_reads_it_while_the_op_writes() -> None:
    body = """
      %g = linalg.generic {{indexing_maps = [#id], iterator_types = ["parallel"]}} outs({} : !v) {{
        ^bb0(%o: f32):
          %r = tensor.extract %t[%j] : !v loc("r")
          linalg.yield %r : f32
      }} -> !v loc("g")
      return %g : !v
    """
    a = analyse(body.format("%t"))
    assert a.not_in_place == {"g#0": "alloc: READ_AFTER_WRITE write=g#0 read=r#0 value=t"}
    a = analyse(body.format("%u"))
    assert a.not_in_place == {}


def test_a_branch_that_may_yield_another_buffer_is_not_equivalent_to_either() -> None:
    text = """
      %l = scf.for %k = %c0 to %n step %c1 iter_args(%a = %t) -> !v {{
        %x = scf.if %p -> !v {{
          {}
          scf.yield {} : !v
        }} else {{
          scf.yield {} : !v
        }} loc("if")
        scf.yield %x : !v loc("y")
      }} loc("for")
      return %l : !v
    """
    assert analyse(text.format("", "%a", "%a"))["y#0"] == "in-place"
    assert analyse(text.format("", "%a", "%u"))["y#0"] == "pass-on"
    assert analyse(text.format("", "%u", "%a"))["y#0"] == "pass-on"
    write = "%w = tensor.insert %f into %a[%i] : !v"
    assert analyse(text.format(write, "%w", "%a"))["y#0"] == "in-place"


def test_the_writer_copies_what_branches_hand_out_once() -> None:
    a = analyse(
        if_("scf.yield %t : !v", "scf.yield %u : !v", "!v")
        + """
      %w = tensor.insert %f into %x#0[%i] : !v loc("w")
      return %w, %t, %u : !v, !v, !v loc("r")
    """
    )
    assert list(a.not_in_place) == ["w#1"]


def test_an_allocation_in_a_branch_is_decided_after_the_copies_in_front_of_it() -> None:
    a = analyse(
        '%z = tensor.insert %f into %t[%i] : !v loc("z")\n'
        + if_(
            '%w = linalg.fill ins(%f : f32) outs(%t : !v) -> !v loc("w")\nscf.yield %w : !v', "scf.yield %u : !v", "!v"
        )
        + 'return %x#0, %z : !v, !v loc("r")'
    )
    assert list(a.not_in_place) == ["w#1"]
    assert a["w#1"].startswith("alloc: READ_AFTER_WRITE")


@pytest.mark.parametrize(("yielded", "copies"), [("%e", []), ("%t", ["copy"])])
def test_what_branches_yield_without_content_is_not_copied(yielded: str, copies: list[str]) -> None:
    a = analyse(f"""
      %e = tensor.empty() : !v
      %x = scf.if %p -> !v {{
        scf.yield %e : !v
      }} else {{
        scf.yield {yielded} : !v
      }}
      %w = tensor.insert %f into %x[%i] : !v
      %r = tensor.extract %x[%j] : !v
      return %w, %r : !v, f32
    """)
    assert [cost.partition(":")[0] for cost in a.costs] == copies


SLICES = """
  %x = scf.index_switch %i -> !h
  case 1 {
    %a = tensor.extract_slice %t[%j] [4] [1] : !v to !h
    %y = tensor.insert %f into %a[%c0] : !h
    scf.yield %y : !h
  }
  case 2 {
    %b = tensor.extract_slice SECOND [4] [1] : !v to !h
    scf.yield %b : !h
  }
  default {
    %c = tensor.extract_slice %t[%j] [4] [1] : !v to !h
    scf.yield %c : !h
  }
  %w = tensor.insert_slice %x into %t[PLACE] [4] [1] : !h into !v loc("w")
  return %w : !v
"""


@pytest.mark.parametrize(
    ("second", "place", "is_redundant"),
    [
        ("%t[%j]", "%j", True),
        ("%t[%n]", "%j", False),
        ("%t[%j]", "%n", False),
        ("%u[%j]", "%j", False),
    ],
)
def test_branches_that_yield_one_slice(second: str, place: str, is_redundant: bool) -> None:
    a = analyse(SLICES.replace("SECOND", second).replace("PLACE", place))
    assert (a.redundant == {"w#1"}) is is_redundant
    assert (a.not_in_place == {}) is is_redundant


def test_a_branch_that_yields_a_copy_yields_another_slice() -> None:
    text = (
        SLICES.replace("SECOND", "%t[%j]").replace("PLACE", "%j").replace("return %w : !v", "return %w, %r : !v, f32")
    )
    a = analyse(text.replace("%w = ", "%r = tensor.extract %t[%j] : !v\n%w = "))
    assert a.redundant == set()
    assert len(a.costs) > 0
