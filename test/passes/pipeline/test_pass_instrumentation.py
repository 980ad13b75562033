"""What watches a pipeline: IR printing with its modes and its folder tree, timing, statistics."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from mlir import ir
from pass_examples import example_registry

from mlir_inplace.passes.framework.errors import PassError
from mlir_inplace.passes.framework.upstream import full_text
from mlir_inplace.passes.pipeline.asm_flags import AsmFlags
from mlir_inplace.passes.pipeline.instrumentation import Instrumentation
from mlir_inplace.passes.pipeline.ir_printing import IRPrinting
from mlir_inplace.passes.pipeline.ir_text import ir_text
from mlir_inplace.passes.pipeline.pipeline import Pipeline
from mlir_inplace.passes.pipeline.statistics_report import StatisticsReport, read_upstream_statistics
from mlir_inplace.passes.pipeline.steps import PassStep, UpstreamStep
from mlir_inplace.passes.pipeline.timing import Timing

REGISTRY = example_registry()
AFTER_TAG = "After TagPass: inplace-tag"
CANONICALIZE = f"CanonicalizerPass: {full_text('builtin.module', 'canonicalize')}"


@pytest.fixture
def module() -> Iterator[ir.Module]:
    with ir.Context():
        yield ir.Module.parse(
            "func.func @f() { %0 = arith.constant 1 : i32  return }\n"
            "func.func @refused() { return }\n"
            'module @inner { func.func @"a/b"() { return } }'
        )


@pytest.fixture
def context_of_module(module: ir.Module) -> ir.Context:
    return module.context


def run(module: ir.Module, text: str, *watchers: Instrumentation) -> None:
    Pipeline.parse(text, REGISTRY).run(module, watchers)


def dumps(module: ir.Module, text: str, **modes: object) -> list[str]:
    """The titles of the IR dumps, without `IR Dump`; every dump must be the IR of the operation, in full."""
    stream = io.StringIO()
    run(module, text, IRPrinting(stream=stream, **modes))  # type: ignore[arg-type]
    printed = stream.getvalue()
    return [part.split(" //-----")[0] for part in printed.split("// -----// IR Dump ")[1:]]


def test_before_and_after_every_pass_in_the_order_they_run(module: ir.Module) -> None:
    titles = dumps(module, "func.func(cse,inplace-tag{times=2}),canonicalize", before_all=True, after_all=True)
    one = [
        "Before CSEPass: cse",
        "After CSEPass: cse",
        "Before TagPass: inplace-tag{times=2}",
        "After TagPass: inplace-tag{times=2}",
    ]
    assert titles == [*one, *one, f"Before {CANONICALIZE}", f"After {CANONICALIZE}"]


def test_only_after_changes(module: ir.Module) -> None:
    assert dumps(module, "cse,cse,inplace-tag,inplace-tag", after_change=True) == [
        "After CSEPass: cse",
        "After TagPass: inplace-tag",
    ]


def test_only_before_and_after_named_passes(module: ir.Module) -> None:
    pipeline = "cse,inplace-tag,canonicalize,inplace-tag"
    chosen = dumps(module, pipeline, before={"inplace-tag"}, after={"cse", "canonicalize"})
    tag = "Before TagPass: inplace-tag"
    assert chosen == ["After CSEPass: cse", tag, f"After {CANONICALIZE}", tag]
    assert dumps(module, pipeline, after={"canonicalize"}, after_change=True) == []
    assert dumps(module, "cse,inplace-tag", after={"cse"}, after_all=True) == ["After CSEPass: cse", AFTER_TAG]


def test_module_scope_names_the_operation_and_prints_the_module(module: ir.Module) -> None:
    stream = io.StringIO()
    run(module, "func.func(cse),cse", IRPrinting(before_all=True, module_scope=True, stream=stream))
    titles = [line for line in stream.getvalue().splitlines() if "IR Dump" in line]
    assert titles == [
        "// -----// IR Dump Before CSEPass: cse ('func.func' operation: @f) //----- //",
        "// -----// IR Dump Before CSEPass: cse ('func.func' operation: @refused) //----- //",
        "// -----// IR Dump Before CSEPass: cse ('builtin.module' operation) //----- //",
    ]
    assert stream.getvalue().count("module @inner") == 3


def test_a_dump_is_the_ir_of_the_operation_and_parses(module: ir.Module) -> None:
    stream = io.StringIO()
    run(module, "func.func(inplace-tag)".join(["builtin.module(", ")"]), IRPrinting(after_all=True, stream=stream))
    first, second = stream.getvalue().split("// -----// IR Dump After TagPass: inplace-tag //----- //\n")[1:]
    assert ir.Operation.parse(first).attributes["sym_name"] == ir.StringAttr.get("f")
    assert "@refused" in second


@pytest.mark.parametrize("after_all", [False, True])
def test_after_failure_prints_the_failing_pass_only(module: ir.Module, after_all: bool) -> None:
    stream = io.StringIO()
    with pytest.raises(PassError):
        run(
            module,
            "builtin.module(cse,func.func(inplace-refuse))",
            IRPrinting(after_failure=True, after_all=after_all, stream=stream),
        )
    assert stream.getvalue().count("IR Dump") == 1
    assert (
        "// -----// IR Dump After RefusePass: inplace-refuse Failed //----- //\nfunc.func @refused" in stream.getvalue()
    )


def test_invalid_ir_is_printed_in_generic_form(module: ir.Module) -> None:
    stream = io.StringIO()
    with pytest.raises(PassError):
        run(module, "builtin.module(func.func(inplace-break))", IRPrinting(after_failure=True, stream=stream))
    assert '"func.func"()' in stream.getvalue()


def test_the_tree_has_a_folder_for_each_operation_and_counts_each_level(module: ir.Module, tmp_path: Path) -> None:
    printing = IRPrinting(after_all=True, tree_dir=tmp_path / "tree")
    run(module, "builtin.module(inplace-tag,func.func(cse,inplace-tag),builtin.module(func.func(cse)),cse)", printing)
    files = sorted(str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*.mlir"))
    root = "tree/builtin_module_no-symbol-name"
    assert files == [
        f"{root}/0_inplace-tag.mlir",
        f"{root}/1_cse.mlir",
        f"{root}/builtin_module_inner/func_func_a_b/0_0_0_cse.mlir",
        f"{root}/func_func_f/0_0_cse.mlir",
        f"{root}/func_func_f/0_1_inplace-tag.mlir",
        f"{root}/func_func_refused/0_0_cse.mlir",
        f"{root}/func_func_refused/0_1_inplace-tag.mlir",
    ]
    text = (tmp_path / files[0]).read_text()
    assert text.startswith("// -----// IR Dump After TagPass: inplace-tag //----- //\nmodule attributes {tensor.tag}")


def test_flags_shape_the_text(module: ir.Module) -> None:
    operation = module.operation
    assert "loc(" in ir_text(operation, AsmFlags(debug_info=True))
    assert ir_text(operation, AsmFlags(generic=True)).startswith('"builtin.module"() ({')
    constant = ir.Module.parse("func.func @f() { %0 = arith.constant dense<[1,2,3]> : tensor<3xi32>  return }")
    assert "dense<[1, 2, 3]>" in ir_text(constant.operation, AsmFlags(elide_elements_above=3))
    assert "__elided__" in ir_text(constant.operation, AsmFlags(elide_elements_above=2))


def test_numbers_and_users_leave_the_ir_as_it_was(module: ir.Module) -> None:
    operation = module.operation
    before = ir_text(operation, AsmFlags(debug_info=True))
    annotated = ir_text(operation, AsmFlags(value_users=True, unique_ids=True, debug_info=True))
    assert "// unused" in annotated
    assert ir_text(operation, AsmFlags(debug_info=True)) == before
    assert ir.Operation.parse(annotated).get_asm(print_generic_op_form=True) == operation.get_asm(
        print_generic_op_form=True
    )


def test_numbers_of_a_nested_operation_are_those_of_its_module(module: ir.Module) -> None:
    first, refused, *_ = module.body.operations
    whole = unindented(ir_text(module.operation, AsmFlags(value_users=True, unique_ids=True)))
    for op in (first, refused):
        assert unindented(ir_text(op.operation, AsmFlags(value_users=True, unique_ids=True))) in whole


def unindented(text: str) -> str:
    return "\n".join(line.strip() for line in text.splitlines())


def test_strings_that_look_like_marks_stay(context_of_module: ir.Context) -> None:
    text = 'module attributes {tensor.a = "%mark0z %markk1z loc(\\"mark2z\\") loc(#loc1)"} {\n}\n'
    module = ir.Module.parse(text, context_of_module)
    assert ir_text(module.operation, AsmFlags(value_users=True)) == ir_text(module.operation)


def test_invalid_ir_with_users_is_printed_in_generic_form(module: ir.Module) -> None:
    module.body.operations[0].attributes["function_type"] = ir.TypeAttr.get(ir.IntegerType.get_signless(1))
    assert '"arith.constant"() <{value = 1 : i32}> : () -> i32 // unused' in ir_text(
        module.operation, AsmFlags(value_users=True)
    )


class Recorder(Instrumentation):
    """Counts the steps it is shown."""

    def __init__(self) -> None:
        self.steps: list[str] = []

    def before_pass(self, step: PassStep | UpstreamStep, op: ir.Operation) -> None:
        self.steps.append(step.text)


def test_neighbouring_upstream_passes_are_one_step_unless_someone_must_see_each(module: ir.Module) -> None:
    text = "builtin.module(cse,func.func(cse,canonicalize),cse,inplace-tag,func.func(cse,inplace-tag))"
    grouped, single = Recorder(), Recorder()
    run(module, text, grouped)
    run(module, text, single, Timing())
    nested = ["cse", "inplace-tag"] * 2
    assert grouped.steps == ["cse,func.func(cse,canonicalize),cse", "inplace-tag", *nested]
    canonicalize = full_text("func.func", "canonicalize")
    assert single.steps == ["cse", *["cse", canonicalize] * 2, "cse", "inplace-tag", *nested]


def test_timing_adds_up_over_operations_and_runs(module: ir.Module) -> None:
    ticks = iter(range(1000))
    timing = Timing(clock=lambda: float(next(ticks)))
    timing.phase("Parser", 3.0)
    pipeline = Pipeline.parse("func.func(cse,inplace-tag),canonicalize", REGISTRY)
    pipeline.run(module, timing)
    pipeline.run(module, timing)
    timing.phase("Output", 2.0)
    *rows, rest, total = timing.rows()
    assert rows == [
        (3.0, "Parser"),
        (8.0, "'func.func' Pipeline"),
        (4.0, "  CSEPass"),
        (4.0, "  TagPass"),
        (2.0, "CanonicalizerPass"),
        (2.0, "Output"),
    ]
    assert total[1] == "Total"
    assert rest == (total[0] - 15.0, "Rest")
    listed = timing.merged_rows()
    names = ["root", "'func.func' Pipeline", "CSEPass", "TagPass", "Parser", "CanonicalizerPass", "Output", "Rest"]
    assert [name for _, name in listed] == [*names, "Total"]
    assert listed[0][0] == listed[-1][0]


def test_times_in_json_say_what_the_text_says(module: ir.Module) -> None:
    ticks = iter(range(1000))
    timing = Timing(clock=lambda: float(next(ticks)))
    timing.phase("Parser", 3.0)
    run(module, "func.func(cse),canonicalize", timing)
    tree = json.loads(timing.report(form="json"))
    assert [row["name"] for row in tree] == ["Parser", "'func.func' Pipeline", "CanonicalizerPass", "Rest", "Total"]
    nest = tree[1]
    assert nest["wall"]["duration"] == 2.0
    assert [inner.get("name") for inner in nest["passes"]] == ["CSEPass", None]
    listed = json.loads(timing.report("list", "json"))
    names = ["root", "Parser", "'func.func' Pipeline", "CSEPass", "CanonicalizerPass", "Rest", "Total"]
    assert [row["name"] for row in listed] == names
    assert listed[-1]["wall"]["percentage"] == 100.0


def test_the_timing_report_is_a_table(module: ir.Module) -> None:
    timing = Timing()
    run(module, "cse,inplace-tag", timing)
    lines = timing.report().splitlines()
    assert lines[1].strip() == "... Execution time report ..."
    assert lines[3].startswith("  Total Execution Time: ")
    assert [line.split(")  ")[1] for line in lines[6:]] == ["CSEPass", "TagPass", "Rest", "Total"]
    assert timing.report("list").splitlines()[6].endswith("(100.0%)  root")


def test_statistics_come_in_pipeline_order(module: ir.Module) -> None:
    stream = io.StringIO()
    run(module, "cse,func.func(inplace-tag{times=2}),inplace-tag", StatisticsReport(stream=stream))
    lines = stream.getvalue().splitlines()
    assert lines[1].strip() == "... Pass statistics report ..."
    assert lines[3:] == [
        "'builtin.module' Pipeline",
        "  CSEPass",
        "  'func.func' Pipeline",
        "    TagPass",
        "      (S) 4 tagged - operations that were tagged",
        "  TagPass",
        "    (S) 1 tagged - operations that were tagged",
        "",
    ]


def test_statistics_as_a_list_add_up_by_pass(module: ir.Module) -> None:
    stream = io.StringIO()
    text = "cse,func.func(inplace-tag{times=4}),inplace-tag{times=3}"
    run(module, text, StatisticsReport(stream=stream, display="list"))
    assert stream.getvalue().splitlines()[3:] == [
        "  TagPass",
        "    (S) 11 tagged - operations that were tagged",
        "",
    ]


def test_upstreams_statistics_do_not_reach_standard_error(module: ir.Module, capfd: pytest.CaptureFixture[str]) -> None:
    run(module, "cse", StatisticsReport(stream=io.StringIO()))
    assert capfd.readouterr().err == ""


def test_upstreams_report_is_read() -> None:
    report = """\
'func.func' Pipeline
  CSEPass
    (S) 15 num-cse'd - Number of operations CSE'd
    (S)  2 num-dce'd - Number of operations DCE'd
  CSEPass
    (S)  1 num-cse'd - Number of operations CSE'd
"""
    assert read_upstream_statistics(report) == {
        "num-cse'd": (16, "Number of operations CSE'd"),
        "num-dce'd": (2, "Number of operations DCE'd"),
    }


def test_a_finished_pipeline_is_told_even_when_it_failed(module: ir.Module) -> None:
    stream = io.StringIO()
    with pytest.raises(PassError):
        run(module, "builtin.module(func.func(inplace-refuse))", StatisticsReport(stream=stream))
    assert "RefusePass" in stream.getvalue()
