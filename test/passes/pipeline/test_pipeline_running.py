"""Running mixed pipelines: order and nesting, the failure contract, diagnostics, reproducers."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path

import pytest
from mlir import ir
from pass_examples import CrashPass, TagPass, example_registry

import mlir_inplace as mi
from mlir_inplace.passes.framework.base import Pass
from mlir_inplace.passes.framework.diagnostics import DiagnosticCollector
from mlir_inplace.passes.framework.errors import PassError
from mlir_inplace.passes.pipeline.pipeline import Pipeline, run_pipeline
from mlir_inplace.passes.pipeline.reproducer import format_section, read_reproducer

REGISTRY = example_registry()

TWO_FUNCTIONS = """\
func.func @first() {
  %0 = arith.constant 1 : i32
  return
}
func.func @refused() { return }
module @inner {
  func.func @first() { return }
}
"""


@pytest.fixture
def context() -> Iterator[ir.Context]:
    with ir.Context() as context:
        yield context


@pytest.fixture
def module(context: ir.Context) -> ir.Module:
    return ir.Module.parse(TWO_FUNCTIONS, context)


def run(module: ir.Module, text: str, **keywords: object) -> None:
    Pipeline.parse(text, REGISTRY).run(module, **keywords)  # type: ignore[arg-type]


def test_passes_run_in_order_at_their_level(module: ir.Module) -> None:
    run(module, "builtin.module(func.func(inplace-tag{name=a},canonicalize),inplace-tag,builtin.module(cse))")
    first, refused, inner = module.body.operations
    assert "arith.constant" not in str(first)
    assert ["a" in op.attributes for op in (first, refused)] == [True, True]
    assert "a" not in inner.body.operations[0].attributes, "only functions directly inside"
    assert "tensor.tag" in module.operation.attributes


def test_any_runs_on_every_isolated_operation(module: ir.Module) -> None:
    run(module, "any(any(inplace-tag))")
    assert all("tensor.tag" in op.attributes for op in module.body.operations)
    assert "tensor.tag" not in module.operation.attributes


def test_the_public_function_takes_text_and_pipelines(module: ir.Module) -> None:
    run_pipeline(module, "canonicalize")
    run_pipeline(module, Pipeline.parse("inplace-tag", REGISTRY))
    assert "arith.constant" not in str(module)
    assert "tensor.tag" in module.operation.attributes


def test_the_package_offers_them(module: ir.Module) -> None:
    mi.run_pipeline(module, "canonicalize")
    assert "arith.constant" not in str(module)
    with pytest.raises(mi.PassError):
        mi.run_pipeline(module, "transform-interpreter")
    with pytest.raises(ValueError, match="unknown pass 'canonicalise'; did you mean 'canonicalize'"):
        mi.run_pipeline(module, "canonicalise")


def test_a_pipeline_runs_on_a_nested_operation(module: ir.Module) -> None:
    run(module.body.operations[0], "func.func(canonicalize,inplace-tag)")
    assert "tensor.tag" in module.body.operations[0].attributes


def test_a_pipeline_runs_again_and_empty_nests_do_nothing(module: ir.Module) -> None:
    pipeline = Pipeline.parse("builtin.module(func.func(),any(any()),func.func(any()),cse)", REGISTRY)
    before = str(module)
    pipeline.run(module)
    pipeline.run(module)
    assert str(module) == before.replace("    %c1_i32 = arith.constant 1 : i32\n", "")


def test_a_refusal_leaves_the_ir_as_it_was(module: ir.Module) -> None:
    run_pipeline(module, "canonicalize")
    before = str(module)
    with pytest.raises(PassError):
        run(module.body.operations[1], "func.func(inplace-refuse)")
    assert str(module) == before


def test_a_refusal_carries_its_place_and_notes(module: ir.Module) -> None:
    with pytest.raises(PassError) as caught:
        run(module, "builtin.module(func.func(inplace-refuse),inplace-tag)")
    (diagnostic,) = caught.value.diagnostics
    assert (diagnostic.severity, diagnostic.line, diagnostic.column) == ("error", 5, 1)
    assert [note.message for note in diagnostic.notes] == ["it is inside this"]
    assert str(caught.value) == (
        "pass 'inplace-refuse' failed\n-:5:1: error: function cannot be accepted\n-:0:0: note: it is inside this"
    )
    assert "tensor.tag" not in module.operation.attributes, "nothing runs after a failure"


def test_handlers_see_a_refusal_when_the_context_asks_for_it(context: ir.Context, module: ir.Module) -> None:
    seen: list[str] = []
    handler = context.attach_diagnostic_handler(lambda diagnostic: bool(seen.append(diagnostic.message)) or True)
    with pytest.raises(PassError):
        run(module, "func.func(inplace-refuse)".join(["builtin.module(", ")"]))
    assert seen == []
    context.emit_error_diagnostics = True
    with pytest.raises(PassError):
        run(module, "builtin.module(func.func(inplace-refuse))")
    assert seen == ["function cannot be accepted"]
    handler.detach()


def test_the_contexts_settings_come_back(context: ir.Context, module: ir.Module) -> None:
    for setting in (False, True):
        context.emit_error_diagnostics = setting
        run(module, "cse")
        assert context.emit_error_diagnostics is setting


def test_remarks_and_warnings_arrive_in_order_with_errors(context: ir.Context, module: ir.Module) -> None:
    with DiagnosticCollector(context, consume_all=True) as collector, pytest.raises(PassError) as caught:
        run(module, "builtin.module(inplace-look,func.func(inplace-refuse))")
    severities = [diagnostic.severity for diagnostic in collector.diagnostics]
    assert severities == ["remark", "warning"] * 3 + ["error"]
    assert caught.value.diagnostics == tuple(collector.diagnostics)
    assert collector.diagnostics[0].message == "saw 'func.func'"
    assert collector.diagnostics[0].notes[0].message == "in here"


def test_without_a_listener_remarks_go_to_standard_error(module: ir.Module, capfd: pytest.CaptureFixture[str]) -> None:
    run(module, "inplace-look")
    assert "-:1:1: remark: saw 'func.func'\n-:0:0: note: in here\n-:1:1: warning: looked at" in capfd.readouterr().err


def test_an_upstream_failure_names_the_passes_and_keeps_the_diagnostics(module: ir.Module) -> None:
    with pytest.raises(PassError) as caught:
        run(module, "cse,transform-interpreter")
    assert caught.value.summary == "one of the passes 'cse,transform-interpreter' failed"
    assert "could not find a nested named sequence" in caught.value.diagnostics[0].message


def test_invalid_ir_after_one_of_our_passes_is_a_failure(module: ir.Module) -> None:
    with pytest.raises(PassError) as caught:
        run(module, "builtin.module(func.func(inplace-break))")
    assert caught.value.summary == "the IR is not valid after pass 'inplace-break'"
    assert "'func.return' op has 0 operands" in caught.value.diagnostics[0].message


def test_verification_can_be_left_out(module: ir.Module) -> None:
    run(module, "builtin.module(func.func(inplace-break,cse))", verify_each=False)
    # Upstream's pass manager verifies only after a pass that changed something.
    with pytest.raises(PassError):
        run(module, "builtin.module(func.func(inplace-tag))", verify_each=True)


def test_the_result_of_all_passes_can_be_verified_once(module: ir.Module) -> None:
    broken = "builtin.module(func.func(inplace-break,inplace-tag))"
    with pytest.raises(PassError) as caught:
        run(module, broken, verify_each=False, verify_result=True)
    assert caught.value.summary == f"the IR is not valid after passes {broken}"
    assert "'func.return' op has 0 operands" in caught.value.diagnostics[0].message


@pytest.mark.parametrize(
    ("pipeline", "message"),
    [
        ("func.func(cse)", "can't run a pipeline for 'func.func' on 'builtin.module'; nest it in the pipeline:"),
        ("any(inplace-refuse)", "can't run pass 'inplace-refuse' on 'builtin.module'; it runs on 'func.func'"),
    ],
)
def test_a_pipeline_for_something_else_is_refused(module: ir.Module, pipeline: str, message: str) -> None:
    before = str(module)
    with pytest.raises(PassError) as caught:
        run(module, pipeline)
    assert caught.value.diagnostics[0].message.startswith(message)
    assert str(module) == before


def test_passes_do_not_run_on_operations_that_reach_outside(module: ir.Module) -> None:
    with pytest.raises(PassError, match="can't run passes on 'arith.constant': the operation is not isolated"):
        run(module, "builtin.module(func.func(arith.constant(inplace-tag)))")


def test_a_bug_goes_on_unchanged_and_leaves_a_reproducer(
    module: ir.Module, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    before = module.operation.get_asm(print_generic_op_form=True)
    with pytest.raises(ZeroDivisionError, match="nobody thought of this"):
        run(module, "builtin.module(inplace-tag,inplace-crash{})")
    (written,) = tmp_path.iterdir()
    assert f"ZeroDivisionError: nobody thought of this; reproducer generated at '{written}'" in capfd.readouterr().err
    request = read_reproducer(written.read_text())
    assert request is not None
    assert request.pipeline == "builtin.module(inplace-tag,inplace-crash)"
    with module.context:
        kept = ir.Module.parse(request.ir_text)
    assert kept.operation.get_asm(print_generic_op_form=True) == before


def test_no_reproducer_is_left_by_success_or_refusal(
    module: ir.Module, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    run(module, "inplace-tag", reproducer=tmp_path / "r.mlir")
    with pytest.raises(PassError):
        run(module, "builtin.module(func.func(inplace-refuse))")
    assert list(tmp_path.iterdir()) == []


def test_a_failure_leaves_the_reproducer_that_was_asked_for(module: ir.Module, tmp_path: Path) -> None:
    path = tmp_path / "r.mlir"
    with pytest.raises(PassError, match=f"reproducer generated at '{path}'"):
        run(module, 'cse,builtin.module(func.func(inplace-tag{name="a b"})),transform-interpreter', reproducer=path)
    request = read_reproducer(path.read_text())
    assert request is not None
    assert request.pipeline == (
        'builtin.module(cse,builtin.module(func.func(inplace-tag{name="a b"})),transform-interpreter)'
    )
    assert "arith.constant" in request.ir_text, "the IR before the pipeline"
    assert list(tmp_path.iterdir()) == [path]


def test_a_reproducer_that_cannot_be_written_stops_everything(module: ir.Module, tmp_path: Path) -> None:
    with pytest.raises(OSError, match="No such file"):
        run(module, "inplace-tag", reproducer=tmp_path / "nowhere" / "r.mlir")
    assert "tensor.tag" not in module.operation.attributes


class KillPass(Pass):
    """Stands for native code that kills the process: it looks at what would be left."""

    argument = "inplace-kill"
    summary = "look at the reproducer while the pipeline runs"
    pending: Path

    def run(self, op: ir.Operation) -> None:
        assert read_reproducer(self.pending.read_text()) is not None


def test_a_reproducer_lies_ready_while_the_pipeline_runs(module: ir.Module, tmp_path: Path) -> None:
    registry = example_registry()
    registry.register(KillPass, "tests")
    KillPass.pending = tmp_path / "r.mlir.pending"
    Pipeline.parse("inplace-kill", registry).run(module, reproducer=tmp_path / "r.mlir")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("pipeline", ["cse", 'x{a="b\\c" d={e}}', "a,\nb", "größe"])
def test_a_reproducer_section_reads_back(pipeline: str) -> None:
    request = read_reproducer(f"module {{}}\n{format_section(pipeline, verify_each=False)}")
    assert request is not None
    assert (request.pipeline, request.verify_each) == (pipeline, False)
    assert request.ir_text.strip() == "module {}"


def test_a_reproducer_of_mlir_opt_reads_too() -> None:
    text = r"""module {}

