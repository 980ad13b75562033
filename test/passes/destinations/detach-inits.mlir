// RUN: inplace-opt %s --split-input-file --inplace-detach-inits | filecheck %s
// RUN: inplace-opt %s --split-input-file --inplace-detach-inits --inplace-detach-inits | filecheck %s

// It must not be written.
// CHECK-LABEL: func.func @not_writable
func.func @not_writable(%x: tensor<?x4xf32>, %z: tensor<?x4xf32> {bufferization.writable = false}) -> tensor<?x4xf32> {
  // CHECK: %[[D:.*]] = tensor.dim %[[Z:.*]], %{{.*}}
  // CHECK: %[[E:.*]] = tensor.empty(%[[D]])
  // CHECK: linalg.exp {{.*}} outs(%[[E]]
  %m = linalg.exp ins(%x : tensor<?x4xf32>) outs(%z : tensor<?x4xf32>) -> tensor<?x4xf32>
  return %m : tensor<?x4xf32>
}

// -----

// It is read later.
// CHECK-LABEL: func.func @read_later
func.func @read_later(%x: tensor<4xf32>, %z: tensor<4xf32>, %j: index) -> (tensor<4xf32>, tensor<4xf32>) {
  // CHECK: %[[E:.*]] = tensor.empty()
  // CHECK: linalg.exp {{.*}} outs(%[[E]]
  // CHECK: return %{{.*}}, %arg1
  %m = linalg.exp ins(%x : tensor<4xf32>) outs(%z : tensor<4xf32>) -> tensor<4xf32>
  return %m, %z : tensor<4xf32>, tensor<4xf32>
}

// -----

// It is in place.
// CHECK-LABEL: func.func @in_place
func.func @in_place(%x: tensor<4xf32>, %z: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK-NOT: tensor.empty
  // CHECK: return
  %m = linalg.exp ins(%x : tensor<4xf32>) outs(%z : tensor<4xf32>) -> tensor<4xf32>
  return %m : tensor<4xf32>
}

// -----

// It is read by the op.
// CHECK-LABEL: func.func @read
func.func @read(%x: tensor<4x4xf32>, %z: tensor<4x4xf32> {bufferization.writable = false}) -> tensor<4x4xf32> {
  // CHECK-NOT: tensor.empty
  // CHECK: return
  %m = linalg.matmul ins(%x, %x : tensor<4x4xf32>, tensor<4x4xf32>) outs(%z : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %m : tensor<4x4xf32>
}

// -----

// A slice of what must not be written is only a place for the result.
// CHECK-LABEL: func.func @slice
func.func @slice(%x: tensor<4xf32>, %z: tensor<8xf32> {bufferization.writable = false}) -> tensor<4xf32> {
  // CHECK-NOT: tensor.extract_slice
  // CHECK: %[[E:.*]] = tensor.empty()
  // CHECK: linalg.exp {{.*}} outs(%[[E]]
  %s = tensor.extract_slice %z[2] [4] [1] : tensor<8xf32> to tensor<4xf32>
  %m = linalg.exp ins(%x : tensor<4xf32>) outs(%s : tensor<4xf32>) -> tensor<4xf32>
  return %m : tensor<4xf32>
}
