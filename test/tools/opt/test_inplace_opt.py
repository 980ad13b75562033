"""`inplace-opt` as a program: every flag, every exit code, and one clear line for everything a user can do wrong."""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from fork_server import ForkServer
from forked_python import run_program
from mlir import ir
from pass_examples import example_registry

from mlir_inplace.dialects.support.text_error import TextError
from mlir_inplace.passes.framework.upstream import full_text
from mlir_inplace.passes.pipeline.registry import Registry, registry
from mlir_inplace.tools.inplace_opt import main

REGISTRY = example_registry()
CANONICALIZE = f"CanonicalizerPass: {full_text('builtin.module', 'canonicalize')}"

DEAD_CONSTANT = "func.func @f() {\n  %c1_i32 = arith.constant 1 : i32\n  return\n}\n"
PARSED_DEAD_CONSTANT = "module {\n  func.func @f() {\n    %c1_i32 = arith.constant 1 : i32\n    return\n  }\n}\n"
CLEAN = "module {\n  func.func @f() {\n    return\n  }\n}\n"


@dataclass(frozen=True)
class Result:
    code: int
    out: str
    err: str


Opt = Callable[..., Result]


@pytest.fixture
def opt(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Opt:
    """Runs inplace-opt in this process, with a text as its standard input."""

    def run(*arguments: str | Path, text: str | bytes = DEAD_CONSTANT, passes: Registry = REGISTRY) -> Result:
        data = text.encode() if isinstance(text, str) else text
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(data)))
        code = main([str(argument) for argument in arguments], passes)
        return Result(code, *capsys.readouterr())

    return run


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ([], PARSED_DEAD_CONSTANT),
        (["-"], PARSED_DEAD_CONSTANT),
        (["--canonicalize"], CLEAN),
        (["-canonicalize", "--cse"], CLEAN),
        (["--pass-pipeline=builtin.module(func.func(canonicalize))"], CLEAN),
        (["-pass-pipeline", "canonicalize"], CLEAN),
        (["--canonicalize=max-iterations=3 top-down=false"], CLEAN),
        (["--inplace-tag=times=2 name=tensor.a"], "module attributes {tensor.a} {" + PARSED_DEAD_CONSTANT[8:]),
        (["--inplace-refuse"], PARSED_DEAD_CONSTANT.replace("@f()", "@f() attributes {accepted}")),
    ],
)
def test_passes_run_and_the_result_is_printed(opt: Opt, arguments: list[str], expected: str) -> None:
    assert opt(*arguments) == Result(0, expected, "")


def test_passes_run_in_the_order_of_the_command_line(opt: Opt) -> None:
    flags = ["--inplace-tag", "--cse", "--inplace-refuse", "--affine-loop-tile=tile-size=4", "--canonicalize"]
    assert opt(*flags, "--dump-pass-pipeline").err == (
        "Pass Manager with 4 passes:\nbuiltin.module(\n  inplace-tag,\n  cse,\n  func.func(\n    inplace-refuse,\n"
        "    affine-loop-tile{tile-size=4}\n  ),\n  canonicalize\n)\n\n"
    )


def test_a_file_is_read_and_named(opt: Opt, tmp_path: Path) -> None:
    path = tmp_path / "f.mlir"
    path.write_text("func.func @f() {\n\tretrun\n}\n")
    assert opt(path) == Result(
        1, "", f"{path}:2:2: error: custom op 'retrun' is unknown (tried 'func.retrun' as well)\n\tretrun\n\t^\n"
    )


@pytest.mark.parametrize(
    "text",
    [
        "module @m { func.func @f() { return } }",
        "// a comment\n\nmodule @m attributes {tensor.a} {}",
        '"builtin.module"() ({^bb0:}) {sym_name = "m"} : () -> ()',
        "#map = affine_map<(d0) -> (d0)>\nmodule @m { func.func @f() attributes {tensor.map = #map} { return } }",
    ],
)
def test_an_explicit_module_is_not_wrapped(opt: Opt, text: str) -> None:
    printed = opt(text=text).out
    assert printed.count("module") == 1
    assert "module @m" in printed


