"""Progress on a terminal, which a pseudoterminal stands for: shown late, erased at the end, nowhere else."""

from __future__ import annotations

import io
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from terminals import terminal_as_stderr
from wrong_passes import ForgetCopiesPass, registered

import mlir_inplace as mi
from mlir_inplace.runtime.progress import progress
from mlir_inplace.tools import inplace_check, inplace_exhaust, inplace_fuzz, inplace_run

ERASE = "\r\x1b[K"
MODULE = "mlir_inplace.runtime.progress"

SLOW = """
func.func @main(%a: memref<1xi64>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %many = arith.constant 30000000 : index
  %step = arith.constant 3 : i64
  scf.for %i = %zero to %many step %one {
    %old = memref.load %a[%zero] : memref<1xi64>
    %new = arith.muli %old, %step : i64
    memref.store %new, %a[%zero] : memref<1xi64>
  }
  return
}
func.func private @putchar(i32) -> i32
func.func @talks(%a: memref<1xi64>) {
  %space = arith.constant 32 : i32
  call @putchar(%space) : (i32) -> i32
  call @main(%a) : (memref<1xi64>) -> ()
  return
}
"""

WRONG = """
func.func @main(%a: tensor<4xf32>, %x: f32) -> (tensor<4xf32>, tensor<4xf32>) {
  %c1 = arith.constant 1 : index
  %0 = linalg.exp ins(%a : tensor<4xf32>) outs(%a : tensor<4xf32>) -> tensor<4xf32>
  %1 = tensor.insert %x into %0[%c1] : tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}
"""
FORGETFUL = "builtin.module(inplace-one-shot-bufferize{bufferize-function-boundaries=true},test-forget-copies)"


@pytest.fixture
def eager(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(f"{MODULE}._DELAY", 0.0)
    monkeypatch.setattr(f"{MODULE}._INTERVAL", 0.01)


def seen(work: Callable[[], object]) -> str:
    """What a terminal shows of `work`, in the order in which it is written."""
    with terminal_as_stderr() as text:
        work()
    return text()


class TestLine:
    """The line itself."""

    def test_appears_late_and_disappears(self) -> None:
        def work() -> None:
            with progress("thinking"):
                time.sleep(1.6)

        found = seen(work)
        assert found.startswith(f"{ERASE}thinking … 1 s{ERASE}thinking")
        assert found.endswith(f" s{ERASE}")

    def test_short_work_shows_nothing(self) -> None:
        def work() -> None:
            with progress("thinking"):
                pass

        assert seen(work) == ""

    @pytest.mark.usefixtures("eager")
    def test_text_changes_and_output_comes_between(self) -> None:
        def work() -> None:
            with progress("one") as line:
                time.sleep(0.1)
                line.text = "two"
                time.sleep(0.1)
                with line.hidden():
                    print("said", file=sys.stderr, flush=True)
                    time.sleep(0.1)

        found = seen(work)
        assert f"{ERASE}one … 0 s{ERASE}" in found and f"{ERASE}two … 0 s{ERASE}said\r\n" in found

    @pytest.mark.usefixtures("eager")
    def test_is_cut_at_the_width_of_the_terminal(self) -> None:
        def work() -> None:
            with progress("long " * 100):
                time.sleep(0.05)

        assert {len(part) for part in seen(work).split(ERASE)} == {0, 79}

    @pytest.mark.usefixtures("eager")
    def test_is_for_terminals_only(self, monkeypatch: pytest.MonkeyPatch) -> None:
        for stream in (io.StringIO(), None):
            monkeypatch.setattr(sys, "stderr", stream)
            with progress("thinking"):
                time.sleep(0.05)
            assert stream is None or stream.getvalue() == ""

    @pytest.mark.usefixtures("eager")
    def test_work_within_other_work_shows_none(self) -> None:
        def work() -> None:
            for _ in range(2):
                with progress("outer"), progress("inner"):
                    time.sleep(0.05)

        found = seen(work)
        assert found.count("outer") >= 2 and "inner" not in found

    @pytest.mark.usefixtures("eager")
    def test_ends_with_an_exception(self) -> None:
        def work() -> None:
            with pytest.raises(ValueError, match="wrong"), progress("thinking"):
                time.sleep(0.05)
                raise ValueError("wrong")

        assert seen(work).endswith(ERASE)


@pytest.mark.usefixtures("eager")
class TestTools:
    """Which tool shows what."""

    @pytest.fixture(autouse=True)
    def files(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(tmp_path)
        Path("slow.mlir").write_text(SLOW)
        Path("wrong.mlir").write_text(WRONG)

    def test_run(self) -> None:
        found = seen(lambda: inplace_run.main(["slow.mlir", "-O0", "--arg=ones"]))
        assert f"{ERASE}compiling slow.mlir … " in found and f"{ERASE}running 'main' … " in found
        assert found.endswith(ERASE)

    def test_run_of_a_program_that_may_print(self) -> None:
        found = seen(lambda: inplace_run.main(["slow.mlir", "-O0", "-e", "talks", "--arg=ones"]))
        assert "compiling slow.mlir" in found and "running" not in found

    def test_fuzz(self, capsys: pytest.CaptureFixture[str]) -> None:
        found = seen(lambda: inplace_fuzz.main(["--seeds=0..2", "--configurations=bottom-up"]))
        assert "1 of 2 programs, 0 failures … " in found and found.endswith(ERASE)
        assert capsys.readouterr().out.startswith("2 programs in ")

    def test_exhaust(self, capsys: pytest.CaptureFixture[str]) -> None:
        found = seen(lambda: inplace_exhaust.main(["--ops=1", "--grammar=insert"]))
        assert f"{ERASE}enumerating … " in found and found.endswith(ERASE)
        assert capsys.readouterr().out.startswith("all programs of up to 1 ops over the grammar {insert}")

    @pytest.mark.full
    def test_check_and_reduction(self) -> None:
        with registered(ForgetCopiesPass):
            found = seen(lambda: inplace_check.main(["wrong.mlir", "--pass-pipeline", FORGETFUL, "--reduce"]))
        assert f"{ERASE}checking wrong.mlir … " in found
        assert "reducing: 3 operations left, attempt 1 … " in found
        assert f"{ERASE}reduced from 3 operations to " in found


@pytest.mark.usefixtures("eager")
class TestFrontends:
    """Programs of other frameworks."""

    def test_jax(self) -> None:
        pytest.importorskip("jax")

        def doubled(x: np.ndarray) -> np.ndarray:
            return x + x

        found = seen(lambda: mi.from_jax(doubled, np.ones(4, np.float32), cache=False))
        assert f"{ERASE}compiling doubled … " in found and found.endswith(ERASE)

    def test_onnx(self, tmp_path: Path) -> None:
        onnx = pytest.importorskip("onnx")
        value = onnx.helper.make_tensor_value_info
        node = onnx.helper.make_node("Exp", ["x"], ["y"])
        graph = onnx.helper.make_graph([node], "g", [value("x", 1, [4])], [value("y", 1, [4])])
        onnx.save(onnx.helper.make_model(graph), tmp_path / "net.onnx")
        found = seen(lambda: mi.from_onnx(tmp_path / "net.onnx", cache=False))
        assert f"{ERASE}compiling net.onnx … " in found and found.endswith(ERASE)
