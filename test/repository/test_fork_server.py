"""lit says the same with the fork server as with fresh processes; what hangs is killed; forks are like processes."""

from __future__ import annotations

import json
import os
import re
import select
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from fast_run import sample
from fork_server import ForkServer
from forked_python import ForkingPopen, run_program
from lit_suite import ROOT, run_lit, run_lit_test

CASES = r"""
passes: PASS
// RUN: %python -c 'pass'

exits: FAIL
// RUN: %python -c 'raise SystemExit(3)'

exits-with-a-text: FAIL
// RUN: %python -c 'raise SystemExit("why")'

raises: FAIL
// RUN: %python -c '1 / 0'

is-killed: FAIL
// RUN: %python -c 'import os; os.kill(os.getpid(), 9)'

not-of-what-is-killed: FAIL
// RUN: not %python -c 'import os; os.kill(os.getpid(), 9)'

not-of-what-exits: PASS
// RUN: not %python -c 'raise SystemExit(3)'

not-of-what-passes: FAIL
// RUN: not %python -c 'pass'

wrong-text: FAIL
// RUN: echo wrong | filecheck %s
// CHECK: right

no-command: UNRESOLVED
// a test without a command

missing-feature: UNSUPPORTED
// REQUIRES: no-such-feature
// RUN: %python -c 'pass'

fails-as-expected: XFAIL
// XFAIL: *
// RUN: %python -c 'raise SystemExit(3)'

passes-against-expectation: XPASS
// XFAIL: *
// RUN: %python -c 'pass'

unknown-program: FAIL
// RUN: no-such-program

order-of-streams: PASS
// DEFINE: %{w} = %python -c 'import sys; print("1 out", flush=True); print("2 err", file=sys.stderr); print("3 out")'
// RUN: %{w}
// RUN: %{w} 2>&1 | filecheck %s
// RUN: %{w} > %t 2>&1 && filecheck %s < %t
// RUN: %{w} 2> %t >/dev/null && filecheck --check-prefix=ERROR %s < %t
// CHECK: 1 out
// CHECK-NEXT: 2 err
// CHECK-NEXT: 3 out
// ERROR-NOT: out
// ERROR: 2 err
// ERROR-NOT: out

native-output: PASS
// RUN: %python -c 'import ctypes; ctypes.CDLL(None).printf(b"native\n"); print("ours")'

a-pipe-that-nobody-reads: PASS
// RUN: %python -c 'print("line\n" * 100000)' | %python -c 'import os; os.close(0)'

in-pieces: PASS
// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: %python -c \
// RUN:   'import os, sys; open("a", "w").write(f"{os.getcwd()} {sys.argv} {sys.path[0]!r} {os.umask(0)}")' b c
// RUN: %python -c 'import sys; print(sys.stdin.read())' < a | filecheck %s
// CHECK: Output/in-pieces.mlir.tmp ['-c', 'b', 'c'] ''

variables: PASS
// DEFINE: %{show} = %python -c 'import os; print(sorted(v for v in os.environ.items() if "MP" not in v[0]))'
// RUN: %{show}
// RUN: env A=1 %{show} | filecheck %s --check-prefix=ENV
// RUN: env -u HOME %{show}
// RUN: export A=2
// RUN: %{show} | filecheck %s
// ENV: ('A', '1')
// CHECK: ('A', '2')

inplace-opt: PASS
// RUN: inplace-opt %s --print-op-stats -o %t 2>&1 | filecheck %s
// RUN: not inplace-opt %s --no-such-flag 2>&1
// RUN: not inplace-opt %s --inplace-tile=tile-sizes=-1
// CHECK: func.func , 1
func.func @f() { return }

inplace-run: FAIL
// RUN: inplace-run %s --arg iota --print-result
// RUN: inplace-run %s --arg ones --check a0
func.func @main(%a: tensor<3xi64>) -> tensor<3xi64> {
  %0 = arith.addi %a, %a : tensor<3xi64>
  return %0 : tensor<3xi64>
}

inplace-check: FAIL
// RUN: inplace-check %s --rounds=1
// RUN: inplace-check %s --rounds=0
func.func @main(%a: tensor<3xi64>) -> tensor<3xi64> {
  return %a : tensor<3xi64>
}
"""
PARTS = sample(
    [re.fullmatch(r"(\S+): (\w+)\n(.*)", part, re.DOTALL).groups() for part in CASES.strip().split("\n\n")], least=10
)


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """lit.cfg.py applied to another folder."""
    folder = tmp_path_factory.mktemp("suite")
    (folder / "lit.cfg.py").write_text((ROOT / "lit.cfg.py").read_text())
    for name, _, text in PARTS:
        (folder / f"{name}.mlir").write_text(f"{text}\n")
    return folder


