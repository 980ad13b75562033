"""The attributes of test-analysis-only: ours, and upstream's for the same programs, where both have to decide alike."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from analysed import ALIASES, context, function, operations
from mlir import ir
from mlir.passmanager import PassManager

import mlir_inplace as mi
from mlir_inplace.passes.bufferization.rewriting.annotations import (
    ACCESS,
    ALIASES_OF_ARGUMENTS,
    ALIASES_OF_RESULTS,
    EQUIVALENT,
    IN_PLACE,
)

OPTIONS = "bufferize-function-boundaries test-analysis-only"


def annotated(text: str, options: str = "", *, upstream: bool = False) -> ir.Module:
    with context():
        module = ir.Module.parse(ALIASES + text)
        name = "one-shot-bufferize" if upstream else "inplace-one-shot-bufferize"
        pipeline = f"builtin.module({name}{{{OPTIONS} {options}}})"
        if upstream:
            PassManager.parse(pipeline).run(module.operation)
        else:
            mi.run_pipeline(module, pipeline)
    return module


def plain(attribute: ir.Attribute) -> Any:
    if isinstance(attribute, ir.ArrayAttr):
        return [plain(entry) for entry in attribute]
    if isinstance(attribute, ir.DictAttr):
        return {entry.name: plain(entry.attr) for entry in attribute}
    return attribute.value if isinstance(attribute, ir.StringAttr | ir.IntegerAttr | ir.BoolAttr) else str(attribute)


def attributes(module: ir.Module, *names: str) -> Iterator[tuple[str, str, Any]]:
    """What was attached: op, attribute, value, in the order of the ops."""
    for op in operations(module):
        for name in names:
            if name in op.attributes:
                yield op.name, name, plain(op.attributes[name])


def alias_sets(value: Any) -> Any:
    """Sets of names in the place of their lists, however deep."""
    return frozenset(value) if value and isinstance(value[0], str) else [alias_sets(entry) for entry in value]


def conflicts(module: ir.Module) -> list[tuple[str, str]]:
    """Ops and what happens at them, without the numbers of the conflicts, which count per process upstream."""
    found = [(op.name, name) for op in operations(module) for name in op.attributes]
    return sorted((op, name.partition("[")[2]) for op, name in found if name.startswith(("C_", "W_")))


PROGRAMS = {
    "in_place": "%0 = tensor.insert %f into %t[%i] : !v\nreturn %0 : !v",
    "read_later": "%0 = tensor.insert %f into %t[%i] : !v\n%1 = tensor.extract %t[%j] : !v\nreturn %1 : f32",
    "constant": """
      %k = arith.constant dense<1.0> : !v
      %0 = tensor.insert %f into %k[%i] : !v
      return %0 : !v""",
    "slices": """
      %s = tensor.extract_slice %t[0] [4] [1] : !v to !h
      %w = linalg.fill ins(%f : f32) outs(%s : !h) -> !h
      %0 = tensor.insert_slice %w into %t[0] [4] [1] : !h into !v
      return %0 : !v""",
    "matmul": """
      %k = arith.constant dense<0.0> : !m
      %a = arith.constant dense<1.0> : !m
      %0 = linalg.matmul ins(%a, %a : !m, !m) outs(%k : !m) -> !m
      return %0, %f : !m, f32""",
    "branches": """
      %a = tensor.insert %f into %t[%i] : !v
      %0 = scf.if %p -> !v {
        scf.yield %a : !v
      } else {
        %b = tensor.insert %f into %a[%j] : !v
        scf.yield %b : !v
      }
      return %0 : !v""",
    "equivalent": "return %u, %f, %t, %i : !v, f32, !v, index",
    "vectors": """
      %v = vector.transfer_read %t[%i], %f : !v, vector<4xf32>
      %0 = vector.transfer_write %v, %u[%i] : vector<4xf32>, !v
      return %0 : !v""",
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_upstream_says_the_same(name: str) -> None:
    text = function(PROGRAMS[name])
    options = "analysis-heuristic=bottom-up dump-alias-sets print-conflicts"
    ours, upstream = annotated(text, options), annotated(text, options, upstream=True)
    assert list(attributes(ours, IN_PLACE, EQUIVALENT)) == list(attributes(upstream, IN_PLACE, EQUIVALENT))
    assert list(attributes(ours, "arg_attrs")) == list(attributes(upstream, "arg_attrs"))
    names = ALIASES_OF_RESULTS, ALIASES_OF_ARGUMENTS
    found, expected = (
        [(op, attribute, alias_sets(value)) for op, attribute, value in attributes(module, *names)]
        for module in (ours, upstream)
    )
    assert found == expected
    assert conflicts(ours) == conflicts(upstream)


CALLS = """
  func.func private @declared(!v {bufferization.access = "read"}, !v) -> !v
  func.func private @reads(%t: !v, %u: !v, %i: index) -> f32 {
    %0 = tensor.extract %t[%i] : !v
    return %0 : f32
  }
  func.func private @writes(%t: !v, %f: f32) -> !v {
    %0 = linalg.fill ins(%f : f32) outs(%t : !v) -> !v
    return %0 : !v
  }
  func.func @calls(%t: !v, %u: !v, %f: f32, %i: index) -> (!v, f32, !v) {
    %0 = call @reads(%t, %u, %i) : (!v, !v, index) -> f32
    %1 = call @writes(%t, %f) : (!v, f32) -> !v
    %2 = call @declared(%u, %u) : (!v, !v) -> !v
    return %1, %0, %2 : !v, f32, !v
  }