@pytest.mark.parametrize(
    ("text", "modules"),
    [
        ("func.func @f() { return }", 1),
        ("func.func @f() { return } func.func @g() { return }", 1),
        ("module {} module {}", 3),
        ("#map = affine_map<(d0) -> (d0)>\nfunc.func @f() attributes {tensor.map = #map} { return }", 1),
        ("// nothing but a comment", 1),
    ],
)
def test_everything_else_gets_an_implicit_module(opt: Opt, text: str, modules: int) -> None:
    result = opt(text=text)
    assert (result.code, result.out.count("module")) == (0, modules)


@pytest.mark.parametrize("text", [DEAD_CONSTANT, PARSED_DEAD_CONSTANT], ids=["implicit", "explicit"])
def test_locations_name_the_file(opt: Opt, text: str) -> None:
    printed = opt("--mlir-print-debuginfo", text=text).out
    assert 'loc("<stdin>":2:' in printed
    assert 'loc("-"' not in printed


def test_nested_locations_and_arguments_name_the_file(opt: Opt) -> None:
    text = (
        "func.func @g(%a: i32) -> i32 { return %a : i32 }\n"
        "func.func @f(%a: i32) -> i32 {\n  %0 = call @g(%a) : (i32) -> i32\n  %1 = call @h(%0) : (i32) -> i32\n"
        '  return %1 : i32 loc(fused<"why">["name", unknown])\n}\n'
        "func.func @h(%a: i32) -> i32 {\n  %0 = arith.addi %a, %a : i32\n  return %0 : i32\n}\n"
    )
    printed = opt("--inline", "--mlir-print-debuginfo", text=text).out
    assert '"<stdin>":1:14' in printed, "a block argument"
    assert "callsite(" in printed
    assert 'fused<"why">' in printed


def test_printing_flags(opt: Opt) -> None:
    assert opt("--mlir-print-op-generic").out.startswith('"builtin.module"() ({')
    constant = "func.func @f() { %0 = arith.constant dense<[1, 2, 3]> : tensor<3xi32>  return }"
    assert "dense<[1, 2, 3]>" in opt("--mlir-elide-elementsattrs-if-larger=3", text=constant).out
    assert "dense_resource<__elided__>" in opt("-mlir-elide-elementsattrs-if-larger", "2", text=constant).out


def test_unregistered_dialects(opt: Opt) -> None:
    text = '"nobody.knows"() : () -> ()'
    assert "unregistered dialect" in opt(text=text).err
    assert '"nobody.knows"()' in opt("--allow-unregistered-dialect", text=text).out


def test_ir_printing(opt: Opt, tmp_path: Path) -> None:
    both = opt("--canonicalize", "--mlir-print-ir-before-all", "--mlir-print-ir-after-all")
    assert both.err == (
        f"// -----// IR Dump Before {CANONICALIZE} //----- //\n{PARSED_DEAD_CONSTANT}\n"
        f"// -----// IR Dump After {CANONICALIZE} //----- //\n{CLEAN}\n"
    )
    change = opt("--canonicalize", "--canonicalize", "--mlir-print-ir-after-change")
    assert change.err.count("IR Dump After CanonicalizerPass: canonicalize") == 1
    failure = opt("--canonicalize", "--transform-interpreter", "--mlir-print-ir-after-failure")
    assert failure.err.count("IR Dump") == 1
    assert "IR Dump After InterpreterPass: transform-interpreter{" in failure.err
    tree = opt("--canonicalize", "--mlir-print-ir-after-all", f"--mlir-print-ir-tree-dir={tmp_path}")
    assert (tree.code, tree.err) == (0, "")
    assert (tmp_path / "builtin_module_no-symbol-name" / "0_canonicalize.mlir").read_text().endswith(f"{CLEAN}\n")


