// RUN: inplace-opt %s --split-input-file --inplace-promote-bindings --verify-diagnostics

func.func @two_accesses() {
  // expected-note @+1 {{the other declaration is here}}
  %a = dispatch.binding set(0) binding(1) : !dispatch.readonly<tensor<8xf32>>
  // expected-error @+1 {{set 0 binding 1 is declared readwrite here and readonly elsewhere; declare it with one access}}
  %b = dispatch.binding set(0) binding(1) : !dispatch.readwrite<tensor<8xf32>>
  %x = dispatch.load %a : !dispatch.readonly<tensor<8xf32>> -> tensor<8xf32>
  dispatch.store %x, %b : tensor<8xf32> -> !dispatch.readwrite<tensor<8xf32>>
  return
}

// -----

func.func @overlapping_bytes() {
  %c16 = arith.constant 16 : index
  // expected-note @+1 {{the other declaration is here}}
  %a = dispatch.binding set(0) binding(0) : !dispatch.readwrite<tensor<8xf32>>
  // expected-error @+1 {{set 0 binding 0 is declared again with bytes that overlap by 16; declare it once and use slices, or give byte offsets that keep the ranges apart}}
  %b = dispatch.binding set(0) binding(0) offset(%c16) : !dispatch.readwrite<tensor<4xf32>>
  %x = dispatch.load %a : !dispatch.readwrite<tensor<8xf32>> -> tensor<8xf32>
  return
}

// -----

func.func @unknown_bytes(%n: index) {
  // expected-note @+1 {{the other declaration is here}}
  %a = dispatch.binding set(0) binding(0) : !dispatch.readwrite<tensor<8xf32>>
  // expected-error @+1 {{set 0 binding 0 is declared again with a byte range that cannot be shown to be disjoint}}
  %b = dispatch.binding set(0) binding(0) offset(%n) : !dispatch.readwrite<tensor<8xf32>>
  %x = dispatch.load %a : !dispatch.readwrite<tensor<8xf32>> -> tensor<8xf32>
  return
}

// -----

func.func @other_sizes(%m: index, %n: index) {
  // expected-note @+1 {{the other declaration is here}}
  %a = dispatch.binding set(0) binding(0) sizes(%m) : !dispatch.readwrite<tensor<?xf32>>
  // expected-error @+1 {{set 0 binding 0 is declared again with a byte range that cannot be shown to be disjoint}}
  %b = dispatch.binding set(0) binding(0) sizes(%n) : !dispatch.readwrite<tensor<?xf32>>
  %x = dispatch.load %a : !dispatch.readwrite<tensor<?xf32>> -> tensor<?xf32>
  return
}

// -----

func.func @two_shapes(%m: index, %n: index) {
  %a = dispatch.binding set(0) binding(0) : !dispatch.readwrite<tensor<?xf32>>
  // expected-note @+1 {{it was tied to other sizes here}}
  %b = dispatch.tie_shape %a, [%m] : !dispatch.readwrite<tensor<?xf32>>
  // expected-error @+1 {{set 0 binding 0 is tied to sizes that may not be those it was tied to first; tie it once and use the result}}
  %c = dispatch.tie_shape %a, [%n] : !dispatch.readwrite<tensor<?xf32>>
  %x = dispatch.load %b : !dispatch.readwrite<tensor<?xf32>> -> tensor<?xf32>
  dispatch.store %x, %c : tensor<?xf32> -> !dispatch.readwrite<tensor<?xf32>>
  return
}

// -----

func.func @escapes(%c: i1, %x: tensor<8xf32>) {
  // expected-note @+1 {{the binding is declared here}}
  %a = dispatch.binding set(0) binding(0) : !dispatch.readwrite<tensor<8xf32>>
  %b = dispatch.binding set(0) binding(1) : !dispatch.readwrite<tensor<8xf32>>
  // expected-error @+2 {{'arith.select' uses set 0 binding 0 itself, which nothing but loads, stores and dispatch.tie_shape may; load the tensor, or declare the binding where it is used}}
  // expected-note @+1 {{'arith.select' uses set 0 binding 1 itself}}
  %s = arith.select %c, %a, %b : !dispatch.readwrite<tensor<8xf32>>
  // expected-note @+1 {{'dispatch.store' of !dispatch.readwrite<tensor<8xf32>> that no dispatch.binding here makes; declare the binding}}
  dispatch.store %x, %s : tensor<8xf32> -> !dispatch.readwrite<tensor<8xf32>>
  return
}

// -----

func.func @argument(%a: !dispatch.readonly<tensor<8xf32>>) -> tensor<8xf32> {
  // expected-error @+1 {{'dispatch.load' of !dispatch.readonly<tensor<8xf32>> that no dispatch.binding here makes; declare the binding}}
  %x = dispatch.load %a : !dispatch.readonly<tensor<8xf32>> -> tensor<8xf32>
  return %x : tensor<8xf32>
}

