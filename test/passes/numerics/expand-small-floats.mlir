// RUN: inplace-opt %s --inplace-expand-small-floats | filecheck %s

// Types without infinity have NaN for what is too large; that with the negative zero's place for NaN has no sign for 0.
// CHECK-LABEL: func.func @truncated
// CHECK-NOT: arith.truncf
// CHECK: arith.minui
// CHECK: arith.trunci %{{.*}} : i32 to i8
// CHECK: arith.bitcast %{{.*}} : i8 to f8E4M3FN
// CHECK-NOT: arith.minui
// CHECK: arith.bitcast %{{.*}} : vector<4xi8> to vector<4xf8E5M2FNUZ>
func.func @truncated(%x: f32, %v: vector<4xf32>) -> (f8E4M3FN, vector<4xf8E5M2FNUZ>) {
  %0 = arith.truncf %x : f32 to f8E4M3FN
  %1 = arith.truncf %v : vector<4xf32> to vector<4xf8E5M2FNUZ>
  return %0, %1 : f8E4M3FN, vector<4xf8E5M2FNUZ>
}

// By way of f32, from f64 without rounding twice.
// CHECK-LABEL: func.func @other_types
// CHECK: arith.truncf %{{.*}} : f64 to f32
// CHECK: arith.bitcast %{{.*}} : i8 to f8E5M2
// CHECK: arith.extf %{{.*}} : f16 to f32
// CHECK: arith.bitcast %{{.*}} : i8 to f8E5M2
// CHECK: arith.extf %{{.*}} : f32 to f64
// CHECK: arith.truncf %{{.*}} : f32 to bf16
func.func @other_types(%x: f64, %y: f16, %z: f8E3M4) -> (f8E5M2, f8E5M2, f64, bf16) {
  %0 = arith.truncf %x : f64 to f8E5M2
  %1 = arith.truncf %y : f16 to f8E5M2
  %2 = arith.extf %z : f8E3M4 to f64
  %3 = arith.extf %z : f8E3M4 to bf16
  return %0, %1, %2, %3 : f8E5M2, f8E5M2, f64, bf16
}

// CHECK-LABEL: func.func @left_alone
// CHECK: arith.truncf %{{.*}} toward_zero : f32 to f8E5M2
// CHECK: arith.extf %{{.*}} : f8E8M0FNU to f32
// CHECK: arith.truncf %{{.*}} : f32 to f16
func.func @left_alone(%x: f32, %y: f8E8M0FNU) -> (f8E5M2, f32, f16) {
  %0 = arith.truncf %x toward_zero : f32 to f8E5M2
  %1 = arith.extf %y : f8E8M0FNU to f32
  %2 = arith.truncf %x : f32 to f16
  return %0, %1, %2 : f8E5M2, f32, f16
}