@pytest.mark.parametrize("passes", [["--canonicalize"], ["--inplace-tag"], ["--pass-pipeline=any(cse)"]])
@pytest.mark.parametrize("folder", ["/proc/x", "/dev/null/x"])
def test_dumps_to_where_nothing_can_be_written(opt: Opt, folder: str, passes: list[str]) -> None:
    run = opt(*passes, "--mlir-print-ir-after-all", f"--mlir-print-ir-tree-dir={folder}")
    assert (run.code, run.out) == (1, "")
    error = rf"inplace-opt: error: cannot write '{folder}\S*': (No such file or|Not a) directory\n"
    assert re.fullmatch(error, run.err)


def test_no_folder_for_dumps_is_standard_error(opt: Opt, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    run = opt("--canonicalize", "--mlir-print-ir-after-all", "--mlir-print-ir-tree-dir=")
    assert "IR Dump After CanonicalizerPass: canonicalize" in run.err
    assert list(tmp_path.iterdir()) == []


def test_dumps_follow_the_printing_flags(opt: Opt) -> None:
    err = opt("--cse", "--mlir-print-ir-after-all", "--mlir-print-op-generic", "--mlir-print-debuginfo").err
    assert '"builtin.module"() ({' in err
    assert 'loc("<stdin>":' in err


def test_timing_and_statistics(opt: Opt) -> None:
    err = opt("--canonicalize", "--inplace-tag=times=3", "--mlir-timing", "--mlir-pass-statistics").err
    labels = [line.split(")  ")[1] for line in err.splitlines() if "%)" in line]
    assert labels == ["Parser", "CanonicalizerPass", "TagPass", "Output", "Context", "Load passes", "Rest", "Total"]
    assert "(S) 3 tagged - operations that were tagged" in err


def test_verify_each(opt: Opt) -> None:
    checked = opt("--inplace-break")
    assert checked.code == 1
    assert "'func.return' op has 0 operands" in checked.err
    unchecked = opt("--inplace-break", "--verify-each=false")
    assert unchecked.code == 0
    assert '"func.func"()' in unchecked.out, "invalid IR is printed in generic form"


def test_a_refusal_is_an_error_with_its_place_and_notes(opt: Opt) -> None:
    result = opt("--inplace-refuse", text="func.func @f() { return }\n  func.func @refused() { return }\n")
    assert result == Result(
        1,
        "",
        "<stdin>:2:3: error: function cannot be accepted\n  func.func @refused() { return }\n  ^\n"
        "<stdin>:0:0: note: it is inside this\n",
    )


def test_remarks_are_printed_and_do_no_harm(opt: Opt) -> None:
    result = opt("--inplace-look")
    assert result.code == 0
    assert "<stdin>:1:1: remark: saw 'func.func'\nfunc.func @f() {\n^\n" in result.err


SPLIT = "func.func @f() { return }\n// -----\nfunc.func @f() {\n  retrun\n}\n// -----\nfunc.func @h() { return }\n"


def test_parts_of_a_split_input_do_not_know_each_other(opt: Opt) -> None:
    part = "#map = affine_map<(d0) -> (d0)>\nfunc.func @f() { return }\n"
    result = opt("--split-input-file", text=f"{part}// -----\n{part}")
    assert result == Result(0, f"{CLEAN}// -----\n{CLEAN}", "")
    assert opt(text=f"{part}// -----\n{part}").code == 1


def test_a_wrong_part_keeps_its_line_numbers_and_the_others_their_output(opt: Opt) -> None:
    result = opt("--split-input-file", text=SPLIT)
    assert result.code == 1
    assert result.err.startswith("<stdin>:4:3: error: custom op 'retrun' is unknown")
    assert "  retrun\n  ^\n" in result.err
    assert result.out == f"{CLEAN}// -----\n// -----\n{CLEAN.replace('@f', '@h')}"


def test_an_empty_pipeline_is_not_a_missing_one(opt: Opt) -> None:
    result = opt("--pass-pipeline=")
    assert result.code == 2
    assert "the pipeline is empty" in result.err


def test_another_marker(opt: Opt) -> None:
    result = opt("--split-input-file=// ====", text="func.func @f() { return }\n// ====\nfunc.func @f() { return }\n")
    assert result == Result(0, f"{CLEAN}// ====\n{CLEAN}", "")


def test_a_marker_counts_only_as_a_whole_line(opt: Opt) -> None:
    text = "func.func @f() { // -----\n return }\n// ------\n  // -----\n// -----   \nfunc.func @f() { return }"
    assert opt("--split-input-file", text=text) == Result(0, f"{CLEAN}// -----\n{CLEAN}", "")


def test_output_goes_to_a_file_on_success_only(opt: Opt, tmp_path: Path) -> None:
    path = tmp_path / "out.mlir"
    assert opt("--canonicalize", "-o", path) == Result(0, "", "")
    assert path.read_text() == CLEAN
    assert opt("-o", path, text="func.func @broken(").code == 1
    assert opt("--split-input-file", f"-o={path}", text=SPLIT).code == 1
    assert path.read_text() == CLEAN
    assert list(tmp_path.iterdir()) == [path]


def test_an_output_file_keeps_its_permissions_and_links(opt: Opt, tmp_path: Path) -> None:
    path, link = tmp_path / "out.mlir", tmp_path / "link.mlir"
    path.write_text("old")
    path.chmod(0o640)
    link.symlink_to(path)
    assert opt("-o", link).code == 0
    assert link.is_symlink()
    assert path.read_text() == PARSED_DEAD_CONSTANT
    assert path.stat().st_mode & 0o777 == 0o640
    fresh = tmp_path / "fresh.mlir"
    opt("-o", fresh)
    mask = os.umask(0)
    os.umask(mask)
    assert fresh.stat().st_mode & 0o777 == 0o666 & ~mask


def test_output_to_a_device(opt: Opt) -> None:
    assert opt("-o", "/dev/null") == Result(0, "", "")
    assert opt("-o", "-") == Result(0, PARSED_DEAD_CONSTANT, "")


@pytest.mark.parametrize(
    ("target", "reason"), [("nowhere/out.mlir", "No such file or directory"), (".", "Is a directory")]
)
def test_an_unwritable_output_is_refused_before_any_work(opt: Opt, tmp_path: Path, target: str, reason: str) -> None:
    path = tmp_path / target
    result = opt("--inplace-crash", "-o", path)
    assert result == Result(1, "", f"inplace-opt: error: cannot open output file '{path}': {reason}\n")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "'<stdin>' is empty; expected MLIR text"),
        (b" \n\t\n", "'<stdin>' is empty; expected MLIR text"),
        (b"func.func @f() {\n \xff }", "'<stdin>' is not MLIR text: byte 0xff at offset 18 (line 2) is not UTF-8"),
    ],
)
def test_input_that_is_no_mlir_text(opt: Opt, data: bytes, message: str) -> None:
    assert opt(text=data) == Result(1, "", f"inplace-opt: error: {message}\n")


