// RUN: inplace-opt %s --inplace-detach-inits | filecheck %s

// The diagonal is all that is written: the rest of the init is the result's.
// CHECK-LABEL: func.func @diagonal
func.func @diagonal(%x: tensor<4xf32>, %z: tensor<4x4xf32> {bufferization.writable = false}) -> tensor<4x4xf32> {
  // CHECK-NOT: tensor.empty
  // CHECK: return
  %m = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i, i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<4xf32>) outs(%z : tensor<4x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
  } -> tensor<4x4xf32>
  return %m : tensor<4x4xf32>
}
