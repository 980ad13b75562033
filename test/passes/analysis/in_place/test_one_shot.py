"""The rules of the in-place analysis in straight-line code, each with a program it allows and one it refuses."""

from __future__ import annotations

import gc

import pytest
from analysed import analyse, analyse_module, function

from mlir_inplace.passes.analysis.conflicts.alias_sets import AliasSets


def generic(
    maps: str, operands: str, result: str, *, iterators: str = "parallel", inputs: int = 1, reads: int = 0
) -> str:
    """A linalg.generic with one init, whose payload doubles argument number `reads`."""
    arguments = ", ".join(f"%arg{number}: f32" for number in range(inputs + 1))
    names = ", ".join(f'"{name}"' for name in iterators.split())
    return f"""
      %g = linalg.generic {{indexing_maps = [{maps}], iterator_types = [{names}]}} {operands} {{
        ^bb0({arguments}):
          %sum = arith.addf %arg{reads}, %arg{reads} : f32
          linalg.yield %sum : f32
      }} -> {result} loc("g")
    """


# --- reads after writes ----------------------------------------------------------------------------------------------


def test_a_value_read_after_the_write_is_copied() -> None:
    a = analyse("""
      %w = tensor.insert %f into %t[%i] : !v loc("w")
      %r = tensor.extract %t[%j] : !v loc("r")
    """)
    assert a.not_in_place == {"w#1": "copy: READ_AFTER_WRITE write=w#1 read=r#0 value=t"}


def test_a_value_read_before_the_write_may_be_overwritten() -> None:
    a = analyse("""
      %r = tensor.extract %t[%j] : !v loc("r")
      %w = tensor.insert %f into %t[%i] : !v loc("w")
    """)
    assert a["w#1"] == "in-place"


def test_only_the_first_of_a_chain_of_writes_is_copied() -> None:
    a = analyse("""
      %w = tensor.insert %f into %t[%i] : !v loc("w")
      %x = tensor.insert %f into %w[%j] : !v loc("x")
      %r = tensor.extract %t[%j] : !v loc("r")
      return %x : !v
    """)
    assert a.not_in_place == {"w#1": "copy: READ_AFTER_WRITE write=x#1 read=r#0 value=t"}


def test_returning_a_value_reads_it() -> None:
    a = analyse("""
      %w = tensor.insert %f into %t[%i] : !v loc("w")
      return %t : !v loc("r")
    """)
    assert a.not_in_place == {"w#1": "copy: READ_AFTER_WRITE write=w#1 read=r#0 value=t"}


def test_the_later_of_two_updates_of_one_value_is_in_place() -> None:
    a = analyse("""
      %w = tensor.insert %f into %t[%i] : !v loc("w")
      %x = tensor.insert %f into %t[%i] : !v loc("x")
      return %w, %x : !v, !v loc("r")
    """)
    assert a.not_in_place == {"w#1": "copy: READ_AFTER_WRITE write=x#1 read=r#0 value=w"}


def test_asking_for_the_size_reads_nothing() -> None:
    a = analyse(
        """
      %w = tensor.insert %f into %t[%i] : !d loc("w")
      %r = tensor.dim %t, %c0 : !d
    """,
        "%t: !d, %f: f32, %i: index",
    )
    assert a["w#1"] == "in-place"


def test_a_view_nobody_reads_keeps_nothing_alive() -> None:
    body = """
      %s = tensor.extract_slice %t[0] [4] [1] : !v to !h loc("s")
      %w = tensor.insert %f into %t[%i] : !v loc("w")
    """
    a = analyse(body)
    assert (a["s#0"], a["w#1"]) == ("in-place", "in-place")
    a = analyse(body + '%r = tensor.extract %s[%j] : !h loc("r")')
    assert a.not_in_place == {"s#0": "copy: READ_AFTER_WRITE write=w#1 read=r#0 value=s"}


def test_what_is_overwritten_unread_is_allocated_but_not_copied() -> None:
    a = analyse("""
      %w = linalg.fill ins(%f : f32) outs(%t : !v) -> !v loc("w")
      %r = tensor.extract %t[%j] : !v loc("r")
    """)
    assert a.not_in_place == {"w#1": "alloc: READ_AFTER_WRITE write=w#1 read=r#0 value=t"}


def test_copies_are_avoided_before_allocations() -> None:
    """Either write could be in place. The fill is decided last, as it needs no copy when it is refused."""
    a = analyse("""
      %w = tensor.insert %f into %t[%i] : !v loc("w")
      %x = linalg.fill ins(%f : f32) outs(%t : !v) -> !v loc("x")
      return %w, %x : !v, !v loc("r")
    """)
    assert a["w#1"] == "in-place"
    assert a.not_in_place == {"x#1": "alloc: READ_AFTER_WRITE write=x#1 read=r#0 value=w"}


# --- content that is not there ---------------------------------------------------------------------------------------


def test_undefined_content_is_never_copied() -> None:
    a = analyse("""
      %e = tensor.empty() : !v loc("e")
      %w = tensor.insert %f into %e[%i] : !v loc("w")
      %x = tensor.insert %f into %e[%i] : !v loc("x")
      return %w, %x : !v, !v loc("r")
    """)
    assert list(a.not_in_place.values()) == ["alloc: READ_AFTER_WRITE write=x#1 read=r#0 value=w"]


def test_a_view_of_undefined_content_is_undefined_too() -> None:
    a = analyse("""
      %e = tensor.empty() : !v loc("e")
      %s = tensor.extract_slice %e[0] [4] [1] : !v to !h loc("s")
      %w = tensor.insert %f into %s[%i] : !h loc("w")
      %x = tensor.insert %f into %s[%i] : !h loc("x")
      return %w, %x : !h, !h loc("r")
    """)
    assert list(a.not_in_place.values()) == ["alloc: READ_AFTER_WRITE write=x#1 read=r#0 value=w"]


def test_what_was_inserted_into_undefined_content_is_copied() -> None:
    a = analyse("""
      %e = tensor.empty() : !v loc("e")
      %w = tensor.insert %f into %e[%i] : !v loc("w")
      %x = tensor.insert %f into %w[%j] : !v loc("x")
      return %w, %x : !v, !v loc("r")
    """)
    assert a.not_in_place == {"x#1": "copy: READ_AFTER_WRITE write=x#1 read=r#0 value=w"}


@pytest.mark.parametrize(("init", "in_place"), [("%y", True), ("%h", True), ("%other", True), ("%shifted", False)])
def test_an_elementwise_op_may_read_a_reshape_of_its_init(init: str, in_place: bool) -> None:
    """%y is %h under another shape and back; %shifted holds some of the same elements, at other places."""
    a = analyse(
        f"""
      %h = tensor.extract_slice %t[0] [4] [1] : !v to !h loc("h")
      %shifted = tensor.extract_slice %t[2] [4] [1] : !v to !h loc("shifted")
      %x = tensor.expand_shape %h [[0, 1]] output_shape [2, 2] : !h into tensor<2x2xf32> loc("x")
      %y = tensor.collapse_shape %x [[0, 1]] : tensor<2x2xf32> into !h loc("y")
      %other = tensor.collapse_shape %x [[0, 1]] : tensor<2x2xf32> into !h
      %g = linalg.exp ins(%y : !h) outs({init} : !h) -> !h loc("g")
      return %g : !h
    """,
        single_order=in_place,
    )
    # A copy of %h has no gaps, so that the second reshape copies nothing.
    assert a.not_in_place == ({} if in_place else {"x#0": "copy: READ_BY_WRITER write=g#1 read=g#0 value=y"})