def test_bytecode_that_kills_its_reader_is_refused(opt: Opt, monkeypatch: pytest.MonkeyPatch) -> None:
    def check(data: bytes, name: str) -> None:
        raise TextError(f"broken bytecode of {len(data)} bytes", name, 1, 1)

    monkeypatch.setattr("mlir_inplace.runtime.source.bytecode.check_bytecode", check)
    assert opt(text=b"ML\xefR\x01") == Result(1, "", "inplace-opt: error: '<stdin>': broken bytecode of 5 bytes\n")


def test_input_that_cannot_be_opened(opt: Opt, tmp_path: Path) -> None:
    missing = tmp_path / "missing.mlir"
    assert opt(missing).err == f"inplace-opt: error: cannot open input file '{missing}': No such file or directory\n"
    assert opt(tmp_path).err == f"inplace-opt: error: cannot open input file '{tmp_path}': Is a directory\n"
    assert opt(tmp_path).code == 1


@pytest.mark.parametrize("text", ["func.func @f(", "}", "module {", '"', "func.func @f() { return } \0 x"])
def test_broken_text_is_reported_with_a_place(opt: Opt, text: str) -> None:
    result = opt(text=text)
    assert (result.code, result.out) == (1, "")
    assert result.err.startswith("<stdin>:1:")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--canonicalise"], "unknown flag '--canonicalise'; did you mean '--canonicalize'? (--help lists the flags)"),
        (["-inplace-tga"], "unknown flag '-inplace-tga'; did you mean '--inplace-tag'? (--help lists the flags)"),
        (["--verfy-each"], "unknown flag '--verfy-each'; did you mean '--verify-each'? (--help lists the flags)"),
        (["--qqqqq"], "unknown flag '--qqqqq' (--help lists the flags)"),
        (["--=x"], "unknown flag '--=x' (--help lists the flags)"),
        (["-o"], "-o needs a value: FILE"),
        (["-o", "a", "-o", "b"], "-o is given twice, with 'a' and 'b'; leave one out"),
        (
            ["--verify-each", "--verify-each=false"],
            "--verify-each is given twice, with 'True' and 'False'; leave one out",
        ),
        (["--split-input-file="], "--split-input-file= needs a value; without '=' it is '// -----'"),
        (
            ["--mlir-elide-elementsattrs-if-larger=-3"],
            "argument --mlir-elide-elementsattrs-if-larger: must be an integer of at least 0, got '-3'",
        ),
        (
            ["--mlir-print-elementsattrs-with-hex-if-larger=-2"],
            "argument --mlir-print-elementsattrs-with-hex-if-larger: must be an integer of at least 0, "
            "or -1 for no limit, got '-2'",
        ),
        (["--pass-pipeline"], "--pass-pipeline needs a value: PIPELINE"),
        (
            ["--emit-bytecode-version=9999999999999999999"],
            "argument --emit-bytecode-version: must be less than 2^63, got '9999999999999999999'",
        ),
        *(([f"--{flag}="], f"--{flag}= needs a value: FILE") for flag in ("irdl-file", "log-actions-to")),
        (["--mlir-generate-reproducer="], "--mlir-generate-reproducer= needs a value: FILE"),
        (["--color=x"], "argument --color: expected true or false, found 'x'"),
        (["--verify-each=perhaps"], "argument --verify-each: expected true or false, found 'perhaps'"),
        (
            ["--mlir-elide-elementsattrs-if-larger=x"],
            "argument --mlir-elide-elementsattrs-if-larger: must be an integer of at least 0, got 'x'",
        ),
        (["a.mlir", "b.mlir"], "unrecognized arguments: b.mlir"),
        (["--pass-pipeline=cse", "--cse"], "--pass-pipeline cannot be combined with passes as flags (--cse)"),
        (
            ["--run-reproducer", "--cse"],
            "--run-reproducer takes the pipeline from the input; it cannot be combined with other passes",
        ),
    ],
)
def test_a_wrong_command_line_is_one_clear_line(opt: Opt, arguments: list[str], message: str) -> None:
    assert opt(*arguments) == Result(2, "", f"inplace-opt: error: {message}\n")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["--pass-pipeline=builtin.module(canonicalise)"],
            "1:16: error: unknown pass 'canonicalise'; did you mean 'canonicalize'?\nbuiltin.module(canonicalise)\n"
            "               ^~~~~~~~~~~~\n",
        ),
        (
            ["--inplace-tag=tims=1"],
            "1:28: error: pass 'inplace-tag': unknown option 'tims'; did you mean 'times'? (options: name, times)\n"
            "builtin.module(inplace-tag{tims=1})\n                           ^~~~\n",
        ),
        (
            ["--inplace-tag=times=x"],
            "1:28: error: pass 'inplace-tag': option 'times' needs int, found 'x'\n"
            "builtin.module(inplace-tag{times=x})\n                           ^~~~~~~\n",
        ),
        (
            ["--cse=x=1"],
            "1:20: error: pass 'cse' has no option 'x'\nbuiltin.module(cse{x=1})\n                   ^\n",
        ),
    ],
)
def test_a_wrong_pipeline_is_shown_with_its_place(opt: Opt, arguments: list[str], message: str) -> None:
    assert opt(*arguments) == Result(2, "", f"inplace-opt: pipeline:{message}")


