// RUN: not inplace-opt %s --inplace-unfold-windows='machine="vectors=4"' 2>&1 | filecheck %s

// CHECK: error: unknown property 'vectors' of a machine; known are vector-bits, registers, l1, l2, l3, cores, load-bits
func.func @f() {
  return
}
