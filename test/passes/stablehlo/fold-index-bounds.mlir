// RUN: inplace-opt %s --allow-unregistered-dialect --inplace-fold-index-bounds --canonicalize | filecheck %s

// An index behind the counter, made positive and clamped as JAX and StableHLO do.
// CHECK-LABEL: func.func @row_before
//       CHECK:   scf.for %[[I:.*]] = %c1 to %c32
//  CHECK-NEXT:     %[[BEFORE:.*]] = arith.subi %[[I]], %c1 : index
//  CHECK-NEXT:     tensor.extract %{{.*}}[%[[BEFORE]]]
//  CHECK-NEXT:     tensor.insert
func.func @row_before(%x: tensor<32xf32>) -> tensor<32xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c31 = arith.constant 31 : index
  %c32 = arith.constant 32 : index
  %c0_i32 = arith.constant 0 : i32
  %c1_i32 = arith.constant 1 : i32
  %c32_i32 = arith.constant 32 : i32
  %0 = scf.for %i = %c1 to %c32 step %c1 iter_args(%a = %x) -> (tensor<32xf32>) {
    %1 = arith.index_cast %i : index to i32
    %2 = arith.subi %1, %c1_i32 : i32
    %3 = arith.cmpi slt, %2, %c0_i32 : i32
    %4 = arith.addi %2, %c32_i32 : i32
    %5 = arith.select %3, %4, %2 : i32
    %6 = arith.index_cast %5 : i32 to index
    %7 = arith.maxsi %6, %c0 : index
    %8 = arith.minsi %7, %c31 : index
    %9 = tensor.extract %a[%8] : tensor<32xf32>
    %10 = tensor.insert %9 into %a[%i] : tensor<32xf32>
    scf.yield %10 : tensor<32xf32>
  }
  return %0 : tensor<32xf32>
}

// One more iteration than there are rows, from one row too early, or to a row that is not known: the clamps stay.
// CHECK-LABEL: func.func @needed
//       CHECK:   scf.for
//       CHECK:     arith.minsi
//       CHECK:   scf.for
//       CHECK:     arith.maxsi
//       CHECK:   scf.for
//       CHECK:     arith.minsi
func.func @needed(%x: tensor<32xf32>, %n: index, %f: f32) -> (f32, f32, f32) {
  %cm1 = arith.constant -1 : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c31 = arith.constant 31 : index
  %c32 = arith.constant 32 : index
  %c33 = arith.constant 33 : index
  %0 = scf.for %i = %c0 to %c33 step %c1 iter_args(%a = %f) -> (f32) {
    %1 = arith.minsi %i, %c31 : index
    %2 = tensor.extract %x[%1] : tensor<32xf32>
    %3 = arith.addf %a, %2 : f32
    scf.yield %3 : f32
  }
  %4 = scf.for %i = %cm1 to %c32 step %c1 iter_args(%a = %f) -> (f32) {
    %1 = arith.maxsi %i, %c0 : index
    %2 = tensor.extract %x[%1] : tensor<32xf32>
    %3 = arith.addf %a, %2 : f32
    scf.yield %3 : f32
  }
  %5 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %f) -> (f32) {
    %1 = arith.minsi %i, %c31 : index
    %2 = tensor.extract %x[%1] : tensor<32xf32>
    %3 = arith.addf %a, %2 : f32
    scf.yield %3 : f32
  }
  return %0, %4, %5 : f32, f32, f32
}

// Sums that wrap around: 127 + 1 in an i8, and 100 * 2.
// CHECK-LABEL: func.func @wraps
//       CHECK:   scf.for
//       CHECK:     arith.addi %{{.*}} : i8
//       CHECK:     arith.muli %{{.*}} : i8
//       CHECK:     arith.cmpi
func.func @wraps(%x: tensor<256xf32>, %f: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %c1_i8 = arith.constant 1 : i8
  %c2_i8 = arith.constant 2 : i8
  %c0_i8 = arith.constant 0 : i8
  %0 = scf.for %i = %c0 to %c128 step %c1 iter_args(%a = %f) -> (f32) {
    %1 = arith.index_cast %i : index to i8
    %2 = arith.addi %1, %c1_i8 : i8
    %3 = arith.muli %1, %c2_i8 : i8
    %4 = arith.cmpi slt, %2, %c0_i8 : i8
    %5 = arith.index_castui %2 : i8 to index
    %6 = arith.index_castui %3 : i8 to index
    %7 = arith.select %4, %5, %6 : index
    %8 = tensor.extract %x[%7] : tensor<256xf32>
    %9 = arith.addf %a, %8 : f32
    scf.yield %9 : f32
  }
  return %0 : f32
}

// Each predicate on [0, 7] and a number, true, false and open.
// CHECK-LABEL: func.func @comparisons
//       CHECK:   "test.use"(%true, %true, %true, %false, %false, %false, %true, %true) : (i1, i1, i1, i1, i1, i1, i1, i1)
//       CHECK:   %[[OPEN:.*]] = arith.cmpi slt
//       CHECK:   %[[OPEN_TOO:.*]] = arith.cmpi ult
//       CHECK:   %[[EQUAL:.*]] = arith.cmpi eq
//       CHECK:   "test.use"(%[[OPEN]], %[[OPEN_TOO]], %[[EQUAL]])
func.func @comparisons(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c1 {
    %0 = arith.cmpi slt, %i, %c8 : index
    %1 = arith.cmpi ult, %i, %c8 : index
    %2 = arith.cmpi sle, %i, %c7 : index
    %3 = arith.cmpi sgt, %i, %c7 : index
    %4 = arith.cmpi sge, %i, %c8 : index
    %5 = arith.cmpi eq, %i, %c8 : index
    %6 = arith.cmpi ne, %i, %c8 : index
    %7 = arith.cmpi uge, %i, %c0 : index
    "test.use"(%0, %1, %2, %3, %4, %5, %6, %7) : (i1, i1, i1, i1, i1, i1, i1, i1) -> ()
    %8 = arith.cmpi slt, %i, %c7 : index
    %9 = arith.cmpi ult, %i, %n : index
    %10 = arith.cmpi eq, %i, %c7 : index
    "test.use"(%8, %9, %10) : (i1, i1, i1) -> ()
  }
  return
}
