// RUN: inplace-opt %s --inplace-one-shot-bufferize=bufferize-function-boundaries | filecheck %s

// CHECK-LABEL: func.func @in_place(
// CHECK-SAME:    %[[T:[^:]*]]: memref<4xf32
// CHECK-NEXT:    %[[W:.*]] = shape.cstr_require
// CHECK-NEXT:    %[[R:.*]] = shape.assuming %[[W]] -> (f32) {
// CHECK-NEXT:      memref.store %{{.*}}, %[[T]][
// CHECK-NEXT:      shape.assuming_yield %{{.*}} : f32
// CHECK-NEXT:    }
// CHECK-NEXT:    return %[[T]], %[[R]]
func.func @in_place(%t: tensor<4xf32>, %i: index, %f: f32, %p: i1) -> (tensor<4xf32>, f32) {
  %w = shape.cstr_require %p, "p must hold"
  %0:2 = shape.assuming %w -> (tensor<4xf32>, f32) {
    %1 = tensor.insert %f into %t[%i] : tensor<4xf32>
    shape.assuming_yield %1, %f : tensor<4xf32>, f32
  }
  return %0#0, %0#1 : tensor<4xf32>, f32
}

// CHECK-LABEL: func.func @read_later(
// CHECK-SAME:    %[[T:[^:]*]]: memref<4xf32
// CHECK:         shape.assuming
// CHECK-NEXT:      %[[A:.*]] = memref.alloc()
// CHECK-NEXT:      memref.copy %[[T]], %[[A]]
// CHECK-NEXT:      memref.store %{{.*}}, %[[A]][
// CHECK-NEXT:      shape.assuming_yield %[[A]]
// CHECK:         memref.load %[[T]]
func.func @read_later(%t: tensor<4xf32>, %i: index, %f: f32) -> (tensor<4xf32>, f32) {
  %w = shape.const_witness true
  %0 = shape.assuming %w -> (tensor<4xf32>) {
    %1 = tensor.insert %f into %t[%i] : tensor<4xf32>
    shape.assuming_yield %1 : tensor<4xf32>
  }
  %2 = tensor.extract %t[%i] : tensor<4xf32>
  return %0, %2 : tensor<4xf32>, f32
}
