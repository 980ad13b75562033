// RUN: inplace-opt %s --inplace-expand-bf16-extremes | filecheck %s

// CHECK-LABEL: func.func @scalars
// CHECK-SAME: (%[[X:.*]]: bf16, %[[Y:.*]]: bf16)
// CHECK: %[[A:.*]] = arith.bitcast %[[X]] : bf16 to i16
// CHECK: arith.cmpi sgt, %{{.*}}, %{{.*}} : i16
// CHECK: arith.bitcast %[[Y]] : bf16 to i16
// CHECK: %[[M:.*]] = arith.maxsi %{{.*}}, %{{.*}} : i16
// CHECK: %[[R:.*]] = arith.bitcast %{{.*}} : i16 to bf16
// CHECK: return %[[R]]
func.func @scalars(%x: bf16, %y: bf16) -> bf16 {
  %0 = arith.maximumf %x, %y : bf16
  return %0 : bf16
}

// CHECK-LABEL: func.func @vectors
// CHECK: arith.minsi %{{.*}}, %{{.*}} : vector<8xi16>
// CHECK: arith.minsi %{{.*}}, %{{.*}} : vector<8xi16>
// CHECK-NOT: arith.minimumf
func.func @vectors(%x: vector<8xbf16>, %y: vector<8xbf16>) -> vector<8xbf16> {
  %0 = arith.minimumf %x, %y : vector<8xbf16>
  %1 = arith.minnumf %0, %y : vector<8xbf16>
  return %1 : vector<8xbf16>
}

// Other types, and tensors, stay.
// CHECK-LABEL: func.func @others
// CHECK-NEXT: arith.maximumf %{{.*}} : f16
// CHECK-NEXT: arith.maxnumf %{{.*}} : tensor<4xbf16>
// CHECK-NEXT: return
func.func @others(%x: f16, %y: tensor<4xbf16>) -> (f16, tensor<4xbf16>) {
  %0 = arith.maximumf %x, %x : f16
  %1 = arith.maxnumf %y, %y : tensor<4xbf16>
  return %0, %1 : f16, tensor<4xbf16>
}
