"""What callers are told of a function, and the order in which functions are looked at."""

from __future__ import annotations

import pytest
from analysed import analyse_module, context, function, parse
from hypothesis import given
from hypothesis import strategies as st
from mlir import ir

from mlir_inplace.dialects.bufferizable import Relation
from mlir_inplace.passes.analysis.effects.summary import FunctionSummary, call_order, pessimistic_summary

EQUIVALENT, UNKNOWN = Relation.EQUIVALENT, Relation.UNKNOWN


def summary(body: str, arguments: str = "%a: !v, %b: !v, %f: f32, %i: index, %p: i1") -> FunctionSummary:
    return analyse_module(function(body, arguments)).analysis.summaries["f"]


ONE_OF_TWO = """
%x = scf.if %p -> (!v) {
  scf.yield %a : !v
} else {
  %e = tensor.empty() : !v
  %s = linalg.add ins(%a, %a : !v, !v) outs(%e : !v) -> !v
  scf.yield %s : !v
}
%r = tensor.extract %x[%i] : !v
"""


@pytest.mark.parametrize(
    ("body", "read", "written"),
    [
        ("", (False, False), (False, False)),
        ("%r = tensor.extract %a[%i] : !v", (True, False), (False, False)),
        ("%w = linalg.fill ins(%f : f32) outs(%a : !v) -> !v", (False, False), (True, False)),
        ("%w = tensor.insert %f into %a[%i] : !v", (True, False), (True, False)),
        ("%w = linalg.copy ins(%a : !v) outs(%b : !v) -> !v", (True, False), (False, True)),
        # A copy is written, the argument is not.
        ("%w = tensor.insert %f into %a[%i] : !v\n%r = tensor.extract %a[%i] : !v", (True, False), (False, False)),
        ("return %a : !v", (True, False), (False, False)),
        ("%d = tensor.dim %a, %c0 : !v", (False, False), (False, False)),
        (
            "%s = tensor.extract_slice %a[0] [4] [1] : !v to !h\n%w = tensor.insert %f into %s[%i] : !h",
            (True, False),
            (True, False),
        ),
        # What is in one set with an argument may be written; the argument itself is not.
        (ONE_OF_TWO, (True, False), (False, False)),
        (ONE_OF_TWO + "%w = tensor.insert %f into %x[%i] : !v", (True, False), (True, False)),
        # Only the slice that it is would be written, so nothing is.
        (
            "%s = tensor.extract_slice %a[0] [4] [1] : !v to !h\n"
            "%w = tensor.insert_slice %s into %a[0] [4] [1] : !h into !v",
            (True, False),
            (False, False),
        ),
        (
            "%s = tensor.extract_slice %a[0] [4] [1] : !v to !h\n"
            "%w = tensor.insert_slice %s into %a[4] [4] [1] : !h into !v",
            (True, False),
            (True, False),
        ),
    ],
)
def test_reads_and_writes(body: str, read: tuple[bool, bool], written: tuple[bool, bool]) -> None:
    found = summary(body)
    assert (found.argument_is_read[:2], found.argument_is_written[:2]) == (read, written)


@pytest.mark.parametrize(
    ("body", "ties"),
    [
        ("return %a : !v", ({0: EQUIVALENT},)),
        ("return %b, %a : !v, !v", ({1: EQUIVALENT}, {0: EQUIVALENT})),
        ("%w = tensor.insert %f into %a[%i] : !v\nreturn %w : !v", ({0: EQUIVALENT},)),
        ("%s = tensor.extract_slice %a[0] [4] [1] : !v to !h\nreturn %s : !h", ({0: UNKNOWN},)),
        ("%x = arith.select %p, %a, %b : !v\nreturn %x : !v", ({0: UNKNOWN, 1: UNKNOWN},)),
        # All are in one set, but %b is never the buffer of %a.
        (
            "%x = arith.select %p, %a, %b : !v\nreturn %x, %b : !v, !v",
            ({0: UNKNOWN, 1: UNKNOWN}, {1: EQUIVALENT}),
        ),
        ("%x = tensor.splat %f : !v\nreturn %x : !v", ({},)),
        ("return %f : f32", ({},)),
        ("return %f, %a : f32, !v", ({}, {0: EQUIVALENT})),
    ],
)
def test_results_may_be_arguments(body: str, ties: tuple[dict[int, Relation], ...]) -> None:
    assert summary(body).result_ties == ties


def test_a_result_may_be_a_buffer_that_must_not_be_written() -> None:
    found = summary("%k = arith.constant dense<0.0> : !v\n%x = tensor.splat %f : !v\nreturn %k, %x, %a : !v, !v, !v")
    assert [bool(reason) for reason in found.result_readonly] == [True, False, False]
    found = summary("%k = arith.constant dense<0.0> : !v\nreturn %f, %k, %f : f32, !v, f32")
    assert [bool(reason) for reason in found.result_readonly] == [False, True, False]
    found = summary("%k = arith.constant dense<0.0> : !v\n%x = arith.select %p, %k, %a : !v\nreturn %x, %a : !v, !v")
    assert [bool(reason) for reason in found.result_readonly] == [True, False]