@pytest.fixture(scope="module")
def lit_report(suite: Path) -> dict[str, tuple[str, str]]:
    """What lit says of each test, with fresh processes."""
    run_lit("-q", "--output", "report.json", ".", cwd=suite)
    records = json.loads((suite / "report.json").read_text())["tests"]
    return {record["name"].partition(" :: ")[2]: (record["code"], record["output"]) for record in records}


@pytest.mark.parametrize(("name", "code"), [part[:2] for part in PARTS], ids=[part[0] for part in PARTS])
def test_lit_says_the_same(
    suite: Path, lit_report: dict[str, tuple[str, str]], fork_server: ForkServer, name: str, code: str
) -> None:
    said = fork_server.call(run_lit_test, suite / f"{name}.mlir")
    assert said == lit_report[f"{name}.mlir"]
    assert said[0] == code


@pytest.fixture
def bare_server() -> Iterator[ForkServer]:
    """A server without modules, which starts quickly and may die."""
    server = ForkServer({"PATH": os.environ["PATH"]})
    yield server
    server.kill()


def test_what_hangs_is_killed_with_its_children(bare_server: ForkServer, tmp_path: Path) -> None:
    pipe = str(tmp_path / "pipe")
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    child = f"import time; f = open({pipe!r}, 'w'); print('started', file=f, flush=True); time.sleep(1000)"
    bare_server.call(exec, f"import subprocess; subprocess.Popen([{sys.executable!r}, '-c', {child!r}])")
    assert read_when_there_is_something(reader) == b"started\n"
    with pytest.raises(TimeoutError, match="no answer in 0.1 s: sleep"):
        bare_server.call_within(0.1, time.sleep, 1000)
    assert read_when_there_is_something(reader) == b""  # There is nobody who writes.
    assert bare_server.call(len, "abc") == 3
    os.close(reader)


def read_when_there_is_something(reader: int) -> bytes:
    assert select.select([reader], [], [], 60)[0]
    return os.read(reader, 100)


def test_a_server_that_ends_is_told_and_started_again(bare_server: ForkServer) -> None:
    with pytest.raises(EOFError):
        bare_server.call(os._exit, 3)
    assert bare_server.call(len, "abc") == 3


def test_commands_are_forks_unless_they_have_variables_of_their_own(fork_server: ForkServer, tmp_path: Path) -> None:
    (tmp_path / "lit.cfg.py").write_text((ROOT / "lit.cfg.py").read_text())
    show = "%python -c 'import sys; print(\"mlir_inplace.tools\" in sys.modules)'"
    (tmp_path / "case.mlir").write_text(f"// RUN: {show}\n// RUN: env A=1 {show}\n")
    code, output = fork_server.call(run_lit_test, tmp_path / "case.mlir")
    assert code == "PASS"
    assert re.findall("# [|] (.*)", output) == ["True", "False"]


def test_only_forks_have_redirections() -> None:
    with pytest.raises(ValueError, match=r"only a fork has redirections, and this command is none: \['true'\]"):
        ForkingPopen(["true"], redirections={1: None})


def test_a_path_to_the_interpreter_may_have_dots(fork_server: ForkServer) -> None:
    folder, _, name = sys.executable.rpartition("/")
    dotted = f"{folder}/../{Path(folder).name}/{name}"
    code = "import sys; print('mlir_inplace.tools' in sys.modules)"
    assert fork_server.call(run_program, [dotted, "-c", code], text=True).stdout == "True\n"
