"""The rules of the in-place analysis for branches between blocks: what a way leads to, and what arguments may be."""

from __future__ import annotations

import pytest
from analysed import ARGUMENTS, analyse, analyse_module, function

READ = '%r = tensor.extract %t[%j] : !v loc("r")\n'
WRITE = '%w = linalg.fill ins(%f : f32) outs(%t : !v) -> !v loc("w")\n'
CONFLICT = {"w#1": "alloc: READ_AFTER_WRITE write=w#1 read=r#0 value=t"}


def diamond(left: str, right: str, after: str = "") -> str:
    return f"cf.cond_br %p, ^a, ^b\n^a:\n{left}\ncf.br ^c\n^b:\n{right}\ncf.br ^c\n^c:\n{after}\nreturn"


def loop(body: str, after: str = "", before: str = "", head: str = "") -> str:
    """A loop of two blocks, left from its first one."""
    return (
        f"{before}\ncf.br ^head\n^head:\n{head}\ncf.cond_br %p, ^body, ^end\n^body:\n{body}\n"
        f"cf.br ^head\n^end:\n{after}\nreturn"
    )


# --- time ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "refused"),
    [
        (diamond(WRITE, READ), {}),
        (diamond(READ, WRITE), {}),
        (diamond(READ + WRITE, ""), {}),
        (diamond(READ, "", WRITE), {}),
        (diamond(WRITE, "", READ), CONFLICT),
        (diamond("", WRITE, READ), CONFLICT),
        (diamond(WRITE + READ, ""), CONFLICT),
        (loop(READ, WRITE), {}),
        (loop("", WRITE, READ), {}),
        (loop(WRITE, READ), CONFLICT),
        (loop(READ + WRITE), CONFLICT),
        (loop(WRITE, head=READ), CONFLICT),
        (loop(READ, head=WRITE), CONFLICT),
        (loop(f"scf.if %p {{\n{WRITE}\n}}", f"scf.if %p {{\n{READ}\n}}"), CONFLICT),
        (loop(f"scf.if %p {{\n{READ}\n}}", f"scf.if %p {{\n{WRITE}\n}}"), {}),
    ],
)
def test_what_a_way_leads_to(body: str, refused: dict[str, str]) -> None:
    assert analyse(body).not_in_place == refused


def test_two_ways_into_a_loop() -> None:
    """Neither block of the loop dominates the other one; each leads to the other."""
    a = analyse(f"""
      cf.cond_br %p, ^a, ^b
    ^a:
      {WRITE}
      cf.cond_br %p, ^b, ^end
    ^b:
      {READ}
      cf.cond_br %p, ^a, ^end
    ^end:
      return""")
    assert a.not_in_place == CONFLICT


NEW = '%t2 = linalg.fill ins(%f : f32) outs(%u : !v) -> !v loc("t2")\n'
READ_NEW = '%r = tensor.extract %t2[%j] : !v loc("r")\n'
WRITE_NEW = '%w = linalg.fill ins(%f : f32) outs(%t2 : !v) -> !v loc("w")\n'
CONFLICT_NEW = {"w#1": "alloc: READ_AFTER_WRITE write=w#1 read=r#0 value=t2"}


@pytest.mark.parametrize(
    ("body", "refused"),
    [
        # The way from the body to the end passes the head, where the value is defined anew.
        (loop(WRITE_NEW, READ_NEW, head=NEW), {}),
        (loop(READ_NEW + WRITE_NEW, head=NEW), {}),
        (loop(NEW + READ_NEW + WRITE_NEW), {}),
        (loop(WRITE_NEW + READ_NEW, head=NEW), CONFLICT_NEW),
        (loop(READ_NEW + WRITE_NEW, before=NEW), CONFLICT_NEW),
        (loop(WRITE_NEW, READ_NEW, before=NEW), CONFLICT_NEW),
    ],
)
def test_a_definition_on_the_way(body: str, refused: dict[str, str]) -> None:
    assert analyse(body).not_in_place == refused


def test_a_loop_inside_of_the_one_that_defines_the_value() -> None:
    inner = f"""
      cf.br ^outer
    ^outer:
      {NEW}
      cf.br ^inner
    ^inner:
      %s = tensor.extract %t2[%j] : !v loc("r")
      {WRITE_NEW}
      cf.cond_br %p, ^inner, ^more
    ^more:
      cf.cond_br %p, ^outer, ^end
    ^end:
      return"""
    assert analyse(inner).not_in_place == CONFLICT_NEW
    assert analyse(inner.replace("cf.cond_br %p, ^inner, ^more", "cf.br ^more")).not_in_place == {}


