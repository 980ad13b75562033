"""The Python API on arguments that make no sense: one exception that says what came and what was needed."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from mlir import ir
from mlir.dialects import arith, func

import mlir_inplace as mi
from mlir_inplace.dialects.support.attribute_casts import read_every_attribute
from mlir_inplace.passes.analysis.destinations.empty_tensor_trial import TRIAL_INSERTION, TRIAL_SLICE
from mlir_inplace.passes.analysis.dispatch.pinned_interface import INTERFACE
from mlir_inplace.passes.bufferization.rewriting.annotations import ACCESS
from mlir_inplace.passes.destinations.rewriting.new_inits import TRIAL_INIT
from mlir_inplace.passes.framework.attribute_checks import CHECKED
from mlir_inplace.passes.framework.contract import ALIGNMENT, BINDING, HELD, OUT_RESULT, REARRANGED, SIZE_CHECKS
from mlir_inplace.passes.framework.sort_attributes import SORT
from mlir_inplace.passes.functions.rewriting.results import RESULT_ARGUMENTS
from mlir_inplace.passes.pipeline.pipeline import Pipeline
from mlir_inplace.runtime.interface.signature_reading import WRITABLE

TEXT = "func.func @f(%a: tensor<4xf32>) -> tensor<4xf32> { return %a : tensor<4xf32> }"
ONE_SHOT = "inplace-one-shot-bufferize"


def module(text: str = TEXT) -> ir.Module:
    return ir.Module.parse(text, ir.Context())


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: mi.run_pipeline(module(), None), TypeError, "expected a pipeline's text or a Pipeline, got NoneType"),
        (lambda: mi.run_pipeline(module(), ["cse"]), TypeError, "expected a pipeline's text or a Pipeline, got list"),
        (lambda: mi.run_pipeline(module(), b"cse"), TypeError, "expected a pipeline's text or a Pipeline, got bytes"),
        (
            lambda: mi.run_pipeline("x", "cse"),
            TypeError,
            "expected an ir.Module or an operation, got str; parse text to get one",
        ),
        (
            lambda: mi.bufferize(TEXT),
            TypeError,
            "expected an ir.Module or an operation, got str; parse text to get one",
        ),
        (
            lambda: mi.bufferize(None),
            TypeError,
            "expected an ir.Module or an operation, got NoneType; parse text to get one",
        ),
        (
            lambda: mi.bufferize(module(), allow_unknown_op=True),
            TypeError,
            "bufferize() has no option 'allow_unknown_op'; did you mean 'allow_unknown_ops'?",
        ),
        (
            lambda: mi.bufferize(module(), bufferize_function_boundaries=True, function_boundaries=True),
            TypeError,
            "bufferize() is given option 'bufferize_function_boundaries' twice, once as 'function_boundaries'",
        ),
        (
            lambda: mi.bufferize(module(), buffer_alignment="x"),
            ValueError,
            "option 'buffer-alignment' needs int, found 'x'",
        ),
        (lambda: mi.compile(TEXT, pipeline=3), TypeError, "expected a pipeline's text or a Pipeline, got int"),
        (lambda: mi.compile(TEXT, opt_level=[]), ValueError, "opt_level must be 0, 1, 2 or 3, got []"),
        (lambda: mi.compile(TEXT, optimize="no"), TypeError, "optimize must be True or False, got 'no'"),
        (lambda: mi.compile(TEXT, memory_stats=2), TypeError, "memory_stats must be True or False, got 2"),
        (lambda: mi.compile(TEXT, opt_level=2.0), ValueError, "opt_level must be 0, 1, 2 or 3, got 2.0"),
        (
            lambda: mi.compile(TEXT, shared_libs="libm.so"),
            TypeError,
            "shared_libs must be a sequence of paths, got str; put one into a list",
        ),
        (
            lambda: mi.compile(TEXT, shared_libs=None),
            TypeError,
            "shared_libs must be a sequence of paths, got NoneType; put one into a list",
        ),
        (lambda: mi.compile(TEXT, shared_libs=[None]), TypeError, "shared_libs must hold paths, got NoneType"),
        (lambda: mi.compile(TEXT, shared_libs=[""]), ValueError, "shared_libs holds '', which is no path"),
        (lambda: mi.compile(TEXT, shared_libs=["a\0"]), ValueError, "shared_libs holds 'a\\x00', which is no path"),
        (
            lambda: mi.compile(3),
            TypeError,
            "expected an ir.Module, MLIR text or bytecode, or a path, got int",
        ),
    ],
)
def test_an_argument_of_another_kind(call: Callable[[], Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=f"^{re.escape(message)}$"):
        call()


def test_an_option_by_its_other_name() -> None:
    kept = module()
    mi.bufferize(kept, function_boundaries=False)
    assert "func.func @f(%arg0: tensor<" in str(kept)


def test_a_function_where_a_module_is_needed() -> None:
    kept = module()
    with pytest.raises(mi.PassError, match="can't run a pipeline for 'builtin.module' on 'func.func'"):
        mi.bufferize(next(iter(kept.body.operations)))


@pytest.mark.parametrize("pipeline", ["cse", ONE_SHOT, "inplace-plan-bufferize"])
def test_invalid_ir_is_refused_before_a_pass_meets_it(pipeline: str) -> None:
    """Passes take apart what the verifier promises; upstream's die of such IR."""
    kept = module()
    function = next(iter(kept.body.operations))
    returned = next(iter(function.body.blocks[0].operations))
    with kept.context, ir.Location.unknown(), ir.InsertionPoint(returned):
        number = arith.constant(ir.IntegerType.get_signless(32), 3)
    returned.operation.operands[0] = number
    before = str(kept.operation.get_asm(assume_verified=True))
    with pytest.raises(mi.PassError) as caught:
        mi.run_pipeline(kept, pipeline)
    assert caught.value.summary == "the IR is not valid before the pipeline; correct what makes it"
    assert "type of return operand 0 ('i32') doesn't match function result type ('tensor<4xf32>')" in str(caught.value)
    assert str(kept.operation.get_asm(assume_verified=True)) == before


