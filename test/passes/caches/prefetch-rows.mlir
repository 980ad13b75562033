// RUN: inplace-opt %s --inplace-prefetch-rows='machine="l2=4096" print-rows' --split-input-file --verify-diagnostics | filecheck %s

// CHECK-LABEL: func.func @rows
//  CHECK-SAME:   %[[X:.*]]: memref<64x128xf32>
//       CHECK:   scf.for %[[I:.*]] = %{{.*}} to %[[M:.*]] step %[[ONE:.*]] {
//       CHECK:     memref.subview %[[X]][%[[I]], 0]
//       CHECK:     %[[FOLLOWING:.*]] = arith.addi %[[I]], %[[ONE]] : index
//       CHECK:     %[[INSIDE:.*]] = arith.cmpi slt, %[[FOLLOWING]], %[[M]] : index
//       CHECK:     %[[NEXT:.*]] = arith.select %[[INSIDE]], %[[FOLLOWING]], %[[I]] : index
//       CHECK:     %[[COMING:.*]] = memref.subview %[[X]][%[[NEXT]], 0]
//       CHECK:     scf.for
//   CHECK-NOT:       memref.prefetch
//       CHECK:     scf.for %[[J:.*]] =
//       CHECK:       memref.prefetch %[[COMING]][%{{.*}}, %[[J]]], read, locality<3>, data
//   CHECK-NOT:       memref.prefetch
func.func @rows(%x: memref<64x128xf32>, %y: memref<128xf32>) {
  %zero = arith.constant 0.0 : f32
  %start = arith.constant dense<0.0> : vector<16xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  // expected-remark @+1 {{the next row is prefetched while this one is read for the last time}}
  scf.for %i = %c0 to %c64 step %c1 {
    %row = memref.subview %x[%i, 0] [1, 128] [1, 1] : memref<64x128xf32> to memref<1x128xf32, strided<[128, 1], offset: ?>>
    %sum = scf.for %j = %c0 to %c128 step %c16 iter_args(%s = %start) -> vector<16xf32> {
      %v = vector.transfer_read %row[%c0, %j], %zero {in_bounds = [true]} : memref<1x128xf32, strided<[128, 1], offset: ?>>, vector<16xf32>
      %t = arith.addf %s, %v : vector<16xf32>
      scf.yield %t : vector<16xf32>
    }
    scf.for %j = %c0 to %c128 step %c16 {
      %v = vector.transfer_read %row[%c0, %j], %zero {in_bounds = [true]} : memref<1x128xf32, strided<[128, 1], offset: ?>>, vector<16xf32>
      %0 = arith.subf %v, %sum : vector<16xf32>
      %1 = math.fma %0, %v, %v : vector<16xf32>
      %2 = math.fma %1, %v, %v : vector<16xf32>
      %3 = math.fma %2, %v, %v : vector<16xf32>
      %4 = math.fma %3, %v, %v : vector<16xf32>
      %5 = math.fma %4, %v, %v : vector<16xf32>
      %6 = math.fma %5, %v, %v : vector<16xf32>
      %7 = math.fma %6, %v, %v : vector<16xf32>
      %8 = math.fma %7, %v, %v : vector<16xf32>
      %9 = math.fma %8, %v, %v : vector<16xf32>
      vector.transfer_write %9, %y[%j] {in_bounds = [true]} : vector<16xf32>, memref<128xf32>
    }
  }
  return
}

// -----

// What only adds up keeps memory busy all the time.
// CHECK-LABEL: func.func @little_work
//   CHECK-NOT:   memref.prefetch
func.func @little_work(%x: memref<64x128xf32>, %y: memref<128xf32>) {
  %zero = arith.constant 0.0 : f32
  %start = arith.constant dense<0.0> : vector<16xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  scf.for %i = %c0 to %c64 step %c1 {
    %row = memref.subview %x[%i, 0] [1, 128] [1, 1] : memref<64x128xf32> to memref<1x128xf32, strided<[128, 1], offset: ?>>
    %sum = scf.for %j = %c0 to %c128 step %c16 iter_args(%s = %start) -> vector<16xf32> {
      %v = vector.transfer_read %row[%c0, %j], %zero {in_bounds = [true]} : memref<1x128xf32, strided<[128, 1], offset: ?>>, vector<16xf32>
      %t = arith.addf %s, %v : vector<16xf32>
      scf.yield %t : vector<16xf32>
    }
    scf.for %j = %c0 to %c128 step %c16 {
      %v = vector.transfer_read %row[%c0, %j], %zero {in_bounds = [true]} : memref<1x128xf32, strided<[128, 1], offset: ?>>, vector<16xf32>
      %0 = arith.subf %v, %sum : vector<16xf32>
      vector.transfer_write %0, %y[%j] {in_bounds = [true]} : vector<16xf32>, memref<128xf32>
    }
  }
  return
}

