// RUN: not inplace-opt %s --split-input-file --inplace-verify-bufferization 2>&1 | filecheck %s

// CHECK: error: no tensor program is recorded that this module could be compared with; run inplace-verify-bufferization{record=true} before bufferization
func.func @nothing_is_recorded(%t: memref<4xf32>) {
  return
}

// -----

// The insertion must not change what the extraction reads.
// CHECK: lost.mlir:3:1: error: wrong bufferization: operand 0 of 'tensor.extract' must be a part of argument 0 of 'func.func', but the memory holds a scalar
// CHECK: note: the value that is needed is made here
// CHECK: lost.mlir:2:1: note: the memory was last written here, by 'memref.store'
module attributes {inplace.tensor_program = "func.func @lost(%t: tensor<4xf32>, %x: f32, %i: index) -> f32 {\n  %r = tensor.insert %x into %t[%i] : tensor<4xf32>\n  %y = tensor.extract %t[%i] : tensor<4xf32>\n  return %y : f32\n}"} {
  func.func @lost(%t: memref<4xf32>, %x: f32, %i: index) -> f32 {
    memref.store %x, %t[%i] : memref<4xf32> loc("inplace.tensor-op#2"("lost.mlir":2:1))
    %y = memref.load %t[%i] : memref<4xf32> loc("inplace.tensor-op#3"("lost.mlir":3:1))
    return %y : f32 loc("inplace.tensor-op#4"("lost.mlir":4:1))
  } loc("inplace.tensor-op#1"("lost.mlir":1:1))
} loc("inplace.tensor-op#0"("lost.mlir":0:1))
