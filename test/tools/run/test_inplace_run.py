"""`inplace-run`, in process: all ways to give arguments, what it prints and saves, one clear line for each mistake."""

from __future__ import annotations

import io
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import mlir_inplace as mi
from mlir_inplace.runtime.interface.signature import Parameter
from mlir_inplace.tools.inplace_run import main
from mlir_inplace.tools.run.call_arguments import make_argument, read_literal
from mlir_inplace.tools.shared.command_line import ToolError

ADD = """
func.func @main(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = tensor.empty() : tensor<2x3xf32>
  %1 = linalg.add ins(%a, %b : tensor<2x3xf32>, tensor<2x3xf32>) outs(%0 : tensor<2x3xf32>) -> tensor<2x3xf32>
  return %1 : tensor<2x3xf32>
}
"""

SEVERAL = """
func.func @swap(%a: tensor<?xi32>, %n: index) -> (index, tensor<?xi32>) {
  return %n, %a : index, tensor<?xi32>
}
func.func @bump(%a: tensor<4xf64> {bufferization.writable = true}) -> tensor<4xf64> {
  %0 = linalg.exp ins(%a : tensor<4xf64>) outs(%a : tensor<4xf64>) -> tensor<4xf64>
  return %0 : tensor<4xf64>
}
func.func @nothing() {
  return
}
"""


@pytest.fixture
def add(tmp_path: Path) -> str:
    path = tmp_path / "add.mlir"
    path.write_text(ADD)
    return str(path)


@pytest.fixture
def several(tmp_path: Path) -> str:
    path = tmp_path / "several.mlir"
    path.write_text(SEVERAL)
    return str(path)


def parameter(type_: str) -> Parameter:
    program = mi.compile(f"func.func @f(%a: {type_}) {{ return }}")
    return program.f.signature.parameters[0]


def made(text: str, type_: str) -> Any:
    return make_argument(text, parameter(type_), np.random.default_rng(0))