def test_a_memref_that_escaped_is_used_at_any_later_time() -> None:
    """The head, where %t2 is defined, lies on every way from the write to the op that hands the memref out."""
    body = loop(
        WRITE_NEW,
        """%m = bufferization.to_buffer %t2 read_only : !v to memref<8xf32>
        "test.use"(%m) : (memref<8xf32>) -> ()""",
        head=NEW,
    )
    assert "w#1" in analyse(body).not_in_place


def test_slices_at_a_place_that_the_loop_moves() -> None:
    """After the loop %s is the last place. The insert there keeps all the others, which the loop wrote as well."""

    def body(place: str) -> str:
        return f"""
      %e = tensor.empty() : tensor<1xf32>
      %x = linalg.fill ins(%f : f32) outs(%e : tensor<1xf32>) -> tensor<1xf32>
      cf.br ^head(%c0 : index)
    ^head(%s: index):
      %v = tensor.extract_slice %t[{place}] [1] [1] : !v to tensor<1xf32>
      %w = linalg.fill ins(%f : f32) outs(%v : tensor<1xf32>) -> tensor<1xf32> loc("w")
      "test.use"(%w) : (tensor<1xf32>) -> ()
      %next = arith.addi %s, %c1 : index
      cf.cond_br %p, ^head(%next : index), ^end
    ^end:
      %z = tensor.insert_slice %x into %t[{place}] [1] [1] : tensor<1xf32> into !v loc("z")
      return %z : !v"""

    moving = analyse(body("%s"), allow_unknown=True)
    assert moving.costs == ["alloc: READ_AFTER_WRITE write=w#1 read=z#1 value=t"]
    assert analyse(body("%i"), allow_unknown=True).costs == []


# --- arguments of blocks ---------------------------------------------------------------------------------------------


def choice(left: str, right: str, after: str) -> str:
    return f'cf.cond_br %p, ^c(%{left} : !v), ^c(%{right} : !v) loc("br")\n^c(%x: !v loc("x")):\n{after}'


@pytest.mark.parametrize(
    ("written", "read", "costs"),
    [
        ("%t", "%x", ["copy: READ_AFTER_WRITE write=w#1 read=r#0 value=x"]),
        ("%u", "%x", ["copy: READ_AFTER_WRITE write=w#1 read=r#0 value=x"]),
        ("%x", "%t", ["copy: READ_AFTER_WRITE write=w#1 read=r#0 value=t"]),
        ("%x", "%u", ["copy: READ_AFTER_WRITE write=w#1 read=r#0 value=u"]),
        ("%x", "%x", ["copy: READ_AFTER_WRITE write=w#1 read=r#0 value=x"]),
        ("%t", "%u", []),
    ],
)
def test_an_argument_may_be_any_of_the_buffers(written: str, read: str, costs: list[str]) -> None:
    after = f"""
      %w = tensor.insert %f into {written}[%i] : !v loc("w")
      %r = tensor.extract {read}[%j] : !v loc("r")
      return"""
    assert analyse(choice("t", "u", after)).costs == costs


def test_an_argument_is_what_it_is_on_every_way() -> None:
    a = analyse(f"""
      cf.cond_br %p, ^a, ^b
    ^a:
      {WRITE}
      cf.br ^c(%w : !v)
    ^b:
      cf.br ^c(%t : !v)
    ^c(%x: !v loc("x")):
      return %x : !v""")
    assert a.not_in_place == {}
    find = a.function().sets.equivalence.find
    assert find(a.value("x")) == find(a.value("t")) == find(a.value("w"))
    a = analyse(choice("t", "u", "return %x : !v"))
    find = a.function().sets.equivalence.find
    assert len({find(a.value(name)) for name in "xtu"}) == 3


COUNTED = """
      cf.br ^head(%t : !v) loc("enter")
    ^head(%a: !v loc("a")):
      cf.cond_br %p, ^body, ^end
    ^body:
      %w = tensor.insert %f into %a[%i] : !v loc("w")
      cf.br ^head(%w : !v) loc("back")
    ^end:
"""


def test_a_loop_updates_the_buffer_that_it_carries() -> None:
    a = analyse(COUNTED + "return %a : !v")
    assert a.not_in_place == {}
    find = a.function().sets.equivalence.find
    assert find(a.value("a")) == find(a.value("t")) == find(a.value("w"))


def test_what_enters_a_loop_is_copied_once_if_it_is_read_after_the_loop() -> None:
    a = analyse(COUNTED + 'return %a, %t : !v, !v loc("ret")')
    assert a.not_in_place == {"enter#0": "copy: READ_AFTER_WRITE write=w#1 read=ret#1 value=t"}