# --- slices ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("written", "read", "in_place"),
    [
        ("0", "4", True),
        ("4", "0", True),
        ("0", "3", False),
        ("0", "%i", False),
        ("%i", "%i", False),
        ("%i", "%j", False),
    ],
)
def test_disjoint_slices_do_not_conflict(written: str, read: str, in_place: bool) -> None:
    a = analyse(f"""
      %h = tensor.empty() : !h
      %s = tensor.extract_slice %t[{read}] [4] [1] : !v to !h loc("s")
      %w = tensor.insert_slice %h into %t[{written}] [4] [1] : !h into !v loc("w")
      %r = tensor.extract %s[%c0] : !h loc("r")
    """)
    assert a.not_in_place == ({} if in_place else {"s#0": "copy: READ_AFTER_WRITE write=w#1 read=r#0 value=s"})


@pytest.mark.parametrize(("distance", "in_place"), [(4, True), (3, False)])
def test_slices_at_offsets_with_a_known_distance_do_not_conflict(distance: int, in_place: bool) -> None:
    a = analyse(f"""
      %h = tensor.empty() : !h
      %a = affine.apply affine_map<(d0) -> (d0 * 4)>(%i)
      %b = affine.apply affine_map<(d0) -> (d0 * 4 + {distance})>(%i)
      %s = tensor.extract_slice %t[%a] [4] [1] : !v to !h loc("s")
      %w = tensor.insert_slice %h into %t[%b] [4] [1] : !h into !v loc("w")
      %r = tensor.extract %s[%c0] : !h loc("r")
    """)
    assert a.not_in_place == ({} if in_place else {"s#0": "copy: READ_AFTER_WRITE write=w#1 read=r#0 value=s"})


@pytest.mark.parametrize(("written", "read", "in_place"), [("%c0", "%c1", True), ("%c1", "%c1", False)])
def test_elements_are_slices(written: str, read: str, in_place: bool) -> None:
    a = analyse(f"""
      %w = tensor.insert %f into %t[{written}] : !v loc("w")
      %r = tensor.extract %t[{read}] : !v loc("r")
    """)
    assert a.not_in_place == ({} if in_place else {"w#1": "copy: READ_AFTER_WRITE write=w#1 read=r#0 value=t"})


@pytest.mark.parametrize(
    ("slice_", "in_place"),
    [("[%i] [4] [1]", True), ("[%j] [4] [1]", False), ("[%i] [4] [2]", False), ("[0] [4] [1]", False)],
)
def test_a_slice_may_be_worked_on_where_it_is_inserted_again(slice_: str, in_place: bool) -> None:
    a = analyse(f"""
      %s = tensor.extract_slice %t[%i] [4] [1] : !v to !h loc("s")
      %g = linalg.exp ins(%s : !h) outs(%s : !h) -> !h loc("g")
      %w = tensor.insert_slice %g into %t{slice_} : !h into !v loc("w")
      return %w : !v
    """)
    assert a.not_in_place == ({} if in_place else {"g#1": "alloc: READ_BY_WRITER write=w#1 read=w#0 value=g"})
    assert a.redundant == ({"w#1"} if in_place else set())


@pytest.mark.parametrize(("offset", "in_place"), [("1", True), ("0", True), ("2", True), ("3", False), ("%i", False)])
def test_what_will_be_overwritten_completely_may_be_destroyed(offset: str, in_place: bool) -> None:
    a = analyse(f"""
      %h = tensor.empty() : !h
      %s = tensor.extract_slice %t[{offset}] [2] [1] : !v to tensor<2xf32> loc("s")
      %g = linalg.exp ins(%s : tensor<2xf32>) outs(%s : tensor<2xf32>) -> tensor<2xf32> loc("g")
      %w = tensor.insert_slice %h into %t[0] [4] [1] : !h into !v loc("w")
      return %w : !v
    """)
    assert a.not_in_place == ({} if in_place else {"g#1": "alloc: READ_AFTER_WRITE write=g#1 read=w#1 value=t"})


@pytest.mark.parametrize(
    ("second", "offset", "refused"), [("%a", "2", None), ("%a", "1", "b#0"), ("%c", "0", None), ("%t", "3", "w#1")]
)
def test_slices_of_slices_are_compared_in_the_tensor_they_share(second: str, offset: str, refused: str | None) -> None:
    """%a is elements 0..3 of %t, %b its first two, %c elements 4..7 of %t; %d two more of one of them."""
    type_ = "!v" if second == "%t" else "!h"
    a = analyse(f"""
      %a = tensor.extract_slice %t[0] [4] [1] : !v to !h loc("a")
      %b = tensor.extract_slice %a[0] [2] [1] : !h to tensor<2xf32> loc("b")
      %c = tensor.extract_slice %t[4] [4] [1] : !v to !h loc("c")
      %d = tensor.extract_slice {second}[{offset}] [2] [1] : {type_} to tensor<2xf32> loc("d")
      %w = tensor.insert %f into %b[%i] : tensor<2xf32> loc("w")
      %r = tensor.extract %d[%j] : tensor<2xf32> loc("r")
    """)
    assert list(a.not_in_place) == ([] if refused is None else [refused])
    assert all("READ_AFTER_WRITE write=w#1 read=r#0 value=d" in text for text in a.not_in_place.values())


def test_a_slice_of_a_reshaped_tensor_may_be_anywhere_in_it() -> None:
    a = analyse("""
      %e = tensor.expand_shape %t [[0, 1]] output_shape [2, 4] : !v into tensor<2x4xf32> loc("e")
      %w = tensor.insert %f into %e[%c1, %c0] : tensor<2x4xf32> loc("w")
      %r = tensor.extract %t[%c0] : !v loc("r")
    """)
    assert a.not_in_place == {"e#0": "copy: READ_AFTER_WRITE write=w#1 read=r#0 value=t"}


def test_a_reshaped_tensor_may_be_written_when_it_is_read_no_more() -> None:
    a = analyse("""
      %r = tensor.extract %t[%c0] : !v
      %e = tensor.expand_shape %t [[0, 1]] output_shape [2, 4] : !v into tensor<2x4xf32> loc("e")
      %w = tensor.insert %f into %e[%c1, %c0] : tensor<2x4xf32> loc("w")
    """)
    assert (a["e#0"], a["w#1"]) == ("in-place", "in-place")


# --- one op reads and writes -----------------------------------------------------------------------------------------


def test_an_op_may_overwrite_the_element_it_reads() -> None:
    a = analyse(generic("#id, #id", "ins(%t : !v) outs(%t : !v)", "!v"))
    assert a["g#1"] == "in-place"


def test_an_op_may_not_overwrite_elements_it_reads_later() -> None:
    text = generic("#swap, #id2", "ins(%m : !m) outs(%m : !m)", "!m", iterators="parallel parallel")
    a = analyse(text, '%m: !m loc("m")')
    assert a.not_in_place == {"g#1": "alloc: READ_BY_WRITER write=g#1 read=g#0 value=m"}


def test_equal_maps_do_not_help_when_they_come_back_to_an_element() -> None:
    """Every iteration of a row reads and writes its first element."""
    first = "affine_map<(d0, d1) -> (d0, 0)>"
    text = generic(
        f"{first}, #id2, {first}", "ins(%m, %x : !m, !m) outs(%m : !m)", "!m", iterators="parallel parallel", inputs=2
    )
    a = analyse(text, '%m: !m loc("m"), %x: !m')
    assert a.not_in_place == {"g#2": "copy: READ_BY_WRITER write=g#2 read=g#0 value=m"}


