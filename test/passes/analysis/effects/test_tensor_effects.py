"""What ops do to tensors, as tables: reads of content through views and loops, missing content, unknown ops."""

from __future__ import annotations

import pytest
from analysed import Analysed, analyse, analyse_module, context, function, parse
from mlir import ir

from mlir_inplace.dialects.bufferizable import AliasingValue, OpModel, Relation
from mlir_inplace.dialects.registry import find_model
from mlir_inplace.passes.analysis.effects.reader import TensorEffects
from mlir_inplace.passes.analysis.in_place.function import analyze_function
from mlir_inplace.passes.analysis.in_place.options import AnalysisOptions
from mlir_inplace.passes.analysis.ir.snapshot import Snapshot
from mlir_inplace.passes.analysis.whole_module.globals import ProgramState
from mlir_inplace.passes.analysis.whole_module.module import ModuleAnalysis


def reads(a: Analysed, *places: str) -> list[tuple[bool, bool]]:
    """For each place, whether its op reads it, and whether anything reads its content because of it."""
    effects = a.analysis.effects
    return [(bool(effects.reads[a.operand(p)]), bool(effects.content_reads[a.operand(p)])) for p in places]


VIEWS = """
  %s = tensor.extract_slice %t[0] [4] [1] : !v to !h loc("s")
  %e = tensor.expand_shape %s [[0, 1]] output_shape [2, 2] : !h into tensor<2x2xf32> loc("e")
  %d = tensor.cast %e : tensor<2x2xf32> to tensor<?x2xf32> loc("d")
"""


def test_a_view_reads_what_is_read_of_it() -> None:
    a = analyse(VIEWS)
    assert reads(a, "s#0", "e#0", "d#0") == [(False, False)] * 3
    assert not a.analysis.effects.value_read[a.value("t")]
    a = analyse(VIEWS + '%r = tensor.extract %d[%i, %j] : tensor<?x2xf32> loc("r")')
    assert reads(a, "s#0", "e#0", "d#0", "r#0") == [(False, True)] * 3 + [(True, True)]
    assert all(a.analysis.effects.value_read[a.value(name)] for name in ("t", "s", "e", "d"))


def test_the_size_of_a_view_is_not_read_of_its_content() -> None:
    a = analyse(VIEWS + '%r = tensor.dim %d, %c0 : tensor<?x2xf32> loc("r")')
    assert reads(a, "s#0", "e#0", "d#0", "r#0") == [(False, False)] * 4


def test_a_write_stops_the_reads_behind_it() -> None:
    a = analyse("""
      %s = tensor.cast %t : !v to !v loc("s")
      %w = linalg.fill ins(%f : f32) outs(%s : !v) -> !v loc("w")
      return %w : !v
    """)
    assert reads(a, "s#0", "w#1") == [(False, False)] * 2
    a = analyse("""
      %s = tensor.cast %t : !v to !v loc("s")
      %w = tensor.insert %f into %s[%i] : !v loc("w")
    """)
    assert reads(a, "s#0", "w#1") == [(False, True), (True, True)]


LOOP = """
  %l = scf.for %k = %c0 to %n step %c1 iter_args(%a = %t) -> !v {{
    {}
    scf.yield %a : !v loc("y")
  }} loc("for")
  {}
"""


@pytest.mark.parametrize(
    ("inside", "after", "read"),
    [
        ("", "", False),
        ("%r = tensor.extract %a[%k] : !v", "", True),
        ("", "%r = tensor.extract %l[%i] : !v", True),
    ],
)
def test_a_loop_reads_what_its_body_or_anything_after_it_reads(inside: str, after: str, read: bool) -> None:
    a = analyse(LOOP.format(inside, after))
    assert reads(a, "for#3", "y#0") == [(False, read)] * 2


def test_a_branch_reads_what_its_result_is_read_for() -> None:
    text = """
      %x = scf.if %p -> !v {{
        scf.yield %t : !v loc("y")
      }} else {{
        scf.yield %u : !v loc("z")
      }} loc("if")
      {}
    """
    a = analyse(text.format(""))
    assert not a.analysis.effects.content_reads[a.operand("y#0")]
    a = analyse(text.format("%r = tensor.extract %x[%i] : !v"))
    assert a.analysis.effects.content_reads[a.operand("y#0")]
    assert a.analysis.effects.content_reads[a.operand("z#0")]
    assert [a.value_label(v) for v in a.analysis.effects.forwards[a.operand("y#0")]] == ["if"]