def test_wrong_option_values_are_accepted_once_they_are_right(opt: Opt) -> None:
    assert opt("--mlir-elide-elementsattrs-if-larger=4", "--verify-each=1", "--inplace-tag=times=1").code == 0


def test_the_first_lines_of_help(opt: Opt) -> None:
    result = opt("--help")
    assert (result.code, result.err) == (0, "")
    assert result.out.startswith("usage: inplace-opt [file|-] [flags] [passes]\n")
    assert opt("-h") == result


def test_help_lists_every_pass_with_its_options(opt: Opt) -> None:
    assert "      times=<int>  (default: 1)\n          how often to count it\n" in opt("--help").out
    printed = opt("--help", passes=registry).out
    for cls in registry.passes():
        assert f"  --{cls.argument}\n" in printed
        for spec in cls.Options.specs():
            assert f"      {spec.name}=<{spec.type_text}>  (default: {spec.default_text})\n" in printed


def test_help_lists_every_flag_of_the_design(opt: Opt) -> None:
    printed = opt("--help").out
    for flag in (
        *("pass-pipeline", "split-input-file", "verify-diagnostics", "verify-each", "allow-unregistered-dialect"),
        *("mlir-print-ir-before-all", "mlir-print-ir-after-all", "mlir-print-ir-after-change"),
        *("mlir-print-ir-after-failure", "mlir-print-ir-tree-dir", "mlir-print-debuginfo", "mlir-print-op-generic"),
        *("mlir-elide-elementsattrs-if-larger", "mlir-timing", "mlir-pass-statistics", "dump-pass-pipeline"),
        *("mlir-pass-pipeline-crash-reproducer", "run-reproducer", "list-passes", "show-dialects", "version", "help"),
    ):
        assert f"  --{flag}" in printed


