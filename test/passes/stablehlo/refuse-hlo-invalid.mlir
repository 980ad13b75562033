// RUN: inplace-opt %s --split-input-file --inplace-refuse-hlo --verify-diagnostics

func.func @call(%x: tensor<4x4xf32>) -> tensor<4xf32> {
  // expected-error @below {{cannot lower stablehlo.custom_call @lapack_ssyevd_ffi: it calls a function of the framework, which compiled programs lack; compute that outside the program}}
  %0 = stablehlo.custom_call @lapack_ssyevd_ffi(%x) : (tensor<4x4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @devices() -> tensor<ui32> {
  // expected-error @below {{cannot lower stablehlo.replica_id: it is for programs on several devices, and compiled programs run on one; write the function without sharding}}
  %0 = stablehlo.replica_id : tensor<ui32>
  return %0 : tensor<ui32>
}

// -----

func.func @other(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{cannot lower stablehlo.sine: neither stablehlo-legalize-to-linalg nor a pass of this package lowers it}}
  %0 = stablehlo.sine %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @complex(%x: tensor<4x4xcomplex<f32>>) -> tensor<4x4xcomplex<f32>> {
  // expected-error @below {{cannot lower stablehlo.cholesky: only real matrices of known sizes are lowered; convert the operand, or fix its sizes}}
  %0 = stablehlo.cholesky %x : tensor<4x4xcomplex<f32>>
  return %0 : tensor<4x4xcomplex<f32>>
}

// -----

func.func @nothing(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
