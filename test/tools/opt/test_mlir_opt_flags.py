"""Every flag of docs/MLIR_OPT.md does what the page says, and the page has every flag of mlir-opt."""

from __future__ import annotations

import contextlib
import io
import json
import re
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from mlir_inplace.passes.framework.upstream import known_passes
from mlir_inplace.tools.inplace_opt import main
from mlir_inplace.tools.opt import roundtrip, upstream_summaries
from mlir_inplace.tools.opt.flags import ALIASES, FLAGS
from mlir_inplace.tools.opt.unsupported import UNSUPPORTED
from mlir_inplace.tools.opt.upstream_summaries import upstream_summary

ROOT = Path(__file__).parents[3]
PROGRAM = """\
#map = affine_map<(d0) -> (d0)>
func.func @f(%a: i32 loc("first"), %b: tensor<4xi32>) -> (i32, tensor<4xi32>) {
  %c0 = arith.constant 0 : i32
  %again = arith.constant 0 : i32
  %x = arith.addi %a, %c0 : i32 loc("sum")
  %d = arith.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
  %y = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]}
      ins(%b : tensor<4xi32>) outs(%d : tensor<4xi32>) {
  ^bb0(%i: i32, %o: i32):
    %z = arith.addi %i, %x : i32
    linalg.yield %z : i32
  } -> tensor<4xi32>
  return %x, %y : i32, tensor<4xi32>
}
func.func private @g(%a: i32) -> i32 {
  %c0 = arith.constant 0 : i32
  %lb = arith.constant 0 : index
  %s, %carry = arith.addui_extended %a, %c0 : i32, i1
  %t, %carry2 = arith.addui_extended %s, %c0 : i32, i1
  %r:2 = scf.for %i = %lb to %lb step %lb iter_args(%j = %t, %k = %s) -> (i32, i32) {
    %2 = arith.addi %j, %c0 : i32
    scf.yield %k, %2 : i32, i32
  }
  cf.br ^end(%r#1 : i32)
^end(%out: i32):
  return %out : i32
}
"""
WRONG = "func.func @f(%a: i32) { return %a : i32 }\n"
TWO = "func.func @f() { return }\n// -----\nfunc.func @g() { return }\n"
NUMBERS = list(range(120))
MANY = f"func.func @f() {{ %0 = arith.constant dense<{NUMBERS}> : tensor<120xi64>  return }}"
CONSTANTS = (
    "func.func @f() {\n"
    + "".join(
        f"  %{name} = arith.constant dense<{str(elements).replace(chr(39), '')}> : {shape}\n"
        for name, elements, shape in [
            ("int", NUMBERS, "tensor<120xi64>"),
            ("large", list(range(200)), "tensor<200xi8>"),
            (
                "float",
                [[number * 0.1 for number in NUMBERS], [float(number) for number in NUMBERS]],
                "tensor<2x120xf32>",
            ),
            ("half", [1.0] * 110 + [2.5], "vector<111xbf16>"),
            ("bool", [str(number % 3 == 0).lower() for number in NUMBERS], "tensor<120xi1>"),
            ("complex", [(float(number), 1.0) for number in NUMBERS], "tensor<120xcomplex<f64>>"),
            ("index", NUMBERS, "tensor<120xindex>"),
            ("odd", NUMBERS, "tensor<120xi9>"),
            ("equal", [7] * 120, "tensor<120xi32>"),
            ("few", [1, 2], "tensor<2xi32>"),
        ]
    )
    + "  return\n}\n"
)
RESOURCE = """\
func.func @f() { %0 = arith.constant dense_resource<blob> : tensor<4xi8>  return }
{-# dialect_resources: { builtin: { blob: "0x0100000001020304" } } #-}
"""


@dataclass(frozen=True)
class Result:
    code: int
    out: str
    err: str


