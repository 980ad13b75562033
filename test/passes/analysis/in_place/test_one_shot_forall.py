"""The rules of the in-place analysis for scf.forall: what threads may write, and what they see of each other."""

from __future__ import annotations

import pytest
from analysed import analyse, analyse_module, function

COPY = "copy: READ_AFTER_WRITE"


def forall(body: str, inserted: str, shared: str = "%o = %t", bounds: str = "(%k) = (0) to (8) step (4)") -> str:
    """A loop called "forall" whose results are %l, over `bounds`; what is inserted has the locations "p0", "p1", …"""
    insertions = [line for line in inserted.splitlines() if line.strip()]
    ends = [f'tensor.parallel_insert_slice {line} loc("p{i}")' for i, line in enumerate(insertions)]
    count = shared.count("=")
    results = f"%l:{count} = " if count else ""
    outputs = f"shared_outs({shared}) -> ({', '.join(['!v'] * count)})" if count else ""
    return "\n".join(
        [
            f"{results}scf.forall {bounds} {outputs} {{",
            body,
            "scf.forall.in_parallel {",
            *ends,
            "}",
            '} loc("forall")',
            "",
        ]
    )


OWN = '%s = tensor.extract_slice %o[%k] [4] [1] : !v to !h loc("s")\n'
UPDATE = '%x = tensor.insert %f into %s[%i] : !h loc("x")\n'
INSERT = "%x into %o[%k] [4] [1] : !h into !v"
READ = '%r = tensor.extract %l#0[%i] : !v loc("r")'


def test_threads_update_their_own_slices_in_place() -> None:
    a = analyse(forall(OWN + UPDATE, INSERT) + READ)
    assert a.not_in_place == {}
    assert a["s#0"] == a["x#1"] == a["p0#1"] == a["forall#0"] == "in-place"
    assert a.redundant == {"p0#1"}


def test_what_threads_insert_from_elsewhere_is_copied_to_where_it_belongs() -> None:
    a = analyse(forall("%x = tensor.splat %f : !h", INSERT) + READ)
    assert a.not_in_place == {}
    assert a.redundant == set()


def test_the_initial_value_is_read_after_the_loop() -> None:
    a = analyse(forall(OWN + UPDATE, INSERT) + READ + '%q = tensor.extract %t[%i] : !v loc("q")')
    assert list(a.not_in_place) == ["forall#0"]
    assert a["forall#0"].startswith(COPY)
    assert a["forall#0"].endswith("read=q#0 value=t")


@pytest.mark.parametrize("offset", ["%i", "0", "%c4"])
def test_what_other_threads_may_insert_is_read_from_the_old_buffer(offset: str) -> None:
    """One copy in front of the loop; what is inserted goes there."""
    body = f'%s = tensor.extract_slice %o[{offset}] [4] [1] : !v to !h loc("s")\n{UPDATE}'
    a = analyse(forall(body, INSERT) + READ)
    assert a["p0#1"].startswith(f"{COPY} write=p0#1 read=s#0")
    assert a["forall#0"] == "in-place"
    assert "PARALLEL" in a["x#1"] or "PARALLEL" in a["s#0"] or COPY in a["x#1"] or COPY in a["s#0"]


def test_a_whole_output_is_read_from_the_old_buffer() -> None:
    a = analyse(forall(OWN + UPDATE + '%e = tensor.extract %o[%i] : !v loc("e")', INSERT) + READ)
    assert a["p0#1"] == f"{COPY} write=p0#1 read=e#0 value=forall^1"


def test_one_element_of_the_slice_is_within_it() -> None:
    a = analyse(forall(OWN + UPDATE, INSERT).replace(OWN, OWN + "%e = tensor.extract %o[%k] : !v\n") + READ)
    assert a.not_in_place == {}


def test_a_read_after_the_update_in_the_same_thread() -> None:
    """Within one thread the usual order counts: the slice is read again when it was changed."""
    again = '%q = tensor.extract %o[%k] : !v loc("q")\n'
    a = analyse(forall(OWN + again + UPDATE, INSERT) + READ)
    assert a.not_in_place == {}
    a = analyse(forall(OWN + UPDATE + again, INSERT) + READ)
    assert list(a.not_in_place) == ["x#1"] or list(a.not_in_place) == ["s#0"]


def test_the_initial_value_itself_is_read_by_threads() -> None:
    own = OWN.replace("%o", "%t").replace("%s", "%q").replace('"s"', '"q"') + "%e = tensor.extract %q[%i] : !h\n"
    a = analyse(forall(own + OWN + UPDATE, INSERT) + READ)
    assert a.not_in_place == {}
    other = '%e = tensor.extract %t[%i] : !v loc("e")\n'
    a = analyse(forall(other + OWN + UPDATE, INSERT) + READ)
    assert a.not_in_place == {"forall#0": f"{COPY} write=x#1 read=e#0 value=t"}


