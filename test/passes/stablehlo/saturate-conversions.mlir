// RUN: inplace-opt %s --inplace-saturate-conversions | filecheck %s

// In f32, where 2^32 is exact.
// CHECK-LABEL: func.func @narrow
//       CHECK:   %[[X:.*]] = arith.extf %arg0 : f16 to f32
//   CHECK-DAG:   %[[LOW:.*]] = arith.constant 0.000000e+00 : f32
//   CHECK-DAG:   %[[HIGH:.*]] = arith.constant 4.2949673E+9 : f32
//       CHECK:   arith.fptoui %[[X]] : f32 to i32
//       CHECK:   arith.cmpf ole, %[[X]], %[[LOW]] : f32
//       CHECK:   %[[ONES:.*]] = arith.constant -1 : i32
//       CHECK:   %[[ABOVE:.*]] = arith.cmpf oge, %[[X]], %[[HIGH]] : f32
//       CHECK:   arith.select %[[ABOVE]], %[[ONES]]
//       CHECK:   arith.cmpf uno, %[[X]], %[[X]] : f32
func.func @narrow(%x: f16) -> i32 {
  %0 = arith.fptoui %x : f16 to i32
  return %0 : i32
}

// CHECK-LABEL: func.func @vector
//  CHECK-NEXT:   arith.fptosi
//  CHECK-NEXT:   return
func.func @vector(%x: vector<4xf32>) -> vector<4xi32> {
  %0 = arith.fptosi %x : vector<4xf32> to vector<4xi32>
  return %0 : vector<4xi32>
}
