"""The rules of the in-place analysis for calls: what is known of the callee, and what is assumed of unknown ones."""

from __future__ import annotations

import pytest
from analysed import Analysed, analyse_module, function
from mlir import ir

CALLEES = {
    "writes": ("%a: !v, %f: f32, %i: index", "%0 = tensor.insert %f into %a[%i] : !v\nreturn %0 : !v"),
    "overwrites": (
        "%a: !v, %f: f32, %i: index",
        "%0 = linalg.fill ins(%f : f32) outs(%a : !v) -> !v\nreturn %0 : !v",
    ),
    "reads": (
        "%a: !v, %f: f32, %i: index",
        "%0 = tensor.extract %a[%i] : !v\n%1 = tensor.splat %0 : !v\nreturn %1 : !v",
    ),
    "ignores": ("%a: !v, %f: f32, %i: index", "%1 = tensor.splat %f : !v\nreturn %1 : !v"),
    "returns": ("%a: !v, %f: f32, %i: index", "return %a : !v"),
    "returns_constant": (
        "%a: !v, %f: f32, %i: index",
        "%0 = arith.constant dense<1.0> : !v\nreturn %0 : !v",
    ),
    "returns_either": (
        "%a: !v, %f: f32, %i: index",
        "%0 = arith.constant dense<1.0> : !v\n%p = arith.cmpi eq, %i, %i : index\n"
        "%1 = arith.select %p, %a, %0 : !v\nreturn %1 : !v",
    ),
    "works_on_a_copy": (
        "%a: !v {bufferization.writable = false}, %f: f32, %i: index",
        "%0 = tensor.insert %f into %a[%i] : !v\nreturn %0 : !v",
    ),
}


def call(callee: str, body: str, declaration: str = "", **options: bool) -> Analysed:
    """The analysis of @f with `body`, in which {call} is the call of `callee` with %t, called "c"; its result is %c."""
    if not declaration:
        arguments, text = CALLEES[callee]
        declaration = function(text, arguments, callee)
    line = f'%c = func.call @{callee}(%t, %f, %i) : (!v, f32, index) -> !v loc("c")'
    analysed = analyse_module(declaration + function(body.replace("CALL", line)), **options)
    assert not analysed.refused
    return analysed


READ_T = '\n%r = tensor.extract %t[%j] : !v loc("r")'
CONFLICT = "READ_AFTER_WRITE write=c#0 read=r#0 value=t"


@pytest.mark.parametrize(
    ("callee", "refused"),
    [
        ("writes", {"c#0": f"copy: {CONFLICT}"}),
        ("overwrites", {"c#0": f"alloc: {CONFLICT}"}),
        ("reads", {}),
        ("ignores", {}),
        ("returns", {}),
    ],
)
def test_the_callee_may_write_its_argument(callee: str, refused: dict[str, str]) -> None:
    assert call(callee, "CALL" + READ_T).not_in_place == refused
    assert call(callee, READ_T + "\nCALL").not_in_place == {}


@pytest.mark.parametrize(
    ("callee", "refused"),
    [
        ("writes", "copy: READ_AFTER_WRITE write=w#1 read=c#0 value=t"),
        ("reads", "copy: READ_AFTER_WRITE write=w#1 read=c#0 value=t"),
        ("overwrites", None),
        ("ignores", None),
    ],
)
def test_the_callee_may_read_its_argument(callee: str, refused: str | None) -> None:
    a = call(callee, '%w = tensor.insert %f into %t[%i] : !v loc("w")\nCALL')
    assert a.not_in_place == ({} if refused is None else {"w#1": refused})


@pytest.mark.parametrize(
    ("callee", "refused"),
    [
        ("returns", {"c#0": "copy: READ_AFTER_WRITE write=w#1 read=r#0 value=t"}),
        ("writes", {"c#0": "copy: READ_AFTER_WRITE write=w#1 read=r#0 value=t"}),
        ("reads", {}),
        ("returns_constant", {"w#1": "copy: NOT_WRITABLE write=w#1 value=c"}),
    ],
)
def test_the_result_may_be_the_argument(callee: str, refused: dict[str, str]) -> None:
    a = call(callee, 'CALL\n%w = tensor.insert %f into %c[%i] : !v loc("w")' + READ_T)
    assert a.not_in_place == refused


