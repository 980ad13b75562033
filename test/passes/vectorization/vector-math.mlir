// RUN: inplace-opt %s --inplace-vector-math="print-kept machine=registers=8" --allow-unregistered-dialect --split-input-file --verify-diagnostics | filecheck %s

// The integer part of x goes into the exponent, in two halves; the rest into a polynomial of degree 6.
// CHECK-LABEL: func.func @exp2
//  CHECK-SAME:   %[[X:.*]]: vector<16xf32>
//   CHECK-NOT:   math.exp2
//       CHECK:   %[[ROUNDER:.*]] = arith.constant dense<0x4B4000FE> : vector<16xf32>
//       CHECK:   %[[RAISED:.*]] = arith.addf %{{.*}}, %[[ROUNDER]] : vector<16xf32>
// CHECK-COUNT-6: math.fma {{.*}} : vector<16xf32>
//       CHECK:   arith.shli
//       CHECK:   arith.mulf
//       CHECK:   %[[RESULT:.*]] = arith.mulf
//       CHECK:   return %[[RESULT]]
func.func @exp2(%x: vector<16xf32>) -> vector<16xf32> {
  %0 = math.exp2 %x : vector<16xf32>
  return %0 : vector<16xf32>
}

// -----

// Lanes that are too large for the reduction are libm's, each in a branch of its own: LLVM may move what is computed of
// a whole vector in front of the branch.
// CHECK-LABEL: func.func @sin
//       CHECK:   math.fma
//       CHECK:   %[[LARGE:.*]] = arith.cmpf ogt, {{.*}} : vector<2x4xf32>
//       CHECK:   %[[LANES:.*]] = vector.shape_cast %[[LARGE]] : vector<2x4xi1> to vector<8xi1>
//       CHECK:   %[[ANY:.*]] = vector.reduction <or>, %[[LANES]]
//       CHECK:   %[[RESULT:.*]] = scf.if %[[ANY]] -> (vector<2x4xf32>)
//       CHECK:     scf.for %[[LANE:.*]] = %c0 to %c8 step %c1 iter_args(%[[OLD:.*]] = %{{.*}}) -> (vector<8xf32>)
//       CHECK:       %[[IS:.*]] = vector.extract %[[LANES]][%[[LANE]]] : i1 from vector<8xi1>
//       CHECK:       scf.if %[[IS]] -> (vector<8xf32>)
//       CHECK:         %[[CALLED:.*]] = math.sin %{{.*}} : f32
//       CHECK:         vector.insert %[[CALLED]], %[[OLD]] [%[[LANE]]] : f32 into vector<8xf32>
//       CHECK:   } else {
//   CHECK-NOT:   math.sin
//       CHECK:   return %[[RESULT]]
func.func @sin(%x: vector<2x4xf32>) -> vector<2x4xf32> {
  %0 = math.sin %x : vector<2x4xf32>
  return %0 : vector<2x4xf32>
}

// -----

// CHECK-LABEL: func.func @narrow
//       CHECK:   %[[WIDE:.*]] = arith.extf %{{.*}} : vector<8xbf16> to vector<8xf32>
//       CHECK:   math.sqrt %[[WIDE]] : vector<8xf32>
//       CHECK:   arith.truncf %{{.*}} : vector<8xf32> to vector<8xbf16>
func.func @narrow(%x: vector<8xbf16>) -> vector<8xbf16> {
  %0 = math.rsqrt %x : vector<8xbf16>
  return %0 : vector<8xbf16>
}

// -----

// CHECK-LABEL: func.func @kept
func.func @kept(%x: vector<4xf128>, %y: vector<[4]xf32>, %z: vector<f32>, %s: f32, %v: vector<4xf32>)
    -> (vector<4xf128>, vector<[4]xf32>, vector<f32>, f32, vector<4xf32>) {
  // CHECK: math.exp %{{.*}} : vector<4xf128>
  // expected-remark @+1 {{'math.exp' is not rewritten, because there are polynomials for f64, f32, f16 and bf16, and not for f128}}
  %0 = math.exp %x : vector<4xf128>
  // CHECK: math.log %{{.*}} : vector<[4]xf32>
  // expected-remark @+1 {{'math.log' is not rewritten, because the lanes of a scalable vector cannot be counted}}
  %1 = math.log %y : vector<[4]xf32>
  // CHECK: math.erf %{{.*}} : vector<f32>
  // expected-remark @+1 {{'math.erf' is not rewritten, because a vector without dimensions is a scalar}}
  %2 = math.erf %z : vector<f32>
  // CHECK: math.tanh %{{.*}} : f32
  %3 = math.tanh %s : f32
  // An instruction already.
  // CHECK: math.sqrt %{{.*}} : vector<4xf32>
  %4 = math.sqrt %v : vector<4xf32>
  return %0, %1, %2, %3, %4 : vector<4xf128>, vector<[4]xf32>, vector<f32>, f32, vector<4xf32>
}