class TestArguments:
    """What `--arg` may say."""

    @pytest.mark.parametrize(
        ("text", "type_", "expected"),
        [
            ("2x3xf32:zeros", "tensor<?x?xf32>", np.zeros((2, 3), np.float32)),
            ("2x3xf32:ones", "tensor<?x?xf32>", np.ones((2, 3), np.float32)),
            ("2x3xf32:iota", "tensor<?x?xf32>", np.arange(6, dtype=np.float32).reshape(2, 3)),
            ("2x3xi8:-7", "tensor<?x?xi8>", np.full((2, 3), -7, np.int8)),
            ("4xcomplex<f32>:1+2j", "tensor<?xcomplex<f32>>", np.full(4, 1 + 2j, np.complex64)),
            ("0x4xi64:iota", "tensor<?x4xi64>", np.zeros((0, 4), np.int64)),
            ("f64:2.5", "tensor<f64>", np.array(2.5)),
            ("3xindex:iota", "tensor<3xindex>", np.arange(3)),
            ("4xi1:iota", "tensor<4xi1>", np.array([False, True, False, True])),
            ("4xi1:true", "tensor<4xi1>", np.ones(4, bool)),
            ("300xi8:iota", "tensor<300xi8>", np.arange(300).astype(np.int8)),
            ("3xbf16:0.5", "tensor<3xbf16>", np.full(3, 0.5, ml_dtypes.bfloat16)),
            ("4xi4:iota", "tensor<?xi4>", np.arange(4).astype(ml_dtypes.int4)),
            ("20xui4:iota", "tensor<?xui4>", np.arange(20).astype(ml_dtypes.uint4)),
            ("4xi2:-2", "tensor<?xi2>", np.full(4, -2, ml_dtypes.int2)),
            ("ones", "tensor<3xi4>", np.ones(3, ml_dtypes.int4)),
            ("[1, -8, 7]", "tensor<?xi4>", np.array([1, -8, 7], ml_dtypes.int4)),
            ("iota", "tensor<2x2xf64>", np.arange(4.0).reshape(2, 2)),
            ("zeros", "memref<3xui8>", np.zeros(3, np.uint8)),
            ("2.5", "tensor<2xf32>", np.full(2, 2.5, np.float32)),
            ("nan", "tensor<2xf32>", np.full(2, np.nan, np.float32)),
            ("[[1, 2], [3, 4]]", "tensor<?x2xf32>", np.array([[1, 2], [3, 4]], np.float32)),
            ("[1, -2, 3]", "tensor<3xi16>", np.array([1, -2, 3], np.int16)),
            ("[true, false]", "tensor<?xi1>", np.array([True, False])),
            ("[]", "tensor<?xf32>", np.zeros(0, np.float32)),
            ("[inf, -inf, 1e3]", "tensor<3xf64>", np.array([np.inf, -np.inf, 1000.0])),
        ],
    )
    def test_arrays(self, text: str, type_: str, expected: np.ndarray[Any, Any]) -> None:
        array = made(text, type_)
        assert array.dtype == expected.dtype and array.shape == expected.shape
        np.testing.assert_array_equal(array, expected)

    @pytest.mark.parametrize(
        ("text", "type_", "expected"),
        [
            ("3", "i32", 3),
            ("-3", "index", -3),
            ("2.5", "f64", 2.5),
            ("true", "i1", True),
            ("1-2j", "complex<f64>", 1 - 2j),
        ],
    )
    def test_scalars(self, text: str, type_: str, expected: Any) -> None:
        assert made(text, type_) == expected

    @pytest.mark.parametrize("type_", ["f32", "f64", "bf16", "i8", "i64", "i1", "i4", "ui2", "complex<f64>"])
    def test_random_arrays_are_of_the_type_and_repeat_with_the_seed(self, type_: str) -> None:
        what = parameter(f"tensor<50x{type_}>")
        first, again, other = (make_argument("random", what, np.random.default_rng(seed)) for seed in (1, 1, 2))
        assert first.dtype == what.type.element.dtype and len(np.unique(first)) > 1
        np.testing.assert_array_equal(first, again)
        assert (first != other).any()

    def test_files(self, tmp_path: Path) -> None:
        path = tmp_path / "a.npy"
        values = np.arange(6.0).reshape(2, 3).T
        np.save(path, values)
        np.testing.assert_array_equal(made(str(path), "tensor<?x?xf64>"), values)
        numbers = np.array([1, 2.5], ml_dtypes.bfloat16)
        np.save(path, numbers)
        loaded = made(str(path), "tensor<?xbf16>")
        assert loaded.dtype == numbers.dtype
        np.testing.assert_array_equal(loaded, numbers)
        small = np.array([1, -8], ml_dtypes.int4)
        np.save(path, small)
        loaded = made(str(path), "tensor<?xi4>")
        assert loaded.dtype == small.dtype
        np.testing.assert_array_equal(loaded, small)

    @pytest.mark.parametrize(
        ("text", "type_", "message"),
        [
            ("random", "tensor<?x4xf32>", r"are not known; give them too, as in --arg 8x4xf32:random"),
            ("1.5", "tensor<?xf32>", r"the sizes of tensor<\?xf32> are not known"),
            ("4xf33:random", "tensor<4xf32>", "type f33 cannot cross the NumPy boundary"),
            ("4xf32:much", "tensor<4xf32>", "expected a .npy file, a literal, one of random, zeros, ones, iota"),
            ("much", "tensor<4xf32>", "expected a .npy file, a literal"),
            ("[1, [2]]", "tensor<?xf32>", "expected a real number for f32, got list"),
            ("[1.5]", "tensor<?xi32>", "expected an integer for i32, got float 1.5"),
            ("[300]", "tensor<?xi8>", "300 does not fit into i8"),
            ("4xi8:300", "tensor<4xi8>", "300 does not fit into i8"),
            ("4xi4:8", "tensor<4xi4>", "8 does not fit into i4, which holds -8 to 7"),
            ("nowhere.npy", "tensor<4xf32>", "cannot read 'nowhere.npy': No such file or directory"),
            ("99999999x99999999xf32:zeros", "tensor<?x?xf32>", "does not fit into memory|too big|exceed"),
            ("__import__('os')", "tensor<4xf32>", "expected a .npy file, a literal"),
            ("2**9", "i32", "expected a .npy file, a literal"),
        ],
    )
    def test_mistakes(self, text: str, type_: str, message: str) -> None:
        with pytest.raises(ToolError, match=rf"^argument 0 \('a'\): .*(?:{message})"):
            made(text, type_)

    def test_files_that_hold_something_else(self, tmp_path: Path) -> None:
        path = tmp_path / "a.npy"
        for content in (b"", b"no array", b"\x93NUMPY\x01\x00"):
            path.write_bytes(content)
            with pytest.raises(ToolError, match=r"is not a .npy file with an array of numbers"):
                made(str(path), "tensor<?xf64>")
        np.save(path, np.array([{}]), allow_pickle=True)
        with pytest.raises(ToolError, match=r"is not a .npy file with an array of numbers"):
            made(str(path), "tensor<?xf64>")
        with path.open("wb") as file:
            np.savez(file, a=np.zeros(3))
        with pytest.raises(ToolError, match="holds several arrays"):
            made(str(path), "tensor<?xf64>")

    def test_literals_are_numbers_and_lists(self) -> None:
        assert read_literal(" [1, (2, -3.5), [+true, -inf]] ") == [1, [2, -3.5], [1, -np.inf]]


