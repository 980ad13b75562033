// RUN: not inplace-opt %s --inplace-skew-time='threads=0' 2>&1 | filecheck %s --check-prefix=THREADS
// RUN: not inplace-opt %s --inplace-skew-time='machine="l9=4"' 2>&1 | filecheck %s --check-prefix=MACHINE

// THREADS: error: the number of threads must be positive, got 0
// MACHINE: error: unknown property 'l9' of a machine; known are vector-bits, registers, l1, l2, l3, cores, load-bits
func.func @f() {
  return
}