def test_a_reduction_may_not_overwrite_its_input() -> None:
    a = analyse('%g = linalg.matmul ins(%m, %k : !m, !m) outs(%m : !m) -> !m loc("g")', '%m: !m loc("m"), %k: !m')
    assert a.not_in_place == {"g#2": "copy: READ_BY_WRITER write=g#2 read=g#0 value=m"}


def test_elementwise_needs_the_same_type() -> None:
    """%d is %t under another type; its buffer might have been cast on the way, and that is not looked into."""
    a = analyse('%d = tensor.cast %t : !v to !d loc("d")' + generic("#id, #id", "ins(%d : !d) outs(%t : !v)", "!v"))
    assert a.not_in_place == {"g#1": "alloc: READ_BY_WRITER write=g#1 read=g#0 value=d"}


@pytest.mark.parametrize(("offset", "in_place"), [(4, True), (2, False), (0, True)])
def test_elementwise_on_another_slice_is_in_place_if_they_are_disjoint_or_the_same(offset: int, in_place: bool) -> None:
    a = analyse(
        f"""
      %a = tensor.extract_slice %t[0] [4] [1] : !v to !h loc("a")
      %b = tensor.extract_slice %t[{offset}] [4] [1] : !v to !h loc("b")
    """
        + generic("#id, #id", "ins(%a : !h) outs(%b : !h)", "!h")
    )
    assert a.not_in_place == ({} if in_place else {"b#0": "alloc: READ_BY_WRITER write=g#1 read=g#0 value=a"})


TWO_RESULTS = """
  %g:2 = linalg.generic {{indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}}
      ins(%h : !h) outs({}, {} : !h, !h) {{
    ^bb0(%x: f32, %y: f32, %z: f32):
      linalg.yield %x, %x : f32, f32
  }} -> (!h, !h) loc("g")
"""


@pytest.mark.parametrize("read", ["%g#0", "%g#1"])
def test_one_op_does_not_write_two_results_to_one_place(read: str) -> None:
    a = analyse(TWO_RESULTS.format("%k", "%k") + f"%r = tensor.extract {read}[%c0] : !h", "%h: !h, %k: !h")
    assert a.not_in_place == {"g#2": "alloc: WRITTEN_TWICE write=g#2 read=g#1"}


def test_one_op_may_write_two_results_to_one_place_if_nobody_reads_them() -> None:
    overwritten = "%r = linalg.fill ins(%f : f32) outs(%g#0 : !h) -> !h\nreturn %r : !h"
    assert analyse(TWO_RESULTS.format("%k", "%k") + overwritten, "%h: !h, %k: !h, %f: f32").not_in_place == {}


UNREAD = """
  %a = tensor.extract_slice %t[0] [4] [1] : !v to !h loc("a")
  %b = tensor.extract_slice %t[1] [4] [1] : !v to !h loc("b")
  %e = tensor.empty() : !h
  %g:3 = linalg.generic {{indexing_maps = [{}, #id, #id], iterator_types = ["parallel"]}}
      outs({}, %b, %e : !h, !h, !h) {{
    ^bb0(%x: f32, %y: f32, %z: f32):
      linalg.yield %f, %f, %y : f32, f32, f32
  }} -> (!h, !h, !h) loc("g")
  return %g#2 : !h
"""


@pytest.mark.parametrize(
    ("map_", "out", "in_place"),
    [("#id", "%b", True), ("affine_map<(i) -> (3 - i)>", "%b", False), ("#id", "%a", False)],
)
def test_what_the_op_reads_for_its_other_results_stays(map_: str, out: str, in_place: bool) -> None:
    """The third result is the old content of %b, an element of which the first result may be written over too early."""
    a = analyse(UNREAD.format(map_, out), "%t: !v, %f: f32")
    assert any("WRITTEN_TWICE" in cost for cost in a.costs) != in_place


@pytest.mark.parametrize(("size", "in_place"), [("1", True), ("2", False)])
def test_one_element_has_any_stride(size: str, in_place: bool) -> None:
    """Elements 0 and 4, or 0 only, and elements from 2 on."""
    a = analyse(
        f"""
      %s = tensor.extract_slice %t[0] [{size}] [4] : !v to tensor<{size}xf32> loc("s")
      %w = linalg.fill ins(%f : f32) outs(%s : tensor<{size}xf32>) -> tensor<{size}xf32>
      %r = tensor.extract_slice %t[2] [%i] [1] : !v to !d loc("r")
      "test.keep"(%w) : (tensor<{size}xf32>) -> ()
      %x = tensor.extract %r[%c0] : !d
    """,
        EIGHT,
        allow_unknown=True,
    )
    assert (a.not_in_place == {}) == in_place


@pytest.mark.parametrize(("size", "in_place"), [("8", True), ("4", False)])
def test_a_thread_may_insert_all_of_what_it_sees(size: str, in_place: bool) -> None:
    """A slice of 8 elements of 8 is all of them, whatever its offset is called."""
    a = analyse(
        f"""
      %r = scf.forall (%k) in (1) shared_outs(%a = %t) -> (!v) {{
        %s = tensor.extract_slice %a[0] [{size}] [1] : !v to tensor<{size}xf32>
        scf.forall.in_parallel {{
          tensor.parallel_insert_slice %s into %a[%i] [{size}] [1] : tensor<{size}xf32> into !v
        }}
      }}
      return %r : !v
    """,
        EIGHT,
    )
    assert (a.not_in_place == {}) == in_place


@pytest.mark.parametrize(("offset", "in_place"), [(4, True), (3, False)])
def test_one_op_may_write_two_results_to_disjoint_slices(offset: int, in_place: bool) -> None:
    a = analyse(
        f"""
      %a = tensor.extract_slice %t[0] [4] [1] : !v to !h loc("a")
      %b = tensor.extract_slice %t[{offset}] [4] [1] : !v to !h loc("b")
    """
        + TWO_RESULTS.format("%a", "%b"),
        "%t: !v, %h: !h",
    )
    assert a.not_in_place == ({} if in_place else {"a#0": "alloc: WRITTEN_TWICE write=g#1 read=g#2"})


# --- writes of everything ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("write", "cost"),
    [
        ("tensor.insert_slice %u into %t[0] [8] [1] : !v into !v", "alloc"),
        ("tensor.insert_slice %h into %t[0] [4] [1] : !h into !v", "copy"),
        ("tensor.insert_slice %h into %t[0] [4] [2] : !h into !v", "copy"),
        ("tensor.insert_slice %d into %t[0] [%n] [1] : !d into !v", "copy"),
        ("vector.transfer_write %x, %t[%c0] : vector<8xf32>, !v", "alloc"),
        ("vector.transfer_write %x, %t[%c1] : vector<8xf32>, !v", "copy"),
        ("vector.transfer_write %x, %t[%i] : vector<8xf32>, !v", "copy"),
        ("vector.transfer_write %x, %t[%c0], %m : vector<8xf32>, !v", "copy"),
        ("vector.transfer_write %y, %t[%c0] : vector<4xf32>, !v", "copy"),
        ("bufferization.materialize_in_destination %u in %t : (!v, !v) -> !v", "alloc"),
    ],
)
def test_what_is_overwritten_completely_is_not_copied(write: str, cost: str) -> None:
    a = analyse(
        f'%w = {write} loc("w")\n%r = tensor.extract %t[%i] : !v loc("r")',
        "%u: !v, %h: !h, %d: !d, %x: vector<8xf32>, %y: vector<4xf32>, %m: vector<8xi1>, %n: index, %i: index, "
        '%t: !v loc("t")',
    )
    assert a.not_in_place == {"w#1": f"{cost}: READ_AFTER_WRITE write=w#1 read=r#0 value=t"}


