// RUN: inplace-opt %s --inplace-prefetch-panels='machine="l1=4096" print-panels' --split-input-file --verify-diagnostics | filecheck %s

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
