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

// -----

// A divisor that is not defined is replaced: the quotient is cut off from that of floats.
// CHECK-LABEL: func.func @quotients
//  CHECK-SAME:   %[[A:[a-z0-9]+]]: vector<8xi32>, %[[B:[a-z0-9]+]]: vector<8xi32>
//       CHECK:   %[[D:.*]] = arith.select
//       CHECK:   %[[WIDE:.*]] = arith.sitofp %[[A]] : vector<8xi32> to vector<8xf64>
//       CHECK:   %[[BY:.*]] = arith.sitofp %[[D]] : vector<8xi32> to vector<8xf64>
//       CHECK:   %[[Q:.*]] = arith.divf %[[WIDE]], %[[BY]] : vector<8xf64>
//       CHECK:   arith.fptosi %[[Q]] : vector<8xf64> to vector<8xi32>
//       CHECK:   arith.uitofp {{.*}} : vector<8xi8> to vector<8xf32>
//       CHECK:   %[[N:.*]] = arith.fptoui {{.*}} : vector<8xf32> to vector<8xi8>
//       CHECK:   %[[P:.*]] = arith.muli %[[N]]
//       CHECK:   arith.subi %{{.*}}, %[[P]]
//   CHECK-NOT:   arith.{{div|rem}}{{[su]}}i
func.func @quotients(%a: vector<8xi32>, %b: vector<8xi32>, %c: vector<8xi8>, %d: i8) -> (vector<8xi32>, vector<8xi8>) {
  %zero = arith.constant dense<0> : vector<8xi32>
  %one = arith.constant dense<1> : vector<8xi32>
  %minus = arith.constant dense<-1> : vector<8xi32>
  %least = arith.constant dense<-2147483648> : vector<8xi32>
  %0 = arith.cmpi eq, %b, %zero : vector<8xi32>
  %1 = arith.cmpi eq, %a, %least : vector<8xi32>
  %2 = arith.cmpi eq, %b, %minus : vector<8xi32>
  %3 = arith.andi %1, %2 : vector<8xi1>
  %4 = arith.ori %0, %3 : vector<8xi1>
  %5 = arith.select %4, %one, %b : vector<8xi1>, vector<8xi32>
  %6 = arith.divsi %a, %5 : vector<8xi32>
  %none = arith.constant 0 : i8
  %seven = arith.constant 7 : i8
  %7 = arith.cmpi eq, %d, %none : i8
  %8 = arith.select %7, %seven, %d : i8
  %9 = vector.broadcast %8 : i8 to vector<8xi8>
  %10 = arith.remui %c, %9 : vector<8xi8>
  return %6, %10 : vector<8xi32>, vector<8xi8>
}

// -----

// Divisors that may be zero, or -1 of the least number; wide numbers; a constant.
// CHECK-LABEL: func.func @kept_quotients
//   CHECK-NOT:   arith.divf
func.func @kept_quotients(%a: vector<8xi32>, %b: vector<8xi32>, %c: vector<8xi64>, %d: vector<8xi64>)
    -> (vector<8xi32>, vector<8xi32>, vector<8xi64>, vector<8xi32>) {
  %zero = arith.constant dense<0> : vector<8xi32>
  %one = arith.constant dense<1> : vector<8xi32>
  %none = arith.constant dense<0> : vector<8xi64>
  %three = arith.constant dense<3> : vector<8xi64>
  // expected-remark @+1 {{'arith.divui' is not rewritten, because divisors may be zero, or numbers have more than 32 bits}}
  %0 = arith.divui %a, %b : vector<8xi32>
  %1 = arith.cmpi eq, %b, %zero : vector<8xi32>
  %2 = arith.select %1, %one, %b : vector<8xi1>, vector<8xi32>
  // expected-remark @+1 {{'arith.divsi' is not rewritten, because divisors may be zero, or numbers have more than 32 bits}}
  %3 = arith.divsi %a, %2 : vector<8xi32>
  %4 = arith.cmpi eq, %d, %none : vector<8xi64>
  %5 = arith.select %4, %three, %d : vector<8xi1>, vector<8xi64>
  // expected-remark @+1 {{'arith.divui' is not rewritten, because divisors may be zero, or numbers have more than 32 bits}}
  %6 = arith.divui %c, %5 : vector<8xi64>
  %7 = arith.constant dense<9> : vector<8xi32>
  // expected-remark @+1 {{'arith.divsi' is not rewritten, because the divisor is a constant, of which LLVM makes a product}}
  %8 = arith.divsi %a, %7 : vector<8xi32>
  return %0, %3, %6, %8 : vector<8xi32>, vector<8xi32>, vector<8xi64>, vector<8xi32>
}