def test_a_loop_carries_from_the_init_and_the_yield() -> None:
    a = analyse(LOOP.format("", ""))
    forwards = a.analysis.effects.forwards
    assert [a.value_label(v) for v in forwards[a.operand("for#3")]] == ["for", "for^1"]
    assert [a.value_label(v) for v in forwards[a.operand("y#0")]] == ["for", "for^1"]
    sources = a.analysis.effects.sources[a.value("for^1")]
    assert sorted(a.place(o) for o in sources) == ["for#3", "y#0"]


def test_each_init_is_tied_to_its_own_result() -> None:
    a = analyse("""
      %g:2 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
          ins(%t : !v) outs(%t, %u : !v, !v) {
        ^bb0(%x: f32, %y: f32, %z: f32):
          linalg.yield %x, %x : f32, f32
      } -> (!v, !v) loc("g")
    """)
    ties = a.analysis.effects.ties
    found = {
        place: [a.value_label(tie.value) for tie in ties.get(a.operand(place), ())] for place in ("g#0", "g#1", "g#2")
    }
    assert found == {"g#0": [], "g#1": ["g"], "g#2": ["g:1"]}


# --- content that is not there ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("definition", "undefined"),
    [
        ("tensor.empty() : !v", True),
        ("bufferization.alloc_tensor() : !v", True),
        ("bufferization.alloc_tensor() copy(%t) : !v", False),
        ("tensor.splat %f : !v", False),
        ("arith.constant dense<0.0> : !v", False),
    ],
)
def test_which_tensors_have_no_content(definition: str, undefined: bool) -> None:
    a = analyse(f"""
      %x = {definition} loc("x")
      %s = tensor.extract_slice %x[0] [4] [1] : !v to !h loc("s")
      %e = tensor.expand_shape %s [[0, 1]] output_shape [2, 2] : !h into tensor<2x2xf32> loc("e")
      %w = tensor.insert %f into %s[%i] : !h loc("w")
    """)
    found = {name: bool(a.analysis.effects.undefined[a.value(name)]) for name in ("x", "s", "e", "w")}
    assert found == {"x": undefined, "s": undefined, "e": undefined, "w": False}


def test_a_choice_of_something_and_nothing_has_content() -> None:
    a = analyse("""
      %e = tensor.empty() : !v
      %x = arith.select %p, %e, %t : !v loc("x")
      %z = arith.select %p, %e, %e : !v loc("z")
    """)
    assert not a.analysis.effects.undefined[a.value("x")]
    assert not a.analysis.effects.undefined[a.value("z")]


BRANCH = """
  %e = tensor.empty() : !v
  %x = scf.if %p -> !v {
    %a = tensor.empty() : !v
    scf.yield %a : !v
  } else {
    scf.yield YIELDED : !v
  } loc("x")
"""
LOOP_OF = """
  %e = tensor.empty() : !v
  %x = scf.for %k = %c0 to %n step %c1 iter_args(%a = %e) -> !v {
    %w = linalg.fill ins(%f : f32) outs(%a : !v) -> !v
    scf.yield YIELDED : !v
  } loc("x")
"""


@pytest.mark.parametrize(
    ("body", "undefined"),
    [
        (BRANCH.replace("YIELDED", "%e"), True),
        (BRANCH.replace("YIELDED", "%t"), False),
        (LOOP_OF.replace("YIELDED", "%a"), True),
        (LOOP_OF.replace("YIELDED", "%e"), True),
        (LOOP_OF.replace("YIELDED", "%w"), False),
        (LOOP_OF.replace("YIELDED", "%a").replace("(%a = %e)", "(%a = %t)"), False),
    ],
)
def test_what_is_forwarded_has_content_if_any_source_has(body: str, undefined: bool) -> None:
    a = analyse(body + '%s = tensor.extract_slice %x[0] [4] [1] : !v to !h loc("s")')
    assert [a.analysis.effects.undefined[a.value(name)] for name in "xs"] == [undefined] * 2


@pytest.mark.parametrize(("second", "undefined"), [("%e", True), ("%t", False)])
def test_blocks_have_no_content_if_no_branch_forwards_any(second: str, undefined: bool) -> None:
    a = analyse(f"""
      %e = tensor.empty() : !v
      cf.cond_br %p, ^a(%e : !v), ^b(%e : !v)
    ^a(%x: !v loc("x")):
      cf.br ^b({second} : !v)
    ^b(%y: !v loc("y")):
      return
    """)
    found = a.analysis.effects.undefined
    assert (found[a.value("x")], found[a.value("y")]) == (True, undefined)


# --- reasons against writing -----------------------------------------------------------------------------------------


