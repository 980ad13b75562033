// RUN: inplace-opt %s --inplace-one-shot-bufferize=bufferize-function-boundaries --split-input-file | filecheck %s

// CHECK:       memref.global "private" @state : memref<4xf32> = dense<1.000000e+00>
// CHECK-NEXT:  memref.global "private" constant @fixed : memref<2xi32> = dense<[3, 4]>
// CHECK-NEXT:  memref.global "private" @empty : memref<4xf32> = uninitialized
ml_program.global private mutable @state(dense<1.0> : tensor<4xf32>) : tensor<4xf32>
ml_program.global private @fixed(dense<[3, 4]> : tensor<2xi32>) : tensor<2xi32>
ml_program.global private mutable @empty : tensor<4xf32>
// CHECK-NEXT:  ml_program.global private mutable @scalar(1 : i32) : i32
ml_program.global private mutable @scalar(1 : i32) : i32

// CHECK-LABEL: func.func @read_before_store(
// CHECK-SAME:    %[[T:[^:]*]]: memref<4xf32
// CHECK-NEXT:    %[[G:.*]] = memref.get_global @state : memref<4xf32>
// CHECK-NEXT:    %[[X:.*]] = memref.load %[[G]]
// CHECK-NEXT:    %[[H:.*]] = memref.get_global @state : memref<4xf32>
// CHECK-NEXT:    memref.copy %[[T]], %[[H]]
// CHECK-NEXT:    return %[[X]]
func.func @read_before_store(%t: tensor<4xf32>, %i: index) -> f32 {
  %0 = ml_program.global_load @state : tensor<4xf32>
  %1 = tensor.extract %0[%i] : tensor<4xf32>
  ml_program.global_store @state = %t : tensor<4xf32>
  return %1 : f32
}

// CHECK-LABEL: func.func @read_after_store(
// CHECK-NEXT:    %[[G:.*]] = memref.get_global @state : memref<4xf32>
// CHECK-NEXT:    %[[A:.*]] = memref.alloc()
// CHECK-NEXT:    memref.copy %[[G]], %[[A]]
// CHECK-NEXT:    memref.get_global @state
// CHECK-NEXT:    memref.copy
// CHECK-NEXT:    memref.load %[[A]]
func.func @read_after_store(%t: tensor<4xf32>, %i: index) -> f32 {
  %0 = ml_program.global_load @state : tensor<4xf32>
  ml_program.global_store @state = %t : tensor<4xf32>
  %1 = tensor.extract %0[%i] : tensor<4xf32>
  return %1 : f32
}

// CHECK-LABEL: func.func @constant(
// CHECK-NEXT:    %[[G:.*]] = memref.get_global @fixed : memref<2xi32>
// CHECK-NEXT:    return %[[G]]
func.func @constant() -> tensor<2xi32> {
  %0 = ml_program.global_load_const @fixed : tensor<2xi32>
  return %0 : tensor<2xi32>
}