@pytest.mark.parametrize(
    ("body", "refused"),
    [
        ('%r = tensor.extract %c[%j] : !v\n%w = tensor.insert %f into %t[%i] : !v loc("w")', {}),
        (
            '%w = tensor.insert %f into %t[%i] : !v loc("w")\n%r = tensor.extract %c[%j] : !v loc("r")',
            {"c#0": "copy: READ_AFTER_WRITE write=w#1 read=r#0 value=c"},
        ),
        ('%w = tensor.insert %f into %c[%i] : !v loc("w")', {"w#1": "copy: NOT_WRITABLE write=w#1 value=c"}),
        (
            '%d = tensor.cast %c : !v to !d loc("d")\n%w = tensor.insert %f into %d[%i] : !d loc("w")',
            {"d#0": "copy: NOT_WRITABLE write=w#1 value=c"},
        ),
    ],
)
def test_what_was_passed_may_be_written_though_what_was_returned_may_not(body: str, refused: dict[str, str]) -> None:
    assert call("returns_either", f"CALL\n{body}").not_in_place == refused


def test_a_callee_that_must_not_write_copies_for_itself() -> None:
    a = call("works_on_a_copy", "CALL" + READ_T)
    assert a["c#0"] == "undecided"
    assert list(a.not_in_place) == ["tensor.insert#1"]


def test_two_arguments_in_one_buffer() -> None:
    """The callee writes its first argument and reads the second one afterwards."""
    text = function(
        """
      %0 = tensor.insert %f into %a[%i] : !v
      %1 = tensor.extract %b[%i] : !v
      return %0 : !v
    """,
        "%a: !v, %b: !v, %f: f32, %i: index",
        "g",
    )
    line = '%c = func.call @g(%t, {}, %f, %i) : (!v, !v, f32, index) -> !v loc("c")'
    a = analyse_module(text + function(line.format("%t")))
    assert a.not_in_place == {"c#0": "copy: READ_BY_WRITER write=c#0 read=c#1 value=t"}
    a = analyse_module(text + function(line.format("%u")))
    assert a.not_in_place == {}


def test_two_written_arguments_in_one_buffer() -> None:
    text = function(
        """
      %0 = linalg.fill ins(%f : f32) outs(%a : !v) -> !v
      %1 = linalg.fill ins(%f : f32) outs(%b : !v) -> !v
      return %0, %1 : !v, !v
    """,
        "%a: !v, %b: !v, %f: f32",
        "g",
    )
    a = analyse_module(text + function('%c:2 = func.call @g(%t, %t, %f) : (!v, !v, f32) -> (!v, !v) loc("c")'))
    assert a.not_in_place == {"c#1": "alloc: WRITTEN_TWICE write=c#1 read=c#0"}


def test_a_result_that_is_one_of_two_arguments() -> None:
    text = function("%0 = arith.select %p, %a, %b : !v\nreturn %0 : !v", "%a: !v, %b: !v, %p: i1", "g")
    a = analyse_module(
        text
        + function("""
      %c = func.call @g(%t, %u, %p) : (!v, !v, i1) -> !v loc("c")
      %w = tensor.insert %f into %t[%i] : !v loc("w")
      %r = tensor.extract %c[%j] : !v loc("r")
    """)
    )
    assert a.costs == ["copy: READ_AFTER_WRITE write=w#1 read=r#0 value=c"]


def test_the_callee_of_a_callee_is_known() -> None:
    text = function("%0 = tensor.insert %f into %a[%i] : !v\nreturn %0 : !v", "%a: !v, %f: f32, %i: index", "inner")
    middle = function(
        "%0 = func.call @inner(%a, %f, %i) : (!v, f32, index) -> !v\nreturn %0 : !v", "%a: !v, %f: f32, %i: index", "g"
    )
    a = call("g", "CALL" + READ_T, middle + text)
    assert a.not_in_place == {"c#0": f"copy: {CONFLICT}"}


