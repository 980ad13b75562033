// RUN: inplace-opt %s --split-input-file --verify-diagnostics --inplace-explain
// RUN: inplace-opt %s --split-input-file --inplace-explain 2>/dev/null | filecheck %s

// The module stays on tensors.
// CHECK-LABEL: func.func @read_later
// CHECK: tensor.insert
// CHECK-NOT: memref

// expected-remark @+1 {{0 of 1 operands in-place, 1 allocation (32 bytes), 1 copy (32 bytes)}}
func.func @read_later(
    // expected-note @+1 {{the content is defined here}}
    %t: tensor<8xf32>,
    %f: f32, %i: index) -> (f32, tensor<8xf32>) {
  // expected-remark @+2 {{allocation and copy of memref<8xf32>, 32 bytes: the old content is read later; change: move the read by 'tensor.extract' in line 18 in front of 'tensor.insert' in line 16}}
  // expected-note @+1 {{operand #1 of 'tensor.insert' writes the buffer}}
  %0 = tensor.insert %f into %t[%i] : tensor<8xf32>
  // expected-note @+1 {{operand #0 of 'tensor.extract' reads the old content}}
  %1 = tensor.extract %t[%i] : tensor<8xf32>
  return %1, %0 : f32, tensor<8xf32>
}

// -----

// A loop of constant bounds around a buffer of dynamic size.
// expected-remark @+1 {{1 allocation (1 of dynamic size)}}
func.func @in_a_loop(%n: index, %x: f32, %i: index) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %sum = scf.for %k = %c0 to %c5 step %c1 iter_args(%a = %x) -> f32 {
    // expected-remark @+1 {{allocation of memref<?xf32>, 4 * dim(%splat, 0) bytes, 5 times: the op has no init, in whose buffer its result could be; change: compute it by a linalg op}}
    %s = tensor.splat %a[%n] : tensor<?xf32>
    %e = tensor.extract %s[%i] : tensor<?xf32>
    %b = arith.addf %a, %e : f32
    scf.yield %b : f32
  }
  return %sum : f32
}

// -----

// expected-remark @+1 {{1 of 1 operands in-place, no copies, no allocations}}
func.func @nothing_left(%t: tensor<8xf32>, %f: f32, %i: index) -> tensor<8xf32> {
  %0 = tensor.insert %f into %t[%i] : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// expected-remark @+1 {{no copies, 1 allocation: the result}}
func.func @result(%x: f32) -> tensor<8xf32> {
  // expected-remark @+1 {{allocation of memref<8xf32>, 32 bytes: the function returns it; change: take the memory of the result as an argument}}
  %0 = tensor.splat %x : tensor<8xf32>
  return %0 : tensor<8xf32>
}
