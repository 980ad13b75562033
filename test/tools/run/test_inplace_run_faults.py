"""Signals that native code ends with, as `inplace-run` reports them: the signal, the operation, the exit code."""

from __future__ import annotations

import ctypes
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fast_run import sample
from fork_server import ForkServer
from forked_python import run_program

from mlir_inplace.tools.run.fault_report import explanation
from mlir_inplace.tools.run.faults import Fault, faults_explained
from mlir_inplace.tools.shared.input import Source

COMMAND = [sys.executable, "-m", "mlir_inplace.tools.inplace_run"]

DIVISION = """
#map = affine_map<(d0) -> (d0)>
func.func @main(%a: tensor<?xi32>, %b: tensor<?xi32>) -> tensor<?xi32> {
  %0 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]}
    ins(%a : tensor<?xi32>) outs(%b : tensor<?xi32>) {
  ^bb0(%x: i32, %y: i32):
    %sum = arith.addi %x, %y : i32
    %quotient = llvm.sdiv %sum, %y : i32
    linalg.yield %quotient : i32
  } -> tensor<?xi32>
  return %0 : tensor<?xi32>
}
"""

OTHERS = """
func.func @get(%a: tensor<?xf32>, %i: index) -> f32 {
  %0 = tensor.extract %a[%i] : tensor<?xf32>
  return %0 : f32
}
func.func @call(%a: tensor<?xf32>, %i: index) -> f32 {
  %0 = func.call @get(%a, %i) : (tensor<?xf32>, index) -> f32
  return %0 : f32
}
func.func @endless(%n: i64, %m: memref<4xi64>) -> i64 {
  %one = arith.constant 1 : i64
  %i = arith.constant 1 : index
  %k = arith.subi %n, %one : i64
  %r = func.call @endless(%k, %m) : (i64, memref<4xi64>) -> i64
  memref.store %r, %m[%i] : memref<4xi64>
  %s = arith.addi %r, %one : i64
  return %s : i64
}
func.func private @abort()
func.func @stop() {
  func.call @abort() : () -> ()
  return
}
func.func @trap() {
  llvm.intr.trap
  return
}
func.func @copy(%a: memref<?xf32>, %b: memref<?xf32>, %n: index) {
  %s = memref.subview %a[0][%n][1] : memref<?xf32> to memref<?xf32, strided<[1]>>
  %t = memref.subview %b[0][%n][1] : memref<?xf32> to memref<?xf32, strided<[1]>>
  memref.copy %s, %t : memref<?xf32, strided<[1]>> to memref<?xf32, strided<[1]>>
  return
}
func.func @wide(%n: index, %k: index) -> f32 {
  %x = arith.constant 1.0 : f32
  %m = memref.alloca() : memref<16777216xf32>
  memref.store %x, %m[%n] : memref<16777216xf32>
  %y = memref.load %m[%k] : memref<16777216xf32>
  return %y : f32
}
"""

NAMED = """
func.func @main(%a: tensor<2x90xi32>, %b: tensor<2x90xi32>) -> tensor<2x90xi32> {
  %0 = tensor.empty() : tensor<2x90xi32>
  %r = scf.forall (%i) in (2) shared_outs(%o = %0) -> tensor<2x90xi32> {
    %x = tensor.extract_slice %a[%i, 0][1, 90][1, 1] : tensor<2x90xi32> to tensor<1x90xi32>
    %y = tensor.extract_slice %b[%i, 0][1, 90][1, 1] : tensor<2x90xi32> to tensor<1x90xi32>
    %z = tensor.extract_slice %o[%i, 0][1, 90][1, 1] : tensor<2x90xi32> to tensor<1x90xi32>
    %q = linalg.div ins(%x, %y : tensor<1x90xi32>, tensor<1x90xi32>) outs(%z : tensor<1x90xi32>) -> tensor<1x90xi32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %q into %o[%i, 0][1, 90][1, 1] : tensor<1x90xi32> into tensor<2x90xi32>
    }
  }
  return %r : tensor<2x90xi32>
}
"""