@pytest.mark.parametrize(("slice_", "redundant"), [("[0] [8] [1]", True), ("[0] [%n] [1]", False)])
def test_a_slice_of_everything_is_the_tensor_itself(slice_: str, redundant: bool) -> None:
    type_ = "!v" if redundant else "!d"
    a = analyse(f"""
      %s = tensor.extract_slice %t{slice_} : !v to {type_} loc("s")
      %c = tensor.cast %s : {type_} to !v loc("c")
      %m = bufferization.materialize_in_destination %c in %t : (!v, !v) -> !v loc("m")
      return %m : !v
    """)
    assert a.redundant == ({"m#1"} if redundant else set())


def test_elementwise_ops_compute_over_their_first_operand() -> None:
    a = analyse('%w = arith.addf %t, %u : !v loc("w")\nreturn %w, %u : !v, !v')
    assert a["w#0"] == "in-place"
    a = analyse('%w = arith.addf %t, %u : !v loc("w")\nreturn %w, %t : !v, !v loc("r")')
    assert a.not_in_place == {"w#0": "alloc: READ_AFTER_WRITE write=w#0 read=r#1 value=t"}


# --- inits that keep content -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("reads", "cost"), [(1, "copy"), (0, "alloc")])
def test_the_init_is_copied_if_the_payload_reads_it(reads: int, cost: str) -> None:
    a = analyse(
        generic("#id, #id", "ins(%u : !v) outs(%t : !v)", "!v", reads=reads)
        + '%r = tensor.extract %t[%i] : !v loc("r")'
    )
    assert a.not_in_place == {"g#1": f"{cost}: READ_AFTER_WRITE write=g#1 read=r#0 value=t"}


@pytest.mark.parametrize(
    ("output", "cost"), [("(d0, d1)", "alloc"), ("(d1, d0)", "alloc"), ("(d0, 0)", "copy"), ("(d0, d0)", "copy")]
)
def test_the_init_is_copied_where_the_output_map_misses_elements(output: str, cost: str) -> None:
    maps = f"#id2, affine_map<(d0, d1) -> {output}>"
    a = analyse(
        generic(maps, "ins(%x : !m) outs(%m : !m)", "!m", iterators="parallel parallel")
        + '%r = tensor.extract %m[%i, %i] : !m loc("r")',
        '%m: !m loc("m"), %x: !m, %i: index',
    )
    assert a.not_in_place == {"g#1": f"{cost}: READ_AFTER_WRITE write=g#1 read=r#0 value=m"}


@pytest.mark.parametrize(("size", "cost"), [("3", "alloc"), ("0", "copy"), ("?", "copy")])
def test_the_init_is_copied_if_a_reduction_may_run_zero_times(size: str, cost: str) -> None:
    input_ = f"tensor<4x{size}xf32>"
    a = analyse(
        generic("#id2, #row", f"ins(%x : {input_}) outs(%h : !h)", "!h", iterators="parallel reduction")
        + '%r = tensor.extract %h[%i] : !h loc("r")',
        f'%h: !h loc("h"), %x: {input_}, %i: index',
    )
    assert a.not_in_place == {"g#1": f"{cost}: READ_AFTER_WRITE write=g#1 read=r#0 value=h"}


# --- buffers that must not be written --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("definition", "in_place"),
    [
        ('%x = arith.constant dense<1.0> : !v loc("x")', False),
        ('%x = bufferization.to_tensor %b restrict : memref<8xf32> to !v loc("x")', False),
        ('%x = bufferization.to_tensor %b restrict writable : memref<8xf32> to !v loc("x")', True),
        ('%x = tensor.splat %f : !v loc("x")', True),
        ('%x = bufferization.alloc_tensor() : !v loc("x")', True),
    ],
)
def test_who_says_that_a_buffer_may_be_written(definition: str, in_place: bool) -> None:
    a = analyse(
        f"""
      {definition}
      %w = linalg.fill ins(%f : f32) outs(%x : !v) -> !v loc("w")
    """,
        "%b: memref<8xf32>, %f: f32",
    )
    assert a["w#1"] == ("in-place" if in_place else "alloc: NOT_WRITABLE write=w#1 value=x")


def test_a_constant_nobody_reads_must_not_be_written_either() -> None:
    a = analyse("""
      %k = arith.constant dense<1.0> : !v loc("k")
      %w = tensor.insert_slice %t into %k[0] [8] [1] : !v into !v loc("w")
    """)
    assert a.not_in_place == {"w#1": "alloc: NOT_WRITABLE write=w#1 value=k"}


@pytest.mark.parametrize(
    ("attributes", "boundaries", "in_place"),
    [
        ("", True, True),
        ("{bufferization.writable = true}", True, True),
        ("{bufferization.writable = false}", True, False),
        ("", False, False),
    ],
)
def test_arguments_may_be_written_unless_they_say_no(attributes: str, boundaries: bool, in_place: bool) -> None:
    a = analyse(
        '%w = tensor.insert %f into %t[%i] : !v loc("w")',
        f'%t: !v {attributes} loc("t"), %f: f32, %i: index',
        boundaries=boundaries,
    )
    assert a["w#1"] == ("in-place" if in_place else "copy: NOT_WRITABLE write=w#1 value=t")


def test_a_part_of_a_constant_must_not_be_written_either() -> None:
    a = analyse("""
      %k = arith.constant dense<1.0> : !v loc("k")
      %s = tensor.extract_slice %k[0] [4] [1] : !v to !h loc("s")
      %w = tensor.insert %f into %s[%i] : !h loc("w")
    """)
    assert a.not_in_place == {"s#0": "copy: NOT_WRITABLE write=w#1 value=k"}


# --- buffers that get out --------------------------------------------------------------------------------------------


def test_a_buffer_that_others_may_write_is_a_copy() -> None:
    a = analyse('%m = bufferization.to_buffer %t : !v to memref<8xf32> loc("m")')
    assert a.not_in_place == {"m#0": "copy: ESCAPES write=m#0 value=t"}


MADE = '%k = linalg.fill ins(%f : f32) outs(%e : !v) -> !v loc("k")\n'
HANDED_OUT = '%m = bufferization.to_buffer %k : !v to memref<8xf32> loc("m")\n'


def test_a_buffer_that_was_made_here_is_handed_out() -> None:
    a = analyse("%e = tensor.empty() : !v\n" + MADE + HANDED_OUT)
    assert a.not_in_place == {}


@pytest.mark.parametrize(
    ("later", "lost"),
    [
        ('%r = tensor.extract %k[%i] : !v loc("r")', "m#0"),
        ('%w = linalg.fill ins(%f : f32) outs(%k : !v) -> !v loc("w")', "w#1"),
        ('%w = tensor.insert %f into %k[%i] : !v loc("w")', "m#0"),
    ],
)
def test_a_buffer_that_was_handed_out_is_not_used_any_more(later: str, lost: str) -> None:
    """A read would see what others write, and what is written they would overwrite."""
    a = analyse("%e = tensor.empty() : !v\n" + MADE + HANDED_OUT + later)
    assert lost in a.not_in_place