TILE = """
  %s = tensor.extract_slice %t[0] [4] [1] : !v to !h
  %o = tensor.extract_slice %t[4] [4] [1] : !v to !h
  %c = func.call @g(%s, %o, %f, %p) : (!h, !h, f32, i1) -> !h loc("c")
  %w = tensor.insert_slice %c into %t[0] [4] [1] : !h into !v loc("w")
  return %w : !v
"""


@pytest.mark.parametrize(
    ("body", "calls_copy", "redundant"),
    [
        ("%0 = linalg.fill ins(%f : f32) outs(%a : !h) -> !h\nreturn %0 : !h", False, True),
        ("%0 = linalg.fill ins(%f : f32) outs(%a : !h) -> !h\nreturn %0 : !h", True, False),
        ("%0 = linalg.fill ins(%f : f32) outs(%b : !h) -> !h\nreturn %0 : !h", False, False),
        ("%0 = arith.select %p, %a, %b : !h\nreturn %0 : !h", False, False),
        ("%0 = tensor.splat %f : !h\nreturn %0 : !h", False, False),
    ],
)
def test_a_result_that_certainly_is_an_argument_is_where_the_argument_is(
    body: str, calls_copy: bool, redundant: bool
) -> None:
    text = function(body, "%a: !h, %b: !h, %f: f32, %p: i1", "g") + function(TILE)
    assert analyse_module(text, calls_copy=calls_copy).redundant == ({"w#1"} if redundant else set())


# --- functions that are not known ------------------------------------------------------------------------------------


def declared(attributes: str = "") -> str:
    return f"func.func private @g(!v {attributes}, f32, index) -> !v\n"


@pytest.mark.parametrize(
    ("attributes", "refused"),
    [
        ("", {"c#0": f"copy: {CONFLICT}"}),
        ('{bufferization.access = "read"}', {}),
        ('{bufferization.access = "none"}', {}),
        ('{bufferization.access = "write"}', {"c#0": f"alloc: {CONFLICT}"}),
        ('{bufferization.access = "read-write"}', {"c#0": f"copy: {CONFLICT}"}),
    ],
)
def test_an_external_function_may_write_unless_it_says_no(attributes: str, refused: dict[str, str]) -> None:
    assert call("g", "CALL" + READ_T, declared(attributes)).not_in_place == refused


def test_the_result_of_an_external_function_may_be_its_argument() -> None:
    a = call(
        "g",
        'CALL\n%w = tensor.insert %f into %c[%i] : !v loc("w")' + READ_T,
        declared('{bufferization.access = "read"}'),
    )
    assert a.not_in_place == {"c#0": "copy: READ_AFTER_WRITE write=w#1 read=r#0 value=t"}


RECURSION = """
  %stop = arith.cmpi eq, %i, %c0 : index
  %j = arith.subi %i, %c1 : index
  %r = scf.if %stop -> !v {{
    scf.yield {returned} : !v
  }} else {{
    {step}
    %q = func.call @g({passed}, %f, %j) : (!v, f32, index) -> !v
    scf.yield {result} : !v
  }}
  return %r : !v
"""


COPY_OF_T = "copy: READ_AFTER_WRITE write=w#1 read=r#0 value=t"


@pytest.mark.parametrize(
    ("recursion", "not_in_place"),
    [
        # It hands its argument on, and out: the result is the argument, which is read after the write.
        ({"returned": "%a", "step": "", "passed": "%a", "result": "%q"}, {"c#0": COPY_OF_T}),
        # It writes it as well.
        (
            {"returned": "%a", "step": "%w = tensor.insert %f into %a[%j] : !v", "passed": "%w", "result": "%q"},
            {"c#0": COPY_OF_T},
        ),
        # What comes back is a new tensor, made at the bottom.
        ({"returned": "%n", "step": "", "passed": "%a", "result": "%q"}, {}),
        # It is a constant: nobody may write it.
        (
            {"returned": "%k", "step": "", "passed": "%a", "result": "%q"},
            {"w#1": "copy: NOT_WRITABLE write=w#1 value=c"},
        ),
        # It may be the argument, or a new tensor.
        ({"returned": "%n", "step": "", "passed": "%a", "result": "%a"}, {"c#0": COPY_OF_T}),
    ],
)
def test_a_recursive_function_is_what_it_implies(recursion: dict[str, str], not_in_place: dict[str, str]) -> None:
    """The result of the call is written, its operand is read afterwards. Inside of the function all is in place."""
    new = "%k = arith.constant dense<1.0> : !v\n%n = tensor.splat %f : !v\n"
    a = call(
        "g",
        'CALL\n%w = tensor.insert %f into %c[%i] : !v loc("w")' + READ_T,
        function(new + RECURSION.format(**recursion), "%a: !v, %f: f32, %i: index", "g"),
    )
    assert a.analysis.recursive == {"g"}
    assert a.not_in_place == not_in_place