// -----

// Rows that are read once; small memory; elements that the last loop reads again and again.
// CHECK-LABEL: func.func @other
//   CHECK-NOT:   memref.prefetch
func.func @other(%x: memref<64x128xf32>, %small: memref<64x16xf32>, %y: memref<128xf32>) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  scf.for %i = %c0 to %c64 step %c1 {
    %once = memref.subview %x[%i, 0] [1, 128] [1, 1] : memref<64x128xf32> to memref<1x128xf32, strided<[128, 1], offset: ?>>
    %row = memref.subview %small[%i, 0] [1, 16] [1, 1] : memref<64x16xf32> to memref<1x16xf32, strided<[16, 1], offset: ?>>
    %again = memref.subview %x[%i, 0] [1, 16] [1, 1] : memref<64x128xf32> to memref<1x16xf32, strided<[128, 1], offset: ?>>
    scf.for %j = %c0 to %c128 step %c16 {
      %v = vector.transfer_read %once[%c0, %j], %zero {in_bounds = [true]} : memref<1x128xf32, strided<[128, 1], offset: ?>>, vector<16xf32>
      %r = vector.transfer_read %row[%c0, %c0], %zero {in_bounds = [true]} : memref<1x16xf32, strided<[16, 1], offset: ?>>, vector<16xf32>
      %a = vector.transfer_read %again[%c0, %c0], %zero {in_bounds = [true]} : memref<1x16xf32, strided<[128, 1], offset: ?>>, vector<16xf32>
      %0 = math.fma %v, %r, %a : vector<16xf32>
      vector.transfer_write %0, %y[%j] {in_bounds = [true]} : vector<16xf32>, memref<128xf32>
    }
    scf.for %j = %c0 to %c128 step %c16 {
      %r = vector.transfer_read %row[%c0, %c0], %zero {in_bounds = [true]} : memref<1x16xf32, strided<[16, 1], offset: ?>>, vector<16xf32>
      %a = vector.transfer_read %again[%c0, %c0], %zero {in_bounds = [true]} : memref<1x16xf32, strided<[128, 1], offset: ?>>, vector<16xf32>
      %0 = math.fma %r, %a, %a : vector<16xf32>
      %1 = math.fma %0, %a, %a : vector<16xf32>
      %2 = math.fma %1, %a, %a : vector<16xf32>
      %3 = math.fma %2, %a, %a : vector<16xf32>
      %4 = math.fma %3, %a, %a : vector<16xf32>
      %5 = math.fma %4, %a, %a : vector<16xf32>
      %6 = math.fma %5, %a, %a : vector<16xf32>
      %7 = math.fma %6, %a, %a : vector<16xf32>
      %8 = math.fma %7, %a, %a : vector<16xf32>
      %9 = math.fma %8, %a, %a : vector<16xf32>
      %10 = math.fma %9, %r, %a : vector<16xf32>
      %11 = math.fma %10, %r, %a : vector<16xf32>
      %12 = math.fma %11, %r, %a : vector<16xf32>
      %13 = math.fma %12, %r, %a : vector<16xf32>
      %14 = math.fma %13, %r, %a : vector<16xf32>
      %15 = math.fma %14, %r, %a : vector<16xf32>
      %16 = math.fma %15, %r, %a : vector<16xf32>
      %17 = math.fma %16, %r, %a : vector<16xf32>
      %18 = math.fma %17, %r, %a : vector<16xf32>
      %19 = math.fma %18, %r, %a : vector<16xf32>
      vector.transfer_write %19, %y[%j] {in_bounds = [true]} : vector<16xf32>, memref<128xf32>
    }
  }
  return
}
