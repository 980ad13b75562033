// RUN: inplace-opt %s --split-input-file --inplace-convert-to-destination-style=print-decisions=true --verify-diagnostics

// What is done.
func.func @done(%in: tensor<4xf32> {bufferization.writable = false}, %t: tensor<8xf32>, %f: f32, %i: index) -> tensor<8xf32> {
  // expected-note @+1 {{what 'tensor.insert' may not overwrite is copied into the slice here}}
  %x = tensor.insert %f into %in[%i] : tensor<4xf32>
  // expected-remark @+1 {{what 'tensor.insert_slice' inserts is computed in its destination, and the insertion copies nothing}}
  %r = tensor.insert_slice %x into %t[0] [4] [1] : tensor<4xf32> into tensor<8xf32>
  return %r : tensor<8xf32>
}

// -----

// The destination is read between: the copy would be made too early.
func.func @read_between(%in: tensor<4xf32> {bufferization.writable = false}, %t: tensor<8xf32>, %f: f32, %i: index) -> (tensor<8xf32>, f32) {
  %x = tensor.insert %f into %in[%i] : tensor<4xf32>
  %y = tensor.extract %t[%i] : tensor<8xf32>
  // expected-remark @+1 {{'tensor.insert_slice' still copies: the slice of the destination would get a buffer of its own: a value that is read later would be overwritten}}
  %r = tensor.insert_slice %x into %t[0] [4] [1] : tensor<4xf32> into tensor<8xf32>
  return %r, %y : tensor<8xf32>, f32
}

// -----

// The value is needed after the destination has changed again.
func.func @overwritten_later(%in: tensor<4xf32> {bufferization.writable = false}, %t: tensor<8xf32>, %f: f32, %i: index) -> (tensor<8xf32>, tensor<4xf32>) {
  %x = tensor.insert %f into %in[%i] : tensor<4xf32>
  // expected-remark @+1 {{'tensor.insert_slice' still copies: the slice of the destination would get a buffer of its own: a value that is read later would be overwritten}}
  %r = tensor.insert_slice %x into %t[0] [4] [1] : tensor<4xf32> into tensor<8xf32>
  %s = tensor.insert %f into %r[%i] : tensor<8xf32>
  return %s, %x : tensor<8xf32>, tensor<4xf32>
}

// -----

// A part of what was computed: the rest has no place in the destination.
func.func @part(%in: tensor<4xf32> {bufferization.writable = false}, %t: tensor<8xf32>, %f: f32, %i: index) -> tensor<8xf32> {
  %x = tensor.insert %f into %in[%i] : tensor<4xf32>
  // expected-note @+1 {{this is 'tensor.extract_slice'}}
  %y = tensor.extract_slice %x[0] [2] [1] : tensor<4xf32> to tensor<2xf32>
  // expected-remark @+1 {{'tensor.insert_slice' still copies: only a part of the computed tensor is inserted}}
  %r = tensor.insert_slice %y into %t[0] [2] [1] : tensor<2xf32> into tensor<8xf32>
  return %r : tensor<8xf32>
}

// -----

// The program may end before the insertion, whose slice may be out of bounds.
func.func @checked_later(%in: tensor<4xf32> {bufferization.writable = false}, %t: tensor<?xf32>, %f: f32, %i: index, %c: i1) -> tensor<?xf32> {
  %x = tensor.insert %f into %in[%i] : tensor<4xf32>
  // expected-note @+1 {{this is 'cf.assert'}}
  cf.assert %c, "out of bounds"
  // expected-remark @+1 {{'tensor.insert_slice' still copies: 'cf.assert' may end the program before the insertion, whose slice may be out of bounds}}
  %r = tensor.insert_slice %x into %t[%i] [4] [1] : tensor<4xf32> into tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

// The memref changes before the tensor is used for the last time.
func.func @memory_changes(%in: tensor<4xf32> {bufferization.writable = false}, %m: memref<4xf32>, %f: f32, %i: index) -> tensor<4xf32> {
  %x = tensor.insert %f into %in[%i] : tensor<4xf32>
  // expected-remark @+1 {{'bufferization.materialize_in_destination' still copies: the tensor is used later, when the memref may have changed}}
  bufferization.materialize_in_destination %x in restrict writable %m : (tensor<4xf32>, memref<4xf32>) -> ()
  memref.store %f, %m[%i] : memref<4xf32>
  return %x : tensor<4xf32>
}

// -----

// An input that is not needed any more, and a constant.
func.func @inits(%a: tensor<4xf32>, %f: f32, %i: index) -> (tensor<4xf32>, tensor<4xf32>) {
  %e = tensor.empty() : tensor<4xf32>
  %x = linalg.exp ins(%a : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  // expected-remark @+1 {{'linalg.add' overwrites operand #1, which is not used afterwards, instead of a new buffer for operand #2}}
  %y = linalg.add ins(%a, %x : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %c = arith.constant dense<1.0> : tensor<4xf32>
  // expected-remark @+1 {{operand #1 of 'tensor.insert' is filled, not copied from a splat constant}}
  %z = tensor.insert %f into %c[%i] : tensor<4xf32>
  return %y, %z : tensor<4xf32>, tensor<4xf32>
}

// -----

// Ops that have no init.
func.func @without_inits(%t: tensor<8xf32>, %f: f32) -> tensor<8xf32> {
  // expected-remark @+2 {{'tensor.splat' is given an init, and is computed in the destination}}
  // expected-note @+1 {{the slice takes the place of an empty tensor here}}
  %0 = tensor.splat %f : tensor<4xf32>
  // expected-remark @+1 {{'tensor.insert_slice' inserts is computed in its destination, and the insertion copies nothing}}
  %1 = tensor.insert_slice %0 into %t[0] [4] [1] : tensor<4xf32> into tensor<8xf32>
  %c = arith.constant dense<1.0> : tensor<4xf32>
  // expected-remark @+3 {{the constant becomes a fill, and is computed in the destination}}
  // expected-note @+2 {{the slice takes the place of an empty tensor here}}
  // expected-remark @+1 {{'tensor.insert_slice' inserts is computed in its destination, and the insertion copies nothing}}
  %2 = tensor.insert_slice %c into %1[4] [4] [1] : tensor<4xf32> into tensor<8xf32>
  return %2 : tensor<8xf32>
}