// -----

// expected-note @+1 {{the function is here}}
func.func @kernel() {
  %a = dispatch.binding set(0) binding(0) : !dispatch.readonly<tensor<8xf32>>
  %x = dispatch.load %a : !dispatch.readonly<tensor<8xf32>> -> tensor<8xf32>
  return
}
func.func @caller() {
  // expected-error @+1 {{a call of @kernel, which declares bindings and so can only be dispatched; inline it}}
  call @kernel() : () -> ()
  return
}

// -----

func.func @no_hand_over(%x: tensor<2xf32>) {
  %a = dispatch.binding set(0) binding(0) : !dispatch.writeonly<tensor<8xf32>>
  // expected-note @+1 {{this is 'affine.for'}}
  affine.for %i = 0 to 4 {
    // expected-error @+1 {{a store to set 0 binding 0 inside of 'affine.for', which cannot forward what is stored; use scf.for, scf.while, scf.if or scf.forall, or store what the op returns behind it}}
    dispatch.store %x, %a[%i] [2] [1] : tensor<2xf32> -> !dispatch.writeonly<tensor<8xf32>>
  }
  return
}

// -----

func.func @unknown_region() {
  %a = dispatch.binding set(0) binding(0) : !dispatch.readonly<tensor<8xf32>>
  // expected-note @+1 {{this is 'async.execute'}}
  %t = async.execute {
    // expected-error @+1 {{a load from set 0 binding 0 inside of 'async.execute', of which is not known when its regions run; load the tensor in front of it}}
    %x = dispatch.load %a : !dispatch.readonly<tensor<8xf32>> -> tensor<8xf32>
    async.yield
  }
  return
}

// -----

func.func @offset_of_a_loop(%lo: index, %hi: index, %step: index) {
  // expected-note @+1 {{it depends on 'scf.for'}}
  scf.for %i = %lo to %hi step %step {
    // expected-error @+1 {{set 0 binding 0 is declared with an offset or a size that is not known at the beginning of the function; declare all of the memory there, and use slices of it}}
    %a = dispatch.binding set(0) binding(0) offset(%i) : !dispatch.readonly<tensor<8xf32>>
    %x = dispatch.load %a : !dispatch.readonly<tensor<8xf32>> -> tensor<8xf32>
  }
  return
}

// -----

func.func @nested_in_a_thread(%x: tensor<4xf32>, %c: i1) {
  %a = dispatch.binding set(0) binding(0) : !dispatch.writeonly<tensor<8xf32>>
  // expected-note @+1 {{this is the scf.forall}}
  scf.forall (%i) = (0) to (8) step (4) {
    scf.if %c {
      // expected-error @+1 {{a store to set 0 binding 0 inside of 'scf.if' in an scf.forall, whose threads can only store at the top level of the body; store there what the op returns}}
      dispatch.store %x, %a[%i] [4] [1] : tensor<4xf32> -> !dispatch.writeonly<tensor<8xf32>>
    }
  }
  return
}

// -----

func.func @overlapping_in_a_thread(%x: tensor<4xf32>, %j: index) {
  %a = dispatch.binding set(0) binding(0) : !dispatch.writeonly<tensor<8xf32>>
  scf.forall (%i) = (0) to (8) step (4) {
    // expected-error @+1 {{a thread stores to set 0 binding 0 twice, and the slices may overlap in part; store the whole part once}}
    dispatch.store %x, %a[%i] [4] [1] : tensor<4xf32> -> !dispatch.writeonly<tensor<8xf32>>
    // expected-note @+1 {{the other store is here}}
    dispatch.store %x, %a[%j] [4] [1] : tensor<4xf32> -> !dispatch.writeonly<tensor<8xf32>>
  }
  return
}

// -----

func.func @promoted_before() {
  %a = dispatch.binding set(0) binding(0) : !dispatch.readonly<tensor<8xf32>>
  // expected-note @+1 {{these are its contents}}
  %c = dispatch.contents %a : !dispatch.readonly<tensor<8xf32>> -> tensor<8xf32>
  // expected-error @+1 {{set 0 binding 0 was promoted before, but is accessed here; use its contents}}
  %x = dispatch.load %a : !dispatch.readonly<tensor<8xf32>> -> tensor<8xf32>
  return
}

// -----

// expected-error @+1 {{'func.func' has a block that cannot be reached from the first one; remove it first (upstream pass canonicalize)}}
func.func @unreachable(%x: tensor<8xf32>) {
  %a = dispatch.binding set(0) binding(0) : !dispatch.writeonly<tensor<8xf32>>
  dispatch.store %x, %a : tensor<8xf32> -> !dispatch.writeonly<tensor<8xf32>>
  return
^bb1:
  cf.br ^bb1
}
