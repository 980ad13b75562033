"""What a call from C of a library that was compiled ahead of time costs beyond its native code.

    python benchmarks/ahead_of_time.py [--calls N]

For each function: nanoseconds of a call of the C function, which checks the arguments and makes the frame that native
code reads, and of native code alone on a frame that was made once.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from mlir_inplace.tools.inplace_compile import main as inplace_compile

PROGRAM = """
func.func @scalar(%x: f32) -> f32 { return %x : f32 }
func.func @add(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %0 = arith.addf %a, %b : tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func @set(%a: tensor<?x?xf32> {bufferization.writable = true}, %x: f32) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %0 = tensor.insert %x into %a[%c0, %c0] : tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}
func.func @asserted(%a: tensor<4xf32> {bufferization.writable = true}, %x: f32) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %fine = arith.cmpf ogt, %x, %zero : f32
  cf.assert %fine, "not positive"
  %0 = tensor.insert %x into %a[%c0] : tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func @five(%a: tensor<4xf32>, %b: tensor<4xf32>, %c: tensor<4xf32>, %d: tensor<4xf32>,
                %e: tensor<2x2xf32> {bufferization.writable = true}) -> tensor<2x2xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = tensor.extract %a[%c1] : tensor<4xf32>
  %1 = tensor.extract %b[%c1] : tensor<4xf32>
  %2 = tensor.extract %c[%c1] : tensor<4xf32>
  %3 = tensor.extract %d[%c1] : tensor<4xf32>
  %4 = arith.addf %0, %1 : f32
  %5 = arith.addf %2, %3 : f32
  %6 = arith.addf %4, %5 : f32
  %7 = tensor.insert %6 into %e[%c0, %c0] : tensor<2x2xf32>
  return %7 : tensor<2x2xf32>
}
"""

LOOPS = """
#include <stdio.h>
#include <string.h>
#include <time.h>
#include "calls.h"

int64_t native_scalar(void **) __asm__("calls_scalar.contiguous");
int64_t native_add(void **) __asm__("calls_add.contiguous");
int64_t native_set(void **) __asm__("calls_set.contiguous");
int64_t native_asserted(void **) __asm__("calls_asserted.contiguous");
int64_t native_five(void **) __asm__("calls_five.contiguous");

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return 1e9 * t.tv_sec + t.tv_nsec;
}

/* The least time of a call in rounds of 100000. */
#define MEASURE(call)                                                    \\
  ({                                                                     \\
    double least = 1e30;                                                 \\
    for (long round = 0; round < ROUNDS; ++round) {                      \\
      double start = now();                                              \\
      for (int i = 0; i < 100000; ++i) call;                             \\
      double each = (now() - start) / 100000;                            \\
      if (each < least) least = each;                                    \\
    }                                                                    \\
    least;                                                               \\
  })

#define SHOW(name, call, words)                                          \\
  do {                                                                   \\
    void *table[64];                                                     \\
    for (int i = 0; i < 64; ++i) table[i] = (words)[i];                  \\
    double whole = MEASURE(call), alone = MEASURE(native_##name(table)); \\
    printf("%-8s %6.1f ns, native code %6.1f ns, over it %6.1f ns\\n", #name, whole, alone, whole - alone); \\
  } while (0)

int main(void) {
  float m[5][4] = {{1, 2, 3, 4}}, out[4], x = 2, y;
  int64_t zero = 0, one = 1, two = 2, four = 4;
  calls_f32_1d a = calls_f32_1d_of(m[0], 4), b = calls_f32_1d_of(m[1], 4), r = calls_f32_1d_of(out, 4);
  calls_f32_1d c = calls_f32_1d_of(m[2], 4), d = calls_f32_1d_of(m[3], 4);
  calls_f32_2d e = calls_f32_2d_of(m[4], 2, 2);
  void *data[5], *results = out;
  for (int i = 0; i < 5; ++i) data[i] = m[i];
  void *f0[64] = {&x, &y};
#define ONE(p) &p, &p, &zero, &four, &one
#define TWO(p) &p, &p, &zero, &two, &two, &two, &one
  void *f1[64] = {ONE(data[0]), ONE(data[1]), ONE(results)};
  void *f2[64] = {TWO(data[4]), &x};
  void *f3[64] = {ONE(data[0]), ONE(data[1]), ONE(data[2]), ONE(data[3]), TWO(data[4])};
  void *f4[64] = {ONE(data[0]), &x};
  SHOW(scalar, calls_scalar(x, &y), f0);
  SHOW(add, calls_add(&a, &b, &r), f1);
  SHOW(set, calls_set(&e, x), f2);
  SHOW(asserted, calls_asserted(&a, x), f4);
  SHOW(five, calls_five(&a, &b, &c, &d, &e), f3);
  return 0;
}
"""


def main() -> int:
    """Compile, measure, print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--calls", type=int, default=2_000_000, help="how many calls of each")
    parser.add_argument("--target-cpu", default="x86-64-v2,x86-64-v3,x86-64-v4")
    settings = parser.parse_args()
    compiler = shutil.which("cc")
    if compiler is None:
        sys.exit("there is no C compiler")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "calls.mlir").write_text(PROGRAM)
        (folder / "loops.c").write_text(LOOPS)
        outputs = ["-o", str(folder / "libcalls.so"), "--header", str(folder / "calls.h")]
        if inplace_compile([str(folder / "calls.mlir"), *outputs, "--target-cpu", settings.target_cpu]):
            return 1
        rounds = f"-DROUNDS={max(1, settings.calls // 100_000)}"
        built = [compiler, "-O2", rounds, "loops.c", "-I.", "-L.", "-lcalls", "-Wl,-rpath,.", "-o", "loops"]
        subprocess.run(built, cwd=folder, check=True)
        subprocess.run(["./loops"], cwd=folder, check=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