def test_invalid_ir_may_be_run_if_one_insists() -> None:
    kept = module()
    with kept.context, ir.Location.unknown(), ir.InsertionPoint(kept.body):
        func.FuncOp("f", ([], []), visibility="private")
    mi.run_pipeline(kept, "any(cse)", verify_each=False)


def test_a_pipeline_can_be_kept_and_used_again() -> None:
    pipeline = Pipeline.parse("cse")
    for _ in range(2):
        mi.run_pipeline(module(), pipeline)


LOCATIONS = ("unknown", '"f":1:2', '"x"', 'fused["f":1:2, "x"]', 'callsite("x" at unknown)')


def test_locations_in_the_place_of_attributes() -> None:
    """Reading one from a dictionary of attributes would end the process."""
    read_every_attribute(ir.Context())
    text = "module {{ func.func private @f(index {{a.a = loc({0})}}) loc({0}) }}"
    for location in LOCATIONS:
        kept = ir.Module.parse(text.format(location), ir.Context())
        function = next(iter(kept.body.operations))
        (entry,) = function.arg_attrs
        (named,) = entry
        assert str(named.attr) == str(entry["a.a"]) == f"loc({location})"
        assert type(function.location) is not ir.Location
        assert str(function.location) == f"loc({location})"


def test_locations_in_the_place_of_attributes_survive_passes() -> None:
    text = """
        func.func @f(%a: tensor<4xf32> {a.a = loc(unknown)}, %x: f32, %i: index) -> (tensor<4xf32> {a.b = loc("x")}) {
          %r = tensor.insert %x into %a[%i] {a.c = loc(unknown)} : tensor<4xf32>
          return %r : tensor<4xf32>
        }"""
    kept = module(text)
    mi.bufferize(kept)
    assert "{a.a = loc(unknown)}" in str(kept)
    assert mi.compile(text).f(np.arange(4, dtype=np.float32), 9.0, 2).tolist() == [0, 1, 9, 3]


