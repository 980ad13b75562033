// RUN: inplace-opt %s --split-input-file --inplace-one-shot-bufferize --verify-diagnostics

// The places are those of the loads and stores, also if a copy was promoted before the analysis refused it.
func.func @unknown_op(%x: tensor<4xf32>) {
  %a = dispatch.binding set(0) binding(0) : !dispatch.readwrite<tensor<8xf32>>
  dispatch.store %x, %a[0] [4] [1] : tensor<4xf32> -> !dispatch.readwrite<tensor<8xf32>>
  %y = dispatch.load %a[0] [4] [1] : !dispatch.readwrite<tensor<8xf32>> -> tensor<4xf32>
  // expected-error @+1 {{op 'sparse_tensor.convert' works on tensors but has no bufferization model}}
  %z = sparse_tensor.convert %y : tensor<4xf32> to tensor<4xf32>
  return
}

// -----

func.func @two_accesses() {
  // expected-note @+1 {{the other declaration is here}}
  %a = dispatch.binding set(0) binding(1) : !dispatch.readonly<tensor<8xf32>>
  // expected-error @+1 {{set 0 binding 1 is declared readwrite here and readonly elsewhere; declare it with one access}}
  %b = dispatch.binding set(0) binding(1) : !dispatch.readwrite<tensor<8xf32>>
  %x = dispatch.load %a : !dispatch.readonly<tensor<8xf32>> -> tensor<8xf32>
  return
}

// -----

// Threads load what others store: all of that would have to be copied, and copied back.
func.func @races() {
  %a = dispatch.binding set(0) binding(0) : !dispatch.readwrite<tensor<16xf32>>
  scf.forall (%i) = (0) to (8) step (4) {
    %x = dispatch.load %a[4] [4] [1] : !dispatch.readwrite<tensor<16xf32>> -> tensor<4xf32>
    // expected-error @+1 {{operand #1 must be bufferized in-place, but a value that is read later would be overwritten}}
    dispatch.store %x, %a[%i] [4] [1] : tensor<4xf32> -> !dispatch.readwrite<tensor<16xf32>>
  }
  return
}

// -----

// What promotion makes has to be left as it is.
func.func @two_contents() {
  %a = dispatch.binding set(0) binding(0) : !dispatch.readonly<tensor<8xf32>>
  // expected-note @+1 {{this is the first one}}
  %b = dispatch.contents %a : !dispatch.readonly<tensor<8xf32>> -> tensor<8xf32>
  // expected-error @+1 {{set 0 binding 0 has two contents; use the first one}}
  %c = dispatch.contents %a : !dispatch.readonly<tensor<8xf32>> -> tensor<8xf32>
  return
}

// -----

func.func @not_last(%x: tensor<4xf32>, %f: f32, %i: index) -> f32 {
  %a = dispatch.binding set(0) binding(0) : !dispatch.readwrite<tensor<8xf32>>
  %b = dispatch.contents %a : !dispatch.readwrite<tensor<8xf32>> -> tensor<8xf32>
  %r = tensor.insert_slice %x into %b[0] [4] [1] : tensor<4xf32> into tensor<8xf32>
  // expected-error @+1 {{a dispatch.commit that does not come right before func.return, or is one of two; commit once, there}}
  dispatch.commit %r, %b : tensor<8xf32>
  %y = tensor.extract %r[%i] : tensor<8xf32>
  return %y : f32
}

// -----

func.func @one_way_only(%x: tensor<4xf32>, %c: i1) {
  %a = dispatch.binding set(0) binding(0) : !dispatch.readwrite<tensor<8xf32>>
  %b = dispatch.contents %a : !dispatch.readwrite<tensor<8xf32>> -> tensor<8xf32>
  %r = tensor.insert_slice %x into %b[0] [4] [1] : tensor<4xf32> into tensor<8xf32>
  cf.cond_br %c, ^bb1, ^bb2
^bb1:
  // expected-note @+1 {{it is committed here}}
  dispatch.commit %r, %b : tensor<8xf32>
  return
^bb2:
  // expected-error @+1 {{set 0 binding 0 is committed before another return, but not here; commit its contents}}
  return
}

// -----

// Half of the memory is what it was, half of it comes from elsewhere: copying all of it back would undo other stores.
func.func @copied_back(%x: tensor<4xf32>, %t: tensor<8xf32>, %c: i1) {
  %a = dispatch.binding set(0) binding(0) : !dispatch.readwrite<tensor<8xf32>>
  %b = dispatch.contents %a : !dispatch.readwrite<tensor<8xf32>> -> tensor<8xf32>
  %s = arith.select %c, %b, %t : tensor<8xf32>
  %r = tensor.insert_slice %x into %s[0] [4] [1] : tensor<4xf32> into tensor<8xf32>
  // expected-error @+1 {{what is stored to a binding would have to be copied back as a whole, which would undo what other workgroups store; promote the loads and stores anew, and do not simplify the result before it is bufferized}}
  dispatch.commit %r, %b : tensor<8xf32>
  return
}

// -----

func.func @merely_selected(%t: tensor<8xf32>, %c: i1) {
  %a = dispatch.binding set(0) binding(0) : !dispatch.readwrite<tensor<8xf32>>
  %b = dispatch.contents %a : !dispatch.readwrite<tensor<8xf32>> -> tensor<8xf32>
  %s = arith.select %c, %b, %t : tensor<8xf32>
  // expected-error @+1 {{operand #1 must be bufferized in-place, but the op reads the buffer while it writes it}}
  dispatch.commit %s, %b : tensor<8xf32>
  return
}