def test_why_buffers_must_not_be_written() -> None:
    text = function(
        """
      %k = arith.constant dense<0.0> : !v loc("k")
      %m = bufferization.to_tensor %b restrict : memref<8xf32> to !v loc("m")
      %x = "test.op"(%k) : (!v) -> !v loc("x")
      %c = func.call @g() : () -> !v loc("c")
      return %k : !v
    """,
        '%b: memref<8xf32>, %a: !v {bufferization.writable = false} loc("a")',
    )
    callee = function("%k = arith.constant dense<0.0> : !v\nreturn %k : !v", "", "g")
    a = analyse_module(text + callee, allow_unknown=True)
    reasons = {name: a.analysis.effects.readonly[a.value(name)] for name in ("k", "m", "x", "c", "a")}
    assert reasons == {
        "k": "the result of arith.constant, which must not be written",
        "m": "the result of bufferization.to_tensor, which must not be written",
        "x": "the result of test.op, whose buffer is not known to be writable",
        "c": "the result of a function that may return a buffer which must not be written",
        "a": "a function argument marked bufferization.writable = false",
    }
    a = analyse("", boundaries=False)
    assert a.analysis.effects.readonly == {
        a.value("t"): "a function argument that stays a tensor",
        a.value("u"): "a function argument that stays a tensor",
    }


# --- ops without a model ---------------------------------------------------------------------------------------------


def test_an_unknown_op_may_do_anything_with_tensors() -> None:
    a = analyse(
        """
      %x:2 = "test.op"(%t, %u, %f) ({
        ^bb0(%b: !v):
          "test.end"(%b) : (!v) -> () loc("end")
      }) : (!v, !v, f32) -> (!v, !v) loc("x")
    """,
        allow_unknown=True,
    )
    effects = a.analysis.effects
    assert reads(a, "x#0", "x#1", "end#0") == [(True, True)] * 3
    values = [value for value, tensor in enumerate(a.snapshot.value_is_tensor) if tensor]
    for place in ("x#0", "x#1"):
        ties = effects.ties[a.operand(place)]
        assert len(ties) == 1
        sets = a.function().sets
        one_set = {a.value_label(value) for value in values if sets.find(value) == sets.find(ties[0].value)}
        assert one_set == {"t", "u", "x", "x:1", "x^0"}
        assert all(tie.relation is Relation.UNKNOWN and not tie.definite for tie in ties)
    assert {a.value("x"), a.value("x:1"), a.value("x^0")} <= set(effects.readonly)


def test_what_ends_a_region_of_an_unknown_op_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """`scf.yield` has a model, but it cannot say where an op that nobody described takes its operands."""
    where = "mlir_inplace.passes.analysis.whole_module.module.find_model"
    monkeypatch.setattr(where, lambda name: None if name == "scf.while" else find_model(name))
    a = analyse(
        """
      %x = scf.while (%a = %t) : (!v) -> !v {
        scf.condition(%p) %a : !v loc("condition")
      } do {
        ^bb0(%b: !v):
          %w = linalg.fill ins(%f : f32) outs(%u : !v) -> !v loc("w")
          scf.yield %w : !v loc("y")
      } loc("x")
    """,
        allow_unknown=True,
    )
    assert reads(a, "x#0", "condition#1", "y#0") == [(True, True)] * 3
    assert a.value("x") in a.analysis.effects.readonly


def test_every_op_without_a_model_is_refused() -> None:
    a = analyse_module(function('"test.one"(%t) : (!v) -> ()\n%x = "test.two"() : () -> !v'))
    assert [message.split("'")[1] for message in a.refused] == ["test.one", "test.two"]
    a = analyse_module(function('"test.one"() ({\n^bb0(%b: !v):\n "test.end"() : () -> ()\n}) : () -> ()'))
    assert [message.split("'")[1] for message in a.refused] == ["test.one"]


def test_ops_that_work_on_no_tensors_need_no_model() -> None:
    assert analyse_module(function('"test.one"(%f) : (f32) -> ()')).refused == []


# --- models of others ------------------------------------------------------------------------------------------------


class Keep(OpModel):
    """An op that writes its operand and has no way to work on a copy of it."""

    op_names = ("test.keep",)

    def bufferizes_to_memory_write(self, op: ir.Operation, operand: int) -> bool:
        return True

    def must_bufferize_in_place(self, op: ir.Operation, operand: int) -> bool:
        return True

    def aliasing_values(self, op: ir.Operation, operand: int) -> tuple[AliasingValue, ...]:
        return (AliasingValue(0),)


class Maybe(OpModel):
    """An op whose result is its operand, or something new."""

    op_names = ("test.maybe",)

    def bufferizes_to_memory_read(self, op: ir.Operation, operand: int) -> bool:
        return False

    def aliasing_values(self, op: ir.Operation, operand: int) -> tuple[AliasingValue, ...]:
        return (AliasingValue(0, definite=False),)


