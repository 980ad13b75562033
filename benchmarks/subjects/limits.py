"""What the machine can do at best: fused multiplications and additions, and streams past the caches.

Both are measured with programs of vectors, which `mi.compile` runs on as many threads as what they are compared with.
The vectors of the chains are as wide as registers are: twelve wider ones would not fit into sixteen registers.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

import mlir_inplace as mi
from mlir_inplace.passes.analysis.schedule.machine import detect_machine

__all__ = ["Limits", "measure_limits"]

CHAINS = 12
STEPS = 1 << 20
ELEMENTS = 1 << 24

PEAK = """
func.func @main(%x: f32, %o: memref<THREADSxLANESxf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant STEPS : index
  %v = vector.broadcast %x : f32 to vector<LANESxf32>
  scf.forall (%t) in (THREADS) {
    %r:CHAINS = scf.for %i = %c0 to %n step %c1 iter_args(ARGUMENTS) -> (TYPES) {
      BODY
      scf.yield VALUES : TYPES
    }
    SUMS
    vector.store %s, %o[%t, %c0] : memref<THREADSxLANESxf32>, vector<LANESxf32>
  }
  return
}"""

TRIAD = """
func.func @main(%x: f32, %a: memref<?xf32>, %b: memref<?xf32>, %o: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %v = vector.broadcast %x : f32 to vector<16xf32>
  scf.forall (%t) in (THREADS) {
    %part = arith.constant PART : index
    %first = arith.muli %t, %part : index
    %end = arith.addi %first, %part : index
    scf.for %i = %first to %end step %c16 {
      %p = vector.load %a[%i] : memref<?xf32>, vector<16xf32>
      %q = vector.load %b[%i] : memref<?xf32>, vector<16xf32>
      %r = vector.fma %p, %v, %q : vector<16xf32>
      vector.store %r, %o[%i] {nontemporal = true, alignment = 64 : i64} : memref<?xf32>, vector<16xf32>
    }
  }
  return
}"""


@dataclass(frozen=True)
class Limits:
    """What the threads of the machine can do together.

    Attributes:
        operations: additions and multiplications of f32 a second.
        bytes: bytes that are read and written a second, by streams that go past the caches.
    """

    operations: float
    bytes: float

    def __str__(self) -> str:
        return f"{self.operations / 1e9:.0f} G operations/s, {self.bytes / 1e9:.1f} GB/s past the caches"


def measure_limits(threads: int, clock: Callable[[], float]) -> Limits:
    """Measure both on `threads` threads; the best of fifteen runs each."""
    lanes = detect_machine().lanes(32)
    peak = mi.compile(_peak(threads, lanes), threads=threads)
    sums = np.empty((threads, lanes), np.float32)
    seconds = _best(lambda: peak.main(0.5, sums), clock)
    operations = threads * STEPS * CHAINS * lanes * 2 / seconds
    text = TRIAD.replace("THREADS", str(threads)).replace("PART", str(ELEMENTS // threads // 16 * 16))
    triad = mi.compile(text, threads=threads)
    a, b, o = (_aligned(ELEMENTS) for _ in range(3))
    seconds = _best(lambda: triad.main(3.0, a, b, o), clock)
    return Limits(operations, 3 * a.nbytes / seconds)


def _peak(threads: int, lanes: int) -> str:
    """Chains of fused multiplications and additions that depend on nothing else."""
    chains = range(CHAINS)
    sums = ["%s0 = arith.addf %r#0, %r#1 : vector<LANESxf32>"]
    sums += [f"%s{i} = arith.addf %r#{i + 1}, %s{i - 1} : vector<LANESxf32>" for i in range(1, CHAINS - 2)]
    sums += [f"%s = arith.addf %r#{CHAINS - 1}, %s{CHAINS - 3} : vector<LANESxf32>"]
    parts = {
        "ARGUMENTS": ", ".join(f"%a{i} = %v" for i in chains),
        "TYPES": ", ".join("vector<LANESxf32>" for _ in chains),
        "BODY": "\n".join(f"%b{i} = vector.fma %v, %v, %a{i} : vector<LANESxf32>" for i in chains),
        "VALUES": ", ".join(f"%b{i}" for i in chains),
        "SUMS": "\n".join(sums),
        "CHAINS": str(CHAINS),
        "STEPS": str(STEPS),
        "LANES": str(lanes),
        "THREADS": str(threads),
    }
    text = PEAK
    for name, part in parts.items():
        text = text.replace(name, part)
    return text


def _aligned(count: int) -> np.ndarray:
    """Ones that begin at a cache line."""
    raw = np.ones(count + 16, np.float32)
    skip = -raw.ctypes.data % 64 // 4
    return raw[skip : skip + count]


def _best(call: Callable[[], object], clock: Callable[[], float]) -> float:
    times = []
    for _ in range(15):  # the first ones of several threads share a core, until the system moves them apart
        begin = clock()
        call()
        times.append(clock() - begin)
    return min(times)
