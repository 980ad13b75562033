"""Errors cross processes: what a worker of a pool raises is pickled there, and raised again here."""

from __future__ import annotations

import pickle
from collections.abc import Callable

import pytest
from mlir import ir

import mlir_inplace as mi
from mlir_inplace.checking.evaluator.values.errors import EvaluationError
from mlir_inplace.dialects.support.text_error import TextError
from mlir_inplace.passes.framework.diagnostics import Diagnostic
from mlir_inplace.passes.framework.errors import OptionError, PassError, PassFailure, PipelineError, RegistryError
from mlir_inplace.runtime.call.arguments import SizeCheckError
from mlir_inplace.runtime.interface.dtypes import UnsupportedTypeError

TEXT = "func.func @f() { return }"
NOTED = Diagnostic("error", "f.mlir", 1, 2, "no", (Diagnostic("note", "", 0, 0, "see"),))


def compiled(text: str, pipeline: str | None = None) -> Callable[[], object]:
    return lambda: mi.compile(text, pipeline=pipeline)


def raised(error: Exception) -> Callable[[], object]:
    def run() -> object:
        raise error

    return run


@pytest.mark.parametrize(
    ("kind", "run"),
    [
        pytest.param(ir.MLIRError, compiled("func.func @f( {"), id="parser"),
        pytest.param(ir.MLIRError, compiled("func.func @f() { %0 = arith.constant 1 : i8 return %0 : i8 }"), id="note"),
        pytest.param(TextError, compiled("%0 = linalg.transpose ins(%a) permutation = 3"), id="text"),
        pytest.param(PipelineError, compiled(TEXT, "builtin.module(\n  csee)"), id="pipeline"),
        pytest.param(PassError, compiled("func.func @f(%v: vector<[4]xf32>) { return }"), id="compile"),
        pytest.param(PassError, raised(PassError("stopped", [NOTED])), id="pass"),
        pytest.param(OptionError, raised(OptionError("no", 3, 4)), id="option"),
        pytest.param(RegistryError, raised(RegistryError("no pass")), id="registry"),
        pytest.param(EvaluationError, raised(EvaluationError("bad", "a.b", "f:1:2")), id="evaluator"),
        pytest.param(SizeCheckError, raised(SizeCheckError("bad", 1, 2, 3)), id="sizes"),
        pytest.param(UnsupportedTypeError, raised(UnsupportedTypeError("bad")), id="type"),
    ],
)
def test_errors_are_the_same_in_another_process(kind: type[Exception], run: Callable[[], object]) -> None:
    with pytest.raises(kind) as caught:
        run()
    again = pickle.loads(pickle.dumps(caught.value))
    assert type(again) is type(caught.value)
    assert str(again) == str(caught.value)
    kept = {name: value for name, value in vars(caught.value).items() if name != "_error_diagnostics"}
    assert {name: value for name, value in vars(again).items() if name != "_error_diagnostics"} == kept


def test_the_diagnostics_of_the_parser_are_data() -> None:
    with pytest.raises(ir.MLIRError) as caught:
        compiled("func.func @f() { %0 = arith.constant 1 : i8 return %0 : i8 }")()
    once = pickle.loads(pickle.dumps(caught.value))
    for again in (once, pickle.loads(pickle.dumps(once))):
        (diagnostic,) = again.error_diagnostics
        assert isinstance(diagnostic, Diagnostic)
        assert str(diagnostic).startswith("-:1:45: error: 'func.return' op has 1 operands")
        assert [note.severity for note in diagnostic.notes] == ["note"]


def test_the_failure_of_a_pass_becomes_an_error_with_its_place() -> None:
    with ir.Context() as context:
        place = ir.Location.file("f.mlir", 3, 4, context)
        again = pickle.loads(pickle.dumps(PassFailure("no", place, [("see", place)])))
    assert isinstance(again, PassError)
    assert str(again) == "no\nf.mlir:3:4: error: no\nf.mlir:3:4: note: see"