class TestOutput:
    """What is printed and saved."""

    def test_results_are_printed(self, add: str, capsys: pytest.CaptureFixture[str]) -> None:
        assert main([add, "--arg", "iota", "--arg=1", "--print-result"]) == 0
        assert capsys.readouterr().out == "result: tensor<2x3xf32>\n[[1., 2., 3.],\n [4., 5., 6.]]\n"

    def test_several_results(self, several: str, capsys: pytest.CaptureFixture[str]) -> None:
        assert main([several, "-e", "swap", "--arg", "[1, 2, 3]", "--arg", "-3", "-print-result"]) == 0
        assert capsys.readouterr().out == "result 0: index\n-3\nresult 1: tensor<?xi32>\n[1, 2, 3]\n"

    def test_no_result(self, several: str, capsys: pytest.CaptureFixture[str]) -> None:
        assert main([several, "-e", "nothing", "--print-result"]) == 0
        assert capsys.readouterr().out == ""

    def test_memory_statistics_and_times(self, add: str, capsys: pytest.CaptureFixture[str]) -> None:
        assert main([add, "--arg=1", "--arg=2", "--memory-stats", "--repeat", "5", "-O1"]) == 0
        time, stats = capsys.readouterr().out.splitlines()
        assert time.startswith("time: median ") and time.endswith(", 5 calls")
        assert stats == (
            "allocations: 1 (1 for results), frees: 0, peak: 24 bytes, leaked: 0 bytes, copies: 0 (0 bytes)"
        )

    def test_each_repetition_starts_from_the_same_arguments(
        self, several: str, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert main([several, "-e", "bump", "--arg=zeros", "--repeat=3", "--print-result"]) == 0
        assert capsys.readouterr().out.splitlines()[-1] == "[1., 1., 1., 1.]"

    def test_results_are_saved(self, add: str, several: str, tmp_path: Path) -> None:
        assert main([add, "--arg=iota", "--arg=1", "--save-result", str(tmp_path / "x.npy")]) == 0
        np.testing.assert_array_equal(np.load(tmp_path / "x.npy"), np.arange(1, 7).reshape(2, 3))
        swap = [several, "-e", "swap", "--arg=[1, 2, 3]", "--arg=7"]
        assert main([*swap, "--save-result", str(tmp_path / "y.npy")]) == 0
        assert np.load(tmp_path / "y-0.npy") == 7
        np.testing.assert_array_equal(np.load(tmp_path / "y-1.npy"), [1, 2, 3])
        assert main([*swap, "--save-result", str(tmp_path / "z.npz")]) == 0
        with np.load(tmp_path / "z.npz") as archive:
            assert archive["arr_0"] == 7
            np.testing.assert_array_equal(archive["arr_1"], [1, 2, 3])
        assert sorted(path.name for path in tmp_path.glob("*.np*")) == ["x.npy", "y-0.npy", "y-1.npy", "z.npz"]

    def test_nothing_is_saved_when_the_call_fails(self, several: str, tmp_path: Path) -> None:
        (tmp_path / "x.npy").write_text("old")
        assert main([several, "-e", "bump", "--arg=[1.0]", "--save-result", str(tmp_path / "x.npy")]) == 1
        assert [path.name for path in tmp_path.iterdir() if path.suffix != ".mlir"] == ["x.npy"]
        assert (tmp_path / "x.npy").read_text() == "old"


class TestCheck:
    """`--check` against NumPy."""

    def test_match(self, add: str, capsys: pytest.CaptureFixture[str]) -> None:
        assert main([add, "--arg=random", "--arg=random", "--check", "a0 + a1"]) == 0
        assert capsys.readouterr().out == "matches NumPy: max abs error 0 against a0 + a1\n"

    def test_arguments_are_those_before_the_call(self, several: str) -> None:
        assert main([several, "-e", "bump", "--arg=iota", "--check", "np.exp(a0)"]) == 0

    def test_several_results(self, several: str) -> None:
        swap = [several, "-e", "swap", "--arg=[1, 2, 3]", "--arg=7"]
        assert main([*swap, "--check", "(a1, a0)"]) == 0
        assert main([*swap, "--check", "(a1, a0 + 1)"]) == 1
        assert main([*swap, "--check", "a0"]) == 1

    def test_mismatch(self, add: str, capsys: pytest.CaptureFixture[str]) -> None:
        assert main([add, "--arg=iota", "--arg=1", "--check", "a0 * a1"]) == 1
        assert "result 0 differs from NumPy by 1 at [0, 0]: got 1.0, expected 0.0" in capsys.readouterr().err
        assert main([add, "--arg=iota", "--arg=1", "--check", "a0[:1]"]) == 1
        assert "result 0 has shape (2, 3), but NumPy gives (1, 3)" in capsys.readouterr().err
        assert main([add, "--arg=iota", "--arg=nan", "--check", "a0"]) == 1

    @pytest.mark.parametrize("expression", ["'a' * 10**9", "('a', a0)[0]", "None", "[[1, 2], [3]]"])
    def test_what_is_not_made_of_numbers(self, add: str, capsys: pytest.CaptureFixture[str], expression: str) -> None:
        assert main([add, "--arg=iota", "--arg=1", "--check", expression]) == 2
        assert f"--check: '{expression}' is not made of numbers; give arrays of numbers" in capsys.readouterr().err

    def test_tolerance(self, add: str) -> None:
        near = [add, "--arg=iota", "--arg=1", "--check", "a0 + a1 + 0.05"]
        assert main(near) == 1
        assert main([*near, "--tolerance=0.01"]) == 0
        assert main([add, "--arg=iota", "--arg=nan", "--check", "a0 + a1"]) == 0

    @pytest.mark.parametrize(
        "expression",
        [
            "np.array([x + y for x, y in np.stack([a0, a1], 1)])",
            "np.linalg.norm(a0 * 0) + np.fft.ifft(np.fft.fft(a0)).real + a1",
            "np.add.outer(np.zeros(2), a0.sum(0) * 0) + np.where(a0 > -1, a0, 0).astype('f4') + a1",
            "np.pad(a0, ((0, 0), (0, 0)), mode='edge') if a0.ndim == 2 and not np.isnan(a0).any() else 0",
        ],
    )
    def test_arithmetic(self, add: str, expression: str) -> None:
        one = "0" if "pad" in expression else "1"
        assert main([add, "--arg=iota", f"--arg={one}", "--check", expression]) == 0

    @pytest.mark.parametrize(
        ("expression", "message"),
        [
            ("a0 +", "is no Python expression"),
            ("a0 @ a7", "unknown name 'a7'; it may use np, a0, a1"),
            ("open('x')", "unknown name 'open'"),
            ("a0.__class__", "'a0.__class__' is no arithmetic on arrays that is known here"),
            ("np.load('x.npy')", "'np.load' is no arithmetic"),
            ("np.lib.npyio.open('x')", "is no arithmetic"),
            ("np.linalg.linalg.sys", "is no arithmetic"),
            ("[np][0].load('x')", "'[np][0].load' is no arithmetic"),
            ("[np for np in [np]][0]", "'np' is NumPy; take another name"),
            ("a0.tofile('x')", "'a0.tofile' is no arithmetic"),
            ("a0.ctypes", "'a0.ctypes' is no arithmetic"),
            ("np.vectorize(np.exp)(a0)", "'np.vectorize' is no arithmetic"),
            ("np.frompyfunc(np.exp, 1, 1)(a0)", "'np.frompyfunc' is no arithmetic"),
            ("(lambda x: x)(a0)", "'lambda x: x' is no arithmetic on arrays"),
            ("f'{a0}'", "is no arithmetic on arrays"),
            ("'{0.__class__}'.format(a0)", ".format' is no arithmetic on arrays"),
            ("(b := a0)", "'(b := a0)' is no arithmetic on arrays"),
            ("{a0: a1}", "'{a0: a1}' is no arithmetic on arrays"),
            ("a0 @ a1", "failed: "),
        ],
    )
    def test_expressions_that_make_no_sense(
        self, add: str, expression: str, message: str, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert main([add, "--arg=iota", "--arg=1", "--check", expression]) == 2
        assert message in capsys.readouterr().err


def test_standard_input(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(ADD.encode())))
    assert main(["-", "--arg=2", "--arg=3", "--check=a0 + a1"]) == 0
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(b"func.func @main( {")))
    assert main([]) == 1
    assert "<stdin>:1:" in capsys.readouterr().err