def test_information(opt: Opt) -> None:
    listed = opt("--list-passes").out
    assert re.search(r"^  --inplace-tag +set an attribute$", listed, re.MULTILINE)
    assert re.search(r"^  --cse +CSEPass: compute common", listed, re.MULTILINE)
    assert re.search(r"^  --tosa-to-linalg-pipeline +a pipeline of upstream's: tosa", listed, re.MULTILINE)
    dialects = opt("--show-dialects").out
    assert dialects.startswith("Available Dialects: ")
    assert {"arith", "dispatch", "func", "linalg", "memref", "scf"} <= set(dialects.removesuffix("\n")[20:].split(", "))
    name, bindings = opt("--version").out.splitlines()
    assert name.startswith("inplace-opt ")
    assert "LLVM" in bindings


def test_a_reproducer_runs_what_went_wrong(opt: Opt, tmp_path: Path) -> None:
    path = tmp_path / "r.mlir"
    refused = "func.func @refused() { return }"
    first = opt("--inplace-refuse", f"--mlir-pass-pipeline-crash-reproducer={path}", text=refused)
    assert first.code == 1
    assert f"pass 'inplace-refuse' failed; reproducer generated at '{path}'" in first.err
    assert path.read_text().startswith('"builtin.module"() ({')
    again = opt("--run-reproducer", path)
    assert again.code == 1
    assert "function cannot be accepted" in again.err
    path.write_text(path.read_text().replace('"refused"', '"accepted"'))
    assert "func.func @accepted() attributes {accepted}" in opt("--run-reproducer", path).out


