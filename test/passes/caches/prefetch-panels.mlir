// RUN: inplace-opt %s --inplace-prefetch-panels='machine="l1=4096 l2=32768" print-panels' --split-input-file --verify-diagnostics | filecheck %s

// A row has 64 bytes: 64 rows ahead, and no further than the last one.
// CHECK-LABEL: func.func @panel
//  CHECK-SAME:   %[[W:arg0]]: memref<4x64x16xf32>, {{.*}}, %[[F:arg2]]: index
//       CHECK:   %[[ROWS:.*]] = memref.collapse_shape %[[W]] {{\[}}[0, 1], [2]] : memref<4x64x16xf32> into memref<256x16xf32>
//       CHECK:   %[[FIRST:.*]] = arith.muli %[[F]], %{{.*}} : index
//       CHECK:   scf.for %[[K:[a-z0-9]+]] =
//       CHECK:     %[[NOW:.*]] = arith.addi %[[FIRST]], %[[K]] : index
//       CHECK:     %[[C64:.*]] = arith.constant 64 : index
//       CHECK:     %[[AHEAD:.*]] = arith.addi %[[NOW]], %[[C64]] : index
//       CHECK:     %[[C255:.*]] = arith.constant 255 : index
//       CHECK:     %[[ROW:.*]] = arith.minui %[[AHEAD]], %[[C255]] : index
//       CHECK:     memref.prefetch %[[ROWS]][%[[ROW]], %{{.*}}], read, locality<3>, data : memref<256x16xf32>
//   CHECK-NOT:     memref.prefetch
func.func @panel(%w: memref<4x64x16xf32>, %x: vector<16xf32>, %f: index) -> vector<16xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  // expected-remark @+1 {{rows that this loop is going to read are prefetched}}
  %r = scf.for %k = %c0 to %c64 step %c1 iter_args(%s = %x) -> vector<16xf32> {
    %v = vector.transfer_read %w[%f, %k, %c0], %zero {in_bounds = [true]} : memref<4x64x16xf32>, vector<16xf32>
    %0 = math.fma %v, %x, %s : vector<16xf32>
    %1 = math.fma %v, %0, %s : vector<16xf32>
    %2 = math.fma %v, %1, %s : vector<16xf32>
    %3 = math.fma %v, %2, %s : vector<16xf32>
    scf.yield %3 : vector<16xf32>
  }
  return %r : vector<16xf32>
}

// -----

// Left alone: a loop that computes little, a row of which a half is read, rows two at a time, and a small buffer.
// CHECK-LABEL: func.func @left
//   CHECK-NOT:   memref.prefetch
func.func @left(%w: memref<256x16xf32>, %u: memref<256x32xf32>, %t: memref<8x16xf32>, %x: vector<16xf32>)
    -> (vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %c256 = arith.constant 256 : index
  %little = scf.for %k = %c0 to %c256 step %c1 iter_args(%s = %x) -> vector<16xf32> {
    %v = vector.transfer_read %w[%k, %c0], %zero {in_bounds = [true]} : memref<256x16xf32>, vector<16xf32>
    %0 = math.fma %v, %x, %s : vector<16xf32>
    %1 = math.fma %v, %0, %s : vector<16xf32>
    %2 = math.fma %v, %1, %s : vector<16xf32>
    scf.yield %2 : vector<16xf32>
  }
  %half = scf.for %k = %c0 to %c256 step %c1 iter_args(%s = %x) -> vector<16xf32> {
    %v = vector.transfer_read %u[%k, %c0], %zero {in_bounds = [true]} : memref<256x32xf32>, vector<16xf32>
    %0 = math.fma %v, %x, %s : vector<16xf32>
    %1 = math.fma %v, %0, %s : vector<16xf32>
    %2 = math.fma %v, %1, %s : vector<16xf32>
    %3 = math.fma %v, %2, %s : vector<16xf32>
    scf.yield %3 : vector<16xf32>
  }
  %two = scf.for %k = %c0 to %c256 step %c2 iter_args(%s = %x) -> vector<16xf32> {
    %v = vector.transfer_read %w[%k, %c0], %zero {in_bounds = [true]} : memref<256x16xf32>, vector<16xf32>
    %0 = math.fma %v, %x, %s : vector<16xf32>
    %1 = math.fma %v, %0, %s : vector<16xf32>
    %2 = math.fma %v, %1, %s : vector<16xf32>
    %3 = math.fma %v, %2, %s : vector<16xf32>
    scf.yield %3 : vector<16xf32>
  }
  %small = scf.for %k = %c0 to %c8 step %c1 iter_args(%s = %x) -> vector<16xf32> {
    %v = vector.transfer_read %t[%k, %c0], %zero {in_bounds = [true]} : memref<8x16xf32>, vector<16xf32>
    %0 = math.fma %v, %x, %s : vector<16xf32>
    %1 = math.fma %v, %0, %s : vector<16xf32>
    %2 = math.fma %v, %1, %s : vector<16xf32>
    %3 = math.fma %v, %2, %s : vector<16xf32>
    scf.yield %3 : vector<16xf32>
  }
  return %little, %half, %two, %small : vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>
}

