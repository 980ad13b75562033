// RUN: inplace-opt %s --split-input-file --verify-diagnostics --inplace-plan-bufferize='function-boundaries print-plan'

// Everything in the one buffer that there is.

// expected-remark @+1 {{plan of @one_buffer: 1 class, 0 stored, 0 copies}}
func.func @one_buffer(
    // expected-remark @+1 {{class 0: function argument, as %arg0}}
    %t: tensor<8xf32>,
    %f: f32, %i: index) -> tensor<8xf32> {
  // expected-note @+1 {{%extracted_slice is a slice of %arg0: view op ('tensor.extract_slice')}}
  %s = tensor.extract_slice %t[%i] [4] [1] : tensor<8xf32> to tensor<4xf32>
  // expected-note @+1 {{%0 is %extracted_slice: init overwritten by the op ('linalg.fill')}}
  %w = linalg.fill ins(%f : f32) outs(%s : tensor<4xf32>) -> tensor<4xf32>
  // expected-note @+2 {{%inserted_slice is %arg0: destination of an update ('tensor.insert_slice')}}
  // expected-note @+1 {{%0 is a slice of %arg0: value computed in the slice that it is stored to ('tensor.insert_slice')}}
  %r = tensor.insert_slice %w into %t[%i] [4] [1] : tensor<4xf32> into tensor<8xf32>
  return %r : tensor<8xf32>
}

// -----

// A copy, the rule that asks for it, and the ops that it is about.

// expected-remark @+1 {{plan of @copied: 2 classes, 0 stored, 1 copy}}
func.func @copied(
    // expected-remark @+2 {{class 0: function argument, as %arg0}}
    // expected-note @+1 {{the content is defined here}}
    %t: tensor<8xf32>,
    %f: f32, %i: index) -> (tensor<8xf32>, f32) {
  // expected-remark @+3 {{class 1: new buffer (with a copy of %arg0), as %inserted}}
  // expected-remark @+2 {{%arg0, operand #1 of 'tensor.insert', is copied into a new buffer: a value that is read later would be overwritten}}
  // expected-note @+1 {{operand #1 of 'tensor.insert' writes the buffer}}
  %r = tensor.insert %f into %t[%i] : tensor<8xf32>
  // expected-note @+1 {{operand #0 of 'tensor.extract' reads the old content}}
  %x = tensor.extract %t[%i] : tensor<8xf32>
  return %r, %x : tensor<8xf32>, f32
}

// -----

// What is inserted from a constant.

// expected-remark @+1 {{plan of @constant: 2 classes, 0 stored, 1 copy}}
func.func @constant(
    // expected-remark @+1 {{class 0: function argument, as %arg0}}
    %t: tensor<8xf32>, %i: index) -> tensor<8xf32> {
  // expected-remark @+2 {{class 1: constant, as %cst}}
  // expected-note @+1 {{the value lies in the constant, as %cst}}
  %k = arith.constant dense<1.0> : tensor<4xf32>
  // expected-note @+2 {{%inserted_slice is %arg0: destination of an update ('tensor.insert_slice')}}
  // expected-remark @+1 {{%cst, operand #0 of 'tensor.insert_slice', is copied to its target: the value is a constant}}
  %r = tensor.insert_slice %k into %t[%i] [4] [1] : tensor<4xf32> into tensor<8xf32>
  return %r : tensor<8xf32>
}
