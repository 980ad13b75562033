// RUN: inplace-opt %s --inplace-one-shot-bufferize=bufferize-function-boundaries | filecheck %s

// CHECK-LABEL: func.func @transfers(
// CHECK-SAME:    %[[T:.*]]: memref<?x8xf32
// CHECK-NEXT:    %[[V:.*]] = vector.transfer_read %[[T]][{{.*}} {in_bounds = [true]} : memref<
// CHECK:         vector.transfer_write %{{.*}}, %[[T]][{{.*}} {in_bounds = [true]} :
// CHECK-NEXT:    return %[[T]]
func.func @transfers(%t: tensor<?x8xf32>, %i: index, %f: f32) -> tensor<?x8xf32> {
  %0 = vector.transfer_read %t[%i, %i], %f {in_bounds = [true]} : tensor<?x8xf32>, vector<4xf32>
  %1 = arith.addf %0, %0 : vector<4xf32>
  %2 = vector.transfer_write %1, %t[%i, %i] {in_bounds = [true]} : vector<4xf32>, tensor<?x8xf32>
  return %2 : tensor<?x8xf32>
}

// CHECK-LABEL: func.func @read_after_write(
// CHECK-SAME:    %[[T:.*]]: memref<8xf32
// CHECK-NEXT:    %[[A:.*]] = memref.alloc()
// CHECK-NEXT:    memref.copy %[[T]], %[[A]]
// CHECK-NEXT:    vector.transfer_write %{{.*}}, %[[A]][
// CHECK-NEXT:    %[[V:.*]] = vector.transfer_read %[[T]][
// CHECK-NEXT:    return %[[A]], %[[V]]
func.func @read_after_write(%t: tensor<8xf32>, %v: vector<4xf32>, %i: index, %f: f32)
    -> (tensor<8xf32>, vector<4xf32>) {
  %0 = vector.transfer_write %v, %t[%i] : vector<4xf32>, tensor<8xf32>
  %1 = vector.transfer_read %t[%i], %f : tensor<8xf32>, vector<4xf32>
  return %0, %1 : tensor<8xf32>, vector<4xf32>
}

// CHECK-LABEL: func.func @masked(
// CHECK-SAME:    %[[T:.*]]: memref<{{.*}}, %[[M:.*]]: vector<4xi1>
// CHECK-NEXT:    %[[V:.*]] = vector.transfer_read %[[T]][{{.*}}, %[[M]] : memref<
// CHECK-NEXT:    vector.transfer_write %[[V]], %[[T]][{{.*}}, %[[M]] :
// CHECK-NEXT:    return %[[T]]
func.func @masked(%t: tensor<8xf32>, %v: vector<4xf32>, %m: vector<4xi1>, %i: index, %f: f32) -> tensor<8xf32> {
  %0 = vector.transfer_read %t[%i], %f, %m : tensor<8xf32>, vector<4xf32>
  %1 = vector.transfer_write %0, %t[%i], %m : vector<4xf32>, tensor<8xf32>
  return %1 : tensor<8xf32>
}