Run = Callable[..., Result]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    """Runs inplace-opt in this process, in an empty folder, with a text as its standard input."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "120")

    def call(arguments: Sequence[str], text: str | bytes = PROGRAM) -> Result:
        data = text.encode() if isinstance(text, str) else text
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(data)))
        written, out, err = io.BytesIO(), io.StringIO(), io.StringIO()
        out.buffer = written  # type: ignore[attr-defined]
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = main(arguments)
        return Result(code, out.getvalue() or written.getvalue().decode("latin-1"), err.getvalue())

    return call


@dataclass(frozen=True)
class Effect:
    """What a flag does: the pattern is in the output or on standard error with the flag, and is not without it."""

    flag: str
    pattern: str
    others: str = ""
    text: str = PROGRAM
    code: int = 0


FAILS = "--cse --transform-interpreter"
ACTION = r"^\[thread \w+\] begins \(no breakpoint\) Action `pass-execution` running `"
DUMP = r"IR Dump After CSEPass: cse //"
ONE_CONSTANT = r"%c0_i32 = arith\.constant 0 : i32\n    %0"
TOSA = """
func.func @f(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = tosa.abs %a : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
"""
EFFECTS = {
    "help": [
        Effect("-h", r"passes of upstream:\n  --acc-"),
        Effect("--help=cse", "CSEPass: .*; runs on any"),
    ],
    "help-hidden": [Effect("--help-hidden", r"--mlir-generate-reproducer=FILE\n")],
    "help-list": [Effect("--help-list", r"^  --mlir-timing\n")],
    "help-list-hidden": [Effect("--help-list-hidden", r"^  --mlir-generate-reproducer=FILE\n")],
    "version": [Effect("--version", r"MLIR bindings: .* LLVM \d+")],
    "list-passes": [
        Effect("--list-passes", r"^  --inplace-tile +\w"),
        Effect("--list-passes", r"^  --cse +CSEPass: "),
    ],
    "show-dialects": [Effect("--show-dialects", "Available Dialects: .*arith, ")],
    "print-options": [Effect("--print-options --cse", r"--print-options += true  \(default: false\)\n  --cse += true")],
    "print-all-options": [Effect("--print-all-options", r"--mlir-timing-display += tree  \(default: tree\)")],
    "color": [Effect("--color", "\033\\[1;31m<stdin>:1:25: error: \033", "", WRONG, 1)],
    "o": [Effect("-o=-", "", "")],
    "allow-unregistered-dialect": [Effect("--allow-unregistered-dialect", r'^  "x\.y"\(\)', "", '"x.y"() : () -> ()')],
    "from": [Effect("--from=tosa", r"linalg\.generic", "", TOSA)],
    "irdl-file": [],
    "no-implicit-module": [Effect("--no-implicit-module", r"\Afunc\.func @f", "", "func.func @f() { return }")],
    "split-input-file": [Effect("--split-input-file", r"@f(.|\n)*^// -----\nmodule(.|\n)*@g", "", TWO)],
    "output-split-marker": [Effect("--output-split-marker=//==", r"^//==\nmodule", "--split-input-file", TWO)],
    "emit-bytecode": [Effect("--emit-bytecode", r"\AML\xefR")],
    "emit-bytecode-version": [Effect("--emit-bytecode-version=4", r"\AML\xefR\x09", "--emit-bytecode")],
    "verify-roundtrip": [],
    "mlir-disable-threading": [Effect("--mlir-disable-threading", "")],
    "pass-pipeline": [Effect("--pass-pipeline=cse", ONE_CONSTANT), Effect("-p=cse", ONE_CONSTANT)],
    "dump-pass-pipeline": [Effect("--dump-pass-pipeline", r"\APass Manager with 1 passes:\nbuiltin", "--cse")],
    "verify-each": [],
    "run-reproducer": [],
    "mlir-pass-pipeline-crash-reproducer": [
        Effect("--mlir-pass-pipeline-crash-reproducer=r.mlir", "generated at 'r.mlir'", FAILS, code=1)
    ],
    "mlir-pass-pipeline-local-reproducer": [],
    "mlir-generate-reproducer": [],
    "mlir-print-debuginfo": [Effect("--mlir-print-debuginfo", r'loc\("sum"\)')],
    "mlir-pretty-debuginfo": [Effect("--mlir-pretty-debuginfo", r'^#\w+ = "sum"$', "--mlir-print-debuginfo")],
    "mlir-print-op-generic": [Effect("--mlir-print-op-generic", r'"func\.func"\(\)')],
    "mlir-print-local-scope": [Effect("--mlir-print-local-scope", r"indexing_maps = \[affine_map<")],
    "mlir-print-skip-regions": [Effect("--mlir-print-skip-regions", r"\Amodule \{\.\.\.\}$")],
    "mlir-print-value-users": [Effect("--mlir-print-value-users", r"// users: %\d+, %\d+$")],
    "mlir-print-unique-ssa-ids": [Effect("--mlir-print-unique-ssa-ids", r"@f\(%arg4: i32")],
    "mlir-use-nameloc-as-prefix": [Effect("--mlir-use-nameloc-as-prefix", r"%sum = arith\.addi %first")],
    "mlir-print-assume-verified": [Effect("--mlir-print-assume-verified", "")],
    "mlir-elide-elementsattrs-if-larger": [Effect("--mlir-elide-elementsattrs-if-larger=3", "__elided__")],
    "mlir-print-elementsattrs-with-hex-if-larger": [
        Effect("--mlir-print-elementsattrs-with-hex-if-larger=-1", r"dense<\[0, 1, 2, ", "", MANY),
        Effect("--mlir-print-elementsattrs-with-hex-if-larger=120", r"dense<\[0, 1, 2, ", "", MANY),
    ],
    "mlir-elide-resource-strings-if-larger": [
        Effect("--mlir-elide-resource-strings-if-larger=2", r"\A(?!(.|\n)*0x01)(.|\n)*blob", "", RESOURCE)
    ],
    "mlir-print-ir-before": [Effect("--mlir-print-ir-before=cse", "IR Dump Before CSEPass: cse //", "--cse")],
    "mlir-print-ir-after": [
        Effect("--mlir-print-ir-after=cse", DUMP, "--cse"),
        Effect("--mlir-print-ir-after=canonicalize,cse", f"Canonicalizer(.|\n)*{DUMP}", "--canonicalize --cse"),
    ],
    "mlir-print-ir-before-all": [Effect("--mlir-print-ir-before-all", "IR Dump Before CSEPass: cse //", "--cse")],
    "mlir-print-ir-after-all": [Effect("--mlir-print-ir-after-all", DUMP, "--cse")],
    "mlir-print-ir-after-change": [Effect("--mlir-print-ir-after-change", DUMP, "--cse --cse")],
    "mlir-print-ir-after-failure": [
        Effect("--mlir-print-ir-after-failure", r"InterpreterPass: transform-interp.* Failed //", FAILS, code=1)
    ],
    "mlir-print-ir-module-scope": [
        Effect(
            "--mlir-print-ir-module-scope",
            r"CSEPass: cse \('func\.func' operation: @g\) //----- //\n#map",
            "--pass-pipeline=builtin.module(func.func(cse)) --mlir-print-ir-after=cse",
        )
    ],
    "mlir-print-ir-tree-dir": [],
    "verify-diagnostics": [Effect("--verify-diagnostics", "unexpected error: 'func.return' op has", "", WRONG, 1)],
    "mlir-diagnostic-verbosity-level": [],
    "mlir-disable-diagnostic-notes": [],
    "mlir-print-op-on-diagnostic": [],
    "mlir-print-stacktrace-on-diagnostic": [
        Effect(
            "--mlir-print-stacktrace-on-diagnostic",
            r"note: diagnostic emitted with trace:(.|\n)*one_shot_bufferize\.py",
            "--inplace-one-shot-bufferize=buffer-alignment=3",
            code=1,
        )
    ],
    "mlir-timing": [Effect("--mlir-timing", r"%\)  CSEPass$", "--cse")],
    "mlir-timing-display": [Effect("--mlir-timing-display=list", r"\(100\.0%\)  root$", "--cse --mlir-timing")],
    "mlir-output-format": [Effect("--mlir-output-format=json", r'"name": "CSEPass"', "--cse --mlir-timing")],
    "mlir-pass-statistics": [
        Effect("--mlir-pass-statistics", r"^ +\(S\) \d+ num-copies +- copies emitted", "--inplace-one-shot-bufferize")
    ],
    "mlir-pass-statistics-display": [
        Effect(
            "--mlir-pass-statistics-display=list",
            r"===\n  OneShotBufferizePass\n    \(S\)",
            "--inplace-one-shot-bufferize --mlir-pass-statistics",
        )
    ],
    "log-actions-to": [
        Effect("--log-actions-to=-", rf"{ACTION}CSEPass` on Operation `builtin\.module` \(module", "--cse")
    ],
    "log-mlir-actions-filter": [],
    "profile-actions-to": [],
    "debug": [Effect("--debug", r"^\[inplace-canonicalize\] runs on 'builtin.module'", "--inplace-canonicalize")],
    "debug-only": [
        Effect(
            "--debug-only=inplace-one-shot-bufferize",
            r"\A\[inplace-one-shot-bufferize\] (.|\n)*<stdin>:\d+:\d+: operand #1 of 'linalg.generic' is ",
            "--inplace-canonicalize --inplace-one-shot-bufferize=bufferize-function-boundaries",
        )
    ],
}
"""Of the flags without an effect here there is more below, in `test_inplace_opt.py` and in the lit tests."""


def test_every_flag_has_an_entry_here() -> None:
    assert set(EFFECTS) == {flag.name for flag in FLAGS}


@pytest.mark.parametrize("effect", [effect for effects in EFFECTS.values() for effect in effects], ids=lambda e: e.flag)
def test_a_flag_does_what_the_page_says(run: Run, effect: Effect) -> None:
    others = effect.others.split()
    with_flag = run([*others, *effect.flag.split()], effect.text)
    assert (with_flag.code, "Traceback" in with_flag.err) == (effect.code, False), with_flag.err
    assert any(re.search(effect.pattern, text, re.MULTILINE) for text in (with_flag.out, with_flag.err))
    if effect.pattern:
        without = run(others, effect.text)
        assert not any(re.search(effect.pattern, text, re.MULTILINE) for text in (without.out, without.err))


def mlir_opt() -> Path | None:
    """The mlir-opt that the wheel of the bindings brings, if it does."""
    path = Path(sys.executable).parent / "torch-mlir-opt"
    return path if path.is_file() else None


MLIR_OPT = mlir_opt()
needs_mlir_opt = pytest.mark.skipif(MLIR_OPT is None, reason="the bindings come without an mlir-opt")


@needs_mlir_opt
def test_the_table_has_every_flag_of_mlir_opt() -> None:
    printed = subprocess.run([str(MLIR_OPT), "--help-hidden"], capture_output=True, text=True, check=True).stdout
    # Passes and values of flags are indented by more than two spaces.
    found = set(re.findall(r"^  --?([\w-]+)", printed, re.MULTILINE))
    assert len(found) > 100
    assert found - {flag.name for flag in FLAGS} - set(UNSUPPORTED) - set(ALIASES) == set()
    assert not {flag.name for flag in FLAGS} & set(UNSUPPORTED)


def test_a_flag_that_cannot_be_had_is_refused_with_the_reason(run: Run) -> None:
    for name, reason in UNSUPPORTED.items():
        message = f"inplace-opt: error: mlir-opt's --{name} is not supported: {reason}\n"
        assert run([f"--{name}=1"]) == Result(2, "", message)
        assert reason in run([f"--help={name}"]).out


SAME = [
    "--mlir-print-elementsattrs-with-hex-if-larger=-1",
    "--mlir-print-elementsattrs-with-hex-if-larger=150",
    "--mlir-print-unique-ssa-ids",
    "--mlir-print-value-users",
    "--mlir-print-unique-ssa-ids --mlir-print-value-users",
    "--mlir-print-value-users --mlir-print-op-generic",
    "--mlir-print-value-users --mlir-print-local-scope --mlir-print-debuginfo",
    "--mlir-print-value-users --mlir-use-nameloc-as-prefix",
    "--mlir-print-op-generic --mlir-print-debuginfo",
    "--mlir-print-debuginfo --mlir-pretty-debuginfo",
    "--mlir-print-skip-regions",
    "--mlir-print-local-scope --mlir-use-nameloc-as-prefix",
    "--mlir-elide-elementsattrs-if-larger=2",
    "--no-implicit-module",
    "--pass-pipeline=builtin.module(canonicalize,func.func(cse)) --mlir-print-ir-before-all --mlir-print-ir-after=cse",
    "--pass-pipeline=builtin.module(func.func(cse),cse) --mlir-print-ir-before=cse --mlir-print-ir-module-scope",
    "--cse --canonicalize --mlir-print-ir-after-all --mlir-print-unique-ssa-ids --mlir-print-value-users",
    "--cse --cse --mlir-print-ir-after-all --mlir-print-ir-after-change",
    "--pass-pipeline=builtin.module(func.func(cse)) --mlir-print-ir-after-all --mlir-print-unique-ssa-ids"
    " --mlir-print-value-users",
]


@needs_mlir_opt
@pytest.mark.parametrize("arguments", SAME)
def test_the_output_is_that_of_mlir_opt(run: Run, tmp_path: Path, arguments: str) -> None:
    path = tmp_path / "program.mlir"
    programs = {"no-implicit": "func.func @f() { return }\n", "with-hex": CONSTANTS}
    path.write_text(next((text for word, text in programs.items() if word in arguments), PROGRAM))
    words = [str(path), "--mlir-disable-threading", *arguments.split()]
    theirs = subprocess.run([str(MLIR_OPT), *words], capture_output=True, text=True, check=True)
    ours = run(words)
    assert ours.code == 0
    assert filled(ours.out) == filled(theirs.stdout)
    assert filled(ours.err) == filled(theirs.stderr)


def filled(text: str) -> list[str]:
    """The lines that are not empty."""
    return [line.rstrip() for line in text.splitlines() if line.strip()]


@needs_mlir_opt
@pytest.mark.parametrize("form", ["text", "json"])
@pytest.mark.parametrize("display", ["tree", "list"])
def test_the_report_of_times_has_the_rows_of_mlir_opt(run: Run, tmp_path: Path, display: str, form: str) -> None:
    path = tmp_path / "program.mlir"
    path.write_text(PROGRAM)
    words = [str(path), "--mlir-disable-threading", "--pass-pipeline=builtin.module(canonicalize,func.func(cse))"]
    words += ["--mlir-timing", f"--mlir-timing-display={display}", f"--mlir-output-format={form}"]
    theirs = subprocess.run([str(MLIR_OPT), *words], capture_output=True, text=True, check=True).stderr
    assert {*rows(theirs)} - {*rows(run(words).err)} <= {"(A) DominanceInfo", "Pipeline Collection : ['func.func']"}
    if (display, form) == ("tree", "text"):
        kept = [row for row in rows(run(words).err) if row in rows(theirs)]
        assert kept == [row for row in rows(theirs) if row in kept]


def test_actions_are_logged_where_they_are_wanted(run: Run) -> None:
    flags = ["--pass-pipeline=builtin.module(func.func(cse),canonicalize)", "--log-actions-to=log"]
    assert run(flags).code == 0
    lines = Path("log").read_text().splitlines()
    begun = re.findall(r"running `(\w+)` on Operation `([\w.]+)`", "\n".join(lines))
    assert begun == [("CSEPass", "func.func"), ("CSEPass", "func.func"), ("CanonicalizerPass", "builtin.module")]
    assert [line.partition("] ")[2] for line in lines[1::2]] == ["completed `pass-execution`"] * 3
    run([*flags, "--log-mlir-actions-filter=<stdin>:2"])
    assert "func.func @f(" in Path("log").read_text()
    assert len(Path("log").read_text().splitlines()) == 2


def test_the_profile_of_actions_is_what_chrome_reads(run: Run) -> None:
    text = "func.func @f() { return }\n// -----\nfunc.func @g() { return }\n"
    assert run(["--cse", "--split-input-file", "--profile-actions-to=profile"], text).code == 0
    events = json.loads(Path("profile").read_text())
    assert [event["ph"] for event in events] == ["B", "E"] * 2
    assert sorted(event["ts"] for event in events) == [event["ts"] for event in events]
    assert events[0]["args"] == {"desc": "`pass-execution` running `CSEPass` on Operation `builtin.module`"}
    for flag in ("profile-actions-to", "log-actions-to"):
        refused = run(["--cse", f"--{flag}=no/where"])
        assert refused == Result(1, "", "inplace-opt: error: cannot write 'no/where': No such file or directory\n")


def test_what_is_lost_in_a_round_trip_is_an_error(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run(["--verify-roundtrip"]).code == 0
    assert run(["--verify-roundtrip", "--no-implicit-module"], "func.func @f() { return }").code == 0
    for example in (ROOT / "examples").glob("*.mlir"):
        assert run(["--verify-roundtrip"], example.read_text()).code == 0
    monkeypatch.setattr(roundtrip, "_written", lambda _op, _form: "module {}")
    lost = run(["--verify-roundtrip"])
    assert (lost.code, lost.out) == (1, "")
    assert lost.err == "<stdin>:0:0: error: the IR is not the same after it was written as text and read again\n"
    text = "func.func @f() { return } loc(unknown)"
    monkeypatch.setattr(roundtrip, "_written", lambda op, _form: str(op))
    assert "not the same after it was written as generic text" in run(["--verify-roundtrip"], text).err, "locations"
    monkeypatch.setattr(roundtrip, "_written", lambda _op, form: "nothing" if form == "bytecode" else "")
    assert "error: the text that was written cannot be read again" in run(["--verify-roundtrip"]).err


def test_several_operations_without_a_module_are_refused(run: Run) -> None:
    refused = run(["--no-implicit-module"], "func.func @f() { return }\nfunc.func @g() { return }\n")
    assert (refused.code, refused.out) == (1, "")
    assert "error: source must contain a single top-level operation, found: 2" in refused.err


def test_passes_as_flags_run_on_the_operation_without_a_module(run: Run) -> None:
    text = "func.func @f() { %0 = arith.constant 1 : i32  return }"
    done = run(["--no-implicit-module", "--canonicalize", "--affine-loop-tile", "--dump-pass-pipeline"], text)
    assert done.out == "func.func @f() {\n  return\n}\n"
    assert done.err == "Pass Manager with 2 passes:\nfunc.func(\n  canonicalize,\n  affine-loop-tile\n)\n\n"


@pytest.mark.parametrize(
    ("flags", "dumps", "files"),
    [
        ("--mlir-print-ir-after-all", 2, []),
        ("--mlir-print-ir-after-change --mlir-print-ir-module-scope", 1, []),
        ("--mlir-print-ir-before=cse --mlir-print-ir-tree-dir=tree", 0, ["func_func_f/0_cse.mlir"]),
        ("--mlir-pass-pipeline-crash-reproducer=crash.mlir --mlir-pass-pipeline-local-reproducer", 0, []),
        ("--mlir-print-value-users", 0, []),
        ("--mlir-print-unique-ssa-ids --mlir-print-local-scope", 0, []),
    ],
)
def test_flags_take_an_operation_without_a_module(
    run: Run, flags: str, dumps: int, files: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    text = "func.func @f() { %0 = arith.constant 1 : i32  return }"
    done = run(["--no-implicit-module", "--inplace-canonicalize", "--cse", *flags.split()], text)
    assert (done.code, done.out) == (0, "func.func @f() {\n  return\n}\n")
    assert done.err.count("// -----// IR Dump") == dumps
    assert [str(path.relative_to(tmp_path / "tree")) for path in tmp_path.rglob("*.mlir")] == files


def test_help_about_one_name(run: Run) -> None:
    ours = run(["--help=inplace-tile"]).out
    assert ours.startswith("  --inplace-tile\n      tile linalg ops on tensors")
    assert "      tile-sizes=<list of int>  (default: empty)\n" in ours
    assert "## Before and after" in ours, "the documentation"
    upstream = run(["--help=affine-loop-tile"]).out
    assert upstream.startswith("  --affine-loop-tile\n      AffineLoopTiling: tile affine loops; runs on func.func\n")
    assert "      cache-size  (default: 512)\n" in upstream
    pipeline = run(["--help=buffer-deallocation-pipeline"]).out
    assert "runs expand-realloc{emit-deallocs=false},canonicalize{" in " ".join(pipeline.split())
    assert "other than in mlir-opt: no lines for analyses" in run(["--help=mlir-timing"]).out
    message = (
        "inplace-opt: error: --help=inplace-til: there is no pass or flag of that name; did you mean 'inplace-tile'?\n"
    )
    assert run(["--help=inplace-til"]) == Result(2, "", message)


def test_summaries_are_of_passes_that_exist() -> None:
    assert set(upstream_summaries._BY_NAME) < set(known_passes())
    assert upstream_summary("cse").startswith("CSEPass: compute")
    assert upstream_summary("acc-to-llvm") == "ConvertACCToLLVMPass"


def test_help_leaves_out_what_is_seldom_needed(run: Run) -> None:
    shown, all_of_it = run(["--help"]).out, run(["--help-hidden"]).out
    for flag in FLAGS:
        assert (f"\n  {flag.spelling}{flag.value_text}" in shown) != flag.hidden
        assert f"\n  {flag.spelling}{flag.value_text}" in all_of_it


def rows(report: str) -> list[str]:
    """The names of the rows of a report of times."""
    return re.findall(r'(?:%\) +|"name": ")([^"\n]+)', report)