def test_a_loop_that_hands_back_another_buffer() -> None:
    """Its argument is one of two, so a write to it must keep both."""
    a = analyse(
        """
      cf.br ^head(%t : !v) loc("enter")
    ^head(%a: !v loc("a")):
      %w = tensor.insert %f into %a[%i] : !v loc("w")
      "test.use"(%w) : (!v) -> ()
      cf.cond_br %p, ^head(%u : !v), ^end loc("back")
    ^end:
      return %u : !v loc("ret")""",
        allow_unknown=True,
    )
    assert len(a.not_in_place) == 1
    find = a.function().sets.equivalence.find
    assert len({find(a.value(name)) for name in "atu"}) == 3


def rotating(entry: str = "%t, %u", back: str = "%w, %a", after: str = "return %w, %a : !v, !v") -> str:
    """A loop that writes one of two vectors, which then change places."""
    return f"""
      cf.br ^head({entry} : !v, !v) loc("enter")
    ^head(%a: !v loc("a"), %b: !v loc("b")):
      %r = tensor.extract %a[%j] : !v loc("r")
      %w = tensor.insert %r into %b[%i] : !v loc("w")
      cf.cond_br %p, ^head({back} : !v, !v), ^end loc("back")
    ^end:
      {after} loc("ret")"""


def test_a_loop_swaps_buffers() -> None:
    a = analyse(rotating())
    assert a.not_in_place == {}
    assert [a[place] for place in ("back#1", "back#2", "enter#0", "enter#1")] == ["rotate", "rotate"] + ["in-place"] * 2
    # The same on one way round, in another order on another one.
    both = (
        rotating()
        .replace("^end loc", "^again loc")
        .replace("    ^end:", "    ^again:\n      cf.cond_br %p, ^head(%a, %w : !v, !v), ^end\n    ^end:")
    )
    assert analyse(both).not_in_place == {}


@pytest.mark.parametrize(
    ("text", "refused"),
    [
        # Both start in one buffer.
        (rotating(entry="%t, %t"), {"enter#1": "copy: ROTATION_SHARED value=t"}),
        # One of the old buffers is read after the loop.
        (rotating(after="return %w, %u : !v, !v"), {"enter#1": "copy: READ_AFTER_WRITE write=w#1 read=ret#1 value=u"}),
        # No other order: one of the buffers goes to both, and the other one is lost.
        (rotating(back="%a, %a"), {"back#2": "copy: READ_AFTER_WRITE write=w#1 read=back#1 value=a"}),
    ],
)
def test_a_loop_does_not_swap_buffers_that_are_not_apart(text: str, refused: dict[str, str]) -> None:
    assert analyse(text).not_in_place == refused


def test_a_loop_with_two_ways_in_swaps_nothing() -> None:
    """Whoever comes from the side hands over other vectors than those that the head has got."""
    text = """
      cf.cond_br %p, ^head(%t, %u : !v, !v), ^side(%u, %u : !v, !v) loc("enter")
    ^head(%a: !v loc("a"), %b: !v loc("b")):
      cf.br ^side(%b, %a : !v, !v) loc("go")
    ^side(%x: !v loc("x"), %y: !v loc("y")):
      %r = tensor.extract %x[%j] : !v loc("r")
      %w = tensor.insert %r into %y[%i] : !v loc("w")
      cf.cond_br %p, ^head(%w, %x : !v, !v), ^end loc("back")
    ^end:
      return %w, %x : !v, !v loc("ret")"""
    a = analyse(text)
    assert "rotate" not in [a[place] for place in ("go#0", "go#1", "back#1", "back#2")]
    assert a.not_in_place != {}


def test_a_switch_hands_one_value_to_several_blocks() -> None:
    a = analyse("""
      %k = arith.index_cast %i : index to i32
      cf.switch %k : i32, [default: ^a(%t : !v), 1: ^b(%t : !v), 2: ^a(%u : !v)] loc("switch")
    ^a(%x: !v loc("x")):
      %w = tensor.insert %f into %x[%i] : !v loc("w")
      return %w : !v
    ^b(%y: !v loc("y")):
      %z = tensor.insert %f into %y[%i] : !v loc("z")
      return %z : !v""")
    assert a.not_in_place == {}
    find = a.function().sets.equivalence.find
    assert find(a.value("y")) == find(a.value("t")) != find(a.value("x"))


def test_constants_are_not_written_by_whatever_way_they_come() -> None:
    a = analyse(
        '%c = arith.constant dense<1.0> : !v loc("c")\n'
        + choice("t", "c", '%w = tensor.insert %f into %x[%i] : !v loc("w")\nreturn %w : !v')
    )
    assert a.costs == ["copy: NOT_WRITABLE write=w#1 value=c"]