"""


def test_functions_say_what_happens_to_their_arguments() -> None:
    module = annotated(CALLS)
    found = [value for _, _, value in attributes(module, "arg_attrs")]
    assert [[entry.get(ACCESS) for entry in arguments] for arguments in found] == [
        ["read", "read-write"],
        ["read", "none", None],
        ["write", None],
        # %u is copied, as what is written to it would be read.
        ["read-write", "read", None, None],
    ]
    assert list(attributes(module, EQUIVALENT)) == [
        ("func.return", EQUIVALENT, [0]),
        ("func.return", EQUIVALENT, [0, -1, -1]),
    ]


def test_upstream_says_the_same_of_functions() -> None:
    text = CALLS.replace("%u, %u) : (!v, !v) -> !v", "%u, %1) : (!v, !v) -> !v")
    ours, upstream = annotated(text), annotated(text, upstream=True)
    assert list(attributes(ours, "arg_attrs")) == list(attributes(upstream, "arg_attrs"))


def test_without_boundaries_functions_are_left_alone() -> None:
    with context():
        module = ir.Module.parse(ALIASES + CALLS)
        mi.run_pipeline(module, "builtin.module(inplace-one-shot-bufferize{test-analysis-only})")
    assert list(attributes(module, EQUIVALENT)) == []
    assert [[list(entry) for entry in value] for _, _, value in attributes(module, "arg_attrs")] == [[[ACCESS], []]]
    assert ("tensor.extract", IN_PLACE, ["true", "none"]) in list(attributes(module, IN_PLACE))


def test_alias_sets_and_conflicts_are_shown_on_demand() -> None:
    text = function(PROGRAMS["read_later"])
    module = annotated(text)
    assert list(attributes(module, ALIASES_OF_ARGUMENTS, ALIASES_OF_RESULTS)) == []
    assert conflicts(module) == []
    module = annotated(text, "dump-alias-sets print-conflicts")
    assert list(attributes(module, ALIASES_OF_ARGUMENTS, ALIASES_OF_RESULTS)) == [
        ("tensor.insert", ALIASES_OF_RESULTS, [["%inserted"]]),
        ("func.func", ALIASES_OF_ARGUMENTS, [[[["%arg0"], ["%arg1"]]]]),
    ]
    assert conflicts(module) == [
        ("func.func", "DEF: bbArg 0]"),
        ("tensor.extract", "READ: 0]"),
        ("tensor.insert", "CONFL-WRITE: 1]"),
    ]


def test_conflicts_are_numbered() -> None:
    body = """
      %k = arith.constant dense<1.0> : !v
      %0 = tensor.insert %f into %k[%i] : !v
      %1 = tensor.insert %f into %t[%i] : !v
      %2 = tensor.insert %f into %u[%i] : !v
      %3 = linalg.add ins(%t, %u : !v, !v) outs(%1 : !v) -> !v
      return %0, %2, %3 : !v, !v, !v
    """
    module = annotated(function(body), "print-conflicts analysis-heuristic=bottom-up")
    names = {name.partition("[")[0] for op in operations(module) for name in op.attributes}
    assert {name for name in names if name.startswith(("C_", "W_"))} == {"C_0", "C_1", "W_0"}


def test_blocks_of_every_region_are_listed() -> None:
    body = """
      %0 = scf.for %k = %c0 to %n step %c1 iter_args(%o = %t) -> !v {
        %1 = tensor.insert %f into %o[%k] : !v
        scf.yield %1 : !v
      }
      return %0 : !v
    """
    module = annotated(function(body), "dump-alias-sets")
    loop = ["%arg0", "%0", "%arg8", "%inserted"]
    found = [(op, alias_sets(value)) for op, _, value in attributes(module, ALIASES_OF_ARGUMENTS)]
    assert found == [
        ("scf.for", [[[frozenset(loop)]]]),
        ("func.func", [[[frozenset(loop), frozenset(["%arg1"])]]]),
    ]


def test_functions_without_analysis_are_not_annotated() -> None:
    module = annotated(CALLS, "no-analysis-func-filter=writes,missing")
    found = [op for op, _, _ in attributes(module, IN_PLACE)]
    assert "linalg.fill" not in found
    assert found.count("func.call") == 3
    # Everything is copied in it, so it writes no argument, and its callers know.
    accesses = [[entry.get(ACCESS) for entry in value] for _, _, value in attributes(module, "arg_attrs")]
    assert accesses[2] == ["none", None]
    assert list(attributes(annotated(CALLS), IN_PLACE)) != list(attributes(module, IN_PLACE))
