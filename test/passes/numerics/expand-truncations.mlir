// RUN: inplace-opt %s --inplace-expand-truncations | filecheck %s

// To f32, and one bit further where that was not exact and its last bit is 0; then rounded.
// CHECK-LABEL: func.func @number
//       CHECK:   %[[NEAR:.*]] = arith.truncf %arg0 : f64 to f32
//       CHECK:   %[[BACK:.*]] = arith.extf %[[NEAR]] : f32 to f64
//       CHECK:   %[[INEXACT:.*]] = arith.cmpf one, %[[BACK]], %arg0 : f64
//       CHECK:   %[[WORD:.*]] = arith.bitcast %[[NEAR]] : f32 to i32
//       CHECK:   %[[OTHER:.*]] = arith.addi %[[WORD]],
//       CHECK:   %[[EITHER:.*]] = arith.select %{{.*}}, %[[OTHER]], %[[WORD]] : i32
//       CHECK:   %[[ODD:.*]] = arith.bitcast %[[EITHER]] : i32 to f32
//       CHECK:   %[[RESULT:.*]] = arith.truncf %[[ODD]] : f32 to f16
//       CHECK:   return %[[RESULT]] : f16
func.func @number(%x: f64) -> f16 {
  %0 = arith.truncf %x : f64 to f16
  return %0 : f16
}

// CHECK-LABEL: func.func @vector
//       CHECK:   arith.truncf %arg0 : vector<4xf64> to vector<4xf32>
//       CHECK:   arith.truncf %{{.*}} : vector<4xf32> to vector<4xbf16>
func.func @vector(%x: vector<4xf64>) -> vector<4xbf16> {
  %0 = arith.truncf %x : vector<4xf64> to vector<4xbf16>
  return %0 : vector<4xbf16>
}

// Other types, another rounding mode, and tensors, which become loops first.
// CHECK-LABEL: func.func @others
//       CHECK:   arith.truncf %arg0 : f64 to f32
//       CHECK:   arith.truncf %arg1 : f32 to f16
//       CHECK:   arith.truncf %arg0 downward : f64 to f16
//       CHECK:   arith.truncf %arg2 : tensor<4xf64> to tensor<4xf16>
//   CHECK-NOT:   arith
func.func @others(%x: f64, %y: f32, %z: tensor<4xf64>) -> (f32, f16, f16, tensor<4xf16>) {
  %0 = arith.truncf %x : f64 to f32
  %1 = arith.truncf %y : f32 to f16
  %2 = arith.truncf %x downward : f64 to f16
  %3 = arith.truncf %z : tensor<4xf64> to tensor<4xf16>
  return %0, %1, %2, %3 : f32, f16, f16, tensor<4xf16>
}

// CHECK-LABEL: func.func @conversions
// CHECK-NEXT:    %[[A:.*]] = arith.extf %{{.*}} : bf16 to f32
// CHECK-NEXT:    %[[B:.*]] = arith.truncf %[[A]] : f32 to f16
// CHECK-NEXT:    %[[C:.*]] = arith.extf %{{.*}} : vector<4xf16> to vector<4xf32>
// CHECK-NEXT:    %[[D:.*]] = arith.truncf %[[C]] : vector<4xf32> to vector<4xbf16>
// CHECK-NEXT:    return %[[B]], %[[D]]
func.func @conversions(%x: bf16, %v: vector<4xf16>) -> (f16, vector<4xbf16>) {
  %0 = arith.convertf %x : bf16 to f16
  %1 = arith.convertf %v : vector<4xf16> to vector<4xbf16>
  return %0, %1 : f16, vector<4xbf16>
}
