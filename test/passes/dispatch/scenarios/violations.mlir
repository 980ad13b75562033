// RUN: inplace-opt %s --split-input-file --verify-diagnostics --inplace-plan-bufferize
// RUN: inplace-opt %s --split-input-file --verify-diagnostics --inplace-one-shot-bufferize
// RUN: inplace-opt %s --split-input-file --verify-diagnostics --inplace-promote-bindings

// What both routes refuse, at the place of the mistake. What the operations' own rules refuse, such as a store to a
// readonly binding or a slice out of range, is in test/dialects/dispatch/dispatch-invalid.mlir.

func.func @one_binding_with_two_accesses() {
  // expected-note @+1 {{the other declaration is here}}
  %a = dispatch.binding set(0) binding(0) : !dispatch.readonly<tensor<8xf32>>
  // expected-error @+1 {{set 0 binding 0 is declared writeonly here and readonly elsewhere; declare it with one access}}
  %b = dispatch.binding set(0) binding(0) : !dispatch.writeonly<tensor<8xf32>>
  %v = dispatch.load %a : !dispatch.readonly<tensor<8xf32>> -> tensor<8xf32>
  dispatch.store %v, %b : tensor<8xf32> -> !dispatch.writeonly<tensor<8xf32>>
  return
}

// -----

func.func @two_accesses_at_two_offsets() {
  %c32 = arith.constant 32 : index
  // expected-note @+1 {{the other declaration is here}}
  %a = dispatch.binding set(0) binding(0) : !dispatch.readonly<tensor<8xf32>>
  // expected-error @+1 {{set 0 binding 0 is declared readwrite here and readonly elsewhere; declare it with one access}}
  %b = dispatch.binding set(0) binding(0) offset(%c32) : !dispatch.readwrite<tensor<8xf32>>
  %v = dispatch.load %a : !dispatch.readonly<tensor<8xf32>> -> tensor<8xf32>
  dispatch.store %v, %b : tensor<8xf32> -> !dispatch.readwrite<tensor<8xf32>>
  return
}

// -----

func.func @bytes_overlap() {
  %c16 = arith.constant 16 : index
  // expected-note @+1 {{the other declaration is here}}
  %a = dispatch.binding set(0) binding(0) : !dispatch.readwrite<tensor<8xf32>>
  // expected-error @+1 {{set 0 binding 0 is declared again with bytes that overlap by 16; declare it once and use slices, or give byte offsets that keep the ranges apart}}
  %b = dispatch.binding set(0) binding(0) offset(%c16) : !dispatch.readwrite<tensor<8xf32>>
  %v = dispatch.load %a : !dispatch.readwrite<tensor<8xf32>> -> tensor<8xf32>
  dispatch.store %v, %b : tensor<8xf32> -> !dispatch.readwrite<tensor<8xf32>>
  return
}

// -----

func.func @two_types_of_the_same_bytes() {
  // expected-note @+1 {{the other declaration is here}}
  %a = dispatch.binding set(0) binding(0) : !dispatch.readwrite<tensor<8xf32>>
  // expected-error @+1 {{set 0 binding 0 is declared again with bytes that overlap by 32; declare it once and use slices, or give byte offsets that keep the ranges apart}}
  %b = dispatch.binding set(0) binding(0) : !dispatch.readwrite<tensor<2x4xf32>>
  %v = dispatch.load %a : !dispatch.readwrite<tensor<8xf32>> -> tensor<8xf32>
  %w = tensor.expand_shape %v [[0, 1]] output_shape [2, 4] : tensor<8xf32> into tensor<2x4xf32>
  dispatch.store %w, %b : tensor<2x4xf32> -> !dispatch.readwrite<tensor<2x4xf32>>
  return
}

// -----

func.func @offset_known_at_run_time() {
  %p = dispatch.push_constant 0 : index
  // expected-note @+1 {{the other declaration is here}}
  %a = dispatch.binding set(0) binding(0) : !dispatch.readwrite<tensor<8xf32>>
  // expected-error @+1 {{set 0 binding 0 is declared again with a byte range that cannot be shown to be disjoint; declare it once and use slices, or give byte offsets that keep the ranges apart}}
  %b = dispatch.binding set(0) binding(0) offset(%p) : !dispatch.readwrite<tensor<8xf32>>
  %v = dispatch.load %a : !dispatch.readwrite<tensor<8xf32>> -> tensor<8xf32>
  dispatch.store %v, %b : tensor<8xf32> -> !dispatch.readwrite<tensor<8xf32>>
  return
}

// -----

func.func @size_known_at_run_time() {
  %c64 = arith.constant 64 : index
  // expected-note @+1 {{the other declaration is here}}
  %a = dispatch.binding set(0) binding(0) : !dispatch.readwrite<tensor<?xf32>>
  // expected-error @+1 {{set 0 binding 0 is declared again with a byte range that cannot be shown to be disjoint; declare it once and use slices, or give byte offsets that keep the ranges apart}}
  %b = dispatch.binding set(0) binding(0) offset(%c64) : !dispatch.readwrite<tensor<?xf32>>
  %v = dispatch.load %a : !dispatch.readwrite<tensor<?xf32>> -> tensor<?xf32>
  dispatch.store %v, %b : tensor<?xf32> -> !dispatch.readwrite<tensor<?xf32>>
  return
}

// -----

func.func @threads_store_the_same_elements() {
  %r = dispatch.binding set(0) binding(0) : !dispatch.writeonly<tensor<8xf32>>
  %f = arith.constant 1.0 : f32
  scf.forall (%i) in (4) {
    %e = tensor.empty() : tensor<4xf32>
    %v = linalg.fill ins(%f : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    // expected-error @+1 {{a thread stores to set 0 binding 0 twice, and the slices may overlap in part; store the whole part once}}
    dispatch.store %v, %r[%i] [4] [1] : tensor<4xf32> -> !dispatch.writeonly<tensor<8xf32>>
    %w = linalg.fill ins(%f : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    // expected-note @+1 {{the other store is here}}
    dispatch.store %w, %r[1] [4] [1] : tensor<4xf32> -> !dispatch.writeonly<tensor<8xf32>>
  }
  return
}

// -----

func.func @stored_in_a_parallel_loop() {
  %a = dispatch.binding set(0) binding(0) : !dispatch.readwrite<tensor<8xf32>>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  // expected-note @+1 {{this is 'scf.parallel'}}
  scf.parallel (%i) = (%c0) to (%c8) step (%c1) {
    %v = dispatch.load %a[%i] [1] [1] : !dispatch.readwrite<tensor<8xf32>> -> tensor<1xf32>
    // expected-error @+1 {{a store to set 0 binding 0 inside of 'scf.parallel', which cannot forward what is stored; use scf.for, scf.while, scf.if or scf.forall, or store what the op returns behind it}}
    dispatch.store %v, %a[%i] [1] [1] : tensor<1xf32> -> !dispatch.readwrite<tensor<8xf32>>
    scf.reduce
  }
  return
}