def test_a_recursive_function_that_swaps_is_not_taken_for_one_that_does_not() -> None:
    """At the bottom each result is one argument; one call further up it is the other one."""
    text = """
      %stop = arith.cmpi eq, %i, %c0 : index
      %j = arith.subi %i, %c1 : index
      %r:2 = scf.if %stop -> (!v, !v) {
        scf.yield %a, %b : !v, !v
      } else {
        %q:2 = func.call @g(%b, %a, %j) : (!v, !v, index) -> (!v, !v)
        scf.yield %q#0, %q#1 : !v, !v
      }
      return %r#0, %r#1 : !v, !v
    """
    caller = """
      %c:2 = func.call @g(%t, %u, %i) : (!v, !v, index) -> (!v, !v) loc("c")
      %w = tensor.insert %f into %c#0[%i] : !v loc("w")
      %r = tensor.extract %c#1[%j] : !v loc("r")
    """
    a = analyse_module(function(text, "%a: !v, %b: !v, %i: index", "g") + function(caller))
    assert all(len(ties) == 2 for ties in a.analysis.summaries["g"].result_ties)
    assert a.costs == ["copy: READ_AFTER_WRITE write=w#1 read=r#0 value=c:1"]


def test_a_read_only_argument_of_a_recursive_function_may_be_returned() -> None:
    text = """
      %1 = func.call @g(%a, %f, %i) : (!v, f32, index) -> !v
      return %a : !v
    """
    a = call(
        "g",
        'CALL\n%w = tensor.insert %f into %c[%i] : !v loc("w")',
        function(text, "%a: !v {bufferization.writable = false}, %f: f32, %i: index", "g"),
    )
    assert a["w#1"] == "copy: NOT_WRITABLE write=w#1 value=c"


def test_without_boundaries_a_call_keeps_its_tensors() -> None:
    a = call("writes", "CALL\n" + '%w = tensor.insert %f into %c[%i] : !v loc("w")', boundaries=False)
    assert a["w#1"] == "copy: NOT_WRITABLE write=w#1 value=c"


def test_the_order_of_functions_does_not_matter() -> None:
    """Callees are analysed first, wherever they stand."""
    arguments, text = CALLEES["writes"]
    line = '%c = func.call @writes(%t, %f, %i) : (!v, f32, index) -> !v loc("c")'
    a = analyse_module(function(line + READ_T) + function(text, arguments, "writes"))
    assert a.not_in_place == {"c#0": f"copy: {CONFLICT}"}
    names = [ir.StringAttr(a.snapshot.ops[f.function].attributes["sym_name"]).value for f in a.analysis.functions]
    assert names == ["writes", "f"]


# --- results that are one buffer -------------------------------------------------------------------------------------

TWO_RESULTS = """
  %c:2 = func.call @g(%t, %f) : (!v, f32) -> (!v, !v) loc("c")
  %w = tensor.insert %f into %c#0[%i] : !v loc("w")
  %r = tensor.extract %c#1[%j] : !v loc("r")
"""