@pytest.mark.parametrize(
    "made",
    [
        '%k = tensor.insert %f into %t[%i] : !v loc("k")\n',
        "%k = arith.constant dense<1.0> : !v\n",
        "%k = tensor.empty() : !v\n",
        "%k = bufferization.to_tensor %o restrict writable : memref<8xf32> to !v\n",
    ],
)
def test_memory_from_elsewhere_is_not_handed_out(made: str) -> None:
    """Of memory without content nothing else would say that it is in use."""
    a = analyse("%o = memref.alloc() : memref<8xf32>\n" + made + HANDED_OUT)
    assert "m#0" in a.not_in_place


def test_a_buffer_that_others_may_read_is_not_written_any_more() -> None:
    a = analyse("""
      %m = bufferization.to_buffer %t read_only : !v to memref<8xf32> loc("m")
      "test.keep"(%m) : (memref<8xf32>) -> ()
      %w = tensor.insert %f into %t[%i] : !v loc("w")
    """)
    assert a.not_in_place == {"w#1": "copy: READ_AFTER_WRITE write=w#1 read=m#0 value=t"}


def test_a_buffer_may_be_written_before_others_read_it() -> None:
    a = analyse("""
      %w = tensor.insert %f into %t[%i] : !v loc("w")
      %m = bufferization.to_buffer %w read_only : !v to memref<8xf32> loc("m")
      "test.keep"(%m) : (memref<8xf32>) -> ()
    """)
    assert (a["m#0"], a["w#1"]) == ("in-place", "in-place")


def test_a_buffer_that_is_only_loaded_from_may_be_written_after_the_last_load() -> None:
    read, write = '%r = memref.load %m[%i] : memref<8xf32> loc("r")', '%w = tensor.insert %f into %t[%i] : !v loc("w")'
    memref = '%m = bufferization.to_buffer %t read_only : !v to memref<8xf32> loc("m")'
    assert analyse("\n".join((memref, read, write))).not_in_place == {}
    a = analyse("\n".join((memref, write, read)))
    assert a.not_in_place == {"w#1": "copy: READ_AFTER_WRITE write=w#1 read=r#0 value=t"}


@pytest.mark.parametrize(
    ("use", "copied"),
    [
        ("%r = memref.load %m[%i] : memref<8xf32>", False),
        ("%r = vector.transfer_read %m[%i], %f : memref<8xf32>, vector<4xf32>", False),
        ("%r = memref.load %m[%i] : memref<8xf32>\nmemref.store %f, %m[%j] : memref<8xf32>", True),
        ("%v = memref.subview %m[0] [4] [1] : memref<8xf32> to memref<4xf32, strided<[1]>>", True),
        ('"test.keep"(%m) : (memref<8xf32>) -> ()', True),
    ],
)
def test_a_buffer_that_is_only_loaded_from_is_not_written(use: str, copied: bool) -> None:
    """Also if the op does not say so."""
    a = analyse(f"""
      %k = arith.constant dense<1.0> : !v loc("k")
      %m = bufferization.to_buffer %k : !v to memref<8xf32> loc("m")
      {use}
    """)
    assert a.not_in_place == ({"m#0": "copy: ESCAPES write=m#0 value=k"} if copied else {})


def test_what_is_only_loaded_later_is_read_then() -> None:
    a = analyse("""
      %m = bufferization.to_buffer %t : !v to memref<8xf32> loc("m")
      %w = tensor.insert %f into %t[%i] : !v loc("w")
      %r = memref.load %m[%i] : memref<8xf32> loc("r")
    """)
    assert a.not_in_place == {"w#1": "copy: READ_AFTER_WRITE write=w#1 read=r#0 value=t"}


# --- a choice of buffers ---------------------------------------------------------------------------------------------


def test_both_choices_of_a_select_are_kept_while_its_result_is_read() -> None:
    a = analyse("""
      %s = arith.select %p, %t, %u : !v loc("s")
      %w = tensor.insert %f into %t[%i] : !v loc("w")
      %r = tensor.extract %s[%j] : !v loc("r")
    """)
    assert a.costs == ["copy: READ_AFTER_WRITE write=w#1 read=r#0 value=s"]


def test_a_choice_is_not_written_while_one_of_its_candidates_is_read() -> None:
    a = analyse("""
      %s = arith.select %p, %t, %u : !v loc("s")
      %w = tensor.insert %f into %s[%i] : !v loc("w")
      %r = tensor.extract %u[%j] : !v loc("r")
    """)
    assert a.costs == ["copy: READ_AFTER_WRITE write=w#1 read=r#0 value=u"]


def test_candidates_of_one_choice_are_not_the_same_buffer() -> None:
    a = analyse("""
      %s = arith.select %p, %t, %u : !v loc("s")
      %r = tensor.extract %s[%j] : !v
      %w = tensor.insert %f into %t[%i] : !v loc("w")
      %x = tensor.extract %u[%j] : !v
    """)
    assert {a["s#1"], a["s#2"], a["w#1"]} == {"in-place"}


def test_two_choices_among_the_same_buffers_may_be_the_same() -> None:
    a = analyse(
        """
      %a = arith.select %p, %t, %u : !v loc("a")
      %b = arith.select %q, %t, %u : !v loc("b")
      %w = tensor.insert %f into %a[%i] : !v loc("w")
      %r = tensor.extract %b[%j] : !v loc("r")
    """,
        "%t: !v, %u: !v, %f: f32, %i: index, %j: index, %p: i1, %q: i1",
    )
    assert set(a.costs) == {"copy: READ_AFTER_WRITE write=w#1 read=r#0 value=b"}


CHOSEN = """
      %a = tensor.extract_slice %t[0] [4] [1] : !v to !h loc("a")
      %b = {other}
      %s = arith.select %p, %a, %b : !h loc("s")
      %x = tensor.cast %s : !h to !d loc("x")
      %y = tensor.cast %x : !d to !h loc("y")
      %g = linalg.generic {{indexing_maps = [#id, #id], iterator_types = ["parallel"]}}
        ins(%y : !h) outs(%a : !h) {{
      ^bb0(%in: f32, %out: f32):
        %z = arith.subf %out, %in : f32
        linalg.yield %z : f32
      }} -> !h loc("g")
      return %g : !h
"""


def test_a_choice_is_one_or_apart_behind_casts() -> None:
    a = analyse(CHOSEN.format(other='tensor.extract_slice %u[2] [4] [1] : !v to !h loc("b")'))
    assert a.costs == []


def test_a_choice_that_overlaps_is_copied_behind_casts() -> None:
    a = analyse(CHOSEN.format(other='tensor.extract_slice %t[2] [4] [1] : !v to !h loc("b")'))
    assert len(a.costs) == 1
    assert "READ_BY_WRITER" in a.costs[0]


# --- copies that are none --------------------------------------------------------------------------------------------


def test_materializing_into_the_buffer_that_holds_the_value_already() -> None:
    a = analyse("""
      %w = linalg.fill ins(%f : f32) outs(%t : !v) -> !v loc("w")
      %m = bufferization.materialize_in_destination %w in %t : (!v, !v) -> !v loc("m")
      return %m : !v
    """)
    assert (a["w#1"], a["m#1"]) == ("in-place", "in-place")
    assert a.redundant == {"m#1"}