{-#
  external_resources: {
    mlir_reproducer: {
      pipeline: "builtin.module(x{a=\22b\22})",
      disable_threading: false,
      verify_each: true
    }
  }
#-}
"""
    request = read_reproducer(text)
    assert request is not None
    assert (request.pipeline, request.verify_each) == ('builtin.module(x{a="b"})', True)
    assert read_reproducer("module {}") is None


def test_statistics_add_up_over_the_operations_of_a_nest(module: ir.Module) -> None:
    instance = TagPass()
    for op in list(module.body.operations)[:2]:
        instance.run(op.operation)
    assert instance.statistic_values == {"tagged": 2}
    with pytest.raises(KeyError):
        instance.count("undeclared")


def test_a_pass_logs_under_its_name(module: ir.Module, caplog: pytest.LogCaptureFixture) -> None:
    pipeline = "builtin.module(func.func(inplace-tag{times=2}),inplace-look)"
    with caplog.at_level(logging.DEBUG, "mlir_inplace.passes.inplace-tag"):
        run(module, pipeline)
    assert caplog.messages == [
        "[inplace-tag] runs on 'func.func' \"first\" at -:1:1 as inplace-tag{times=2}",
        "[inplace-tag] counted tagged = 2, so far",
        "[inplace-tag] runs on 'func.func' \"refused\" at -:5:1 as inplace-tag{times=2}",
        "[inplace-tag] counted tagged = 4, so far",
    ]
    caplog.clear()
    run(module, pipeline)
    assert caplog.messages == []


def test_an_interrupt_leaves_nothing_behind(module: ir.Module, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(_self: CrashPass, _op: ir.Operation) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(CrashPass, "run", interrupt)
    with pytest.raises(KeyboardInterrupt):
        run(module, "inplace-crash", reproducer=tmp_path / "r.mlir")
    assert list(tmp_path.iterdir()) == []
