// RUN: inplace-opt %s --inplace-extend-fma | filecheck %s

// CHECK-LABEL: func.func @number
//       CHECK:   %[[A:.*]] = arith.extf %arg0 : bf16 to f32
//       CHECK:   %[[B:.*]] = arith.extf %arg1 : bf16 to f32
//       CHECK:   %[[C:.*]] = arith.extf %arg2 : bf16 to f32
//       CHECK:   %[[WIDE:.*]] = math.fma %[[A]], %[[B]], %[[C]] : f32
//       CHECK:   %[[RESULT:.*]] = arith.truncf %[[WIDE]] : f32 to bf16
//       CHECK:   return %[[RESULT]] : bf16
func.func @number(%a: bf16, %b: bf16, %c: bf16) -> bf16 {
  %0 = math.fma %a, %b, %c : bf16
  return %0 : bf16
}

// CHECK-LABEL: func.func @vector
//       CHECK:   math.fma %{{.*}} : vector<[4]xf32>
//       CHECK:   arith.truncf %{{.*}} : vector<[4]xf32> to vector<[4]xf16>
func.func @vector(%a: vector<[4]xf16>) -> vector<[4]xf16> {
  %0 = math.fma %a, %a, %a : vector<[4]xf16>
  return %0 : vector<[4]xf16>
}

// Wider types, and tensors, which become loops first.
// CHECK-LABEL: func.func @others
//   CHECK-NOT:   arith
//       CHECK:   math.fma %arg0, %arg0, %arg0 : f32
//       CHECK:   math.fma %arg1, %arg1, %arg1 : f64
//       CHECK:   math.fma %arg2, %arg2, %arg2 : tensor<4xbf16>
//   CHECK-NOT:   arith
func.func @others(%a: f32, %b: f64, %c: tensor<4xbf16>) -> (f32, f64, tensor<4xbf16>) {
  %0 = math.fma %a, %a, %a : f32
  %1 = math.fma %b, %b, %b : f64
  %2 = math.fma %c, %c, %c : tensor<4xbf16>
  return %0, %1, %2 : f32, f64, tensor<4xbf16>
}
