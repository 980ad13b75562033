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

// The program looks whether a buffer of unknown size is large; it may be returned.
// CHECK-LABEL: func.func @dynamic
//       CHECK:   %[[SIZE:.*]] = memref.dim %[[R:.*]], %{{.*}} : memref<?xf32>
//       CHECK:   arith.cmpi uge, %[[SIZE]], %c1024
//       CHECK:   scf.if
//       CHECK:     vector.store %{{.*}}, %[[R]][%{{.*}}] {alignment = 64 : i64, nontemporal = true}
func.func @dynamic(%v: vector<16xf32>, %n: index) -> memref<?xf32> {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %r = memref.alloc(%n) : memref<?xf32>
  // expected-remark @+1 {{stores of this loop that are nontemporal: 1}}
  scf.for %i = %c0 to %n step %c16 {
    vector.transfer_write %v, %r[%i] {in_bounds = [true]} : vector<16xf32>, memref<?xf32>
  }
  return %r : memref<?xf32>
}

// -----

// Rows of unknown size begin at multiples of a vector if their size is one.
// CHECK-LABEL: func.func @dynamic_rows
//       CHECK:   %[[ROWS:.*]] = memref.dim %arg1, %{{.*}} : memref<?x?xf32>
//       CHECK:   %[[ROW:.*]] = memref.dim %arg1, %{{.*}} : memref<?x?xf32>
//       CHECK:   arith.muli %[[ROWS]], %[[ROW]]
//       CHECK:   arith.remui %[[ROW]], %c16
//       CHECK:   scf.if
//       CHECK:     nontemporal
func.func @dynamic_rows(%v: vector<16xf32>, %r: memref<?x?xf32>, %m: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  // expected-remark @+1 {{stores of this loop that are nontemporal: 1}}
  scf.for %i = %c0 to %m step %c1 {
    scf.for %j = %c0 to %n step %c16 {
      vector.transfer_write %v, %r[%i, %j] {in_bounds = [true]} : vector<16xf32>, memref<?x?xf32>
    }
  }
  return
}

// -----

// What lies around a row of 60 begins at multiples of 60, which are none of 16.
// CHECK-LABEL: func.func @short_rows
//   CHECK-NOT:   nontemporal
func.func @short_rows(%v: vector<16xf32>, %r: memref<?x?x60xf32>, %m: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %m step %c1 {
    vector.transfer_write %v, %r[%i, %c0, %c0] {in_bounds = [true]} : vector<16xf32>, memref<?x?x60xf32>
  }
  return
}

// -----

// A column of rows does not lie in one piece, as far as is known.
// CHECK-LABEL: func.func @dynamic_columns
//   CHECK-NOT:   nontemporal
func.func @dynamic_columns(%v: vector<16xf32>, %r: memref<?x?xf32>, %m: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  scf.for %j = %c0 to %m step %c1 {
    %s = memref.subview %r[0, %j] [%m, 1] [1, 1] : memref<?x?xf32> to memref<?xf32, strided<[?], offset: ?>>
    scf.for %i = %c0 to %m step %c16 {
      vector.transfer_write %v, %s[%i] {in_bounds = [true]} : vector<16xf32>, memref<?xf32, strided<[?], offset: ?>>
    }
  }
  return
}

// -----

// What is read again, or small, goes through the caches.
// CHECK-LABEL: func.func @cached
//   CHECK-NOT:   nontemporal
func.func @cached(%v: vector<16xf32>, %small: memref<256xf32>, %read: memref<4096xf32>)
    -> vector<16xf32> {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  scf.for %i = %c0 to %c64 step %c16 {
    vector.transfer_write %v, %small[%i] {in_bounds = [true]} : vector<16xf32>, memref<256xf32>
    vector.transfer_write %v, %read[%i] {in_bounds = [true]} : vector<16xf32>, memref<4096xf32>
  }
  %view = memref.cast %read : memref<4096xf32> to memref<?xf32>
  %w = vector.transfer_read %view[%c0], %zero : memref<?xf32>, vector<16xf32>
  return %w : vector<16xf32>
}