def test_a_region_with_several_blocks_and_yields() -> None:
    region = """
      %x = scf.execute_region -> !v {
        cf.cond_br %p, ^a, ^b
      ^a:
        %w = tensor.insert %f into %t[%i] : !v loc("w")
        scf.yield %w : !v loc("one")
      ^b:
        scf.yield %OTHER : !v loc("two")
      } loc("x")
    """
    a = analyse(region.replace("OTHER", "t") + "return %x : !v")
    assert a.not_in_place == {}
    find = a.function().sets.equivalence.find
    assert find(a.value("x")) == find(a.value("t"))
    a = analyse(region.replace("OTHER", "u") + "return %x : !v")
    assert a.not_in_place == {}
    assert find(a.value("x")) != find(a.value("u"))
    a = analyse(region.replace("OTHER", "u") + 'return %x, %t : !v, !v loc("ret")')
    assert a.costs == ["copy: READ_AFTER_WRITE write=w#1 read=ret#1 value=t"]


def test_branches_inside_of_an_op_without_a_model() -> None:
    """What its region is given must not be written: nobody knows how often the region runs, or when."""
    text = """
      %x = "test.region"(%t) ({
      ^bb0(%z: !v loc("z")):
        cf.cond_br %p, ^a(%z : !v), ^a(%u : !v)
      ^a(%y: !v loc("y")):
        %w = tensor.insert %f into %y[%i] : !v loc("w")
        "test.yield"(%w) : (!v) -> ()
      }) : (!v) -> !v
      return %x : !v"""
    assert analyse(text, allow_unknown=True).costs == ["copy: PARALLEL write=w#1"]


def test_functions_that_keep_their_tensors() -> None:
    """What enters the loop is copied, once, as the argument must not be written."""
    a = analyse(COUNTED + "return %a : !v", boundaries=False)
    assert a.not_in_place == {"enter#0": "copy: NOT_WRITABLE write=w#1 value=t"}


# --- functions -------------------------------------------------------------------------------------------------------


def test_several_returns() -> None:
    a = analyse_module(
        function(
            "cf.cond_br %p, ^a, ^b\n^a:\nreturn %t, %u, %t : !v, !v, !v\n^b:\nreturn %t, %t, %u : !v, !v, !v",
            ARGUMENTS,
        )
    )
    summary = a.function().summary
    assert [{index: r.value for index, r in ties.items()} for ties in summary.result_ties] == [
        {0: "equivalent"},
        {0: "unknown", 1: "unknown"},
        {0: "unknown", 1: "unknown"},
    ]
    assert set(summary.shared_results) == {(0, 2), (0, 1)}


# --- what is refused -------------------------------------------------------------------------------------------------


def test_blocks_that_cannot_be_reached_are_refused() -> None:
    a = analyse_module(function("cf.br ^end\n^never:\ncf.br ^end\n^end:\nreturn"))
    assert a.refused == [
        "'func.func' has a block that cannot be reached from the first one; remove it first "
        "(upstream pass canonicalize)"
    ]


def test_branches_that_nobody_described_are_refused() -> None:
    text = function('"test.branch"(%t)[^a] : (!v) -> ()\n^a(%x: !v):\nreturn')
    expected = (
        "op 'test.branch' branches to a block with tensor arguments, but has no model of the operands that it forwards "
        "to them"
    )
    assert expected in analyse_module(text).refused
    assert analyse_module(text, allow_unknown=True).refused == [expected]


@pytest.mark.parametrize(
    ("entered", "passed", "refused"),
    [("%s", "%w", []), ("%u", "%w", []), ("%s", "%u", []), ("%o", "%w", ["s#0"]), ("%s", "%o", ["s#0"])],
)
def test_an_argument_of_a_loop_that_is_always_one_buffer(entered: str, passed: str, refused: list[str]) -> None:
    """%w overwrites %s, which is %a in each iteration, as %w is; or %a is another tensor at first, or later.

    Only another slice of the same memory must not be.
    """
    a = analyse(
        f"""
      %s = tensor.extract_slice %t[0] [4] [1] : !v to !h loc("s")
      %o = tensor.extract_slice %t[1] [4] [1] : !v to !h loc("o")
      %u = tensor.splat %f : !h
      cf.br ^head(%i, {entered} : index, !h)
    ^head(%k: index, %a: !h):
      %w = linalg.exp ins(%a : !h) outs(%s : !h) -> !h loc("w")
      %next = arith.addi %k, %j : index
      %more = arith.cmpi slt, %next, %n : index
      cf.cond_br %more, ^head(%next, {passed} : index, !h), ^exit
    ^exit:
      return %w : !h
    """,
        '%t: !v loc("t"), %f: f32, %i: index, %j: index, %n: index',
    )
    assert list(a.not_in_place) == refused
