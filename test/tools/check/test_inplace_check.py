"""`inplace-check`, in process: exit codes, reports, reduced programs, one clear line for each mistake."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from wrong_passes import ForgetCopiesPass, RaisePass, registered

from mlir_inplace.runtime.compilation import lowering
from mlir_inplace.tools import inplace_check
from mlir_inplace.tools.inplace_check import main

FORGETFUL = "builtin.module(inplace-one-shot-bufferize{bufferize-function-boundaries=true},test-forget-copies)"

WRONG = """func.func @main(%a: tensor<4xf32>, %x: f32) -> (tensor<4xf32>, tensor<4xf32>) {
  %c1 = arith.constant 1 : index
  %0 = linalg.exp ins(%a : tensor<4xf32>) outs(%a : tensor<4xf32>) -> tensor<4xf32>
  %1 = tensor.insert %x into %0[%c1] : tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}
"""


@pytest.fixture(autouse=True)
def wrong_pass() -> Iterator[None]:
    with registered(ForgetCopiesPass):
        yield


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    Path("wrong.mlir").write_text(WRONG)
    return "wrong.mlir"


def test_an_equal_program(program: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([program, "--rounds=1"]) == 0
    assert capsys.readouterr().out.endswith("bad frees: 0\n  equal\n")


def test_a_difference_and_its_reduction(program: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([program, "--pass-pipeline", FORGETFUL, "--reduce", "-o", "small.mlir"]) == 1
    captured = capsys.readouterr()
    assert captured.out.startswith(
        "'main': result 0 is 1.5 where 1.2840254 is right at [1] (1 of 4 elements are wrong)\n"
        "  wrong.mlir:4:8: 'tensor.insert' overwrites result 0 of 'linalg.exp' at wrong.mlir:3:8\n"
    )
    assert captured.err.startswith("reduced from 3 operations to ")
    small = Path("small.mlir").read_text()
    assert small.startswith("// 'main': result 0 is ")
    assert main(["small.mlir", "--pass-pipeline", FORGETFUL]) == 1
    assert main(["small.mlir"]) == 0


def test_json(program: str, capsys: pytest.CaptureFixture[str]) -> None:
    """With a file the text is printed too, without one only JSON is, which agrees with the text."""
    assert main([program, "--pass-pipeline", FORGETFUL, "--json=report.json"]) == 1
    text = capsys.readouterr().out
    assert main([program, "--pass-pipeline", FORGETFUL, "--json=-"]) == 1
    report = json.loads(capsys.readouterr().out)
    assert report == json.loads(Path("report.json").read_text())
    (difference,), (counts,) = report["differences"], report["counts"]
    assert (report["ok"], report["unchecked"], difference["kind"], difference["round"]) == (False, [], "result", 1)
    assert f"'{difference['function']}': {difference['message']}\n" in text
    assert difference["origin"]["op"] == "tensor.insert"
    assert f"{difference['origin']['location']}: {difference['origin']['message']}\n" in text
    assert all(f"    {line}\n" in text for line in difference["inputs"])
    assert len(difference["inputs"]) == 2
    assert f"allocations: {counts['allocations']} (" in text


def test_json_of_an_equal_program(program: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([program, "--rounds=1", "--json=-"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert (report["ok"], report["differences"], report["counts"][0]["input_sets"]) == (True, [], 1)


def test_json_that_cannot_be_written(program: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([program, "--json=missing/report.json"]) == 1
    assert capsys.readouterr().err == (
        "inplace-check: error: cannot open output file 'missing/report.json': No such file or directory\n"
    )
    assert main([program, "--json=-", "--reduce"]) == 2
    assert "--json=- and --reduce both write to standard output" in capsys.readouterr().err


SUM = """
func.func @main(%a: tensor<?x37xf32>, %b: tensor<37x5xf32>, %c: tensor<?x5xf32>) -> tensor<?x5xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<?x37xf32>, tensor<37x5xf32>) outs(%c : tensor<?x5xf32>) -> tensor<?x5xf32>
  %1 = linalg.exp ins(%0 : tensor<?x5xf32>) outs(%c : tensor<?x5xf32>) -> tensor<?x5xf32>
  return %1 : tensor<?x5xf32>
}
"""


def test_an_optimized_program(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "sum.mlir"
    path.write_text(SUM)
    assert main([str(path), "--rounds=3", "--optimize", "--threads=2"]) == 0
    assert capsys.readouterr().out.endswith("  equal\n")


def test_a_tolerance_of_zero_for_an_optimized_program(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Polynomials in place of the C library's functions; by default a small error is accepted."""
    path = tmp_path / "exp.mlir"
    path.write_text(
        "func.func @main(%a: tensor<64xf32>) -> tensor<64xf32> {\n"
        "  %0 = math.exp %a : tensor<64xf32>\n  return %0 : tensor<64xf32>\n}\n"
    )
    assert main([str(path), "--optimize"]) == 0
    assert main([str(path), "--optimize", "--tolerance=0"]) == 1
    assert " is right at [" in capsys.readouterr().out