def test_materializing_into_another_buffer() -> None:
    a = analyse("""
      %m = bufferization.materialize_in_destination %u in %t : (!v, !v) -> !v loc("m")
      return %m : !v
    """)
    assert a["m#1"] == "in-place"
    assert a.redundant == set()


@pytest.mark.parametrize(("offset", "redundant"), [(0, True), (2, False)])
def test_inserting_a_slice_where_it_is_writes_nothing(offset: int, redundant: bool) -> None:
    """%w overwrites what %s views, but only with what is there already."""
    a = analyse(f"""
      %s = tensor.extract_slice %t[0] [4] [1] : !v to !h loc("s")
      %w = tensor.insert_slice %s into %t[{offset}] [4] [1] : !h into !v loc("w")
      %r = tensor.extract %s[%i] : !h loc("r")
      return %w : !v
    """)
    assert a.not_in_place == ({} if redundant else {"s#0": "copy: READ_BY_WRITER write=w#1 read=w#0 value=s"})
    assert a.redundant == ({"w#1"} if redundant else set())


SWAP = """
  %m = tensor.empty() : !m
  %w = linalg.fill ins(%f : f32) outs(%m : !m) -> !m
  %x = tensor.extract_slice %w[{0}] : !m to {2} loc("x")
  %y = tensor.extract_slice %w[{1}] : !m to {2} loc("y")
  {3}
  %a = tensor.insert_slice %z into %w[{1}] : {2} into !m loc("a")
  %b = tensor.insert_slice %y into %a[{0}] : {2} into !m loc("b")
  %r = tensor.extract %b[%i, %j] : !m
"""


@pytest.mark.parametrize(
    ("places", "between", "in_place"),
    [
        # Two rows, two columns, two elements: if they are not apart they are one.
        (("%i, 0] [1, 4] [1, 1", "%j, 0] [1, 4] [1, 1", "!h"), "", True),
        (("0, %i] [4, 1] [1, 1", "0, %j] [4, 1] [1, 1", "!h"), "", True),
        (("%i, %j] [1, 1] [1, 1", "%j, %i] [1, 1] [1, 1", "tensor<1xf32>"), "", True),
        # Two rows each may overlap, and so may a row and a column.
        (("%i, 0] [2, 4] [1, 1", "%j, 0] [2, 4] [1, 1", "tensor<2x4xf32>"), "", False),
        (("%i, 0] [1, 4] [1, 1", "0, %j] [4, 1] [1, 1", "!h"), "", False),
        # What is computed of a row in its place changes the row.
        (
            ("%i, 0] [1, 4] [1, 1", "%j, 0] [1, 4] [1, 1", "!h"),
            "%z = linalg.exp ins(%x : !h) outs(%x : !h) -> !h",
            False,
        ),
    ],
)
def test_slices_that_are_one_or_apart_change_places_by_one_temporary(
    places: tuple[str, str, str], between: str, in_place: bool
) -> None:
    text = SWAP.format(*places, between)
    a = analyse(text if between else text.replace("%z", "%x"))
    assert (a.not_in_place.keys() == {"y#0"}) is in_place, a.not_in_place


def test_threads_may_write_the_row_that_one_of_them_moves() -> None:
    body = '%s = tensor.extract_slice %o[%i] [1] [1] : !v to tensor<1xf32> loc("s")\n'
    inserted = 'tensor.parallel_insert_slice %s into %o[%k] [1] [1] : tensor<1xf32> into !v loc("p")'
    a = analyse(
        f"%l = scf.forall (%k) in (8) shared_outs(%o = %t) -> (!v) {{\n{body}"
        f"scf.forall.in_parallel {{\n{inserted}\n}}\n}}\n%r = tensor.extract %l[%i] : !v"
    )
    assert a.not_in_place, a.not_in_place


@pytest.mark.parametrize(
    ("source", "place", "redundant"),
    [
        ("%t", "[0] [%n]", True),
        ("%t", "[%i] [%n]", True),
        ("%u", "[0] [%n]", False),
        ("%t", "[%i] [4]", False),
    ],
)
def test_inserting_a_tensor_into_itself_writes_nothing(source: str, place: str, redundant: bool) -> None:
    """All of it fits in one place only. What is inserted is of another type, or is a part, or another tensor."""
    inserted = "!h" if "[4]" in place else "!d"
    change = "tensor.extract_slice %t[0] [4] [1] : !v to !h" if "[4]" in place else f"tensor.cast {source} : !v to !d"
    a = analyse(f"""
      %s = {change} loc("s")
      %w = tensor.insert_slice %s into %t{place} [1] : {inserted} into !v loc("w")
      return %w, %t : !v, !v
    """)
    assert a.redundant == ({"w#1"} if redundant else set())
    assert (a.not_in_place == {}) == redundant


@pytest.mark.parametrize("size", [6, 1000])
def test_a_slice_of_unknown_size_is_no_larger_than_its_tensor(size: int) -> None:
    """Two slices are copied here, not a slice and all of %t: the size of a slice is a guess, that of %t is known."""
    text = f"""
      %s = tensor.extract_slice %t[0] [%i] [2] : tensor<{size}xf32> to !d loc("s")
      %g = linalg.exp ins(%s : !d) outs(%s : !d) -> !d loc("g")
      %w = tensor.insert_slice %g into %t[0] [%i] [2] : !d into tensor<{size}xf32> loc("w")
      return %s, %w : !d, tensor<{size}xf32>
    """
    a = analyse(text, f"%t: tensor<{size}xf32>, %i: index")
    assert sorted(a.not_in_place) == ["g#1", "s#0"]


@pytest.mark.parametrize(
    ("op", "refused"),
    [
        ("linalg.copy ins(%w : !v) outs(%e : !v)", []),
        ("linalg.exp ins(%w : !v) outs(%e : !v)", ["w#1"]),
        ("linalg.copy ins(%u : !v) outs(%e : !v)", ["w#1"]),
        ("linalg.copy ins(%b : tensor<8xi32>) outs(%e : !v)", ["w#1"]),
    ],
)
def test_copying_a_tensor_onto_itself_destroys_nothing(op: str, refused: list[str]) -> None:
    """%w is read later; an op that computes or converts, and a copy of another tensor, leave something else there."""
    a = analyse(f"""
      %e = tensor.empty() : !v
      %w = linalg.fill ins(%f : f32) outs(%e : !v) -> !v loc("w")
      %b = tensor.bitcast %w : !v to tensor<8xi32>
      %c = {op} -> !v loc("c")
      return %w, %c : !v, !v
    """)
    assert list(a.not_in_place) == refused


def test_a_write_to_a_new_buffer_is_never_left_out() -> None:
    """Not even if its source is where it would be written: in the new buffer it is not."""
    text = function("""
      %s = tensor.extract_slice %t[0] [4] [1] : !v to !h loc("s")
      %w = tensor.insert_slice %s into %t[0] [4] [1] : !h into !v loc("w")
      return %w : !v
    """)
    assert analyse_module(text).redundant == {"w#1"}
    assert analyse_module(text, copy_before_write=True).redundant == set()


# --- options and refusals --------------------------------------------------------------------------------------------


def test_copy_before_write_decides_nothing_in_place_that_writes() -> None:
    text = function("""
      %s = tensor.extract_slice %t[0] [4] [1] : !v to !h loc("s")
      %g = linalg.fill ins(%f : f32) outs(%s : !h) -> !h loc("g")
      %w = tensor.insert_slice %g into %t[0] [4] [1] : !h into !v loc("w")
      return %w : !v
    """)
    a = analyse_module(text, copy_before_write=True)
    assert a["s#0"] == "in-place"
    assert a.not_in_place == {
        "g#1": "alloc: COPY_BEFORE_WRITE write=g#1",
        "w#1": "copy: COPY_BEFORE_WRITE write=w#1",
    }