// -----

// Three tiles of two rows read a panel of 32 rows; each row has two lines. The first tile fetches the first half of the
// next panel, the second tile the second half; the third one, and the last panel, fetch the last line again.
// CHECK-LABEL: func.func @next_panel
//  CHECK-SAME:   %[[W:arg0]]: memref<8x32x32xf32>
//       CHECK:   scf.for %[[J:[a-z0-9]+]] =
//       CHECK:     %[[FLAT:.*]] = memref.collapse_shape %[[W]] {{\[}}[0, 1, 2]] : memref<8x32x32xf32> into memref<8192xf32>
//       CHECK:     %[[C8191:.*]] = arith.constant 8191 : index
//       CHECK:     %[[END:.*]] = arith.minui %{{.*}}, %[[C8191]] : index
//       CHECK:     scf.for %[[I:[a-z0-9]+]] =
//       CHECK:       %[[TILE:.*]] = arith.divui %{{.*}}, %{{.*}} : index
//       CHECK:       %[[C512:.*]] = arith.constant 512 : index
//       CHECK:       %[[DONE:.*]] = arith.muli %[[TILE]], %[[C512]] : index
//       CHECK:       %[[FIRST:.*]] = arith.addi %{{.*}}, %[[DONE]] : index
//       CHECK:       scf.for %[[K:[a-z0-9]+]] =
//       CHECK:         %[[C16:.*]] = arith.constant 16 : index
//       CHECK:         %[[OFFSET:.*]] = arith.muli %[[K]], %[[C16]] : index
//       CHECK:         %[[WANTED:.*]] = arith.addi %[[FIRST]], %[[OFFSET]] : index
//       CHECK:         %[[AT:.*]] = arith.minui %[[WANTED]], %[[END]] : index
//       CHECK:         memref.prefetch %[[FLAT]][%[[AT]]], read, locality<3>, data : memref<8192xf32>
//   CHECK-NOT:   memref.prefetch
func.func @next_panel(%w: memref<8x32x32xf32>, %x: memref<6x32xvector<16xf32>>, %y: memref<8x6x2xvector<16xf32>>) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c6 = arith.constant 6 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %start = arith.constant dense<0.0> : vector<16xf32>
  scf.for %j = %c0 to %c8 step %c1 {
    %panel = memref.subview %w[%j, 0, 0] [1, 32, 32] [1, 1, 1]
        : memref<8x32x32xf32> to memref<32x32xf32, strided<[32, 1], offset: ?>>
    scf.for %i = %c0 to %c6 step %c2 {
      %next = arith.addi %i, %c1 : index
      // expected-remark @+1 {{the panel behind the one that this loop reads is prefetched}}
      %r:2 = scf.for %k = %c0 to %c32 step %c1 iter_args(%s = %start, %t = %start) -> (vector<16xf32>, vector<16xf32>) {
        %a = memref.load %x[%i, %k] : memref<6x32xvector<16xf32>>
        %b = memref.load %x[%next, %k] : memref<6x32xvector<16xf32>>
        %v = vector.transfer_read %panel[%k, %c0], %zero {in_bounds = [true]}
            : memref<32x32xf32, strided<[32, 1], offset: ?>>, vector<16xf32>
        %u = vector.transfer_read %panel[%k, %c16], %zero {in_bounds = [true]}
            : memref<32x32xf32, strided<[32, 1], offset: ?>>, vector<16xf32>
        %0 = vector.fma %a, %v, %s : vector<16xf32>
        %1 = vector.fma %b, %v, %0 : vector<16xf32>
        %2 = vector.fma %a, %u, %t : vector<16xf32>
        %3 = vector.fma %b, %u, %2 : vector<16xf32>
        %4 = vector.fma %a, %a, %1 : vector<16xf32>
        %5 = vector.fma %a, %a, %3 : vector<16xf32>
        %6 = vector.fma %b, %b, %4 : vector<16xf32>
        %7 = vector.fma %b, %b, %5 : vector<16xf32>
        scf.yield %6, %7 : vector<16xf32>, vector<16xf32>
      }
      memref.store %r#0, %y[%j, %i, %c0] : memref<8x6x2xvector<16xf32>>
      memref.store %r#1, %y[%j, %i, %c1] : memref<8x6x2xvector<16xf32>>
    }
  }
  return
}

// -----