def test_an_optimized_program_that_is_wrong(
    program: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    wrong = lowering.Phase("test", "wrong on purpose", (FORGETFUL.removeprefix("builtin.module(")[:-1],))
    monkeypatch.setattr(lowering, "OPTIMIZE", (wrong, *lowering.OPTIMIZE))
    assert main([program, "--rounds=1"]) == 0
    capsys.readouterr()
    assert main([program, "--rounds=1", "--optimize"]) == 1
    assert capsys.readouterr().out.startswith("'main': result 0 is 1.5 where 1.2840254 is right at [1]")


def test_nothing_is_written_for_a_program_that_is_equal(program: str) -> None:
    assert main([program, "--rounds=1", "--reduce", "-o", "small.mlir"]) == 0
    assert not Path("small.mlir").exists()


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (["--rounds=0"], "--rounds must be at least 1, got 0"),
        (["--rounds=100000000000000000000"], "--rounds must be at most 1000000, got 100000000000000000000"),
        (["--threads=0"], "--threads must be at least 1, got 0"),
        (["--seed=-1"], "--seed must be at least 0, got -1"),
        (["--time-limit=0"], "--time-limit must be at least 0.001, got 0.0"),
        (["--tolerance=-1"], "--tolerance must be at least 0, got -1.0"),
        (["-o", "x.mlir"], "-o is for the program of --reduce; give that too"),
        (["--arg", "1"], "--arg needs the function that it is for; name it with -e"),
        (["--time-limit=inf"], "--time-limit must be at most 1000000, got inf"),
        (["--shared-libs=,"], "--shared-libs needs paths between commas, got ','"),
        (["--engine=magic"], "argument --engine: invalid choice: 'magic' (choose from 'jit', 'evaluator')"),
    ],
)
def test_a_wrong_command_line(program: str, flags: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([program, *flags]) == 2
    assert capsys.readouterr().err == f"inplace-check: error: {message}\n"


def test_a_missing_file(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["nowhere.mlir"]) == 1
    assert "cannot open input file 'nowhere.mlir'" in capsys.readouterr().err


def test_text_that_does_not_parse(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "bad.mlir"
    path.write_text("func.func @main( {")
    assert main([str(path)]) == 1
    assert f"{path}:1:17: error: " in capsys.readouterr().err


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "inplace-check: error: 'f.mlir' is empty; expected MLIR text\n"),
        (b"\xff", "inplace-check: error: 'f.mlir' is not MLIR text: byte 0xff at offset 0 (line 1) is not UTF-8\n"),
        (b"ML\xefR", "f.mlir:0:0: error: attempting to parse a byte at the end of the bytecode\n"),
        (b"a\0b", "f.mlir:1:2: error: byte 0x00 is no text; expected MLIR text\n"),
        (b"(" * 501, "f.mlir:1:501: error: brackets are nested deeper than 500 levels here; "),
        (
            b"func.func @f(%t: !x) -> !x { return %t : !x }".replace(b"!x", b"tensor<4503599627370496xf32>"),
            "inplace-check: error: there is not enough memory for what the program takes; use smaller sizes\n",
        ),
        (
            b"func.func @f(%t: !x) -> !x { return %t : !x }".replace(b"!x", b"tensor<4611686018427387904xf32>"),
            "inplace-check: error: f.mlir:1:1: tensor<4611686018427387904xf32> has 18446744073709551616 bytes, which "
            "no memory has; use at most 9223372036854775807, or compute it in parts\n",
        ),
    ],
)
def test_hostile_programs(
    content: bytes, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("f.mlir").write_bytes(content)
    assert main(["f.mlir", "--rounds=1"]) == 1
    assert capsys.readouterr().err.startswith(message)


def test_a_pass_that_raises(program: str, capsys: pytest.CaptureFixture[str]) -> None:
    with registered(RaisePass):
        assert main([program, "--pass-pipeline=test-raise"]) == 1
    captured = capsys.readouterr()
    assert captured.out == ""
    start = "inplace-check: error: a pass stopped with ZeroDivisionError: on purpose; reproducer generated at '"
    assert captured.err.startswith(start)
    Path(captured.err.split("'")[-2]).unlink()


def test_an_output_that_cannot_be_written(program: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([program, "--reduce", "-o", "no/such/folder.mlir"]) == 1
    assert "cannot open output file 'no/such/folder.mlir'" in capsys.readouterr().err


def test_an_interrupt(program: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def interrupted(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(inplace_check, "check_with", interrupted)
    assert main([program]) == 130
    assert capsys.readouterr().err == "inplace-check: interrupted\n"