UNKNOWN = """
  %x = "test.op"(%t) : (!v) -> !v loc("x")
  %w = tensor.insert %f into {}[%i] : !v loc("w")
  %r = tensor.extract {}[%j] : !v loc("r")
"""


def test_unknown_ops_are_refused() -> None:
    a = analyse_module(function(UNKNOWN.format("%t", "%x")))
    assert a.refused == [
        "op 'test.op' works on tensors but has no bufferization model; register one (entry point "
        "mlir_inplace.op_models), lower the op first, or set allow-unknown-ops=true"
    ]
    assert a.analysis.functions == []


def test_the_result_of_an_unknown_op_may_be_its_operand() -> None:
    a = analyse(UNKNOWN.format("%t", "%x"), allow_unknown=True)
    assert a.not_in_place == {"x#0": "copy: NOT_WRITABLE write=w#1 value=x"}


def test_the_result_of_an_unknown_op_must_not_be_written() -> None:
    a = analyse(UNKNOWN.format("%x", "%u"), allow_unknown=True)
    assert a.not_in_place == {"w#1": "copy: NOT_WRITABLE write=w#1 value=x"}


def test_an_unknown_op_reads_its_operands() -> None:
    a = analyse(
        """
      %w = tensor.insert %f into %t[%i] : !v loc("w")
      "test.op"(%t) : (!v) -> () loc("x")
    """,
        allow_unknown=True,
    )
    assert a.not_in_place == {"w#1": "copy: READ_AFTER_WRITE write=w#1 read=x#0 value=t"}


# --- several values and writes in one buffer -------------------------------------------------------------------------

EIGHT = "%t: !v, %f: f32, %i: index"


@pytest.mark.parametrize(("offset", "value", "read"), [(0, "s", "x"), (4, "q", "y")])
def test_every_value_in_the_buffer_is_asked(offset: int, value: str, read: str) -> None:
    a = analyse(
        f"""
      %s = tensor.extract_slice %t[0] [4] [1] : !v to !h loc("s")
      %q = tensor.extract_slice %t[4] [4] [1] : !v to !h loc("q")
      %g = tensor.extract_slice %t[{offset}] [4] [1] : !v to !h loc("g")
      %w = linalg.fill ins(%f : f32) outs(%g : !h) -> !h loc("w")
      %x = tensor.extract %s[%i] : !h loc("x")
      %y = tensor.extract %q[%i] : !h loc("y")
    """,
        EIGHT,
    )
    assert a.costs == [f"alloc: READ_AFTER_WRITE write=w#1 read={read}#0 value={value}"]


@pytest.mark.parametrize("target", ["%a", "%b"])
@pytest.mark.parametrize("read", ["%a", "%b"])
def test_every_buffer_that_must_not_be_written_is_asked(target: str, read: str) -> None:
    """%a may be the constant %k, %b may be %l, and either may be %e. What is read too comes first or last."""
    a = analyse(f"""
      %k = arith.constant dense<1.0> : !v loc("k")
      %l = arith.constant dense<2.0> : !v loc("l")
      %e = tensor.empty() : !v
      %a = arith.select %p, %k, %e : !v
      %b = arith.select %p, %e, %l : !v
      %r = tensor.extract {read}[%i] : !v
      %w = tensor.insert %f into {target}[%i] : !v loc("w")
    """)
    assert a.costs == [f"copy: NOT_WRITABLE write=w#1 value={'k' if target == '%a' else 'l'}"]


THREE_RESULTS = """
  %a = tensor.extract_slice %t[0] [4] [1] : !v to !h loc("a")
  %b = tensor.extract_slice %t[4] [4] [1] : !v to !h loc("b")
  %g:3 = linalg.generic {{indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}}
      outs({} : !h, !h, !h) {{
    ^bb0(%o: f32, %q: f32, %s: f32):
      linalg.yield %f, %f, %f : f32, f32, f32
  }} -> (!h, !h, !h) loc("g")
  return %g#0, %g#1, %g#2 : !h, !h, !h
"""


@pytest.mark.parametrize("outs", ["%a, %b, %b", "%b, %a, %b", "%b, %b, %a"])
def test_every_other_write_of_the_op_is_asked(outs: str) -> None:
    a = analyse(THREE_RESULTS.format(outs), EIGHT)
    assert len(a.costs) == 1
    assert a.costs[0].startswith("alloc: WRITTEN_TWICE write=g#")


def test_one_op_does_not_write_two_results_to_what_may_be_one_place() -> None:
    a = analyse(
        '%s = arith.select %p, %q, %k : !h loc("s")\n' + TWO_RESULTS.format("%s", "%k"),
        "%h: !h, %k: !h, %q: !h, %p: i1",
    )
    assert len(a.costs) == 1
    assert a.costs[0].startswith("alloc: WRITTEN_TWICE write=g#")


def test_a_view_that_is_updated_is_still_needed_outside_of_the_update() -> None:
    """%w writes elements 1 and 2 of %t, which are in %v; the update of %v needs all of it but element 0."""
    text = """
      %v = tensor.extract_slice %t[0] [4] [1] : !v to !h loc("v")
      %w = tensor.insert_slice %two into %t[{}] [2] [1] : tensor<2xf32> into !v loc("w")
      %x = tensor.insert %f into %v[%c0] : !h loc("x")
      return %x, %w : !h, !v loc("r")
    """
    arguments = "%t: !v, %two: tensor<2xf32>, %f: f32"
    a = analyse(text.format(1), arguments)
    assert a.costs == ["copy: READ_AFTER_WRITE write=x#1 read=r#1 value=w"]
    assert a["v#0"] != "in-place" or a["x#1"] != "in-place"
    a = analyse(text.format(1).replace("return %x, %w : !h, !v", "return %x : !h"), arguments)
    assert a.costs == ["copy: READ_AFTER_WRITE write=w#1 read=x#1 value=v"]
    a = analyse(text.format(5).replace("return %x, %w : !h, !v", "return %x : !h"), arguments)
    assert a.costs == []


def test_a_choice_made_later_may_connect_what_was_found_apart() -> None:
    """%a is first known to be %t or something, then that it may be %u, of which %b is a view."""
    a = analyse("""
      %z = tensor.splat %f : !v
      %a = arith.select %p, %z, %u : !v loc("a")
      %c = arith.select %p, %z, %u : !v loc("c")
      %b = tensor.cast %u : !v to !d loc("b")
      %w = tensor.insert %f into %a[%i] : !v loc("w")
      %r = tensor.extract %b[%j] : !d loc("r")
    """)
    assert a.costs == ["copy: READ_AFTER_WRITE write=w#1 read=r#0 value=b"]


# --- the order of decisions ------------------------------------------------------------------------------------------


def test_a_writer_copies_a_choice_once() -> None:
    """Rather than each candidate before the choice is made."""
    a = analyse("""
      %s = arith.select %p, %t, %u : !v loc("s")
      %w = tensor.insert %f into %s[%i] : !v loc("w")
      return %w, %t, %u : !v, !v, !v loc("r")
    """)
    assert list(a.not_in_place) == ["w#1"]