// The panel may be an index of the buffer; a second loop, over rows that are left, fetches what is left.
// CHECK-LABEL: func.func @indexed
//  CHECK-SAME:   %[[W:arg0]]: memref<8x32x32xf32>
// CHECK-COUNT-2: memref.prefetch %{{.*}}[%{{.*}}], read, locality<3>, data : memref<8192xf32>
//     CHECK-NOT: memref.prefetch
func.func @indexed(%w: memref<8x32x32xf32>, %x: vector<16xf32>, %y: memref<8x2x2xvector<16xf32>>) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  scf.for %j = %c0 to %c8 step %c1 {
    // expected-remark @+1 {{the panel behind the one that this loop reads is prefetched}}
    %r = scf.for %k = %c0 to %c32 step %c1 iter_args(%s = %x) -> vector<16xf32> {
      %v = vector.transfer_read %w[%j, %k, %c0], %zero {in_bounds = [true]} : memref<8x32x32xf32>, vector<16xf32>
      %u = vector.transfer_read %w[%j, %k, %c16], %zero {in_bounds = [true]} : memref<8x32x32xf32>, vector<16xf32>
      %0 = vector.fma %x, %v, %s : vector<16xf32>
      %1 = vector.fma %x, %u, %0 : vector<16xf32>
      %2 = vector.fma %x, %v, %1 : vector<16xf32>
      %3 = vector.fma %x, %u, %2 : vector<16xf32>
      %4 = vector.fma %x, %v, %3 : vector<16xf32>
      %5 = vector.fma %x, %u, %4 : vector<16xf32>
      %6 = vector.fma %x, %v, %5 : vector<16xf32>
      %7 = vector.fma %x, %u, %6 : vector<16xf32>
      scf.yield %7 : vector<16xf32>
    }
    memref.store %r, %y[%j, %c0, %c0] : memref<8x2x2xvector<16xf32>>
    // expected-remark @+1 {{the panel behind the one that this loop reads is prefetched}}
    %t = scf.for %k = %c0 to %c32 step %c1 iter_args(%s = %x) -> vector<16xf32> {
      %v = vector.transfer_read %w[%j, %k, %c0], %zero {in_bounds = [true]} : memref<8x32x32xf32>, vector<16xf32>
      %u = vector.transfer_read %w[%j, %k, %c16], %zero {in_bounds = [true]} : memref<8x32x32xf32>, vector<16xf32>
      %0 = vector.fma %x, %v, %s : vector<16xf32>
      %1 = vector.fma %x, %u, %0 : vector<16xf32>
      %2 = vector.fma %x, %v, %1 : vector<16xf32>
      %3 = vector.fma %x, %u, %2 : vector<16xf32>
      %4 = vector.fma %x, %v, %3 : vector<16xf32>
      %5 = vector.fma %x, %u, %4 : vector<16xf32>
      %6 = vector.fma %x, %v, %5 : vector<16xf32>
      %7 = vector.fma %x, %u, %6 : vector<16xf32>
      scf.yield %7 : vector<16xf32>
    }
    memref.store %t, %y[%j, %c1, %c0] : memref<8x2x2xvector<16xf32>>
  }
  return
}

// -----

// Left alone: panels that one tile reads, which is a stream, and those of a buffer that stays in the second cache.
// CHECK-LABEL: func.func @read_once
//   CHECK-NOT:   memref.prefetch
func.func @read_once(%w: memref<8x32x64xf32>, %x: vector<16xf32>, %y: memref<8xvector<16xf32>>) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %c48 = arith.constant 48 : index
  scf.for %j = %c0 to %c8 step %c1 {
    %r = scf.for %k = %c0 to %c32 step %c1 iter_args(%s = %x) -> vector<16xf32> {
      %v = vector.transfer_read %w[%j, %k, %c0], %zero {in_bounds = [true]} : memref<8x32x64xf32>, vector<16xf32>
      %u = vector.transfer_read %w[%j, %k, %c16], %zero {in_bounds = [true]} : memref<8x32x64xf32>, vector<16xf32>
      %p = vector.transfer_read %w[%j, %k, %c32], %zero {in_bounds = [true]} : memref<8x32x64xf32>, vector<16xf32>
      %q = vector.transfer_read %w[%j, %k, %c48], %zero {in_bounds = [true]} : memref<8x32x64xf32>, vector<16xf32>
      %0 = vector.fma %x, %v, %s : vector<16xf32>
      %1 = vector.fma %x, %u, %0 : vector<16xf32>
      %2 = vector.fma %x, %p, %1 : vector<16xf32>
      %3 = vector.fma %x, %q, %2 : vector<16xf32>
      scf.yield %3 : vector<16xf32>
    }
    memref.store %r, %y[%j] : memref<8xvector<16xf32>>
  }
  return
}