def test_constants_of_complex_numbers() -> None:
    """The bindings know no class for them."""
    text = """
        func.func @f(%z: complex<f32>, %i: index) -> tensor<2xcomplex<f32>> {
          %c = arith.constant dense<[(1.0, 2.0), (3.0, 4.0)]> : tensor<2xcomplex<f32>>
          %r = tensor.insert %z into %c[%i] : tensor<2xcomplex<f32>>
          return %r : tensor<2xcomplex<f32>>
        }"""
    kept = module(text)
    mi.run_pipeline(kept, f"{ONE_SHOT}{{bufferize-function-boundaries}}")
    assert mi.compile(text).f(9j, 0).tolist() == [9j, 3 + 4j]
    constant = "dense<(1.0,2.0)> : tensor<2xcomplex<f32>>"
    kinds = {
        "dense<1.0> : tensor<2xf32>": ir.DenseFPElementsAttr,
        "dense<1> : tensor<2xindex>": ir.DenseIntElementsAttr,
    }
    with ir.Context():
        for spelling, kind in {**kinds, constant: ir.DenseElementsAttr}.items():
            assert type(ir.DictAttr(ir.Attribute.parse(f"{{a = {spelling}}}"))["a"]) is kind


def test_strides_that_do_not_fit_wrap_around_as_in_mlir() -> None:
    text = """
        func.func @f(%x: tensor<4xf32>, %t: tensor<?x9223372036854775807xf32>) -> tensor<?x9223372036854775807xf32> {
          %r = tensor.insert_slice %x into %t[2, 1] [4, 1] [1, 1] : tensor<4xf32> into tensor<?x9223372036854775807xf32>
          return %r : tensor<?x9223372036854775807xf32>
        }"""
    kept = module(text)
    mi.run_pipeline(
        kept, f"{ONE_SHOT}{{bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map}}"
    )
    assert "memref<4xf32, strided<[9223372036854775807], offset: -1>>" in str(kept)


@pytest.mark.parametrize(
    ("attribute", "needed"),
    [
        ("inplace.interface = 3 : i64", "what mi.compile writes about bindings"),
        ("inplace.interface = [{set = 0}]", "what mi.compile writes about bindings"),
        (
            'inplace.interface = [{access = "all", binding = 0, set = 0, type = memref<f32>, whole = true}]',
            "what mi.compile writes about bindings",
        ),
        ("inplace.size_checks = []", "what inplace-lower-dispatch writes on a function that returns two indices"),
        ("inplace.result_arguments = array<i64: 7>", "an argument's number, or -1, for each result there was"),
        ("inplace.result_arguments", "an argument's number, or -1, for each result there was"),
        ('inplace.sort = "numbers"', "what a sort of stablehlo becomes, in an order of the type"),
        (
            'inplace.sort = {descending = false, dim = 0 : i64, order = "signed"}',
            "what a sort of stablehlo becomes, in an order of the type",
        ),
    ],
)
@pytest.mark.parametrize("nested", [False, True])
def test_our_attributes_on_a_function_written_by_hand(attribute: str, needed: str, nested: bool) -> None:
    body = "{ return %a : tensor<4xf32> }"
    text = f"func.func @f(%a: tensor<4xf32>) -> tensor<4xf32> attributes {{{attribute}}} {body}"
    text = f"module @inner {{ {text} }}" if nested else text
    name, _, value = attribute.partition(" = ")
    with ir.Context():
        message = f"attribute '{name}' is {ir.Attribute.parse(value or 'unit')}"[:60]
    for call in (lambda: mi.bufferize(module(text)), lambda: mi.compile(text)):
        with pytest.raises(mi.PassError) as caught:
            call()
        (diagnostic,) = caught.value.diagnostics
        assert diagnostic.message.startswith(message)
        assert diagnostic.message.endswith(f"but must be {needed}; remove it or correct it")
        assert diagnostic.line == 1


