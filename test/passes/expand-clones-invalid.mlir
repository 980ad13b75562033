// RUN: inplace-opt %s --verify-diagnostics --inplace-expand-clones

func.func @unranked(%a: memref<*xf32>) -> memref<*xf32> {
  // expected-error @+1 {{cannot clone a memref<*xf32>: it needs a rank; cast it to a ranked memref first}}
  %0 = bufferization.clone %a : memref<*xf32> to memref<*xf32>
  return %0 : memref<*xf32>
}
