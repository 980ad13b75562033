// RUN: inplace-opt %s --verify-diagnostics --inplace-one-shot-bufferize='bufferize-function-boundaries print-conflicts'

func.func @read_after_write(
    // expected-note @+1 {{the content is defined here}}
    %t: tensor<8xf32>,
    %f: f32, %i: index) -> (f32, tensor<8xf32>) {
  // expected-remark @+2 {{operand #1 of 'tensor.insert' is out-of-place with a copy: a value that is read later would be overwritten}}
  // expected-note @+1 {{operand #1 of 'tensor.insert' writes the buffer}}
  %0 = tensor.insert %f into %t[%i] : tensor<8xf32>
  // expected-note @+1 {{operand #0 of 'tensor.extract' reads the old content}}
  %1 = tensor.extract %t[%i] : tensor<8xf32>
  return %1, %0 : f32, tensor<8xf32>
}

func.func @in_place(%t: tensor<8xf32> {bufferization.writable = true}, %f: f32, %i: index) -> tensor<8xf32> {
  %0 = tensor.insert %f into %t[%i] : tensor<8xf32>
  return %0 : tensor<8xf32>
}

func.func @constant(%f: f32, %i: index) -> tensor<8xf32> {
  // expected-note @+1 {{the buffer is the result of arith.constant, which must not be written}}
  %0 = arith.constant dense<1.0> : tensor<8xf32>
  // expected-remark @+2 {{operand #1 of 'linalg.fill' is out-of-place in a new buffer without a copy: the buffer must not be written}}
  // expected-note @+1 {{operand #1 of 'linalg.fill' writes the buffer}}
  %1 = linalg.fill ins(%f : f32) outs(%0 : tensor<8xf32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}
