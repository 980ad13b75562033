// RUN: inplace-opt %s --inplace-one-shot-bufferize --split-input-file --verify-diagnostics

// expected-error @+1 {{'ml_program.global' has type tensor<?xf32>, but only a tensor of static sizes becomes a memref; give it sizes}}
ml_program.global private mutable @g(dense<1.0> : tensor<4xf32>) : tensor<?xf32>

func.func @f(%i: index) -> f32 {
  %0 = ml_program.global_load @g : tensor<?xf32>
  %1 = tensor.extract %0[%i] : tensor<?xf32>
  return %1 : f32
}

// -----

// expected-error @+1 {{'ml_program.global' has the value #ml_program.extern : tensor<4xf32>, but needs dense elements or none; define it in this module}}
ml_program.global private @g(#ml_program.extern : tensor<4xf32>) : tensor<4xf32>

func.func @f(%i: index) -> f32 {
  %0 = ml_program.global_load @g : tensor<4xf32>
  %1 = tensor.extract %0[%i] : tensor<4xf32>
  return %1 : f32
}