def test_the_same_slice_in_all_threads_keeps_nothing_apart() -> None:
    """Only what is inserted is written there, and what is read of it may be another thread's."""
    body = '%s = tensor.extract_slice %o[0] [4] [1] : !v to !h loc("s")\n' + UPDATE
    a = analyse(forall(body, "%x into %o[0] [4] [1] : !h into !v") + READ)
    assert a["p0#1"].startswith(f"{COPY} write=p0#1 read=s#0")


SAME = '%s = tensor.extract_slice %o[0] [4] [1] : !v to !h loc("s")\n'
FILL = '%x = linalg.fill ins(%f : f32) outs(%s : !h) -> !h loc("x")\n'


def test_what_threads_only_insert_is_written_where_all_of_them_insert() -> None:
    """Nothing in the loop reads it, and afterwards each element is what some thread wrote last."""
    a = analyse(forall(SAME + FILL, "%x into %o[0] [4] [1] : !h into !v") + READ)
    assert a.not_in_place == {}
    assert a.redundant == {"p0#1"}


@pytest.mark.parametrize(
    "after",
    [
        '%e = tensor.extract %x[%i] : !h loc("e")\n',
        '%y = linalg.exp ins(%x : !h) outs(%x : !h) -> !h loc("y")\n',
        "%c = tensor.cast %x : !h to tensor<?xf32>\n",
    ],
)
def test_what_a_thread_reads_again_is_not_written_where_all_of_them_insert(after: str) -> None:
    """Another thread may have written there in between."""
    a = analyse(forall(SAME + FILL + after, "%x into %o[0] [4] [1] : !h into !v") + READ)
    assert "PARALLEL" in "".join(a.costs)


def test_what_lies_outside_of_the_inserted_slice_stays() -> None:
    """%y is written to another place than the one that is inserted, so what is left of the output would change."""
    other = """
      %q = tensor.extract_slice %o[%i] [4] [1] : !v to !h loc("q")
      %y = linalg.fill ins(%f : f32) outs(%q : !h) -> !h loc("y")
      %e = tensor.extract %y[%j] : !h
    """
    a = analyse(forall(other + OWN + UPDATE, INSERT) + READ)
    assert set(a.not_in_place) <= {"q#0", "y#1"}
    assert len(a.not_in_place) == 1


def test_threads_race_for_memory_even_if_nobody_reads_the_output() -> None:
    other = """
      %q = tensor.extract_slice %o[%i] [4] [1] : !v to !h loc("q")
      %y = linalg.fill ins(%f : f32) outs(%q : !h) -> !h loc("y")
      %e = tensor.extract %y[%j] : !h
    """
    a = analyse(forall(other, ""))
    assert [text.partition(" ")[2].split()[0] for text in a.costs] == ["PARALLEL"]


def test_an_output_without_insertions_stays_as_it_is() -> None:
    a = analyse(forall(OWN + UPDATE + "%e = tensor.extract %x[%i] : !h", "") + READ)
    assert a["forall#0"] == "in-place"
    assert len(a.not_in_place) == 1
    assert set(a.not_in_place) <= {"s#0", "x#1"}


def test_two_outputs_that_get_the_same() -> None:
    """They start as one tensor, and the same is inserted at the same place: they stay in one buffer."""
    text = forall(OWN + UPDATE, f"{INSERT}\n%x into %q[%k] [4] [1] : !h into !v", "%o = %t, %q = %t")
    a = analyse(text + READ + "%z = tensor.extract %l#1[%i] : !v")
    assert a.not_in_place == {}
    assert a.redundant == {"p0#1", "p1#1"}


@pytest.mark.parametrize("inserted", ["%s into %q[%k]", "%x into %q[%m]"])
def test_two_outputs_that_start_in_one_buffer(inserted: str) -> None:
    body = OWN + UPDATE + "%m = arith.subi %c4, %k : index"
    text = forall(body, f"{INSERT}\n{inserted} [4] [1] : !h into !v", "%o = %t, %q = %t")
    a = analyse(text + READ + "%z = tensor.extract %l#1[%i] : !v")
    assert len([place for place in a.not_in_place if place.startswith("forall")]) == 1