def test_the_cheaper_of_two_orders_is_taken() -> None:
    """If the choice stays as it is, both the insert and the materialization need a buffer."""
    a = analyse("""
      %s = arith.select %p, %u, %t : !v loc("s")
      %w = tensor.insert %f into %s[%i] : !v loc("w")
      %m = bufferization.materialize_in_destination %u in %s : (!v, !v) -> !v loc("m")
      return %m, %u : !v, !v loc("r")
    """)
    assert a.not_in_place == {"s#1": "copy: READ_AFTER_WRITE write=w#1 read=m#0 value=u"}


FILLED_TWICE = """
      %e = tensor.empty() : !v
      %x = linalg.fill ins(%f : f32) outs(%e : !v) -> !v loc("x")
      {around} {{
        %y = linalg.fill ins(%g : f32) outs(%e : !v) -> !v loc("y")
        %r = tensor.extract %y[%i] : !v
        memref.store %r, %m[] : memref<f32>
      }}
      return %x : !v
"""


@pytest.mark.parametrize(
    ("around", "allocated"),
    [("scf.if %p", "y#1"), ("scf.for %k = %c0 to %n step %c1", "x#1"), ("memref.alloca_scope", "x#1")],
)
def test_of_two_buffers_the_one_that_runs_less_often_is_allocated(around: str, allocated: str) -> None:
    arguments = "%f: f32, %g: f32, %i: index, %n: index, %p: i1, %m: memref<f32>"
    a = analyse(FILLED_TWICE.format(around=around), arguments)
    assert list(a.not_in_place) == [allocated]


# --- reshapes --------------------------------------------------------------------------------------------------------

RESHAPES = """
  %s = tensor.extract_slice %t[0] [4] [1] : !v to !h loc("s")
  %e = tensor.expand_shape %s [[0, 1]] output_shape [2, 2] : !h into tensor<2x2xf32> loc("e")
  %g = linalg.exp ins(%e : tensor<2x2xf32>) outs(%e : tensor<2x2xf32>) -> tensor<2x2xf32> loc("g")
  %c = tensor.collapse_shape %g [[0, 1]] : tensor<2x2xf32> into !h loc("c")
  %w = tensor.insert_slice %c into %t[{}] [4] [1] : !h into !v loc("w")
  return %w : !v
"""


@pytest.mark.parametrize(("offset", "redundant"), [(0, True), (1, False)])
def test_what_is_reshaped_and_back_is_where_it_was(offset: int, redundant: bool) -> None:
    a = analyse(RESHAPES.format(offset))
    assert a.redundant == ({"w#1"} if redundant else set())
    assert (a.costs == []) == redundant


def test_what_is_reshaped_otherwise_is_elsewhere() -> None:
    """The same elements, but the insert would put them where they belong under the other shape."""
    text = """
      %s = tensor.extract_slice %m[0, 0] [2, 4] [1, 1] : !m to tensor<2x4xf32> loc("s")
      %c = tensor.collapse_shape %s [[0, 1]] : tensor<2x4xf32> into !v loc("c")
      %e = tensor.expand_shape %c [[0, 1]] output_shape [{0}] : !v into tensor<{1}xf32> loc("e")
      %w = tensor.insert_slice %e into %m[0, 0] [{0}] [1, 1] : tensor<{1}xf32> into !m loc("w")
      return %w : !m
    """
    assert analyse(text.format("2, 4", "2x4"), "%m: !m").redundant == {"w#1"}
    assert analyse(text.format("4, 2", "4x2"), "%m: !m").redundant == set()


GAPS = """
  %s = tensor.extract_slice %m[0, {0}] [{1}] [1, 1] : !m to tensor<{2}xf32> loc("s")
  {3}
  %c = tensor.collapse_shape %s [[0, 1]] : tensor<{2}xf32> into !h loc("c")
  %x = tensor.extract %c[%i] : !h
"""


def test_a_slice_with_gaps_is_copied_to_be_reshaped() -> None:
    columns = GAPS.format(1, "2, 2", "2x2", "")
    assert analyse(columns, "%m: !m, %i: index")["c#0"] == "copy: NOT_CONTIGUOUS value=s"
    row = GAPS.format(0, "1, 4", "1x4", "")
    assert analyse(row, "%m: !m, %i: index")["c#0"] == "in-place"


def test_what_is_copied_to_be_reshaped_shares_no_memory() -> None:
    """The slice is read at the reshape, and may be overwritten afterwards."""
    a = analyse(
        GAPS.format(1, "2, 2", "2x2", "").replace("%x =", '%w = tensor.insert %f into %m[%i, %i] : !m loc("w")\n%x =')
        + "return %w : !m",
        "%m: !m, %i: index, %f: f32",
    )
    assert a["w#1"] == "in-place"
    assert a["s#0"] == "in-place"


def test_a_slice_with_gaps_that_has_other_uses_may_get_a_buffer_of_its_own() -> None:
    """Its copy, if there has to be one, does for both uses."""
    used = "%y = tensor.extract %s[%i, %i] : tensor<2x2xf32>"
    assert analyse(GAPS.format(1, "2, 2", "2x2", used), "%m: !m, %i: index")["c#0"] == "in-place"


def test_a_slice_with_gaps_may_be_copied_for_every_iteration_of_a_loop_at_once() -> None:
    head, _, tail = GAPS.format(1, "2, 2", "2x2", "").partition("  %c")
    text = f"{head} scf.for %k = %i to %i step %i {{\n %c{tail} }}"
    assert analyse(text, "%m: !m, %i: index")["c#0"] == "in-place"


def test_rows_of_a_slice_with_gaps_have_none_if_the_slice_is_copied() -> None:
    a = analyse(
        """
      %o = tensor.extract_slice %m[0, 0] [4, 2] [1, 1] : !m to tensor<4x2xf32>
      %s = tensor.extract_slice %o[0, 0] [2, 2] [1, 1] : tensor<4x2xf32> to tensor<2x2xf32>
      %c = tensor.collapse_shape %s [[0, 1]] : tensor<2x2xf32> into !h loc("c")
      %x = tensor.extract %c[%i] : !h
    """,
        "%m: !m, %i: index",
    )
    assert a["c#0"] == "in-place"


# --- tensors without a rank ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("yielded", "refused"), [("%a", False), ("%u", True)])
def test_unranked_tensors_are_never_copied(yielded: str, refused: bool) -> None:
    a = analyse_module(
        function(
            f"""
      %l = scf.for %k = %c0 to %n step %c1 iter_args(%a = %t) -> tensor<*xf32> {{
        scf.yield {yielded} : tensor<*xf32>
      }}
      return %l : tensor<*xf32>
    """,
            "%t: tensor<*xf32>, %u: tensor<*xf32>, %n: index",
        )
    )
    message = (
        "operand #0 is unranked and cannot be copied, but the yielded buffer is not equivalent to the loop-carried one"
    )
    assert a.refused == ([message] if refused else [])


def test_what_an_analysis_found_out_is_freed_at_once() -> None:
    """A program has many analyses; in cycles they would wait for the garbage collector, which visits each object."""
    writes = "\n".join(f"%w{n + 1} = tensor.insert %f into %w{n}[%i] : !v" for n in range(40))
    gc.collect()
    gc.disable()
    try:
        a = analyse(f"%w0 = tensor.insert %f into %t[%i] : !v\n{writes}\nreturn %w40 : !v")
        assert a.not_in_place == {}
        del a
        assert not any(isinstance(found, AliasSets) for found in gc.get_objects())
    finally:
        gc.enable()
