"""The team of threads: every part is computed once, whoever is there; in threads, forks and regions within regions."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from fast_run import scaled

import mlir_inplace as mi
from mlir_inplace.runtime.native.openmp import find_openmp
from mlir_inplace.runtime.native.thread_team import has_team

pytestmark = pytest.mark.skipif(not has_team(), reason="threads of our own run on Linux only")

COUNT = """
func.func @main(%a: tensor<?xi64>, %n: index, %m: index) -> tensor<?xi64> {
  %r = scf.forall (%i, %j) in (%n, %m) shared_outs(%o = %a) -> tensor<?xi64> {
    %row = arith.muli %i, %m : index
    %k = arith.addi %row, %j : index
    %s = tensor.extract_slice %o[%k] [1] [1] : tensor<?xi64> to tensor<1xi64>
    %x = linalg.generic {
        indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%s : tensor<1xi64>) {
    ^bb0(%old: i64):
      %number = arith.index_cast %k : index to i64
      %new = arith.addi %old, %number : i64
      linalg.yield %new : i64
    } -> tensor<1xi64>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %x into %o[%k] [1] [1] : tensor<1xi64> into tensor<?xi64>
    }
  }
  return %r : tensor<?xi64>
}"""
"""Adds its number to each element: a part that runs twice, or never, shows."""

NESTED = """
func.func @main(%a: tensor<6x40xi64>) -> tensor<6x40xi64> {
  %r = scf.forall (%i) in (6) shared_outs(%o = %a) -> tensor<6x40xi64> {
    %s = tensor.extract_slice %o[%i, 0] [1, 40] [1, 1] : tensor<6x40xi64> to tensor<40xi64>
    %t = scf.forall (%j) in (40) shared_outs(%p = %s) -> tensor<40xi64> {
      %e = tensor.extract_slice %p[%j] [1] [1] : tensor<40xi64> to tensor<1xi64>
      %x = linalg.generic {
          indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%e : tensor<1xi64>) {
      ^bb0(%old: i64):
        %new = arith.addi %old, %old : i64
        linalg.yield %new : i64
      } -> tensor<1xi64>
      scf.forall.in_parallel { tensor.parallel_insert_slice %x into %p[%j] [1] [1] : tensor<1xi64> into tensor<40xi64> }
    }
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %t into %o[%i, 0] [1, 40] [1, 1] : tensor<40xi64> into tensor<6x40xi64>
    }
  }
  return %r : tensor<6x40xi64>
}"""

SUMS = """
func.func @main(%a: tensor<40x33xf32>) -> tensor<40xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c33 = arith.constant 33 : index
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<40xf32>
  %r = scf.forall (%i) in (40) shared_outs(%o = %e) -> (tensor<40xf32>) {
    %sum = scf.parallel (%j) = (%c0) to (%c33) step (%c1) init (%zero) -> f32 {
      %x = tensor.extract %a[%i, %j] : tensor<40x33xf32>
      scf.reduce(%x : f32) {
      ^bb0(%p: f32, %q: f32):
        %s = arith.addf %p, %q : f32
        scf.reduce.return %s : f32
      }
    }
    %t = tensor.from_elements %sum : tensor<1xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %t into %o[%i] [1] [1] : tensor<1xf32> into tensor<40xf32>
    }
  }
  return %r : tensor<40xf32>
}"""


def check(program: mi.Program, n: int, m: int) -> None:
    a = np.arange(n * m, dtype=np.int64)[::-1] * 1000
    np.testing.assert_array_equal(program.main(a, n, m), a + np.arange(n * m))


@pytest.mark.parametrize("threads", [2, 3, 7])
def test_each_iteration_runs_once(threads: int) -> None:
    program = mi.compile(COUNT, threads=threads)
    for n, m in [(0, 5), (5, 0), (1, 1), (2, 1), (1, 3), (7, 13), (97, 101), (1, 5000)]:
        for _ in range(scaled(50)):
            check(program, n, m)


def test_a_region_within_a_region() -> None:
    program = mi.compile(NESTED, threads=3)
    a = np.arange(240, dtype=np.int64).reshape(6, 40)
    for _ in range(scaled(100)):
        np.testing.assert_array_equal(program.main(a), 2 * a)


@pytest.mark.parametrize("threads", [2, 5])
def test_sums_of_parallel_loops_do_not_depend_on_threads(threads: int) -> None:
    values = np.random.default_rng(0).standard_normal((40, 33)).astype(np.float32) * 10.0 ** np.arange(-16, 17)
    one, several = (mi.compile(SUMS, threads=count) for count in (1, threads))
    wanted = one.main(values.astype(np.float32))
    np.testing.assert_allclose(wanted, values.sum(axis=1), rtol=1e-3)
    for _ in range(scaled(20)):
        np.testing.assert_array_equal(several.main(values.astype(np.float32)), wanted)


def test_several_threads_call() -> None:
    """One of them has the team, the others compute alone, without waiting for it."""
    programs = [mi.compile(COUNT, threads=threads) for threads in (2, 4)]
    start = threading.Barrier(4)

    def work(number: int) -> None:
        start.wait()
        for _ in range(scaled(200)):
            check(programs[number % 2], 11 + number, 17)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(4)))


def test_threads_leave_a_long_region_and_come_back() -> None:
    """They offer their processor to another process between two parts, of which each is computed once all the same."""
    program = mi.compile(COUNT, threads=3)
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(2)]
    try:
        for _ in range(scaled(20)):
            check(program, 40, 50_000)
    finally:
        for process in busy:
            process.kill()
            process.wait()


def test_threads_that_leave_all_the_time() -> None:
    """As the one above, with slices of some microseconds: hardly any region of that one is left with parts to do."""
    code = f"""