@pytest.mark.parametrize(
    ("body", "costs"),
    [
        ("%x = tensor.splat %f : !v\nreturn %x, %x : !v, !v", ["w#1"]),
        ("%x = tensor.splat %f : !v\n%y = tensor.splat %f : !v\nreturn %x, %y : !v, !v", []),
        ("return %a, %a : !v, !v", ["w#1"]),
        ("%y = tensor.splat %f : !v\nreturn %a, %y : !v, !v", []),
    ],
)
def test_two_results_of_a_call_may_be_one_buffer(body: str, costs: list[str]) -> None:
    a = analyse_module(function(body, "%a: !v, %f: f32", "g") + function(TWO_RESULTS))
    assert list(a.not_in_place) == costs
    assert all(text == "copy: READ_AFTER_WRITE write=w#1 read=r#0 value=c:1" for text in a.costs)


@pytest.mark.parametrize(
    ("body", "costs"),
    [
        ("return %x, %x : !v, !v", ["c#0"]),
        # Only maybe the same buffer: then the op would read what it has changed.
        ("%q = tensor.splat %f : !v\n%p = arith.cmpf oeq, %f, %f : f32\n"
         "%s = arith.select %p, %x, %q : !v\nreturn %x, %s : !v, !v", ["c#0", "w#1"]),
    ],
)  # fmt: skip
def test_two_results_in_one_copy_are_one_buffer(body: str, costs: list[str]) -> None:
    used = """
      %c:2 = func.call @g(%t, %f) : (!v, f32) -> (!v, !v) loc("c")
      %w = linalg.exp ins(%c#0 : !v) outs(%c#1 : !v) -> !v loc("w")
      %x = tensor.insert %f into %w[%i] : !v loc("x")
      return %x, %t : !v, !v
    """
    filled = "%x = linalg.fill ins(%f : f32) outs(%a : !v) -> !v\n"
    a = analyse_module(function(filled + body, "%a: !v, %f: f32", "g") + function(used))
    assert sorted(a.not_in_place) == costs


def test_the_results_that_are_one_buffer_are_counted_with_those_that_are_none() -> None:
    text = function("%x = tensor.splat %f : !v\nreturn %f, %x, %x : f32, !v, !v", "%f: f32", "g") + function("""
      %c:3 = func.call @g(%f) : (f32) -> (f32, !v, !v) loc("c")
      %w = tensor.insert %f into %c#1[%i] : !v loc("w")
      %r = tensor.extract %c#2[%j] : !v loc("r")
    """)
    assert analyse_module(text).not_in_place == {"w#1": "copy: READ_AFTER_WRITE write=w#1 read=r#0 value=c:2"}


def test_two_results_of_an_unknown_function_may_be_one_buffer() -> None:
    a = analyse_module("func.func private @g(!v, f32) -> (!v, !v)\n" + function(TWO_RESULTS))
    assert list(a.not_in_place) == ["w#1"]


def test_two_results_of_an_unknown_op_may_be_one_buffer() -> None:
    a = analyse_module(
        function("""
      %x:2 = "test.op"() : () -> (!v, !v) loc("x")
      %w = tensor.insert %f into %x#0[%i] : !v loc("w")
      %r = tensor.extract %x#1[%j] : !v loc("r")
    """),
        allow_unknown=True,
    )
    assert list(a.not_in_place) == ["w#1"]


def test_what_a_recursive_function_says_of_itself_is_not_believed() -> None:
    """A declaration's attribute cannot be checked; that of a body could be, and is not."""
    text = """
      %0 = tensor.insert %f into %a[%i] : !v
      %1 = func.call @g(%0, %f, %i) : (!v, f32, index) -> !v
      return %1 : !v
    """
    a = call(
        "g",
        "CALL" + READ_T,
        function(text, '%a: !v {bufferization.access = "read"}, %f: f32, %i: index', "g"),
    )
    assert a["c#0"] == f"copy: {CONFLICT}"


def test_the_address_of_a_function_on_tensors_is_refused() -> None:
    text = function("%g = func.constant @h : (!v) -> !v", "", "f") + "func.func private @h(!v) -> !v\n"
    a = analyse_module(text)
    assert a.refused == [
        "'func.constant' takes the address of a function on tensors, whose type would change; "
        "call the function directly, or do not bufferize function boundaries"
    ]
    assert analyse_module(text, boundaries=False).refused == []