def test_two_outputs_in_one_buffer_of_which_one_is_not_read() -> None:
    """What the other insertion leaves there would be what is read; nothing says which of the two comes last."""
    text = forall(OWN + UPDATE, f"{INSERT}\n%s into %q[%k] [4] [1] : !h into !v", "%o = %t, %q = %t")
    a = analyse(text + READ)
    assert len([place for place in a.not_in_place if place.startswith("forall")]) == 1


def test_two_insertions_into_one_output() -> None:
    halves = """
      %s = tensor.extract_slice %o[%k] [2] [1] : !v to tensor<2xf32> loc("s")
      %x = tensor.insert %f into %s[%i] : tensor<2xf32> loc("x")
      %m = arith.addi %k, %c2 : index
      %q = tensor.extract_slice %o[%m] [2] [1] : !v to tensor<2xf32> loc("q")
      %y = tensor.insert %f into %q[%i] : tensor<2xf32> loc("y")
    """
    inserted = """
      %x into %o[%k] [2] [1] : tensor<2xf32> into !v
      %y into %o[%m] [2] [1] : tensor<2xf32> into !v
    """
    a = analyse(forall(halves, inserted) + READ)
    assert a.not_in_place == {}
    assert a.redundant == {"p0#1", "p1#1"}


NESTED = """
  %l2 = scf.forall (%m) in (4) shared_outs(%o2 = %s) -> (!h) {
    %s2 = tensor.extract_slice %o2[%m] [1] [1] : !h to tensor<1xf32> loc("s2")
    %x2 = tensor.insert %f into %s2[%c0] : tensor<1xf32> loc("x2")
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %x2 into %o2[%m] [1] [1] : tensor<1xf32> into !h loc("q0")
    }
  } loc("inner")
"""


def test_nested_loops_work_in_one_buffer() -> None:
    a = analyse(forall(OWN + NESTED, INSERT.replace("%x", "%l2")) + READ)
    assert a.not_in_place == {}
    assert a.redundant == {"p0#1", "q0#1"}


def test_a_nested_loop_whose_slice_is_not_inserted_works_on_a_copy() -> None:
    own = OWN.replace("%o[%k]", "%t[%k]")
    a = analyse(forall(own + NESTED, INSERT.replace("%x", "%l2"), "%o = %u") + READ)
    assert [place for place, text in a.not_in_place.items() if "PARALLEL" in text] == ["s#0"]


def test_a_sequential_loop_in_a_thread() -> None:
    body = """
      %x = scf.for %m = %c0 to %c4 step %c1 iter_args(%b = %s) -> (!h) {
        %w = tensor.insert %f into %b[%m] : !h loc("w")
        scf.yield %w : !h
      } loc("for")
    """
    a = analyse(forall(OWN + body, INSERT) + READ)
    assert a.not_in_place == {}


def test_a_loop_in_a_thread_reads_the_slice_again() -> None:
    """The thread's own earlier iteration changed it."""
    body = """
      scf.for %m = %c0 to %c4 step %c1 {
        %s = tensor.extract_slice %o[%k] [4] [1] : !v to !h loc("s")
        %w = tensor.insert %f into %s[%m] : !h loc("w")
        %e = tensor.extract %w[%j] : !h
      }
      %x = tensor.splat %f : !h
    """
    a = analyse(forall(body, INSERT) + READ)
    assert len(a.not_in_place) == 1
    assert set(a.not_in_place) <= {"w#1", "s#0"}


def test_threads_of_a_loop_that_runs_again() -> None:
    """What is carried is the output of one forall and the start of the next."""
    inner = forall(OWN + UPDATE, INSERT, "%o = %b")
    a = analyse(f"%z = scf.for %m = %c0 to %n step %c1 iter_args(%b = %t) -> (!v) {{\n{inner}\nscf.yield %l#0 : !v\n}}")
    assert a.not_in_place == {}


def test_a_value_from_outside_of_the_outer_loop_is_read_by_the_threads_of_its_next_iteration() -> None:
    """The slices of one forall are apart; those of two are not."""
    own = '%q = tensor.extract_slice %t[%k] [4] [1] : !v to !h loc("q")\n%e = tensor.extract %q[%i] : !h\n'
    inner = forall(own + OWN + UPDATE, INSERT, "%o = %t")
    a = analyse(f"scf.for %m = %c0 to %n step %c1 {{\n{inner}\n{READ}\n}}")
    assert list(a.not_in_place) == ["forall#0"]


def test_threads_write_buffers_of_their_own() -> None:
    body = '%e = tensor.splat %f : !h\n%x = tensor.insert %f into %e[%i] : !h loc("x")'
    assert analyse(forall(body, INSERT) + READ).not_in_place == {}
    shared = '%x = tensor.insert %f into %h[%i] : !h loc("x")'
    a = analyse("%h = tensor.splat %f : !h\n" + forall(shared, INSERT) + READ)
    assert list(a.not_in_place) == ["x#1"]


