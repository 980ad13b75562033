"""The Python API on arguments that make no sense: one exception that says what came and what was needed."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from mlir import ir
from mlir.dialects import arith, func

import mlir_inplace as mi
from mlir_inplace.passes.pipeline import Pipeline

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
            lambda: mi.bufferize(module(), buffer_alignment="x"),
            ValueError,
            "option 'buffer-alignment' needs int, found 'x'",
        ),
        (lambda: mi.compile(TEXT, pipeline=3), TypeError, "expected a pipeline's text or a Pipeline, got int"),
        (lambda: mi.compile(TEXT, opt_level=[]), ValueError, "opt_level must be 0, 1, 2 or 3, got []"),
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