def test_another_pipeline(add: str) -> None:
    text = "inplace-one-shot-bufferize{bufferize-function-boundaries=true},canonicalize"
    assert main([add, "--arg=2", "--arg=3", "--check=a0 + a1", f"--pass-pipeline={text}"]) == 0


def test_shared_libraries(tmp_path: Path) -> None:
    path = tmp_path / "cbrt.mlir"
    path.write_text("""
        func.func private @cbrt(f64) -> f64
        func.func @f(%x: f64) -> f64 { %0 = call @cbrt(%x) : (f64) -> f64 return %0 : f64 }""")
    assert main([str(path), "--arg=27", "--shared-libs=libm.so.6,libc.so.6", "--check=np.cbrt(a0)"]) == 0


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["{add}"], 1, "argument 0 of 'main' (tensor<2x3xf32>) is missing; give it with --arg random, or --arg and a"),
        (["{add}", "--arg=1"], 1, "argument 1 of 'main' (tensor<2x3xf32>) is missing"),
        (["{several}", "-e", "swap"], 1, "(tensor<?xi32>) is missing; give it with --arg 8xi32:random"),
        (["{several}", "-e", "swap", "--arg=[1]"], 1, "argument 1 of 'swap' (index) is missing; give it with --arg 1"),
        (["{add}", "--arg=1", "--arg=1", "--arg=1"], 1, "'main' takes 2 arguments, but --arg is given 3 times"),
        (["{add}", "-e", "other"], 1, "the program has no entry point 'other'; it has: main"),
        (["{several}"], 1, "several entry points and none is 'main'; choose with -e: swap, bump, nothing"),
        (["{add}", "--arg=nowhere.npy", "--arg=1"], 1, "argument 0: cannot read 'nowhere.npy': No such file"),
        (["{add}", "--arg=2x3xf64:ones", "--arg=1"], 1, "argument 0: expected dtype float32 for tensor<2x3xf32>"),
        (["{add}", "--arg=6xf32:ones", "--arg=1"], 1, "argument 0: expected shape 2x3 for tensor<2x3xf32>, got 6"),
        (["{add}", "--arg=2x4xf32:ones", "--arg=1"], 1, "argument 0: expected shape 2x3 for tensor<2x3xf32>, got 2x4"),
        (["{add}", "--arg=1", "--arg=1", "--save-result=/nowhere/x.npy"], 1, "cannot save results in '/nowhere/x.npy'"),
        (["{add}", "--arg=1", "--arg=1", "--save-result={folder}"], 1, "its name must end in .npy or .npz"),
        (["{several}", "-e=nothing", "--save-result=x.npy"], 1, "the function returns nothing"),
        (["nowhere.mlir"], 1, "cannot open input file 'nowhere.mlir': No such file or directory"),
        (["{broken}"], 1, "broken.mlir:2:22: error: "),
        (["{refused}"], 1, "refused.mlir:2:8: 'gpu.thread_id' cannot be lowered to LLVM"),
        (["{failing}", "--arg=false"], 1, "failing.mlir:2:3: not this one\n"),
        (["{odd}"], 1, "argument 0 of 'main': type vector<4xf32> cannot cross the NumPy boundary"),
        (["{add}", "--shared-libs=/nowhere.so"], 1, "shared library '/nowhere.so' does not exist"),
        (["{add}", "--pass-pipeline=inplace-nothing"], 2, "unknown pass 'inplace-nothing'"),
        (["{add}", "--pass-pipeline="], 2, "the pipeline is empty"),
        (["{add}", "--threads=0"], 2, "--threads must be at least 1, got 0"),
        (["{add}", "--repeat=0"], 2, "--repeat must be at least 1, got 0"),
        (["{add}", "--seed=-1"], 2, "--seed must be at least 0"),
        (["{add}", "--cache=folder"], 2, "argument --cache/--no-cache takes no value, got 'folder'"),
        (["{add}", "--nothing"], 2, "unrecognized arguments: --nothing"),
        (["{add}", "-O4"], 2, "argument -O: invalid choice: 4"),
        (["{add}", "--repeat=x"], 2, "argument --repeat: invalid int value"),
    ],
)
def test_mistakes(
    arguments: list[str],
    code: int,
    message: str,
    add: str,
    several: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    programs = {
        "broken": "func.func @main() {\n  %0 = arith.constant\n}",
        "refused": "func.func @main() -> index {\n  %0 = gpu.thread_id x\n  return %0 : index\n}",
        "failing": 'func.func @main(%p: i1) {\n  cf.assert %p, "not this one"\n  return\n}',
        "odd": "func.func @main(%a: vector<4xf32>) { return }",
    }
    paths = {"add": add, "several": several, "folder": str(tmp_path)}
    for name, text in programs.items():
        (tmp_path / f"{name}.mlir").write_text(text)
        paths[name] = str(tmp_path / f"{name}.mlir")
    assert main([argument.format(**paths) for argument in arguments]) == code
    captured = capsys.readouterr()
    assert message in captured.err
    assert captured.out == "" and "Traceback" not in captured.err


def test_an_interrupt(add: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("mlir_inplace.tools.run.compilation.compile_program", interrupt)
    assert main([add]) == 130
    assert capsys.readouterr().err == "inplace-run: interrupted\n"


def test_help(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        main(["--help"])
    assert stop.value.code == 0
    assert "4x8xf32:random" in capsys.readouterr().out


class TestEntryPoint:
    """What the entry point does not reach is not compiled."""

    BROKEN = """
    func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
      %0 = func.call @used(%a) : (tensor<4xf32>) -> tensor<4xf32>
      return %0 : tensor<4xf32>
    }
    func.func @used(%a: tensor<4xf32>) -> tensor<4xf32> {
      %0 = memref.get_global @table : memref<4xf32>
      %1 = bufferization.to_tensor %0 restrict : memref<4xf32> to tensor<4xf32>
      %2 = linalg.add ins(%a, %1 : tensor<4xf32>, tensor<4xf32>) outs(%a : tensor<4xf32>) -> tensor<4xf32>
      return %2 : tensor<4xf32>
    }
    memref.global "private" constant @table : memref<4xf32> = dense<[1.0, 2.0, 3.0, 4.0]>
    func.func @broken(%a: tensor<4xf32>) -> tensor<4xf32> {
      %0 = emitc.call_opaque "exp"(%a) : (tensor<4xf32>) -> tensor<4xf32>
      return %0 : tensor<4xf32>
    }
    func.func private @nowhere()
    func.func @calls_nowhere() {
      call @nowhere() : () -> ()
      return
    }
    """

    @pytest.fixture
    def path(self, tmp_path: Path) -> str:
        path = tmp_path / "broken.mlir"
        path.write_text(self.BROKEN)
        return str(path)

    @pytest.mark.parametrize("flags", [[], ["-e", "main"], ["-e", "used"], ["--optimize"]])
    def test_needs_only_what_it_reaches(self, path: str, capsys: pytest.CaptureFixture[str], flags: list[str]) -> None:
        assert main([path, "--arg", "iota", "--check", "a0 + np.array([1, 2, 3, 4])", *flags]) == 0
        assert capsys.readouterr().out.startswith("matches NumPy")

    @pytest.mark.parametrize(
        ("name", "flags", "message"),
        [("broken", ["--arg=iota"], "emitc.call_opaque"), ("calls_nowhere", [], "'nowhere' is decl")],
    )
    def test_broken_one_is_refused(
        self, path: str, capsys: pytest.CaptureFixture[str], name: str, flags: list[str], message: str
    ) -> None:
        assert main([path, "-e", name, *flags]) == 1
        assert message in capsys.readouterr().err

    def test_unknown_one_is_named_before_anything_is_compiled(
        self, path: str, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert main([path, "-e", "mine"]) == 1
        assert capsys.readouterr().err == (
            "inplace-run: error: the program has no entry point 'mine'; it has: main, used, broken, calls_nowhere\n"
        )

    def test_entry_point_that_others_call(self, several: str, capsys: pytest.CaptureFixture[str]) -> None:
        assert main([several, "-e", "bump", "--arg", "zeros", "--check", "np.exp(a0)"]) == 0


class TestCompilation:
    """`--cache`, `--cache-dir` and `--dump-ir`."""

    def test_code_is_kept(self, add: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        arguments = [add, "--arg", "ones", "--arg", "ones", "--check", "a0 + a1"]
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "home"))
        for flag, folder in (("--cache", "home/mlir-inplace"), (f"--cache-dir={tmp_path}/own", "own")):
            assert main([*arguments, flag]) == 0
            (entry,) = (tmp_path / folder).iterdir()
            monkeypatch.setattr("mlir_inplace.runtime.compilation.build._compile", None)  # It would be called.
            assert main([*arguments, flag]) == 0
            monkeypatch.undo()
            monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "home"))
            assert entry.exists()

    def test_nothing_is_kept_otherwise(self, add: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "home"))
        assert main([add, "--arg", "ones", "--arg", "ones"]) == 0
        assert not (tmp_path / "home").exists()

    def test_empty_folder(self, add: str, capsys: pytest.CaptureFixture[str]) -> None:
        assert main([add, "--cache-dir="]) == 2
        assert capsys.readouterr().err == "inplace-run: error: --cache-dir needs a folder, got ''\n"

    @pytest.mark.parametrize(
        ("stage", "found", "lost"),
        [
            ("tensors", "linalg.add", "memref.alloc"),
            ("bufferize", "memref.alloc", "memref.dealloc"),
            ("boundary", "inplace.result_arguments", "linalg.add ins(%arg0, %arg1 : tensor"),
            ("deallocate", "linalg.add", "tensor<"),
            ("buffers", "linalg.add", "tensor<"),
            ("functions", "linalg.add", "tensor<"),
            ("llvm", "llvm.fadd", "linalg.add"),
        ],
    )
    def test_stage_is_printed(
        self, add: str, capsys: pytest.CaptureFixture[str], stage: str, found: str, lost: str
    ) -> None:
        assert main([add, "--arg", "ones", "--arg", "ones", "--print-result", f"--dump-ir={stage}"]) == 0
        said = capsys.readouterr()
        assert said.err.startswith(f"// -----// IR Dump After {stage} //----- //\nmodule {{\n")
        assert found in said.err and lost not in said.err
        assert said.out.startswith("result: tensor<2x3xf32>")

    def test_several_stages_of_a_program_that_is_refused(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        path = tmp_path / "undefined.mlir"
        path.write_text("func.func private @nowhere()\nfunc.func @main() { call @nowhere() : () -> () return }")
        assert main([str(path), "--dump-ir=llvm", "--dump-ir=boundary", "--dump-ir=llvm"]) == 1
        said = capsys.readouterr().err
        headers = [line for line in said.splitlines() if "IR Dump" in line]
        assert headers == [f"// -----// IR Dump After {stage} //----- //" for stage in ("boundary", "llvm")]
        assert "function 'nowhere' is declared but defined nowhere" in said

    @pytest.mark.parametrize("stage", ["list", "", "LLVM"])
    def test_unknown_stage(self, add: str, capsys: pytest.CaptureFixture[str], stage: str) -> None:
        assert main([add, f"--dump-ir={stage}"]) == 2
        assert capsys.readouterr().err == (
            f"inplace-run: error: --dump-ir: there is no stage {stage!r}; the stages are, in order: tensors, bufferize,"
            " boundary, deallocate, buffers, functions, llvm, linked\n"
        )


@pytest.mark.parametrize("element", ["bf16", "f8E5M2", "f8E4M3FN", "i4", "ui2"])
@pytest.mark.parametrize("suffix", [".npy", ".npz"])
def test_saved_results_are_arguments_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], element: str, suffix: str
) -> None:
    """NumPy would write a name for f8E5M2 that it does not read."""
    path, saved = tmp_path / "same.mlir", tmp_path / f"saved{suffix}"
    path.write_text(
        f"func.func @main(%a: tensor<3x{element}>) -> tensor<3x{element}> {{ return %a : tensor<3x{element}> }}"
    )
    assert main([str(path), "--arg", "iota", "--save-result", str(saved)]) == 0
    if suffix == ".npz":
        with np.load(saved) as archive:
            assert archive["arr_0"].tobytes() == made("iota", f"tensor<3x{element}>").tobytes()
        return
    assert main([str(path), "--arg", str(saved), "--print-result"]) == 0
    assert main([str(path), "--arg", "iota", "--print-result"]) == 0
    first, second = capsys.readouterr().out.split("result: ")[1:]
    assert first == second