def test_many_buffers_are_not_compared_one_by_one() -> None:
    """With as many as in the second program, any of them might be the argument's."""

    def written(count: int) -> bool:
        lines = ["%x0 = arith.select %p, %a, %b : !v"]
        for k in range(1, count):
            lines.append(f"%s{k} = tensor.splat %f : !v\n%w{k} = tensor.insert %f into %s{k}[%i] : !v")
            lines.append(f"%x{k} = arith.select %p, %x{k - 1}, %w{k} : !v")
        found = summary("\n".join([*lines, f"%r = tensor.extract %x{count - 1}[%i] : !v"]))
        return found.argument_is_written[0]

    assert not written(60)
    assert written(80)


@pytest.mark.parametrize(
    ("body", "shared"),
    [
        ("return %a, %b : !v, !v", ()),
        ("return %a, %a : !v, !v", ((0, 1),)),
        ("return %f, %a, %b, %a : f32, !v, !v, !v", ((1, 3),)),
        ("%x = arith.select %p, %a, %b : !v\nreturn %a, %b, %x : !v, !v, !v", ((0, 2), (1, 2))),
        ("%s = tensor.extract_slice %a[0] [4] [1] : !v to !h\nreturn %s, %a : !h, !v", ((0, 1),)),
    ],
)
def test_results_may_be_each_other(body: str, shared: tuple[tuple[int, int], ...]) -> None:
    assert summary(body).shared_results == shared


def declaration(text: str) -> ir.Operation:
    return parse(text).body.operations[0].operation


def test_a_function_without_a_body_may_do_anything() -> None:
    with context():
        found = pessimistic_summary(
            declaration("func.func private @g(!v, f32, !h) -> (!v, f32)"), recursive=False, unwritable=False
        )
    assert found.argument_is_read == (True, True, True)
    assert found.argument_is_written == (True, True, True)
    assert found.result_ties == ({0: UNKNOWN, 2: UNKNOWN}, {0: UNKNOWN, 2: UNKNOWN})
    assert found.result_readonly == ("", "")
    assert found.shared_results == ()
    with context():
        found = pessimistic_summary(
            declaration("func.func private @g() -> (!v, f32, !v, !h)"), recursive=False, unwritable=False
        )
    assert found.shared_results == ((0, 2), (0, 3), (2, 3))


@pytest.mark.parametrize(
    ("access", "read", "written"),
    [("none", False, False), ("read", True, False), ("write", False, True), ("read-write", True, True)],
)
def test_a_function_without_a_body_says_what_it_accesses(access: str, read: bool, written: bool) -> None:
    text = f'func.func private @g(!v {{bufferization.access = "{access}"}}, !v) -> !v'
    with context():
        found = pessimistic_summary(declaration(text), recursive=False, unwritable=False)
    assert (found.argument_is_read, found.argument_is_written) == ((read, True), (written, True))


def test_a_recursive_function_may_return_a_constant() -> None:
    text = "func.func @g(%a: !v {bufferization.writable = false}) -> !v {\n return %a : !v\n}"
    with context():
        found = pessimistic_summary(declaration(text), recursive=True, unwritable=True)
    assert (found.argument_is_read, found.argument_is_written) == ((True,), (False,))
    assert found.result_readonly == ("the result of a recursive call, which may be a buffer that must not be written",)


# --- call order ------------------------------------------------------------------------------------------------------


def order_of(calls: dict[str, list[str]]) -> tuple[list[str], set[str]]:
    with context():
        op = ir.Module.parse("module {}").operation
    components, recursive = call_order(dict.fromkeys(calls, op), calls)
    return [name for component in components for name in component], recursive


@pytest.mark.parametrize(
    ("calls", "order", "recursive"),
    [
        ({"a": ["b"], "b": ["c"], "c": []}, ["c", "b", "a"], set()),
        ({"c": [], "b": ["c"], "a": ["b", "c"]}, ["c", "b", "a"], set()),
        ({"a": ["a"]}, ["a"], {"a"}),
        ({"a": ["b"], "b": ["a"], "c": ["a"]}, None, {"a", "b"}),
        ({"a": ["unknown"]}, ["a"], set()),
        ({"a": ["b", "b"], "b": []}, ["b", "a"], set()),
    ],
)
def test_callees_come_first(calls: dict[str, list[str]], order: list[str] | None, recursive: set[str]) -> None:
    found, cyclic = order_of(calls)
    assert order is None or found == order
    assert cyclic == recursive


names = st.sampled_from("abcdef")


@given(st.dictionaries(names, st.lists(names, max_size=4), min_size=1))
def test_the_order_is_right_for_any_graph(calls: dict[str, list[str]]) -> None:
    order, recursive = order_of(calls)
    assert sorted(order) == sorted(calls)

    def reachable(name: str) -> set[str]:
        seen: set[str] = set()
        work = [name]
        while work:
            for callee in calls.get(work.pop(), []):
                if callee in calls and callee not in seen:
                    seen.add(callee)
                    work.append(callee)
        return seen

    assert recursive == {name for name in calls if name in reachable(name)}
    for position, name in enumerate(order):
        later = set(order[position + 1 :])
        assert all(name in reachable(callee) for callee in reachable(name) & later)


def test_long_chains_of_calls_need_no_stack() -> None:
    count = 5000
    calls = {f"f{i}": [f"f{i + 1}"] for i in range(count)} | {f"f{count}": []}
    order, recursive = order_of(calls)
    assert order == [f"f{i}" for i in range(count, -1, -1)]
    assert recursive == set()
