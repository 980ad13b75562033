// RUN: inplace-opt %s --inplace-nontemporal-stores='machine="l3=8192" print-streams' --split-input-file --verify-diagnostics | filecheck %s

// CHECK-LABEL: func.func @rows
//       CHECK:   memref.extract_aligned_pointer_as_index %{{.*}} : memref<64x32xf32>
//       CHECK:   %[[ALIGNED:.*]] = arith.cmpi eq
//       CHECK:   scf.if %[[ALIGNED]] {
//       CHECK:     vector.store %{{.*}} {alignment = 64 : i64, nontemporal = true}
//       CHECK:   } else {
//       CHECK:     vector.transfer_write
func.func @rows(%v: vector<16xf32>, %r: memref<64x32xf32>, %x: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  // expected-remark @+1 {{stores of this loop that are nontemporal: 1}}
  scf.for %i = %c0 to %c64 step %c1 {
    %s = memref.subview %r[%i, 0] [1, 32] [1, 1] : memref<64x32xf32> to memref<1x32xf32, strided<[32, 1], offset: ?>>
    scf.for %j = %c0 to %c32 step %c16 {
      vector.transfer_write %v, %s[%c0, %j] {in_bounds = [true]}
        : vector<16xf32>, memref<1x32xf32, strided<[32, 1], offset: ?>>
    }
    vector.transfer_write %v, %x[%i] : vector<16xf32>, memref<64xf32>
  }
  return
}

// -----

// Each thread looks at the whole buffer.
// CHECK-LABEL: func.func @threads
//       CHECK:   scf.forall
//       CHECK:     memref.extract_aligned_pointer_as_index %{{.*}} : memref<2048xf32>
//       CHECK:     scf.if
//       CHECK:       nontemporal
//       CHECK:     } else
func.func @threads(%v: vector<16xf32>, %r: memref<2048xf32>) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c1024 = arith.constant 1024 : index
  scf.forall (%t) in (2) {
    %first = arith.muli %t, %c1024 : index
    %s = memref.subview %r[%first] [1024] [1] : memref<2048xf32> to memref<1024xf32, strided<[1], offset: ?>>
    // expected-remark @+1 {{stores of this loop that are nontemporal: 1}}
    scf.for %i = %c0 to %c1024 step %c16 {
      vector.transfer_write %v, %s[%i] {in_bounds = [true]} : vector<16xf32>, memref<1024xf32, strided<[1], offset: ?>>
    }
  }
  return
}

// -----

// Rows of 33 elements begin at no multiple of 64 bytes, nor does what begins at the third element.
// CHECK-LABEL: func.func @misaligned
//   CHECK-NOT:   nontemporal
func.func @misaligned(%v: vector<16xf32>, %r: memref<64x33xf32>, %q: memref<4096xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  scf.for %i = %c0 to %c64 step %c1 {
    vector.transfer_write %v, %r[%i, %c0] {in_bounds = [true]} : vector<16xf32>, memref<64x33xf32>
  }
  scf.for %i = %c3 to %c64 step %c16 {
    vector.transfer_write %v, %q[%i] {in_bounds = [true]} : vector<16xf32>, memref<4096xf32>
  }
  scf.for %i = %c0 to %c64 step %n {
    vector.transfer_write %v, %q[%i] {in_bounds = [true]} : vector<16xf32>, memref<4096xf32>
  }
  // It may reach over the end.
  scf.for %i = %c0 to %c64 step %c16 {
    vector.transfer_write %v, %q[%i] : vector<16xf32>, memref<4096xf32>
  }
  return
}

// -----

// What is read again, or small, or of unknown size, goes through the caches.
// CHECK-LABEL: func.func @cached
//   CHECK-NOT:   nontemporal
func.func @cached(%v: vector<16xf32>, %small: memref<256xf32>, %read: memref<4096xf32>, %any: memref<?xf32>)
    -> vector<16xf32> {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  scf.for %i = %c0 to %c64 step %c16 {
    vector.transfer_write %v, %small[%i] {in_bounds = [true]} : vector<16xf32>, memref<256xf32>
    vector.transfer_write %v, %read[%i] {in_bounds = [true]} : vector<16xf32>, memref<4096xf32>
    vector.transfer_write %v, %any[%i] {in_bounds = [true]} : vector<16xf32>, memref<?xf32>
  }
  %view = memref.cast %read : memref<4096xf32> to memref<?xf32>
  %w = vector.transfer_read %view[%c0], %zero : memref<?xf32>, vector<16xf32>
  return %w : vector<16xf32>
}
