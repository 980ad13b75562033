// RUN: inplace-opt %s --inplace-expand-expm1 | filecheck %s

// CHECK-LABEL: func.func @number
//   CHECK-DAG:   %[[ONE:.*]] = arith.constant 1.000000e+00 : f32
//       CHECK:   %[[U:.*]] = math.exp %arg0 : f32
//       CHECK:   %[[V:.*]] = arith.subf %[[U]], %[[ONE]] : f32
//       CHECK:   %[[LOG:.*]] = math.log %[[U]] : f32
//       CHECK:   %[[RATIO:.*]] = arith.divf %arg0, %[[LOG]] : f32
//       CHECK:   %[[CORRECTED:.*]] = arith.mulf %[[V]], %[[RATIO]] : f32
//       CHECK:   %[[FAR:.*]] = arith.select %{{.*}}, %[[V]], %[[CORRECTED]] : f32
//       CHECK:   %[[RESULT:.*]] = arith.select %{{.*}}, %arg0, %[[FAR]] : f32
//       CHECK:   return %[[RESULT]] : f32
func.func @number(%x: f32) -> f32 {
  %0 = math.expm1 %x : f32
  return %0 : f32
}

// CHECK-LABEL: func.func @vector
//       CHECK:   math.log %{{.*}} : vector<4xf64>
//       CHECK:   arith.select %{{.*}} : vector<4xi1>, vector<4xf64>
//   CHECK-NOT:   math.expm1
func.func @vector(%x: vector<4xf64>) -> vector<4xf64> {
  %0 = math.expm1 %x : vector<4xf64>
  return %0 : vector<4xf64>
}

// Other ops, and tensors, which become loops first.
// CHECK-LABEL: func.func @others
//  CHECK-NEXT:   math.exp %arg0 : f32
//  CHECK-NEXT:   math.expm1 %arg1 : tensor<4xf32>
//  CHECK-NEXT:   return
func.func @others(%x: f32, %y: tensor<4xf32>) -> (f32, tensor<4xf32>) {
  %0 = math.exp %x : f32
  %1 = math.expm1 %y : tensor<4xf32>
  return %0, %1 : f32, tensor<4xf32>
}
