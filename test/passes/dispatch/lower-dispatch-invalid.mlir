// RUN: inplace-opt %s --split-input-file --verify-diagnostics --allow-unregistered-dialect \
// RUN:   --inplace-lower-dispatch=check-sizes

func.func @tensor_form() {
  // expected-error @+1 {{the binding is a !dispatch.readonly<tensor<4xf32>>, not a memref; bufferize first, with inplace-one-shot-bufferize}}
  %a = dispatch.binding set(0) binding(0) : !dispatch.readonly<tensor<4xf32>>
  return
}

// -----

func.func @tensor_left() {
  %x = dispatch.workgroup_id 0 : index
  // expected-error @+1 {{a tensor<4xf32> is left in a dispatch function; bufferize first, what functions take and return too, with inplace-one-shot-bufferize{bufferize-function-boundaries=true}}}
  %t = tensor.empty() : tensor<4xf32>
  return
}

// -----

// expected-error @+1 {{a dispatch function has results; store them into a binding, since workgroups return nothing}}
func.func @results() -> index {
  %x = dispatch.workgroup_id 0 : index
  return %x : index
}

// -----

// expected-note @+1 {{the function}}
func.func @called() {
  %x = dispatch.workgroup_id 0 : index
  return
}
func.func @caller() {
  // expected-error @+1 {{'called' is a dispatch function, which only the outside can call: it gets its bindings as arguments; take the dispatch ops out of the function that is called}}
  func.call @called() : () -> ()
  return
}

// -----

func.func @two_types() {
  // expected-note @+1 {{read as index here}}
  %a = dispatch.push_constant 0 : index
  // expected-error @+1 {{push constant 0 is a i32 here and a index elsewhere; read it with one type and convert}}
  %b = dispatch.push_constant 0 : i32
  return
}

// -----

// expected-error @+1 {{'dispatch.workgroup_id' is in no func.func; dispatch ops belong into functions}}
%x = dispatch.workgroup_id 0 : index

// -----

func.func @no_sizes() {
  %c4 = arith.constant 4 : index
  // expected-error @+1 {{set 0 binding 2 is a view at a byte offset whose dynamic sizes nothing states; give it sizes}}
  %a = dispatch.binding set(0) binding(2) offset(%c4) : memref<?xf32>
  return
}

// -----

func.func @strided() {
  %c4 = arith.constant 4 : index
  // expected-error @+1 {{set 0 binding 2 is one of several views of one memory, but not contiguous: memref<4xf32, strided<[2]>>; bufferize it with the identity layout}}
  %a = dispatch.binding set(0) binding(2) offset(%c4) : memref<4xf32, strided<[2]>>
  return
}

// -----

func.func @sizes_differ() {
  %x = dispatch.workgroup_id 0 : index
  // expected-error @+1 {{the sizes of set 0 binding 0 are not known ahead of the workgroups, so that the caller's memory cannot be checked against them; compute them from push constants, without divisions by what may be zero}}
  %a = dispatch.binding set(0) binding(0) sizes(%x) : memref<?xf32>
  return
}

// -----

func.func @divided() {
  %n = dispatch.push_constant 0 : index
  %d = dispatch.push_constant 1 : index
  %s = arith.divui %n, %d : index
  // expected-error @+1 {{the sizes of set 0 binding 0 are not known ahead of the workgroups, so that the caller's memory cannot be checked against them; compute them from push constants, without divisions by what may be zero}}
  %a = dispatch.binding set(0) binding(0) sizes(%s) : memref<?xf32>
  return
}
