// RUN: inplace-opt %s --pass-pipeline='builtin.module(func.func(canonicalize{max-iterations=2},cse),inplace-one-shot-bufferize{bufferize-function-boundaries=true})' | filecheck %s
// RUN: inplace-opt %s -pass-pipeline 'canonicalize,inplace-one-shot-bufferize{function-boundaries}' | filecheck %s

// CHECK-LABEL: func.func @fill
// CHECK-SAME:  (%[[X:.*]]: f32, %[[OUT:.*]]: memref<4xf32
// CHECK-NEXT:  linalg.fill ins(%[[X]] : f32) outs(%[[OUT]]
// CHECK-NEXT:  return %[[OUT]]
func.func @fill(%x: f32, %t: tensor<4xf32>) -> tensor<4xf32> {
  %unused = arith.constant 7 : index
  %r = linalg.fill ins(%x : f32) outs(%t : tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}