import numpy as np, mlir_inplace as mi
from mlir_inplace.runtime.native import team_code
for name in ("_NEXT", "OFFER"):
    text = getattr(team_code, name)
    assert text.count(str(team_code.SLICE)) == 1
    setattr(team_code, name, text.replace(str(team_code.SLICE), "20000"))
program = mi.compile('''{COUNT}''', threads=3)
for n, m in [(7, 13), (40, 5000), (1, 5000)]:
    numbers = np.arange(n * m)
    for _ in range({scaled(300)}):
        np.testing.assert_array_equal(program.main(numbers, n, m), 2 * numbers)
"""
    subprocess.run([sys.executable, "-c", code], check=True, timeout=600)


def test_threads_keep_to_the_processors_that_they_may_use() -> None:
    """Where the caller has the only one they do not move; where there are more, they may use all afterwards."""
    code = f"""
import os, numpy as np, mlir_inplace as mi
program = mi.compile('''{COUNT}''', threads=3)
zeros = np.zeros(10_000, np.int64)
def tasks():
    return [int(task) for task in os.listdir("/proc/self/task")]
def check(wanted):
    for _ in range(50):
        np.testing.assert_array_equal(program.main(zeros, 100, 100), np.arange(10_000))
    while {{frozenset(os.sched_getaffinity(task)) for task in tasks()}} != {{wanted}}:
        pass  # A thread that moves has fewer for a moment.
allowed = frozenset(os.sched_getaffinity(0))
check(allowed)
one = frozenset([min(allowed)])
for task in tasks():
    os.sched_setaffinity(task, one)
check(one)
"""
    subprocess.run([sys.executable, "-c", code], check=True, timeout=600)


def test_threads_wake_after_the_interpreter_has_ended() -> None:
    """Here from a nap, and what is left of the process takes longer: their code is still there."""
    code = f"""
import ctypes, os, time, numpy as np, mlir_inplace as mi
from mlir_inplace.runtime.native import team_code
assert "usleep(100000)" in team_code.MOVE_AWAY
team_code.MOVE_AWAY = team_code.MOVE_AWAY.replace("usleep(100000)", "usleep(1000000)")
os.sched_setaffinity(0, [min(os.sched_getaffinity(0))])
program = mi.compile('''{COUNT}''', threads=2)
zeros, end = np.zeros(10_000, np.int64), time.monotonic() + 0.5
while time.monotonic() < end:
    program.main(zeros, 100, 100)
libc = ctypes.CDLL(None)
libc.__cxa_atexit(libc.usleep, ctypes.c_void_p(1_500_000), None)
"""
    subprocess.run([sys.executable, "-c", code], check=True, timeout=600)


def test_a_child_makes_threads_of_its_own() -> None:
    """Its parent's are gone after a fork, also if one of the parent's threads was in a region then."""
    program = mi.compile(COUNT, threads=2)
    check(program, 50, 60)
    stop = threading.Event()

    def call() -> None:
        while not stop.is_set():
            check(program, 40, 30)

    caller = threading.Thread(target=call)
    caller.start()
    try:
        for _ in range(scaled(20)):
            child = os.fork()
            if child == 0:  # pragma: no cover
                try:
                    check(mi.compile(COUNT, threads=2), 30, 20)
                    os._exit(0)
                finally:
                    os._exit(1)
            assert os.waitpid(child, 0)[1] == 0
    finally:
        stop.set()
        caller.join()


def test_the_process_ends_while_threads_look_for_work() -> None:
    code = f"""
import numpy as np, mlir_inplace as mi
program = mi.compile('''{COUNT}''', threads=3)
print(program.main(np.zeros(20, np.int64), 4, 5).sum())
"""
    for _ in range(scaled(10)):
        run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
        assert (run.returncode, run.stdout, run.stderr) == (0, "190\n", "")


def test_threads_of_ours_get_no_signals() -> None:
    """Python's handler runs in the main thread, which a signal must wake."""
    code = f"""
import os, signal, numpy as np, mlir_inplace as mi
program = mi.compile('''{COUNT}''', threads=3)
program.main(np.zeros(20, np.int64), 4, 5)
wanted = 1 << signal.SIGINT - 1 | 1 << signal.SIGTERM - 1
faults = 1 << signal.SIGSEGV - 1 | 1 << signal.SIGFPE - 1
with_faults = 1
while with_faults:  # The C library blocks all signals until a thread has begun.
    masks = [open(f"/proc/self/task/{{task}}/status").read() for task in os.listdir("/proc/self/task")]
    blocked = [int(mask.split("SigBlk:")[1].split()[0], 16) for mask in masks]
    with_faults = sum(mask & faults != 0 for mask in blocked)
print(sum(mask & wanted == wanted for mask in blocked), with_faults)
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert run.stdout == "2 0\n"


@pytest.mark.skipif(find_openmp() is None, reason="there is no OpenMP runtime")
def test_a_runtime_of_openmp_may_be_named() -> None:
    check(mi.compile(COUNT, threads=2, shared_libs=[find_openmp() or ""]), 20, 30)


def test_other_ops_of_openmp_need_its_runtime() -> None:
    text = """
    func.func @main(%a: memref<4xf32>) {
      omp.parallel {
        omp.barrier
        omp.terminator
      }
      return
    }"""
    with pytest.raises(mi.PassError, match=r"'omp.barrier' cannot be run: it needs a runtime of OpenMP; name its lib"):
        mi.compile(text, threads=2)


def test_code_from_the_cache_runs_on_threads(tmp_path: Path) -> None:
    for _ in range(2):
        check(mi.compile(COUNT, threads=2, cache=tmp_path), 20, 30)
    assert list(tmp_path.iterdir())
