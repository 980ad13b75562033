"""Programs under load: threads that compile, call, bind and drop; processes that share a cache, and are killed."""

from __future__ import annotations

import gc
import multiprocessing
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from fast_run import scaled

import mlir_inplace as mi

PROGRAM = """
func.func @main(%a: tensor<?xf32>, %n: index) -> (tensor<?xf32>, f32) {
  %c0 = arith.constant 0 : index
  %f = arith.constant NUMBER.0 : f32
  %e = tensor.empty(%n) : tensor<?xf32>
  %t = linalg.fill ins(%f : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %x = tensor.extract %t[%c0] : tensor<?xf32>
  %r = tensor.insert %x into %a[%c0] : tensor<?xf32>
  return %r, %x : tensor<?xf32>, f32
}"""
TOO_MUCH = 1 << 45
TURNS = 60


def check(program: mi.Program, number: int, size: int) -> None:
    a = np.arange(size, dtype=np.float32) + 7
    result, x = program.main(a, size)
    assert (x, result[0]) == (number, number)
    np.testing.assert_array_equal(result[1:], a[1:])
    np.testing.assert_array_equal(a, np.arange(size, dtype=np.float32) + 7)


@pytest.mark.full
def test_eight_threads_compile_call_bind_and_drop(tmp_path: Path) -> None:
    shared = mi.compile(PROGRAM.replace("NUMBER", "3"))

    def work(thread: int) -> int:
        kept: list[np.ndarray] = []
        for turn in range(TURNS):
            number = 1 + (thread + turn) % 5
            own = mi.compile(PROGRAM.replace("NUMBER", str(number)), cache=tmp_path, opt_level=turn % 2)
            check(own, number, 5 + turn)
            check(shared, 3, 5 + thread)
            with pytest.raises(MemoryError):
                own.main(np.zeros(3, np.float32), TOO_MUCH)
            bound = own.bind(np.zeros(6, np.float32), 6)
            kept.append(bound()[0])
            del own, bound
            if turn % 3 == 0:
                gc.collect()
            assert all(array[0] >= 1 for array in kept)
        return len(kept)

    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(work, range(8))) == {TURNS}


def in_a_process(folder: str, first: int, turns: int) -> None:
    for turn in range(turns):
        number = 1 + (first + turn) % 4
        check(mi.compile(PROGRAM.replace("NUMBER", str(number)), cache=folder), number, 9)


@pytest.mark.full
@pytest.mark.parametrize("method", ["fork", "spawn"])
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_processes_share_a_cache(tmp_path: Path, method: str) -> None:
    """Each finds whole entries or none, also while others write them, and after a fork of a process with programs."""
    check(mi.compile(PROGRAM.replace("NUMBER", "2"), cache=tmp_path), 2, 4)
    context = multiprocessing.get_context(method)
    count = 8 if method == "fork" else scaled(8, least=2)
    processes = [context.Process(target=in_a_process, args=(str(tmp_path), first, 4)) for first in range(count)]
    for process in processes:
        process.start()
    for process in processes:
        process.join(300)
    assert [process.exitcode for process in processes] == [0] * count
    assert len(list(tmp_path.glob("*.object"))) == 4


def test_writers_that_are_killed_leave_no_broken_entry(tmp_path: Path) -> None:
    """Whatever they had written when they were killed, the next process compiles or loads what is right."""
    context = multiprocessing.get_context("fork")
    for turn in range(scaled(40, least=6)):
        writer = context.Process(target=in_a_process, args=(str(tmp_path), turn, 4))
        writer.start()
        time.sleep(0.03 * (turn % 10))
        os.kill(writer.pid or 0, signal.SIGKILL)
        writer.join()
    for number in range(1, 5):
        check(mi.compile(PROGRAM.replace("NUMBER", str(number)), cache=tmp_path), number, 5)


@pytest.mark.parametrize("how", ["", "import sys; sys.exit(0)", "import os; os.kill(os.getpid(), 15)"])
def test_the_interpreter_ends_with_live_results(how: str) -> None:
    """Results, bound calls and threads in calls outlive their program, or end with the process."""
    code = f"""
import threading, numpy as np, mlir_inplace as mi
program = mi.compile({PROGRAM.replace("NUMBER", "4")!r})
for _ in range(100): results = program.main(np.ones(9, np.float32), 1 << 20)
bound = program.bind(np.ones(9, np.float32), 5)
class Late:
    def __init__(self): self.view, self.call = results[0][1:], bound
    def __del__(self): assert self.view[0] == 1 and self.call()[1] == 4; print("late", flush=True)
late = Late()
late.itself = late
def run():
    while True: program.main(np.ones(9, np.float32), 1000)
for _ in range(2): threading.Thread(target=run, daemon=True).start()
print("end", flush=True)
{how}
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == (-signal.SIGTERM if "kill" in how else 0), done.stderr
    assert done.stdout.startswith("end\n")
    assert "AssertionError" not in done.stderr