FAR = "100000000000"


class TestReport:
    """One line on standard error, and the exit code of a shell."""

    @pytest.fixture(autouse=True)
    def use(self, fork_server: ForkServer, tmp_path: Path) -> None:
        self.server, self.folder = fork_server, tmp_path

    def run(self, text: str, *arguments: str) -> tuple[int, str]:
        path = self.folder / "program.mlir"
        path.write_text(text)
        outcome = self.server.call(run_program, [*COMMAND, str(path), *arguments], text=True)
        return outcome.returncode, outcome.stderr.replace(str(path), "FILE")

    @pytest.mark.parametrize(
        ("name", "arguments", "place", "cause"),
        [
            ("call", ["4xf32:ones", FAR], "FILE:3:8: 'tensor.extract'", "SIGSEGV (an access to memory at 0x"),
            ("wide", ["7", "9"], "FILE:37:3: 'memref.store'", "SIGSEGV (the stack is full)\n"),
            ("stop", [], "FILE:21:3: 'func.call'", "SIGABRT (abort)\n"),
            ("trap", [], "FILE:25:3: 'llvm.intr.trap'", "SIGILL (an instruction that this processor does not have"),
        ],
    )
    def test_names_signal_and_operation(self, name: str, arguments: Sequence[str], place: str, cause: str) -> None:
        code, report = self.run(OTHERS, "-e", name, *[f"--arg={argument}" for argument in arguments])
        assert report.startswith(f"inplace-run: error: {place} ended the process with {cause}")
        assert report.count("\n") == 1
        assert code == 128 + signal.Signals[cause.split(maxsplit=1)[0]]

    def test_what_native_code_gives_up_is_an_error_like_others(self) -> None:
        code, report = self.run(OTHERS, "-e", "endless", "--arg=1", "--arg=zeros")
        assert report == "inplace-run: error: the program calls itself too often: the stack of this thread is full\n"
        assert code == 1

    @pytest.mark.parametrize("flags", sample([["--optimize"], ["-O0"], ["--memory-stats"], ["--cache-dir=cache"]]))
    def test_finds_the_operation_in_all_versions(self, flags: list[str]) -> None:
        """The second run takes its code from the cache."""
        flags = [flag.replace("=", f"={self.folder}/") for flag in flags]
        for _ in range(1 + flags[0].startswith("--cache")):
            code, report = self.run(DIVISION, "--arg=40xi32:iota", "--arg=40xi32:0", *flags)
            assert report.startswith("inplace-run: error: FILE:8:17: 'llvm.sdiv' ended the process with SIGFPE (")
            assert code == 128 + signal.SIGFPE

    @pytest.mark.parametrize("threads", ["1", "2"])
    def test_a_division_of_a_named_operation_on_several_threads(self, threads: str) -> None:
        """The parser gives no locations to the body of a named operation. Both threads fail, at nearly one time."""
        divisor = np.ones((2, 90), np.int32)
        divisor[:, 70] = 0
        np.save(self.folder / "divisor.npy", divisor)
        code, report = self.run(NAMED, "--arg=ones", f"--arg={self.folder}/divisor.npy", "--threads", threads)
        assert (code, report.splitlines()[-1]) == (1, "inplace-run: error: FILE:8:10: integer division by zero")

    def test_finds_the_operation_in_code_for_strides(self) -> None:
        numbers = np.zeros(80, np.int32)
        np.save(self.folder / "numbers.npy", np.lib.stride_tricks.as_strided(numbers, (8, 4), (4, 32)))
        text = DIVISION.replace("?x", "?x4x").replace("(d0) -> (d0)", "(d0, d1) -> (d0, d1)")
        text = text.replace('["parallel"]', '["parallel", "parallel"]')
        code, report = self.run(text, *[f"--arg={self.folder}/numbers.npy"] * 2)
        assert report.startswith("inplace-run: error: FILE:8:17: 'llvm.sdiv' ended the process with SIGFPE (")
        assert code == 128 + signal.SIGFPE

    @pytest.mark.parametrize("flags", [[], ["-O0"]])
    def test_names_the_last_operation(self, flags: list[str]) -> None:
        """The copy, a function of the C library, is the last thing that `copy` does: a call, which leaves a frame."""
        arguments = ["-e", "copy", "--arg=4xf32:ones", "--arg=4xf32:ones", "--arg=1000000000"]
        code, report = self.run(OTHERS, *arguments, *flags)
        assert report.startswith("inplace-run: error: FILE:31:3: 'memref.copy' ended the process with SIGSEGV")
        assert code == 128 + signal.SIGSEGV

    def test_reads_standard_input_and_leaves_no_file(self) -> None:
        saved = self.folder / "saved.npy"
        command = [*COMMAND, "-", "--arg=iota", "--arg=0", "--save-result", str(saved)]
        text = DIVISION.replace("?", "40")
        outcome = subprocess.run(command, input=text, capture_output=True, text=True, check=False, timeout=100)
        assert "<stdin>:8:17: 'llvm.sdiv'" in outcome.stderr
        assert (outcome.returncode, outcome.stdout) == (128 + signal.SIGFPE, "")
        assert list(self.folder.iterdir()) == []


