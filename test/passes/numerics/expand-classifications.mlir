// RUN: inplace-opt %s --inplace-expand-classifications | filecheck %s

// In the type that the numbers have, whose least normal number is another one.
// CHECK-LABEL: func.func @scalars
// CHECK-SAME: (%[[X:.*]]: f16, %[[Y:.*]]: bf16)
// CHECK: %[[A:.*]] = math.absf %[[X]] : f16
// CHECK: %[[I:.*]] = arith.constant 0x7C00 : f16
// CHECK: %[[L:.*]] = arith.cmpf olt, %[[A]], %[[I]] : f16
// CHECK: %[[N:.*]] = arith.constant 6.103520e-05 : f16
// CHECK: %[[G:.*]] = arith.cmpf oge, %[[A]], %[[N]] : f16
// CHECK: %[[R:.*]] = arith.andi %[[L]], %[[G]]
// CHECK: %[[B:.*]] = math.absf %[[Y]] : bf16
// CHECK: arith.constant 0x7F80 : bf16
// CHECK: %[[S:.*]] = arith.cmpf oeq, %[[B]], %{{.*}} : bf16
// CHECK: return %[[R]], %[[S]]
func.func @scalars(%x: f16, %y: bf16) -> (i1, i1) {
  %0 = math.isnormal %x : f16
  %1 = math.isinf %y : bf16
  return %0, %1 : i1, i1
}

// In f32, with their own least normal number.
// CHECK-LABEL: func.func @bytes
// CHECK-SAME: (%[[X:.*]]: f8E4M3FN)
// CHECK: %[[W:.*]] = arith.extf %[[X]] : f8E4M3FN to f32
// CHECK: %[[A:.*]] = math.absf %[[W]] : f32
// CHECK: arith.constant 0x7F800000 : f32
// CHECK: %[[N:.*]] = arith.constant 1.562500e-02 : f32
// CHECK: arith.cmpf oge, %[[A]], %[[N]] : f32
func.func @bytes(%x: f8E4M3FN) -> i1 {
  %0 = math.isnormal %x : f8E4M3FN
  return %0 : i1
}

// CHECK-LABEL: func.func @vectors
// CHECK: arith.constant dense<0x7FF0000000000000> : vector<4xf64>
// CHECK: arith.cmpf oeq, %{{.*}}, %{{.*}} : vector<4xf64>
func.func @vectors(%x: vector<4xf64>) -> vector<4xi1> {
  %0 = math.isinf %x : vector<4xf64>
  return %0 : vector<4xi1>
}

// CHECK-LABEL: func.func @left_alone
// CHECK: math.isinf %{{.*}} : tensor<4xf32>
// CHECK: math.isnan
// CHECK: math.isfinite
func.func @left_alone(%x: tensor<4xf32>, %y: f32) -> (tensor<4xi1>, i1, i1) {
  %0 = math.isinf %x : tensor<4xf32>
  %1 = math.isnan %y : f32
  %2 = math.isfinite %y : f32
  return %0, %1, %2 : tensor<4xi1>, i1, i1
}