// -----

// In f64 the rounder is 1.5 * 2^52, and the polynomial has 11 coefficients.
// CHECK-LABEL: func.func @wide
//   CHECK-NOT:   math.exp2
//       CHECK:   arith.constant dense<0x43380000000007FE> : vector<8xf64>
// CHECK-COUNT-11: math.fma {{.*}} : vector<8xf64>
//   CHECK-NOT:   math.fma
//       CHECK:   return
func.func @wide(%x: vector<8xf64>) -> vector<8xf64> {
  %0 = math.exp2 %x : vector<8xf64>
  return %0 : vector<8xf64>
}

// -----

// A quotient that has more digits than a float is libm's, with both operands.
// CHECK-LABEL: func.func @remf
//       CHECK:   scf.if
//       CHECK:     arith.remf %{{.*}}, %{{.*}} : f32
//       CHECK:   } else {
//   CHECK-NOT:   arith.remf
//       CHECK:   return
func.func @remf(%x: vector<8xf32>, %y: vector<8xf32>) -> vector<8xf32> {
  %0 = arith.remf %x, %y : vector<8xf32>
  return %0 : vector<8xf32>
}

// -----

// The same for several vectors is done in lockstep, for as many as there are registers for.
// CHECK-LABEL: func.func @lockstep
//  CHECK-SAME:   %[[A:[a-z0-9]+]]: vector<8xf32>, %[[B:[a-z0-9]+]]: vector<8xf32>, %[[C:[a-z0-9]+]]: vector<8xf32>
//       CHECK:   %[[ROUNDER:.*]] = arith.constant dense<0x4B4000FE> : vector<8xf32>
//       CHECK:   %[[FIRST:.*]] = arith.addf %[[X:.*]], %[[ROUNDER]]
//  CHECK-NEXT:   %[[SECOND:.*]] = arith.addf %[[Y:.*]], %[[ROUNDER]]
//       CHECK:   arith.subf %[[FIRST]]
//  CHECK-NEXT:   arith.subf %[[SECOND]]
//   CHECK-NOT:   arith.addf
//       CHECK:   arith.mulf
//       CHECK:   %[[THIRD:.*]] = arith.addf
//   CHECK-NOT:   arith.addf
//       CHECK:   arith.subf %[[THIRD]]
func.func @lockstep(%a: vector<8xf32>, %b: vector<8xf32>, %c: vector<8xf32>)
    -> (vector<8xf32>, vector<8xf32>, vector<8xf32>) {
  %0 = math.exp2 %a : vector<8xf32>
  %1 = math.exp2 %b : vector<8xf32>
  %2 = math.exp2 %c : vector<8xf32>
  return %0, %1, %2 : vector<8xf32>, vector<8xf32>, vector<8xf32>
}

// -----

// What wants the result of the one before comes after it, and other functions and types have steps of their own.
// CHECK-LABEL: func.func @one_after_the_other
//   CHECK-NOT:   math.{{exp2|log2}}
// CHECK-COUNT-6: math.fma {{.*}} : vector<8xf32>
//       CHECK:   %[[FIRST:.*]] = arith.mulf %{{.*}}, %{{.*}} : vector<8xf32>
//       CHECK:   %[[LAST:.*]] = arith.mulf %{{.*}}, %{{.*}} : vector<8xf32>
//       CHECK:   arith.cmpf ogt, %[[LAST]]
// CHECK-COUNT-6: math.fma {{.*}} : vector<8xf32>
// CHECK-COUNT-6: math.fma {{.*}} : vector<4xf32>
func.func @one_after_the_other(%a: vector<8xf32>, %b: vector<4xf32>) -> (vector<8xf32>, vector<4xf32>, vector<4xf32>) {
  %0 = math.exp2 %a : vector<8xf32>
  %1 = math.exp2 %0 : vector<8xf32>
  %2 = math.exp2 %b : vector<4xf32>
  %3 = math.log2 %b : vector<4xf32>
  return %1, %2, %3 : vector<8xf32>, vector<4xf32>, vector<4xf32>
}

// -----

// Nobody knows which region of this op runs.
// CHECK-LABEL: func.func @regions_of_an_unknown_op
//       CHECK:   "test.op"() ({
//       CHECK:     math.fma
//       CHECK:   }, {
//       CHECK:     math.fma
func.func @regions_of_an_unknown_op(%a: vector<8xf32>, %b: vector<8xf32>) {
  "test.op"() ({
    %0 = math.exp %a : vector<8xf32>
    "test.use"(%0) : (vector<8xf32>) -> ()
  }, {
    %1 = math.exp %b : vector<8xf32>
    "test.use"(%1) : (vector<8xf32>) -> ()
  }) : () -> ()
  return
}