@pytest.mark.parametrize(
    ("attribute", "needed"),
    [
        ("inplace.binding", "array<i64: set, binding>"),
        ("inplace.binding = array<i64: 1>", "array<i64: set, binding>"),
        ("inplace.out_result = true", "an integer"),
        ("inplace.alignment = 1.0 : f32", "an integer"),
    ],
)
def test_our_attributes_on_an_argument_written_by_hand(attribute: str, needed: str) -> None:
    text = f"func.func @f(%a: tensor<4xf32> {{{attribute}}}) -> tensor<4xf32> {{ return %a : tensor<4xf32> }}"
    with pytest.raises(mi.PassError, match=re.escape(f"but must be {needed}; remove it or correct it")):
        mi.compile(text)


def test_notes_of_earlier_passes_promise_nothing_to_callers() -> None:
    """Believed, the mark would let code for contiguous memory loose on every second element."""
    text = """
        !m = memref<4xf32, strided<[?], offset: ?>>
        func.func @f(%a: !m {inplace.contiguous, inplace.read_only}, %i: index) -> f32
            attributes {inplace.result_arguments = array<i64: 0, -1>} {
          %r = memref.load %a[%i] : !m
          return %r : f32
        }"""
    assert mi.compile(text).f(np.arange(8, dtype=np.float32)[::2], 3) == 6


def test_every_attribute_that_is_checked_is_one_of_ours() -> None:
    on_functions = {INTERFACE, SIZE_CHECKS, RESULT_ARGUMENTS, SORT}
    on_arguments = {BINDING, OUT_RESULT, ALIGNMENT, WRITABLE, ACCESS, HELD, REARRANGED}
    assert set(CHECKED) == on_functions | on_arguments


@pytest.mark.parametrize("mark", [TRIAL_INIT, TRIAL_INSERTION, TRIAL_SLICE])
def test_marks_that_a_pass_leaves_on_copies(mark: str) -> None:
    text = f"""
        func.func @f(%a: tensor<8xf32>, %x: f32) -> tensor<8xf32> {{
          %e = tensor.empty() : tensor<4xf32>
          %t = linalg.fill ins(%x : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
          %r = tensor.insert_slice %t into %a[0] [4] [1] {{{mark} = "x"}} : tensor<4xf32> into tensor<8xf32>
          return %r : tensor<8xf32>
        }}"""
    with pytest.raises(mi.PassError, match=f"5:.*error: attribute '{mark}' is for the pass's own use; remove it"):
        mi.run_pipeline(module(text), "inplace-eliminate-empty-tensors")


def test_a_mark_of_the_plan_on_another_op() -> None:
    kept = module(TEXT.replace("{ return", "attributes {inplace.planned} { return"))
    mi.run_pipeline(kept, "inplace-plan-bufferize{allocation=stack bufferize-function-boundaries}")
    assert "memref<4xf32" in str(kept)


def test_what_an_interactive_session_shows_is_one_short_line() -> None:
    kept = module()
    assert repr(mi.bufferize(kept)) == ("<BufferizationReport: 0 of 0 operands in-place, no copies, no allocations>")
    pipeline = mi.Pipeline.parse("builtin.module(canonicalize,func.func(inplace-tile{tile-sizes=4},cse))")
    assert repr(pipeline) == f"Pipeline.parse('{pipeline}')"
    assert eval(repr(pipeline), {"Pipeline": mi.Pipeline}) == pipeline
    assert repr(mi.check(TEXT, rounds=1)) == "<CheckReport: equal>"
