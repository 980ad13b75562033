"""`inplace-run` as a process: standard output that cannot be written, the files it leaves, and Ctrl-C."""

from __future__ import annotations

import signal
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from fork_server import ForkServer
from forked_python import run_program

ADD = """
func.func @main(%a: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = tensor.empty() : tensor<2x3xf32>
  %1 = linalg.add ins(%a, %a : tensor<2x3xf32>, tensor<2x3xf32>) outs(%0 : tensor<2x3xf32>) -> tensor<2x3xf32>
  return %1 : tensor<2x3xf32>
}
"""

ENDLESS = """
func.func @main(%a: memref<1xi64>) -> tensor<1xi64> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %many = arith.constant 4000000000000000000 : index
  %step = arith.constant 1 : i64
  scf.for %i = %zero to %many step %one {
    %old = memref.load %a[%zero] : memref<1xi64>
    %new = arith.addi %old, %step : i64
    memref.store %new, %a[%zero] : memref<1xi64>
  }
  %done = tensor.from_elements %step : tensor<1xi64>
  return %done : tensor<1xi64>
}
"""

COMMAND = [sys.executable, "-m", "mlir_inplace.tools.inplace_run"]
CLOSED = {1: None}
FULL = {1: "/dev/full"}


@pytest.fixture
def add(tmp_path: Path) -> str:
    path = tmp_path / "add.mlir"
    path.write_text(ADD)
    return str(path)


class TestStandardOutput:
    """Output that nobody can take is one clear line and exit code 1, and no file appears."""

    @pytest.mark.parametrize(
        ("redirection", "complaint"),
        [
            (FULL, "cannot write standard output: No space left on device"),
            (CLOSED, "standard output is closed"),
        ],
    )
    @pytest.mark.parametrize("flag", ["--print-result", "--memory-stats"])
    def test_cannot_be_written(
        self,
        fork_server: ForkServer,
        add: str,
        tmp_path: Path,
        redirection: dict[int, str | None],
        complaint: str,
        flag: str,
    ) -> None:
        saved = tmp_path / "saved.npy"
        arguments = [*COMMAND, add, "--arg", "random", flag, "--save-result", str(saved)]
        outcome = fork_server.call(run_program, arguments, redirections=redirection, text=True)
        assert (outcome.returncode, outcome.stderr) == (1, f"inplace-run: error: {complaint}\n")
        assert [path.name for path in tmp_path.iterdir()] == ["add.mlir"]

    def test_is_not_needed_to_save(self, fork_server: ForkServer, add: str, tmp_path: Path) -> None:
        saved = tmp_path / "saved.npy"
        arguments = [*COMMAND, add, "--arg", "random", "--save-result", str(saved)]
        outcome = fork_server.call(run_program, arguments, redirections=CLOSED, text=True)
        assert (outcome.returncode, outcome.stderr) == (0, "")
        assert saved.exists()


class TestSavedFiles:
    """What `--save-result` leaves, in place of what was there."""

    @pytest.fixture(autouse=True)
    def use(self, fork_server: ForkServer) -> None:
        self.server = fork_server

    def save(self, source: str, target: Path) -> None:
        """Runs the program with a file mode mask of 027."""
        arguments = [*COMMAND, source, "--arg", "2x3xf32:ones", "--save-result", str(target)]
        assert self.server.call(run_program, arguments, umask=0o027).returncode == 0
        assert np.array_equal(np.load(target), np.full((2, 3), 2, np.float32))

    def test_new_file_has_the_mode_of_the_mask(self, add: str, tmp_path: Path) -> None:
        self.save(add, tmp_path / "new.npy")
        assert stat.S_IMODE((tmp_path / "new.npy").stat().st_mode) == 0o640

    def test_existing_file_keeps_its_mode(self, add: str, tmp_path: Path) -> None:
        old = tmp_path / "old.npy"
        old.write_text("old")
        old.chmod(0o604)
        self.save(add, old)
        assert stat.S_IMODE(old.stat().st_mode) == 0o604

    def test_link_stays_a_link(self, add: str, tmp_path: Path) -> None:
        (tmp_path / "folder").mkdir()
        target, link = tmp_path / "folder" / "target.npy", tmp_path / "link.npy"
        target.write_text("old")
        link.symlink_to(target)
        self.save(add, link)
        assert link.is_symlink()
        assert not target.is_symlink()
        assert [path.name for path in target.parent.iterdir()] == ["target.npy"]


class TestInterrupt:
    """Ctrl-C stops native code, too."""

    @pytest.fixture(autouse=True)
    def interruptible(self) -> Iterator[None]:
        """As in a terminal: a process in the background ignores the signal, and what it starts inherits that."""
        before = signal.signal(signal.SIGINT, signal.default_int_handler)
        yield
        signal.signal(signal.SIGINT, before)

    def test_stops_a_native_loop(self, tmp_path: Path) -> None:
        program, saved = tmp_path / "endless.mlir", tmp_path / "saved.npy"
        program.write_text(ENDLESS)
        command = [*COMMAND, str(program), "-O0", "--arg", "zeros", "--save-result", str(saved)]
        with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
            try:
                with pytest.raises(subprocess.TimeoutExpired):  # By then it computes.
                    process.communicate(timeout=3)
                process.send_signal(signal.SIGINT)
                _, complaint = process.communicate(timeout=60)
            finally:
                process.kill()
        assert (process.returncode, complaint) == (130, "inplace-run: interrupted\n")
        assert [path.name for path in tmp_path.iterdir()] == ["endless.mlir"]
