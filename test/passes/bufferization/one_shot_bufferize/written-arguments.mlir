// RUN: inplace-opt %s --verify-diagnostics --inplace-one-shot-bufferize=bufferize-function-boundaries
// RUN: inplace-opt %s --inplace-one-shot-bufferize='bufferize-function-boundaries warn-written-arguments=false' 2>&1 | filecheck %s
// RUN: inplace-opt %s --inplace-one-shot-bufferize='bufferize-function-boundaries copy-before-write' 2>&1 | filecheck %s
// RUN: inplace-opt %s --inplace-one-shot-bufferize 2>&1 | filecheck %s

// CHECK-NOT:   warning
// CHECK-LABEL: func.func @update(
// CHECK-NOT:   warning
func.func @update(
    %f: f32, %i: index,
    // expected-warning @+1 {{argument #2 of public function 'update' is written in place, which changes the caller's array; mark it bufferization.writable = true if callers expect that, or = false to have a copy written instead}}
    %t: tensor<8xf32>) -> tensor<8xf32> {
  // expected-note @+1 {{operand #1 of 'tensor.insert' writes the buffer}}
  %0 = tensor.insert %f into %t[%i] : tensor<8xf32>
  return %0 : tensor<8xf32>
}

func.func @declared(%t: tensor<8xf32> {bufferization.writable = true}, %u: tensor<8xf32> {bufferization.writable = false},
    %f: f32, %i: index) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = tensor.insert %f into %t[%i] : tensor<8xf32>
  %1 = tensor.insert %f into %u[%i] : tensor<8xf32>
  return %0, %1 : tensor<8xf32>, tensor<8xf32>
}

func.func @written_in_a_copy(%t: tensor<8xf32>, %f: f32, %i: index) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = tensor.insert %f into %t[%i] : tensor<8xf32>
  return %0, %t : tensor<8xf32>, tensor<8xf32>
}

func.func private @callee(%t: tensor<8xf32>, %f: f32) -> tensor<8xf32> {
  %0 = linalg.fill ins(%f : f32) outs(%t : tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// A private function is called in this module only; the call is a write.
// expected-warning @+1 {{argument #0 of public function 'through_a_call' is written in place}}
func.func @through_a_call(%t: tensor<8xf32>, %f: f32) -> tensor<8xf32> {
  // expected-note @+1 {{operand #0 of 'func.call' writes the buffer}}
  %0 = call @callee(%t, %f) : (tensor<8xf32>, f32) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// expected-warning @+1 {{argument #0 of public function 'a_slice' is written in place}}
func.func @a_slice(%t: tensor<8xf32>, %f: f32) -> tensor<8xf32> {
  %0 = tensor.extract_slice %t[2] [4] [1] : tensor<8xf32> to tensor<4xf32>
  // expected-note @+1 {{operand #1 of 'linalg.fill' writes the buffer}}
  %1 = linalg.fill ins(%f : f32) outs(%0 : tensor<4xf32>) -> tensor<4xf32>
  %2 = tensor.insert_slice %1 into %t[2] [4] [1] : tensor<4xf32> into tensor<8xf32>
  return %2 : tensor<8xf32>
}

// Of two buffers that may be handed out, one is changed afterwards: only the other one's argument.
func.func @one_of_two(
    %p: i1, %f: f32, %i: index,
    // expected-warning @+1 {{argument #3 of public function 'one_of_two' is written in place}}
    %t: tensor<8xf32>, %u: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  // expected-note @+1 {{operand #1 of 'tensor.insert' writes the buffer}}
  %0 = tensor.insert %f into %t[%i] : tensor<8xf32>
  %1 = arith.select %p, %0, %u : tensor<8xf32>
  return %0, %1 : tensor<8xf32>, tensor<8xf32>
}

func.func @only_read(%t: tensor<8xf32>, %i: index) -> f32 {
  %0 = tensor.extract %t[%i] : tensor<8xf32>
  return %0 : f32
}
