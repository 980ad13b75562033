"""The interpreter ends while daemon threads work in the bindings and in machine code."""

from __future__ import annotations

import subprocess
import sys

import pytest
from fast_run import is_full, scaled

BEGINNING = """
import os, threading, time
from mlir_inplace.passes.framework.interpreter_exit import in_bindings
begun = threading.Event()
def start(function):
    threading.Thread(target=function, daemon=True).start()
    begun.wait()
"""


def output_of(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=100, check=False)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    return done.stdout


def test_it_waits_for_work_that_has_begun() -> None:
    code = """
def work():
    with in_bindings(), in_bindings():
        begun.set()
        time.sleep(0.3)
        with in_bindings():
            print("done", flush=True)
start(work)
"""
    assert output_of(BEGINNING + code) == "done\n"


def test_no_other_work_begins() -> None:
    code = """
import atexit
closed = threading.Event()
def work():
    with in_bindings():
        begun.set()
        time.sleep(0.1)
    closed.wait()
    with in_bindings():
        print("begun in vain", flush=True)
def wait():
    closed.set()
    time.sleep(0.1)
    with in_bindings():
        print("the main thread may", flush=True)
import mlir_inplace.passes.framework.interpreter_exit as gate
atexit.unregister(gate._exit)
atexit.register(wait)
atexit.register(gate._exit)
start(work)
"""
    assert output_of(BEGINNING + code) == "the main thread may\n"


def test_it_waits_for_nothing_else() -> None:
    """Threads that work elsewhere, that forked, and work that raised."""
    code = """
def work():
    try:
        with in_bindings():
            raise ValueError
    except ValueError:
        begun.set()
    time.sleep(1000)
start(work)
def hold():
    with in_bindings():
        begun.set()
        time.sleep(0.3)
begun.clear()
start(hold)
if os.fork():
    _, status = os.wait()
    print("child", status, flush=True)
    os._exit(0)
start_of_exit = time.monotonic()
import mlir_inplace.passes.framework.interpreter_exit as gate
gate._gate.close()
assert time.monotonic() - start_of_exit < 30, "the child waited for a thread of its parent"
"""
    assert output_of(BEGINNING + code) == "child 0\n"


PROGRAM = """
func.func @main(%n: index) -> tensor<?xf32> {
  %f = arith.constant NUMBER.0 : f32
  %e = tensor.empty(%n) : tensor<?xf32>
  %t = linalg.fill ins(%f : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  return %t : tensor<?xf32>
}"""


@pytest.mark.parametrize("work", ["call", "compile"] if is_full() else ["compile"])
def test_threads_in_programs(work: str) -> None:
    code = f"""
import mlir_inplace as mi
program = mi.compile({PROGRAM.replace("NUMBER", "1")!r})
def call():
    while True:
        begun.set()
        program.main(5_000_000)
def compile():
    while True:
        begun.set()
        mi.compile({PROGRAM.replace("NUMBER", "2")!r}, cache=False)
class Slow:
    def __del__(self): time.sleep(0.05)
slow = Slow()
slow.itself = slow
start({work})
start({work})
time.sleep(float("LATE"))
"""
    for turn in range(scaled(40, least=2)):
        assert not output_of(BEGINNING + code.replace("LATE", str(0.23 * (turn * 0.618 % 1))))
