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

// CHECK-LABEL: func.func @gather_and_scatter(
// CHECK-SAME:    %[[T:[^:]*]]: memref<2x8xf32
// CHECK:         %[[B:.*]], %[[O:.*]], %{{.*}}:2, %[[S:.*]]:2 = memref.extract_strided_metadata %[[T]]
// CHECK:         %[[L:.*]] = memref.reinterpret_cast %[[T]] to offset: [%{{.*}}], sizes: [%{{.*}}], strides: [1]
// CHECK-NEXT:    %[[I:.*]] = arith.index_cast %{{.*}} : vector<4xi32> to vector<4xindex>
// CHECK-NEXT:    vector.broadcast %[[S]]#1
// CHECK:         vector.gather %[[L]][%{{.*}}] {{.*}} : memref<?xf32, strided<[1], offset: ?>>
// CHECK:         vector.scatter %{{.*}} : memref<?xf32, strided<[1], offset: ?>>
// CHECK-NEXT:    return %[[T]]
func.func @gather_and_scatter(%t: tensor<2x8xf32>, %x: vector<4xi32>, %m: vector<4xi1>, %v: vector<4xf32>, %i: index)
    -> tensor<2x8xf32> {
  %0 = vector.gather %t[%i, %i] [%x], %m, %v
      : tensor<2x8xf32>, vector<4xi32>, vector<4xi1>, vector<4xf32> into vector<4xf32>
  %1 = vector.scatter %t[%i, %i] [%x], %m, %0
      : tensor<2x8xf32>, vector<4xi32>, vector<4xi1>, vector<4xf32> -> tensor<2x8xf32>
  return %1 : tensor<2x8xf32>
}

// CHECK-LABEL: func.func @scatter_to_unit_strides(
// CHECK-NEXT:    %[[A:.*]] = memref.alloc()
// CHECK-NEXT:    vector.scatter %[[A]][%{{.*}}] {{.*}} : memref<8xf32>
// CHECK-NEXT:    return %[[A]]
func.func @scatter_to_unit_strides(%x: vector<4xi32>, %m: vector<4xi1>, %v: vector<4xf32>, %i: index)
    -> tensor<8xf32> {
  %0 = tensor.empty() : tensor<8xf32>
  %1 = vector.scatter %0[%i] [%x], %m, %v
      : tensor<8xf32>, vector<4xi32>, vector<4xi1>, vector<4xf32> -> tensor<8xf32>
  return %1 : tensor<8xf32>
}

// CHECK-LABEL: func.func @masks(
// CHECK-SAME:    %[[T:[^:]*]]: memref<8xf32
// CHECK-SAME:    %[[M:[^:]*]]: vector<4xi1>
// CHECK-NEXT:    %[[V:.*]] = vector.mask %[[M]] { vector.transfer_read %[[T]][
// CHECK-NEXT:    vector.mask %[[M]] { vector.transfer_write %[[V]], %[[T]][{{.*}} } : vector<4xi1>
// CHECK-NEXT:    return %[[T]]
func.func @masks(%t: tensor<8xf32>, %m: vector<4xi1>, %i: index, %f: f32) -> tensor<8xf32> {
  %0 = vector.mask %m { vector.transfer_read %t[%i], %f : tensor<8xf32>, vector<4xf32> } : vector<4xi1> -> vector<4xf32>
  %1 = vector.mask %m { vector.transfer_write %0, %t[%i] : vector<4xf32>, tensor<8xf32> }
      : vector<4xi1> -> tensor<8xf32>
  return %1 : tensor<8xf32>
}

// The copy comes in front of the mask, which holds one op only.
// CHECK-LABEL: func.func @mask_out_of_place(
// CHECK-SAME:    %[[T:[^:]*]]: memref<8xf32
// CHECK-NEXT:    %[[A:.*]] = memref.alloc()
// CHECK-NEXT:    memref.copy %[[T]], %[[A]]
// CHECK-NEXT:    vector.mask %{{.*}} { vector.transfer_write %{{.*}}, %[[A]][
// CHECK-NEXT:    return %[[A]], %[[T]]
func.func @mask_out_of_place(%t: tensor<8xf32>, %m: vector<4xi1>, %v: vector<4xf32>, %i: index)
    -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = vector.mask %m { vector.transfer_write %v, %t[%i] : vector<4xf32>, tensor<8xf32> }
      : vector<4xi1> -> tensor<8xf32>
  return %0, %t : tensor<8xf32>, tensor<8xf32>
}

// CHECK-LABEL: func.func @mask_of_nothing(
// CHECK-SAME:    %[[T:[^:]*]]: memref<8xf32
// CHECK-NEXT:    return %[[T]]
func.func @mask_of_nothing(%t: tensor<8xf32>, %m: vector<4xi1>) -> tensor<8xf32> {
  %0 = vector.mask %m { vector.yield %t : tensor<8xf32> } : vector<4xi1> -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// The first write does not reach what the read needs.
// CHECK-LABEL: func.func @boxes_apart(
// CHECK-NOT:     memref.alloc
// CHECK:         return
func.func @boxes_apart(%t: tensor<8xf32>, %v: vector<4xf32>, %f: f32) -> (tensor<8xf32>, vector<4xf32>) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %0 = vector.transfer_write %v, %t[%c0] {in_bounds = [true]} : vector<4xf32>, tensor<8xf32>
  %1 = vector.transfer_read %t[%c4], %f {in_bounds = [true]} : tensor<8xf32>, vector<4xf32>
  return %0, %1 : tensor<8xf32>, vector<4xf32>
}

// What the vector has beyond the end of the tensor is not written; its other elements are all of the tensor's.
// CHECK-LABEL: func.func @larger_vector(
// CHECK-SAME:    %[[V:.*]]: vector<3x8xf32>)
// CHECK-NOT:     memref.copy
// CHECK:         %[[A:.*]] = memref.alloc()
// CHECK-NEXT:    vector.transfer_write %[[V]], %[[A]]
// CHECK-NEXT:    return %[[A]]
func.func @larger_vector(%v: vector<3x8xf32>) -> tensor<1x8xf32> {
  %c0 = arith.constant 0 : index
  %t = arith.constant dense<6.0> : tensor<1x8xf32>
  %0 = vector.transfer_write %v, %t[%c0, %c0] : vector<3x8xf32>, tensor<1x8xf32>
  return %0 : tensor<1x8xf32>
}

// CHECK-LABEL: func.func @larger_along_one_dimension(
// CHECK:         memref.copy
// CHECK:         vector.transfer_write
func.func @larger_along_one_dimension(%v: vector<3x4xf32>) -> tensor<1x8xf32> {
  %c0 = arith.constant 0 : index
  %t = arith.constant dense<6.0> : tensor<1x8xf32>
  %0 = vector.transfer_write %v, %t[%c0, %c0] : vector<3x4xf32>, tensor<1x8xf32>
  return %0 : tensor<1x8xf32>
}

// CHECK-LABEL: func.func @to_a_dynamic_size(
// CHECK:         memref.copy
// CHECK:         vector.transfer_write
func.func @to_a_dynamic_size(%v: vector<8xf32>, %t: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %0 = vector.transfer_write %v, %t[%c0] : vector<8xf32>, tensor<?xf32>
  return %0, %t : tensor<?xf32>, tensor<?xf32>
}