def test_success_leaves_no_reproducer(opt: Opt, tmp_path: Path) -> None:
    assert opt("--cse", f"--mlir-pass-pipeline-crash-reproducer={tmp_path / 'r.mlir'}").code == 0
    assert list(tmp_path.iterdir()) == []


def test_reproducers_that_are_none(opt: Opt, tmp_path: Path) -> None:
    result = opt("--run-reproducer")
    assert (result.code, result.err) == (
        1,
        "inplace-opt: error: '<stdin>' is no reproducer: it has no mlir_reproducer section with a pipeline\n",
    )
    path = tmp_path / "nowhere" / "r.mlir"
    result = opt("--cse", f"--mlir-pass-pipeline-crash-reproducer={path}")
    assert result == Result(1, "", f"inplace-opt: error: cannot write '{path}.pending': No such file or directory\n")


def test_a_bug_in_a_pass_shows_its_traceback_and_leaves_a_reproducer(
    opt: Opt, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    result = opt("--inplace-crash", "-o", tmp_path / "out.mlir")
    (path,) = tmp_path.iterdir()
    assert result.code == 1
    assert "Traceback (most recent call last):" in result.err
    assert f"ZeroDivisionError: nobody thought of this; reproducer generated at '{path}'" in result.err
    assert "ZeroDivisionError" in opt("--run-reproducer", path).err


def test_a_bug_elsewhere_keeps_the_input(opt: Opt, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_arguments: object) -> None:
        raise ZeroDivisionError("a bug of ours")

    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr("mlir_inplace.tools.opt.process.parse_module", broken)
    result = opt("--cse")
    (path,) = tmp_path.iterdir()
    assert result.code == 1
    assert result.err.endswith(f"inplace-opt: error: internal error; reproducer generated at '{path}'\n")
    assert path.read_text() == f"// arguments: '--cse'\n{DEAD_CONSTANT}"


def test_an_interrupt(opt: Opt, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_arguments: object) -> ir.Operation:
        raise KeyboardInterrupt

    monkeypatch.setattr("mlir_inplace.tools.opt.process.parse_module", interrupted)
    assert opt() == Result(130, "", "inplace-opt: interrupted\n")


COMMAND = [sys.executable, "-m", "mlir_inplace.tools.inplace_opt"]


def test_the_program_runs_as_a_module() -> None:
    done = subprocess.run(
        [*COMMAND, "--canonicalize"], input=DEAD_CONSTANT, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, CLEAN, "")


@pytest.mark.parametrize(
    ("flag", "redirections", "code", "out", "err"),
    [
        ("--cse", {2: None}, 0, CLEAN, ""),
        ("--cse", {1: None}, 1, "", "standard output is closed"),
        ("--cse", {1: "/dev/full"}, 1, "", "cannot write standard output: No space left on device"),
        ("-o=/dev/full", {}, 1, "", "cannot write output file '/dev/full': No space left on device"),
        ("--no-such-flag", {2: None}, 2, "", ""),
    ],
)
def test_streams_that_cannot_be_used(
    fork_server: ForkServer, flag: str, redirections: dict[int, str | None], code: int, out: str, err: str
) -> None:
    command = [*COMMAND, "--canonicalize", flag]
    done = fork_server.call(run_program, command, redirections=redirections, input=DEAD_CONSTANT, text=True)
    err = err and f"inplace-opt: error: {err}\n"
    assert (done.returncode, done.stdout, done.stderr) == (code, out, err)


def test_a_reader_that_goes_away_causes_no_traceback() -> None:
    functions = "\n".join(f"func.func @f{number}() {{ return }}" for number in range(5000))
    with subprocess.Popen(COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdin and process.stdout and process.stderr
        process.stdout.close()
        process.stdin.write(functions.encode())
        process.stdin.close()
        assert process.stderr.read() == b""
        assert process.wait() == 1
