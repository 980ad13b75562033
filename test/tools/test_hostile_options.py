"""Options, flags and installed packages that make no sense: one line that says what to do."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from mlir import ir

import mlir_inplace as mi
from mlir_inplace.dialects import registry as models
from mlir_inplace.passes.framework.diagnostics import DiagnosticCollector
from mlir_inplace.tools.inplace_run import main as inplace_run

TEXT = "func.func @f(%a: tensor<4xf32>) -> tensor<4xf32> { return %a : tensor<4xf32> }"


def module(text: str = TEXT) -> ir.Module:
    return ir.Module.parse(text, ir.Context())


@pytest.mark.parametrize(
    ("pipeline", "message"),
    [
        (
            "inplace-one-shot-bufferize{dialect-filter=func,tensr}",
            "dialect-filter names 'tensr', but no dialect is called so; correct the name or leave it out",
        ),
        (
            "inplace-one-shot-bufferize{buffer-alignment=4294967296}",
            "buffer-alignment is 4294967296, but at most 2147483648 is possible",
        ),
        (
            "inplace-plan-bufferize{buffer-alignment=36893488147419103232}",
            "buffer-alignment is 36893488147419103232, but at most 2147483648 is possible",
        ),
        (
            "inplace-count-memory{alignment=36893488147419103232}",
            "option 'alignment' of inplace-count-memory is 36893488147419103232, but at most 2147483648 is possible",
        ),
    ],
)
def test_values_that_cannot_be(pipeline: str, message: str) -> None:
    kept = module()
    before = str(kept)
    with pytest.raises(mi.PassError) as caught:
        mi.run_pipeline(kept, pipeline)
    assert [diagnostic.message for diagnostic in caught.value.diagnostics] == [message]
    assert str(kept) == before


def test_a_workgroup_that_no_index_can_count() -> None:
    with pytest.raises(ValueError, match="option 'workgroup-size' needs numbers that fit 64 bits, found"):
        mi.run_pipeline(module(), "inplace-lower-dispatch{workgroup-size=36893488147419103232}")


def test_dialects_that_are_not_registered_may_be_named_where_they_are_allowed() -> None:
    kept = module()
    kept.context.allow_unregistered_dialects = True
    mi.run_pipeline(kept, "inplace-one-shot-bufferize{dialect-filter=toy,dispatch,func}")
    mi.run_pipeline(module(), "inplace-one-shot-bufferize{dialect-filter=dispatch,func}")


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (["--threads", "0"], "--threads must be at least 1, got 0"),
        (["--threads", "1025"], "--threads must be at most 1024, got 1025"),
        (
            ["--machine", "registers=1025"],
            "--machine: the property 'registers' of a machine must be at most 1024, got '1025'",
        ),
        (["--tolerance", "nan"], "--tolerance must be at least 0, got nan"),
        (["--tolerance", "-1"], "--tolerance must be at least 0, got -1.0"),
        (["--shared-libs", ","], "--shared-libs needs paths between commas, got ','"),
    ],
)
def test_flags_of_inplace_run(
    flags: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "f.mlir"
    path.write_text(TEXT)
    assert inplace_run([str(path), *flags]) == 2
    assert capsys.readouterr().err == f"inplace-run: error: {message}\n"


@pytest.mark.parametrize("name", ["inplace-one-shot-bufferize", "inplace-plan-bufferize"])
def test_functions_in_a_module_within_the_module(name: str) -> None:
    inner = f"module @inner {{ {TEXT} }}"
    kept = module(f"{inner}\nmodule @nothing {{}}\n{TEXT}")
    with kept.context, DiagnosticCollector(kept.context, consume_all=True) as found:
        mi.run_pipeline(kept, f"builtin.module({name}{{bufferize-function-boundaries}})")
    nested = f"builtin.module(builtin.module({name}))"
    assert [str(d) for d in found.diagnostics if d.severity == "remark"] == [
        f"-:1:1: remark: functions in a module within the module are left as they are; for them run {nested}"
    ]
    mi.run_pipeline(kept, nested.replace(name, f"{name}{{bufferize-function-boundaries}}"))
    assert str(kept).count("memref<4xf32") == str(kept).count("4xf32")


def test_a_module_within_the_module_is_not_compiled() -> None:
    message = "a module within the module has no entry points; move its functions out of it, or compile it by itself"
    with pytest.raises(mi.PassError, match=re.escape(f"-:1:1: 'builtin.module' cannot be lowered to LLVM: {message}")):
        mi.compile(f"module @inner {{ {TEXT} }}\n{TEXT}")


class Point:
    """An entry point of a package that is broken in some way."""

    name, value = "toy", "toy.models"

    def __init__(self, models: object) -> None:
        self.models = models

    def load(self) -> object:
        if isinstance(self.models, Exception):
            raise self.models
        return type("module", (), {"MODELS": self.models})


@pytest.mark.parametrize(
    ("found", "message"),
    [
        (ImportError("no module 'torch'"), " cannot be loaded: ImportError: no module 'torch'"),
        (ZeroDivisionError("x"), " cannot be loaded: ZeroDivisionError: x"),
        (3, ": MODELS is a int, but must be a tuple of models"),
        ((3,), ": MODELS holds a int, but must hold OpModels"),
    ],
)
def test_models_of_a_broken_package(found: object, message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(models, "_TABLE", models._ModelTable())
    monkeypatch.setattr(models, "entry_points", lambda group: [Point(found)])
    context = ir.Context()
    context.allow_unregistered_dialects = True
    text = 'func.func @f(%a: tensor<4xf32>) { "toy.use"(%a) : (tensor<4xf32>) -> () return }'
    kept = ir.Module.parse(text, context)
    before = str(kept)
    for allow in (False, True):  # What is broken stays broken: the second run must not do without it silently.
        with pytest.raises(mi.PassError) as caught:
            mi.bufferize(kept, allow_unknown_ops=allow)
        assert caught.value.diagnostics[0].message == (
            "op 'toy.use' works on tensors but has no bufferization model that can be used: "
            f"op models of 'toy.models' (entry point toy){message}; repair or uninstall the package"
        )
        assert str(kept) == before


def test_a_broken_package_is_nothing_to_programs_without_its_ops(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(models, "_TABLE", models._ModelTable())
    monkeypatch.setattr(models, "entry_points", lambda group: [Point(ImportError("no module 'torch'"))])
    kept = module()
    mi.bufferize(kept)
    assert "tensor" not in str(kept)


def test_a_lowering_is_named_for_affine_loops() -> None:
    text = """
        func.func @f(%t: tensor<4xf32>, %x: f32) -> tensor<4xf32> {
          %r = affine.for %i = 0 to 4 iter_args(%a = %t) -> tensor<4xf32> {
            %v = tensor.insert %x into %a[%i] : tensor<4xf32>
            affine.yield %v : tensor<4xf32>
          }
          return %r : tensor<4xf32>
        }"""
    with pytest.raises(mi.PassError, match=r"3:.*lower the op first \(lower-affine\), or set allow-unknown-ops=true"):
        mi.bufferize(module(text))
    kept = module(text)
    mi.run_pipeline(kept, "builtin.module(lower-affine,inplace-one-shot-bufferize{bufferize-function-boundaries})")
    assert "memref.store" in str(kept)


def test_a_vector_that_takes_llvm_minutes() -> None:
    text = "func.func @f(%a: memref<40000xf32>, %v: vector<4x10000xf32>) { return }"
    message = "a vector of 40000 elements cannot be compiled, at most 32768 are possible; use a tensor instead"
    with pytest.raises(mi.PassError, match=f"^-:1:1: {message}$"):
        mi.compile(text)


@pytest.mark.parametrize("options", [{}, {"optimize": True}])
def test_memory_that_no_address_space_has(options: dict[str, bool]) -> None:
    """The number of its bytes is 0 in 64 bits, which is what was allocated."""
    text = """
        func.func @f(%p: i1) -> i1 {
          %e = tensor.empty() : tensor<4294967296x4294967296xf32>
          %x = linalg.exp ins(%e : tensor<4294967296x4294967296xf32>)
                         outs(%e : tensor<4294967296x4294967296xf32>) -> tensor<4294967296x4294967296xf32>
          return %p : i1
        }"""
    message = (
        r"-:3:16: tensor<4294967296x4294967296xf32> has 73786976294838206464 bytes, which no memory has; "
        r"use at most 9223372036854775807, or compute it in parts"
    )
    with pytest.raises(mi.PassError, match=f"^{message}$"):
        mi.compile(text, **options)


def test_a_constant_that_llvm_dies_of() -> None:
    text = """
        func.func @f(%i: index) -> f32 {
          %t = arith.constant dense<1.0> : tensor<1152921504606846976xf32>
          %r = tensor.extract %t[%i] : tensor<1152921504606846976xf32>
          return %r : f32
        }"""
    message = "a constant of 1152921504606846976 elements cannot be compiled; fill a tensor when the program runs"
    with pytest.raises(mi.PassError, match=f"{message}$"):
        mi.compile(text)
