"""Pipeline texts: what they mean, that they print back, and that every mistake is shown with its place."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mlir import ir
from mlir.passmanager import PassManager
from pass_examples import TagOptions, TagPass, example_registry

from mlir_inplace.passes.framework.errors import OptionError, PipelineError
from mlir_inplace.passes.framework.upstream import full_text, is_known, known_passes
from mlir_inplace.passes.framework.upstream_names import PIPELINES, pass_classes
from mlir_inplace.passes.pipeline.elements import InplacePass, Nest, UpstreamPass
from mlir_inplace.passes.pipeline.pipeline import Pipeline
from mlir_inplace.passes.pipeline.steps import PlanSettings, UpstreamStep, make_steps, walk_steps

REGISTRY = example_registry()


def parse(text: str) -> Pipeline:
    return Pipeline.parse(text, REGISTRY)


def test_ours_and_upstreams_mix_at_any_depth() -> None:
    pipeline = parse("builtin.module( func.func(inplace-tag{name=a times=2}, cse) ,canonicalize{ max-iterations=3 })")
    assert pipeline == Pipeline(
        "builtin.module",
        (
            Nest("func.func", (InplacePass(TagPass, TagOptions(name="a", times=2)), UpstreamPass("cse"))),
            UpstreamPass("canonicalize", "max-iterations=3"),
        ),
    )


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("canonicalize,cse", "builtin.module(canonicalize,cse)"),
        ("inplace-tag", "builtin.module(inplace-tag)"),
        ("func.func(cse)", "func.func(cse)"),
        ("func.func(cse),cse", "builtin.module(func.func(cse),cse)"),
        ("any(cse,any(inplace-tag))", "any(cse,any(inplace-tag))"),
        ("builtin.module()", "builtin.module()"),
        ("builtin.module(inplace-tag{})", "builtin.module(inplace-tag)"),
        ("inplace-tag{times=1}", "builtin.module(inplace-tag)"),
        ('inplace-tag{name="a, }b"}', 'builtin.module(inplace-tag{name="a, }b"})'),
        ("inline{op-pipelines={func.func(canonicalize,cse)}}", None),
        ("builtin.module(\n  cse,\n\tcanonicalize\n)", "builtin.module(cse,canonicalize)"),
    ],
)
def test_printing(text: str, printed: str | None) -> None:
    pipeline = parse(text)
    assert str(pipeline) == (printed or f"builtin.module({text})")
    assert parse(str(pipeline)) == pipeline


pass_elements = st.one_of(
    st.sampled_from([UpstreamPass("cse"), UpstreamPass("canonicalize", "max-iterations=2 top-down=false")]),
    st.builds(lambda name, times: InplacePass(TagPass, TagOptions(name, times)), st.text(), st.integers()),
)
elements = st.recursive(
    pass_elements,
    lambda inner: st.builds(
        Nest, st.sampled_from(["func.func", "builtin.module", "any"]), st.lists(inner, max_size=3).map(tuple)
    ),
    max_leaves=8,
)


@settings(max_examples=50)
@given(st.builds(Pipeline, st.sampled_from(["builtin.module", "any"]), st.lists(elements, max_size=4).map(tuple)))
def test_every_pipeline_survives_the_way_through_text(pipeline: Pipeline) -> None:
    assert parse(str(pipeline)) == pipeline


@given(st.text(alphabet="abc(){},= '\"-\n", max_size=40))
def test_any_text_is_read_or_refused_with_a_place_inside_it(text: str) -> None:
    try:
        parse(text)
    except PipelineError as error:
        assert 0 <= error.offset <= len(text)
        assert error.message


@pytest.mark.parametrize(
    ("text", "column", "message"),
    [
        ("", 1, "the pipeline is empty; write for example builtin.module(canonicalize)"),
        ("builtin.module(cse", 15, "this '(' of 'builtin.module' is never closed"),
        ("cse)", 4, "this ')' closes nothing"),
        ("builtin.module(cse))", 20, "this ')' closes nothing"),
        ("cse,,cse", 5, "expected the name of a pass or an operation, found ','"),
        ("cse,", 5, "expected the name of a pass or an operation, found the end of the pipeline"),
        ("builtin.module(cse canonicalize)", 20, "expected ',' or ')' before the next pass, found 'c'"),
        ("cse canonicalize", 5, "expected ',' before the next pass, found 'c'"),
        ("inplace-tag{name=a", 12, "this '{' is never closed"),
        ("inplace-tag}", 12, "expected ',' before the next pass, found '}'"),
        ("inplace-tga", 1, "unknown pass 'inplace-tga'; did you mean 'inplace-tag'?"),
        ("func.func(cse,canonicalise)", 15, "unknown pass 'canonicalise'; did you mean 'canonicalize'?"),
        ("xyzzy", 1, "unknown pass 'xyzzy'"),
        (
            "builtin.module(inplace-tag{nmae=a})",
            28,
            "pass 'inplace-tag': unknown option 'nmae'; did you mean 'name'? (options: name, times)",
        ),
        ("inplace-tag{name=a times=x}", 20, "pass 'inplace-tag': option 'times' needs int, found 'x'"),
        ("cse{a=1}", 5, "pass 'cse' has no option 'a'"),
        (
            "canonicalize{max-iteration=1}",
            14,
            "pass 'canonicalize' has no option 'max-iteration'; did you mean 'max-iterations'?",
        ),
        (
            "canonicalize{top-down=true max-iterations=x}",
            28,
            "option 'max-iterations' of pass 'canonicalize': 'x' value invalid for long argument",
        ),
        (
            "builtin.module(inplace-refuse)",
            16,
            "pass 'inplace-refuse' runs on 'func.func', not on 'builtin.module';"
            " write func.func(inplace-refuse) inside it",
        ),
        (
            "affine-loop-tile",
            1,
            "pass 'affine-loop-tile' runs on 'func.func', not on 'builtin.module';"
            " write func.func(affine-loop-tile) inside it",
        ),
        ("any(" * 200, 401, "nested deeper than 100 levels"),
    ],
)
def test_mistakes_are_shown_with_their_place(text: str, column: int, message: str) -> None:
    with pytest.raises(PipelineError) as caught:
        parse(text)
    assert caught.value.message == message
    assert caught.value.offset == column - 1


def test_the_caret_stands_under_the_mistake_in_its_line() -> None:
    with pytest.raises(PipelineError) as caught:
        parse("builtin.module(\n\tcse,\n\tcanonicalise)")
    assert str(caught.value).splitlines() == [
        "pipeline:3:2: error: unknown pass 'canonicalise'; did you mean 'canonicalize'?",
        "\tcanonicalise)",
        "\t^~~~~~~~~~~~",
    ]


def test_the_passes_we_suggest_and_list_exist() -> None:
    assert known_passes() == sorted([*pass_classes(), *PIPELINES])
    assert {"cse", "canonicalize", "one-shot-bufferize", "sparsifier"} < set(known_passes())
    assert not is_known("canonicalise")


@pytest.mark.parametrize("name", ["cse", "canonicalize", "inline", "symbol-dce", "one-shot-bufferize", "lower-affine"])
def test_upstreams_classes_are_those_of_its_dumps(name: str, capfd: pytest.CaptureFixture[str]) -> None:
    with ir.Context() as context:
        context.enable_multithreading(False)
        manager = PassManager.parse(f"builtin.module({name})")
        manager.enable_ir_printing()
        manager.run(ir.Module.parse("").operation)
    assert f"IR Dump After {pass_classes()[name]}: {full_text('builtin.module', name)} //" in capfd.readouterr().err


@pytest.mark.parametrize("name", [name for name in PIPELINES if name != "gpu-lower-to-rocdl-pipeline"])
def test_named_pipelines_can_be_taken_one_pass_at_a_time(name: str) -> None:
    with ir.Context() as context:
        pipeline = parse(name)
        steps = make_steps(pipeline.anchor, pipeline.elements, context, PlanSettings(single_steps=True))
        found = [step.name for step in walk_steps(steps) if isinstance(step, UpstreamStep)]
    assert len(found) > 1
    assert set(found) <= set(pass_classes().values())


def test_wrong_upstream_options_are_not_printed_behind_our_back(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(PipelineError):
        parse("canonicalize{max-iterations=many}")
    assert capfd.readouterr().err == ""


def test_indented() -> None:
    assert parse("cse,func.func(cse,any())").indented() == (
        "builtin.module(\n  cse,\n  func.func(\n    cse,\n    any()\n  )\n)"
    )


def test_options_are_set_on_each_pass_that_declares_them() -> None:
    pipeline = parse("inplace-tag{name=a},inplace-look,func.func(inplace-tag{times=2},any(cse))")
    expected = "inplace-tag{name=a times=3},inplace-look,func.func(inplace-tag{times=3},any(cse))"
    assert pipeline.with_options(times=3) == parse(expected)
    assert pipeline.with_options(times=1) == parse(expected.replace("times=3", ""))
    assert pipeline.with_options() == pipeline


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"tmies": 3}, "no pass of the pipeline has an option 'tmies'; did you mean 'times'?"),
        ({"max_iterations": 3}, "no pass of the pipeline has an option 'max_iterations'"),
        ({"times": "many"}, "option 'times' needs int, found 'many'"),
    ],
)
def test_options_that_fit_no_pass_are_refused(options: dict[str, object], message: str) -> None:
    with pytest.raises(OptionError) as caught:
        parse("canonicalize,func.func(inplace-tag)").with_options(**options)
    assert caught.value.message == message
