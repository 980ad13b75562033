"""The options of inplace-one-shot-bufferize: upstream's, by name, default and syntax."""

from __future__ import annotations

import re

import pytest
from analysed import ALIASES, context, function
from mlir import ir
from mlir.passmanager import PassManager

import mlir_inplace as mi
from mlir_inplace.passes.bufferization.one_shot_bufferize import OneShotBufferizeOptions
from mlir_inplace.passes.framework.errors import OptionError

OURS = {
    # Loops that swap buffers are bufferized; upstream refuses them.
    "allow-return-allocs-from-loops": "true",
    # The cheapest of several orders, upstream's among them.
    "analysis-heuristic": "cheapest",
}
"""The defaults that differ on purpose."""

OURS_ALONE = {"erase-dead-ops", "warn-written-arguments"}


def upstream(options: str = "") -> dict[str, str]:
    """Upstream's options as it prints them: all but empty lists."""
    with context():
        text = str(PassManager.parse(f"builtin.module(one-shot-bufferize{{{options}}})"))
    return dict(re.findall(r"([\w-]+)=(\{[^}]*\}|[^\s})]+)", text))


def test_names_are_upstreams() -> None:
    lists = "dialect-filter=a no-analysis-func-filter=b"
    assert {spec.name for spec in OneShotBufferizeOptions.specs()} == set(upstream(lists)) | OURS_ALONE


def test_defaults_are_upstreams() -> None:
    ours = {spec.name: spec.default_text for spec in OneShotBufferizeOptions.specs()}
    assert {name for name, default in ours.items() if default == "empty"} == set(ours) - set(upstream()) - OURS_ALONE
    differing = {name: ours[name] for name, default in upstream().items() if ours[name] != default}
    assert differing == OURS


@pytest.mark.parametrize(
    "text",
    [
        "dialect-filter=tensor,linalg",
        "no-analysis-func-filter=f,g",
        "analysis-heuristic=fuzzer analysis-fuzzer-seed=7",
        "unknown-type-conversion=identity-layout-map",
        "use-encoding-for-memory-space=true",
        "must-infer-memory-space=true",
        "check-parallel-regions=false",
        "allow-return-allocs-from-loops=false",
        "dump-alias-sets=true",
    ],
)
def test_text_comes_back(text: str) -> None:
    options = OneShotBufferizeOptions.parse(text)
    assert OneShotBufferizeOptions.parse(str(options)) == options
    assert set(str(options).split()) == set(text.split())


@pytest.mark.parametrize("written", ["tensor,linalg", "{tensor,linalg}", "{tensor, linalg}"])
def test_lists_in_upstreams_syntax(written: str) -> None:
    assert OneShotBufferizeOptions.parse(f"dialect-filter={written}").dialect_filter == ("tensor", "linalg")
    assert upstream(f"dialect-filter={written.replace(' ', '')}")["dialect-filter"] == "{tensor,linalg}"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "analysis-heuristic=down",
            "one of: cheapest, optimal, bottom-up, top-down, bottom-up-from-terminators, fuzzer",
        ),
        ("unknown-type-conversion=infer-layout-map", "one of: fully-dynamic-layout-map, identity-layout-map, found"),
        ("check-parallel-regions=maybe", "needs bool, found 'maybe'"),
        ("dialect-filters=tensor", "unknown option 'dialect-filters'; did you mean 'dialect-filter'?"),
    ],
)
def test_mistakes(text: str, message: str) -> None:
    with pytest.raises(OptionError, match=re.escape(message)):
        OneShotBufferizeOptions.parse(text)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("analysis-fuzzer-seed=-1", "analysis-fuzzer-seed is -1, but must not be negative"),
        ("no-analysis-func-filter=f", "no-analysis-func-filter needs bufferize-function-boundaries=true"),
        ("dump-alias-sets", "dump-alias-sets annotates an analysis, so it needs test-analysis-only=true"),
        ("copy-before-write test-analysis-only", "copy-before-write skips the analysis that test-analysis-only shows"),
        ("must-infer-memory-space use-encoding-for-memory-space", "exclude each other; set one of them"),
    ],
)
def test_what_makes_no_sense_is_refused_and_changes_nothing(options: str, message: str) -> None:
    with context():
        module = ir.Module.parse(ALIASES + function("%0 = tensor.insert %f into %t[%i] : !v"))
        before = str(module)
        with pytest.raises(mi.PassError, match=re.escape(message)):
            mi.run_pipeline(module, f"builtin.module(inplace-one-shot-bufferize{{{options}}})")
        assert str(module) == before


def refusals(text: str, options: str) -> str:
    """The error that the pass gives, or nothing."""
    with context():
        module = ir.Module.parse(ALIASES + text)
        try:
            mi.run_pipeline(
                module, f"builtin.module(inplace-one-shot-bufferize{{bufferize-function-boundaries {options}}})"
            )
        except mi.PassError as error:
            return str(error)
    return ""


SWAP = function("""
  %l:2 = scf.for %k = %c0 to %n step %c1 iter_args(%a = %t, %b = %u) -> (!v, !v) {
    scf.yield %b, %a : !v, !v
  }
  return %l#0, %l#1 : !v, !v
""")


def test_loops_swap_unless_that_is_forbidden() -> None:
    assert refusals(SWAP, "") == ""
    assert "is not in the buffer that the loop carries" in refusals(SWAP, "allow-return-allocs-from-loops=false")


MASK = function("""
  %m = vector.create_mask %n : vector<4xi1>
  %v = vector.transfer_read %t[%i], %f : !v, vector<4xf32>
  %w = vector.mask %m {
    vector.transfer_write %v, %u[%i] : vector<4xf32>, !v
  } : vector<4xi1> -> !v
  return %w : !v
""")


def test_filters_that_leave_no_place_for_conversions() -> None:
    assert refusals(MASK, "") == ""
    assert refusals(MASK, "dialect-filter=vector,func") == ""
    refused = refusals(MASK, "dialect-filter=tensor,func")
    assert "dialect-filter leaves 'vector.mask' on tensors, but no conversion may be next to it" in refused
    assert "add 'vector'" in refused


def test_dead_ops_are_erased_unless_that_is_forbidden() -> None:
    text = """
      func.func @f(%t: tensor<8xf32>, %f: f32, %i: index) -> tensor<8xf32> {
        %w = tensor.insert %f into %t[%i] : tensor<8xf32>
        return %t : tensor<8xf32>
      }
    """
    for options, left in (("", False), ("erase-dead-ops=false", True)):
        with context():
            module = ir.Module.parse(text)
            passes = f"inplace-one-shot-bufferize{{bufferize-function-boundaries=true {options}}}"
            mi.run_pipeline(module, f"builtin.module({passes})")
        assert ("memref.store" in str(module)) == left