class TestHandler:
    """What is installed while a program runs, and only then."""

    def test_is_removed(self) -> None:
        before = handlers()
        with faults_explained(Source("-", ""), "main", dict, lambda file: []):
            during = handlers()
        assert all(one != other for one, other in zip(before, during, strict=True))
        assert handlers() == before

    def test_fault_that_cannot_be_explained_ends_the_process(self, fork_server: ForkServer) -> None:
        """Whether the handler raises, or faults itself: the signal ends the process as ever."""
        code = (
            "import ctypes\n"
            "from mlir_inplace.tools.run.faults import faults_explained\n"
            "from mlir_inplace.tools.shared.input import Source\n"
            "with faults_explained(Source('-', ''), 'main', dict, lambda file: {explain}):\n"
            "    ctypes.string_at(16)\n"
        )
        for explain in ("[]", "ctypes.string_at(32)"):
            command = [sys.executable, "-c", code.format(explain=explain)]
            assert fork_server.call(run_program, command, text=True).returncode == -signal.SIGSEGV

    def test_signal_of_another_process_ends_this_one(self, fork_server: ForkServer) -> None:
        code = (
            "import os, signal\n"
            "from mlir_inplace.tools.run.faults import faults_explained\n"
            "from mlir_inplace.tools.shared.input import Source\n"
            "with faults_explained(Source('-', ''), 'main', dict, lambda file: []):\n"
            "    os.kill(os.getpid(), signal.SIGSEGV)\n"
            "    import time; time.sleep(5)\n"
        )
        outcome = fork_server.call(run_program, [sys.executable, "-c", code], text=True)
        assert (outcome.returncode, outcome.stderr) == (-signal.SIGSEGV, "")


def test_fault_without_frames_is_explained_as_far_as_known() -> None:
    def compile_again() -> Any:
        raise AssertionError

    fault = Fault(signal.SIGBUS, 2, 64, None, (), {True: 0}, "main", "a.mlir", "")
    assert explanation(fault, compile_again) == (
        "'main' ended the process with SIGBUS (an access to memory at 0x40, which the program does not have); "
        "which operation did it is not known: it is found on x86-64 only"
    )


def handlers() -> list[bytes]:
    """The address of the handler of each signal."""
    libc, found = ctypes.CDLL(None), []
    for number in (signal.SIGFPE, signal.SIGSEGV, signal.SIGILL, signal.SIGABRT, signal.SIGBUS):
        action = ctypes.create_string_buffer(256)
        libc.sigaction(number, None, action)
        found.append(action.raw[:8])
    return found
