// RUN: inplace-opt %s --inplace-check-divisions | filecheck %s

// CHECK-LABEL: func.func @unsigned(
//  CHECK-SAME:   %[[A:.*]]: i32, %[[B:.*]]: i32)
//       CHECK:   %[[ZERO:.*]] = arith.constant 0 : i32
//       CHECK:   %[[OK:.*]] = arith.cmpi ne, %[[B]], %[[ZERO]] : i32
//       CHECK:   cf.assert %[[OK]], "integer division by zero"
//       CHECK:   arith.remui %[[A]], %[[B]] : i32
//   CHECK-NOT:   cf.assert
func.func @unsigned(%a: i32, %b: i32) -> i32 {
  %r = arith.remui %a, %b : i32
  return %r : i32
}

// CHECK-LABEL: func.func @signed(
//  CHECK-SAME:   %[[A:.*]]: index, %[[B:.*]]: index)
//       CHECK:   cf.assert %{{.*}}, "integer division by zero"
//       CHECK:   %[[LEAST:.*]] = arith.constant -9223372036854775808 : index
//       CHECK:   %[[LARGER:.*]] = arith.cmpi ne, %[[A]], %[[LEAST]] : index
//       CHECK:   %[[MINUS:.*]] = arith.constant -1 : index
//       CHECK:   %[[OTHER:.*]] = arith.cmpi ne, %[[B]], %[[MINUS]] : index
//       CHECK:   %[[OK:.*]] = arith.ori %[[LARGER]], %[[OTHER]] : i1
//       CHECK:   cf.assert %[[OK]], "integer quotient out of range"
//       CHECK:   arith.floordivsi %[[A]], %[[B]] : index
func.func @signed(%a: index, %b: index) -> index {
  %r = arith.floordivsi %a, %b : index
  return %r : index
}

// A constant is known, unless it is zero; by -1 one number cannot be divided.
// CHECK-LABEL: func.func @constants
//   CHECK-NOT:   cf.assert
//       CHECK:   arith.divsi
//   CHECK-NOT:   cf.assert
//       CHECK:   arith.divui
//   CHECK-NOT:   by zero
//       CHECK:   cf.assert %{{.*}}, "integer quotient out of range"
//  CHECK-NEXT:   arith.divsi
//       CHECK:   cf.assert %{{.*}}, "integer division by zero"
//  CHECK-NEXT:   arith.divui
func.func @constants(%a: i8, %v: vector<4xi8>) -> (i8, vector<4xi8>, i8, i8) {
  %three = arith.constant 3 : i8
  %threes = arith.constant dense<3> : vector<4xi8>
  %minus = arith.constant -1 : i8
  %zero = arith.constant 0 : i8
  %p = arith.divsi %a, %three : i8
  %q = arith.divui %v, %threes : vector<4xi8>
  %r = arith.divsi %a, %minus : i8
  %s = arith.divui %a, %zero : i8
  return %p, %q, %r, %s : i8, vector<4xi8>, i8, i8
}

// All lanes must hold.
// CHECK-LABEL: func.func @vectors
//       CHECK:   %[[LANES:.*]] = arith.cmpi ne, %{{.*}}, %{{.*}} : vector<2x2xi8>
//       CHECK:   %[[FLAT:.*]] = vector.shape_cast %[[LANES]] : vector<2x2xi1> to vector<4xi1>
//       CHECK:   %[[ALL:.*]] = vector.reduction <and>, %[[FLAT]] : vector<4xi1> into i1
//       CHECK:   cf.assert %[[ALL]], "integer division by zero"
func.func @vectors(%a: vector<2x2xi8>, %b: vector<2x2xi8>) -> vector<2x2xi8> {
  %r = arith.divui %a, %b : vector<2x2xi8>
  return %r : vector<2x2xi8>
}

// Floating-point numbers and what is no division are left alone.
// CHECK-LABEL: func.func @others
//   CHECK-NOT:   cf.assert
//       CHECK:   return
func.func @others(%a: f32, %i: i32) -> (f32, i32) {
  %q = arith.divf %a, %a : f32
  %s = arith.shrsi %i, %i : i32
  return %q, %s : f32, i32
}
