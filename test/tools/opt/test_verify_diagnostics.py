"""`--verify-diagnostics` must fail whenever the diagnostics are not exactly the expected ones."""

from __future__ import annotations

import io
from collections.abc import Callable

import pytest
from pass_examples import example_registry

from mlir_inplace.tools.inplace_opt import main

Verify = Callable[..., tuple[int, str]]

REGISTRY = example_registry()

# Line 2 holds an error of the verifier (with its note), line 4 one of a pass.
BAD_ADD = """\
func.func @f(%a: i32, %b: i32) -> i32 {
  %0 = arith.addi %a, %nothing : i32
  return %0 : i32
}
"""


@pytest.fixture
def verify(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Verify:
    """Runs inplace-opt on a text with `--verify-diagnostics`: its exit code and what it printed on standard error."""

    def run(text: str, *flags: str, mode: str = "--verify-diagnostics") -> tuple[int, str]:
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
        code = main([mode, *flags], REGISTRY)
        return code, capsys.readouterr().err

    return run


@pytest.mark.parametrize(
    ("place", "line"),
    [
        ("", "HERE"),
        (" @+1", "BEFORE"),
        (" @-1", "AFTER"),
        ("@+1", "BEFORE"),
        (" @below", "BEFORE"),
        (" @above", "AFTER"),
    ],
)
@pytest.mark.parametrize("text", ["use of undeclared SSA value name", "SSA", ""])
def test_a_diagnostic_is_expected_at_a_place(verify: Verify, place: str, line: str, text: str) -> None:
    expectation = f"// expected-error{place} {{{{{text}}}}}"
    lines = BAD_ADD.splitlines()
    if line == "HERE":
        lines[1] += f"  {expectation}"
    else:
        lines.insert(1 if line == "BEFORE" else 2, expectation)
    assert verify("\n".join(lines)) == (0, "")


def test_without_diagnostics_and_expectations_all_is_well(verify: Verify) -> None:
    assert verify("func.func @f() { return }") == (0, "")


def test_an_unexpected_diagnostic_fails(verify: Verify) -> None:
    code, printed = verify(BAD_ADD)
    assert code == 1
    assert printed == (
        "<stdin>:2:23: error: unexpected error: use of undeclared SSA value name\n"
        "  %0 = arith.addi %a, %nothing : i32\n"
        "                      ^\n"
    )


def test_a_missing_diagnostic_fails(verify: Verify) -> None:
    code, printed = verify("func.func @f() { return } // expected-error {{nothing of the kind}}")
    assert code == 1
    assert printed.startswith('<stdin>:1:30: error: expected error "nothing of the kind" was not produced\n')


@pytest.mark.parametrize("place", ["", "@-1", "@+2", "@above", "@unknown"])
def test_the_wrong_line_fails_twice(verify: Verify, place: str) -> None:
    lines = BAD_ADD.splitlines()
    lines.insert(1, f"// expected-error {place} {{{{undeclared SSA value}}}}")
    code, printed = verify("\n".join(lines))
    assert code == 1
    assert "<stdin>:3:23: error: unexpected error: use of undeclared" in printed
    assert '<stdin>:2:4: error: expected error "undeclared SSA value" was not produced' in printed


def test_the_wrong_text_fails(verify: Verify) -> None:
    code, printed = verify(BAD_ADD.replace(" : i32\n", " : i32 // expected-error {{declared twice}}\n"))
    assert code == 1
    assert "unexpected error: use of undeclared" in printed
    assert 'expected error "declared twice" was not produced' in printed


def test_the_wrong_severity_fails(verify: Verify) -> None:
    code, printed = verify(BAD_ADD.replace(" : i32\n", " : i32 // expected-warning {{undeclared}}\n"))
    assert code == 1
    assert "error emitted where warning was expected: use of undeclared SSA value name" in printed
    assert 'expected warning "undeclared" was not produced' in printed


def test_two_equal_expectations_need_two_diagnostics(verify: Verify) -> None:
    line = "// expected-error @+%d {{undeclared SSA value}}\n"
    code, printed = verify(BAD_ADD.replace("  %0", line % 2 + line % 1 + "  %0"))
    assert code == 1
    assert printed.count("was not produced") == 1


def test_regular_expressions(verify: Verify) -> None:
    fits = "// expected-error-re {{use of {{un.*d}} SSA {{(value|thing)}} name}}"
    assert verify(BAD_ADD.replace("%nothing : i32", f"%nothing : i32 {fits}")) == (0, "")
    dots = "// expected-error-re {{use of un.*d SSA}}"
    assert verify(BAD_ADD.replace("%nothing : i32", f"%nothing : i32 {dots}"))[0] == 1
    broken = "// expected-error-re {{use of {{(}}}}"
    code, printed = verify(BAD_ADD.replace("%nothing : i32", f"%nothing : i32 {broken}"))
    assert code == 1
    assert printed.startswith("<stdin>:2:41: error: ")


NOTES = """\
func.func @f() { return } // expected-note {{see existing symbol definition here}}
func.func @f() { return } // expected-error {{redefinition of symbol named 'f'}}
"""


def test_notes_are_diagnostics_of_their_own(verify: Verify) -> None:
    assert verify(NOTES) == (0, "")
    code, printed = verify(NOTES.replace(" // expected-note {{see existing symbol definition here}}", ""))
    assert code == 1
    assert "unexpected note: see existing symbol definition here" in printed


def test_passes_report_too(verify: Verify) -> None:
    looks = (
        "// expected-note @unknown {{in here}}\n"
        "func.func @f() { return } // expected-remark {{saw 'func.func'}}\n"
        "// expected-warning @-1 {{looked at}}\n"
    )
    code, printed = verify(looks, "--inplace-look")
    assert code == 1, "the note is at line 0 of the file, which is not an unknown place"
    assert "<stdin>:0:0: error: unexpected note: in here" in printed
    refused = "func.func @refused() { return } // expected-error {{function cannot be accepted}}"
    assert "unexpected note: it is inside this" in verify(refused, "--inplace-refuse")[1]
    assert verify(refused, "--inplace-refuse", mode="--verify-diagnostics=only-expected") == (0, "")


def test_a_place_that_is_in_no_file(verify: Verify) -> None:
    text = (
        'module { func.func @refused() { return } loc("elsewhere") } // expected-error @unknown {{cannot be accepted}}'
    )
    assert verify(text, "--inplace-refuse", mode="--verify-diagnostics=only-expected") == (0, "")
    assert verify(text.replace('"elsewhere"', '"other.mlir":1:1'), "--inplace-refuse")[0] == 1


def test_only_expected_permits_others_but_misses_nothing(verify: Verify) -> None:
    assert verify(BAD_ADD, mode="--verify-diagnostics=only-expected") == (0, "")
    missing = BAD_ADD + "// expected-error {{more}}\n"
    assert verify(missing, mode="--verify-diagnostics=only-expected")[0] == 1


@pytest.mark.parametrize(
    "wrong",
    [
        "// expected-error {{no end",
        "// expected-error @sideways {{undeclared}}",
        "// expected-error undeclared",
        "// expected-error {{undeclared}} trailing",
        "// expected-error @-7 {{undeclared}}",
        "// expected-error @+70 {{undeclared}}",
    ],
)
def test_an_expectation_that_cannot_be_read_is_an_error(verify: Verify, wrong: str) -> None:
    code, printed = verify(BAD_ADD + wrong)
    assert code == 1
    assert printed.startswith("<stdin>:5:4: error: ")


def test_every_part_of_a_split_input_keeps_its_line_numbers(verify: Verify) -> None:
    expected = BAD_ADD.replace("%nothing : i32", "%nothing : i32 // expected-error {{undeclared}}")
    assert verify(f"{expected}// -----\n\n{expected}// -----\n{expected}", "--split-input-file") == (0, "")
    code, printed = verify(f"{expected}// -----\n{BAD_ADD}", "--split-input-file")
    assert code == 1
    assert printed.startswith("<stdin>:7:23: error: unexpected error")
