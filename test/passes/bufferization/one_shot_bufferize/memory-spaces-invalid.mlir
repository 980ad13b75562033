// RUN: inplace-opt %s --split-input-file --verify-diagnostics --inplace-one-shot-bufferize='must-infer-memory-space bufferize-function-boundaries'
// RUN: not inplace-opt %s --inplace-one-shot-bufferize='must-infer-memory-space use-encoding-for-memory-space' 2>&1 | filecheck %s

// CHECK: error: must-infer-memory-space and use-encoding-for-memory-space exclude each other; set one of them

func.func @stated(%f: f32, %i: index) -> (f32, f32) {
  %0 = bufferization.alloc_tensor() {memory_space = 1 : i64} : tensor<8xf32>
  %1 = linalg.fill ins(%f : f32) outs(%0 : tensor<8xf32>) -> tensor<8xf32>
  %2 = bufferization.alloc_tensor() copy(%1) {memory_space = 1 : i64} : tensor<8xf32>
  %3 = tensor.insert %f into %2[%i] : tensor<8xf32>
  %4 = tensor.extract %1[%i] : tensor<8xf32>
  %5 = tensor.extract %3[%i] : tensor<8xf32>
  return %4, %5 : f32, f32
}

// -----

func.func @assumed(%f: f32, %i: index) -> f32 {
  // expected-error @+1 {{the memory space of result #0 cannot be inferred, and must-infer-memory-space does not allow to assume the default one; make the tensor with bufferization.alloc_tensor and its memory_space}}
  %0 = bufferization.alloc_tensor() : tensor<8xf32>
  %1 = tensor.insert %f into %0[%i] : tensor<8xf32>
  // expected-note @+1 {{the memory space of result #0 cannot be inferred}}
  %2 = tensor.splat %f : tensor<8xf32>
  %3 = tensor.insert_slice %2 into %1[0] [8] [1] : tensor<8xf32> into tensor<8xf32>
  %4 = tensor.extract %3[%i] : tensor<8xf32>
  return %4 : f32
}

// -----

// expected-error @+1 {{the memory space of argument #1 cannot be inferred}}
func.func @argument(%f: f32, %t: tensor<8xf32>) {
  return
}

// -----

func.func @two_spaces(%f: f32, %p: i1, %i: index) -> f32 {
  %0 = bufferization.alloc_tensor() {memory_space = 1 : i64} : tensor<8xf32>
  %1 = linalg.fill ins(%f : f32) outs(%0 : tensor<8xf32>) -> tensor<8xf32>
  // expected-error @+1 {{the buffer is in memory space 2 : i64, but flows together with one in memory space 1 : i64; use one memory space}}
  %2 = bufferization.alloc_tensor() {memory_space = 2 : i64} : tensor<8xf32>
  %3 = linalg.fill ins(%f : f32) outs(%2 : tensor<8xf32>) -> tensor<8xf32>
  %4 = arith.select %p, %1, %3 : tensor<8xf32>
  %5 = tensor.extract %4[%i] : tensor<8xf32>
  return %5 : f32
}