def analyse_with(models: dict[str, OpModel], body: str) -> Analysed:
    module = parse(function(body))
    with context():
        s = Snapshot(module.operation, lambda *_: False)
        effects = TensorEffects(
            s, lambda name: models.get(name) or find_model(name), {}, boundaries=True, allow_unknown=False
        )
        number = s.op_name.index("func.func")
        effects.add_function(number)
        assert effects.refusals == []
        state = ProgramState(effects, {}, lambda name: True)
        return Analysed(ModuleAnalysis(s, effects, state, [analyze_function(effects, number, AnalysisOptions())]))


def test_what_is_only_maybe_the_same_buffer_is_not_taken_for_it() -> None:
    """If %x is %t, nothing is to be copied, else everything."""
    a = analyse_with(
        {"test.maybe": Maybe()},
        """
      %x = "test.maybe"(%t) : (!v) -> !v loc("x")
      %m = bufferization.materialize_in_destination %x in %t : (!v, !v) -> !v loc("m")
      return %m : !v
    """,
    )
    assert a.redundant == set()
    a = analyse_with(
        {"test.maybe": Maybe()},
        """
      %x = "test.maybe"(%t) : (!v) -> !v loc("x")
      %w = tensor.insert %f into %t[%i] : !v loc("w")
      %r = tensor.extract %x[%j] : !v loc("r")
    """,
    )
    assert a.costs == ["copy: READ_AFTER_WRITE write=w#1 read=r#0 value=x"]


def test_what_is_only_maybe_a_view_of_nothing_may_have_content() -> None:
    a = analyse_with({"test.maybe": Maybe()}, '%e = tensor.empty() : !v\n%x = "test.maybe"(%e) : (!v) -> !v loc("x")')
    assert not a.analysis.effects.undefined[a.value("x")]


@pytest.mark.parametrize(("read", "refused"), [("%w", []), ("%t", ["t"])])
def test_an_operand_that_must_be_in_place_is_refused_if_it_cannot(read: str, refused: list[str]) -> None:
    a = analyse_with(
        {"test.keep": Keep()},
        f"""
      %w = "test.keep"(%t) : (!v) -> !v loc("w")
      %r = tensor.extract {read}[%i] : !v
    """,
    )
    messages = [refusal.message for refusal in a.function().refusals]
    assert messages == [
        "operand #0 must be bufferized in-place, but a value that is read later would be overwritten; "
        "copy what is still read ahead of the op, with bufferization.alloc_tensor() copy(...)"
        for _ in refused
    ]
    assert (a["w#0"] == "in-place") == (not refused)


def test_what_an_op_inside_of_an_unknown_op_is_given_may_come_out() -> None:
    """Through any number of levels, and for each op one tie whatever the number of results."""
    a = analyse(
        """
      %x:2 = "test.op"() ({
        "test.inner"() ({
          "test.end"(%t) : (!v) -> () loc("end")
        }) : () -> ()
        "test.end"(%u) : (!v) -> () loc("outer")
      }) : () -> (!v, !v) loc("x")
    """,
        allow_unknown=True,
    )
    effects, sets = a.analysis.effects, a.function().sets
    for place in ("end#0", "outer#0"):
        assert [a.value_label(tie.value) for tie in effects.ties[a.operand(place)]] == ["x"]
    assert len({sets.find(a.value(label)) for label in ("t", "u", "x", "x:1")}) == 1
    assert all(sets.have_common_origin(a.value("x:1"), a.value(label)) for label in ("t", "u"))
    assert not sets.have_common_origin(a.value("t"), a.value("u"))


def test_payloads_have_nothing_to_do_with_tensors_unless_they_take_elements_of_them() -> None:
    effects = analyse("""
      %a = linalg.fill ins(%f : f32) outs(%t : !v) -> !v
      %b = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%a : !v) {
        ^bb0(%x: f32):
          %y = tensor.extract %u[%i] : !v
          linalg.yield %y : f32
      } -> !v
      %c = scf.for %k = %c0 to %n step %c1 iter_args(%d = %b) -> (!v) {
        scf.yield %d : !v
      }
      %e = scf.if %p -> (f32) {
        scf.yield %f : f32
      } else {
        %g = arith.addf %f, %f : f32
        scf.yield %g : f32
      }
      return %c : !v""").analysis.effects
    s = effects.snapshot
    names = [s.op_name[op] for op in sorted(effects.ops_around_tensors(s.op_name.index("func.func")))]
    assert names == ["linalg.generic", "scf.for"]