def test_a_loop_without_outputs_only_reads() -> None:
    a = analyse(forall("%e = tensor.extract %t[%k] : !v", "", "") + '%w = tensor.insert %f into %t[%i] : !v loc("w")')
    assert a.not_in_place == {}


def test_a_constant_is_not_inserted_into() -> None:
    text = "%t0 = arith.constant dense<1.0> : !v\n" + forall(OWN + UPDATE, INSERT, "%o = %t0") + READ
    assert list(analyse(text).not_in_place) == ["forall#0"]


def test_copy_before_write_copies_in_front_of_the_loop() -> None:
    a = analyse_module(function(forall(OWN + UPDATE, INSERT) + READ), copy_before_write=True)
    assert a["p0#1"] == "copy: COPY_BEFORE_WRITE write=p0#1"


@pytest.mark.parametrize(("other", "in_place"), [("%i", True), ("%j", False), ("0", False)])
def test_an_elementwise_op_reads_and_writes_one_slice_by_two_names(other: str, in_place: bool) -> None:
    """Each element is read before it is written, whatever the slice is called."""
    a = analyse(f"""
      %s = tensor.extract_slice %t[%i] [4] [1] : !v to !h loc("s")
      %q = tensor.extract_slice %t[{other}] [4] [1] : !v to !h loc("q")
      %x = linalg.mul ins(%q, %s : !h, !h) outs(%s : !h) -> !h loc("x")
      %r = tensor.extract %x[%c0] : !h
    """)
    assert (a.not_in_place == {}) == in_place
    assert set(a.not_in_place) <= {"s#0", "q#0", "x#2"}


@pytest.mark.parametrize(("bounds", "refused"), [("(%k) in (1)", []), ("(%k) in (2)", ["PARALLEL"])])
def test_one_thread_writes_more_than_it_inserts_elsewhere(bounds: str, refused: list[str]) -> None:
    """Memory from outside of the loop that no output is."""
    body = '%x = tensor.insert %f into %u[%c0] : !v loc("x")\n'
    body += "%s = tensor.extract_slice %x[%k] [1] [1] : !v to tensor<1xf32>"
    inserted = "%s into %o[%k] [1] [1] : tensor<1xf32> into !v"
    a = analyse(forall(body, inserted, bounds=bounds))
    assert [cost.split()[1] for cost in a.costs] == refused


@pytest.mark.parametrize(("bounds", "copies"), [("(%k) in (1)", 0), ("(%k) in (2)", 1)])
def test_one_thread_reads_before_it_inserts(bounds: str, copies: int) -> None:
    body = """
      %e = tensor.extract %o[%c1] : !v
      %x = tensor.from_elements %e : tensor<1xf32>"""
    a = analyse(forall(body, "%x into %o[%k] [1] [1] : tensor<1xf32> into !v", bounds=bounds) + READ)
    assert len(a.not_in_place) == copies


def test_one_thread_destroys_what_it_does_not_insert() -> None:
    """All of the output is written, but half of it inserted: the rest is what it was."""
    body = """
      %x = linalg.fill ins(%f : f32) outs(%o : !v) -> !v loc("x")
      %s = tensor.extract_slice %x[0] [4] [1] : !v to !h"""
    a = analyse(forall(body, "%s into %o[0] [4] [1] : !h into !v", bounds="(%k) in (1)") + READ)
    assert len(a.not_in_place) == 1
    a = analyse(forall(body.replace("%o", "%u"), "%s into %o[0] [4] [1] : !h into !v", bounds="(%k) in (1)") + READ)
    assert a.not_in_place == {}


@pytest.mark.parametrize(
    ("bounds", "size", "costs"),
    [("(%k) in (1)", 4, 0), ("(%k) in (2)", 4, 2), ("(%k) in (1)", 8, 0), ("(%k) in (2)", 8, 2)],
)
def test_what_one_thread_computes_offsets_from_is_known(bounds: str, size: int, costs: int) -> None:
    """It inserts the very slice that it updated, or the whole output; of two threads one inserts it elsewhere."""
    type_ = f"tensor<{size}xf32>"
    body = f"""
      %at = arith.muli %k, %c4 : index
      %s = tensor.extract_slice %o[%k] [{size}] [1] : !v to {type_}
      %x = tensor.insert %f into %s[%c0] : {type_}"""
    a = analyse(forall(body, f"%x into %o[%at] [{size}] [1] : {type_} into !v", bounds=bounds) + READ)
    assert len(a.costs) == costs
