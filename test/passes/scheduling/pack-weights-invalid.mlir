// RUN: not inplace-opt %s --inplace-pack-weights='machine="vectors=4"' --split-input-file 2>&1 | filecheck %s
// CHECK: error: unknown property 'vectors' of a machine; known are vector-bits, registers, l1, l2, l3, cores, load-bits
func.func @h(%w: tensor<4xf32> {inplace.held}) {
  return
}
