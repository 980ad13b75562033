// One function calls another. @add_row updates its first argument and only reads its second; both are known at each
// call, so the two calls work on one buffer, and the vector that both read is never copied.
//
//   inplace-run examples/call.mlir --arg iota --arg ones --check 'a0 + 2 * a1' --print-result

#row = affine_map<(i, j) -> (j)>
#all = affine_map<(i, j) -> (i, j)>

func.func private @add_row(%t: tensor<3x4xf32>, %row: tensor<4xf32>) -> tensor<3x4xf32> {
  %0 = linalg.generic {indexing_maps = [#row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%row : tensor<4xf32>) outs(%t : tensor<3x4xf32>) {
  ^bb0(%r: f32, %x: f32):
    %1 = arith.addf %r, %x : f32
    linalg.yield %1 : f32
  } -> tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}

func.func @main(%t: tensor<3x4xf32>, %row: tensor<4xf32>) -> tensor<3x4xf32> {
  %once = func.call @add_row(%t, %row) : (tensor<3x4xf32>, tensor<4xf32>) -> tensor<3x4xf32>
  %twice = func.call @add_row(%once, %row) : (tensor<3x4xf32>, tensor<4xf32>) -> tensor<3x4xf32>
  return %twice : tensor<3x4xf32>
}

// RUN: inplace-run %s --arg iota --arg ones --check 'a0 + 2 * a1'
// RUN: inplace-opt %s --inplace-one-shot-bufferize='bufferize-function-boundaries' | filecheck %s
// CHECK-LABEL: func.func private @add_row
// CHECK-SAME: %[[T:.*]]: memref<3x4xf32
// CHECK: linalg.generic {{.*}} outs(%[[T]] :
// CHECK-LABEL: func.func @main
// CHECK-NOT: memref.alloc
// CHECK-NOT: memref.copy
// CHECK: call @add_row
// CHECK: call @add_row
// CHECK-NOT: memref.copy
// CHECK: return
