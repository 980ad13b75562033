// RUN: inplace-opt %s --verify-diagnostics --inplace-expand-strided-copies

func.func @unranked(%a: memref<*xf32>, %b: memref<*xf32>) {
  // expected-error @+1 {{cannot expand a copy from memref<*xf32> to memref<*xf32>: both need a rank}}
  memref.copy %a, %b : memref<*xf32> to memref<*xf32>
  return
}
