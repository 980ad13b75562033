// RUN: inplace-opt %s --inplace-expand-bf16-extremes | filecheck %s

// CHECK-LABEL: func.func @scalars
// CHECK-SAME: (%[[X:.*]]: bf16, %[[Y:.*]]: bf16)
// CHECK: %[[A:.*]] = arith.bitcast %[[X]] : bf16 to i16
// CHECK: arith.addi %{{.*}}, %{{.*}} : i16
// CHECK: arith.bitcast %[[Y]] : bf16 to i16
// CHECK: %[[M:.*]] = arith.maxui %{{.*}}, %{{.*}} : i16
// CHECK: %[[R:.*]] = arith.bitcast %{{.*}} : i16 to bf16
// CHECK: return %[[R]]
func.func @scalars(%x: bf16, %y: bf16) -> bf16 {
  %0 = arith.maximumf %x, %y : bf16
  return %0 : bf16
}

// CHECK-LABEL: func.func @vectors
// CHECK: arith.minui %{{.*}}, %{{.*}} : vector<8xi16>
// CHECK: arith.minui %{{.*}}, %{{.*}} : vector<8xi16>
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

// CHECK-LABEL: func.func @lanes
// CHECK: vector.reduction <maxui>, %{{.*}}, %{{.*}} : vector<8xi16> into i16
// CHECK-NOT: maximumf
func.func @lanes(%x: vector<8xbf16>, %y: bf16) -> bf16 {
  %0 = vector.reduction <maximumf>, %x, %y : vector<8xbf16> into bf16
  return %0 : bf16
}

// What the loop carries is a key, and a float again behind it.
// CHECK-LABEL: func.func @carried
// CHECK: cf.br ^[[HEAD:.*]](%{{.*}}, %{{.*}} : index, i16)
// CHECK: ^[[HEAD]](%{{.*}}: index, %[[KEY:.*]]: i16):
// CHECK: memref.load
// CHECK: %[[MOST:.*]] = arith.maxui %[[KEY]], %{{.*}} : i16
// CHECK: cf.br ^[[HEAD]](%{{.*}}, %[[MOST]] : index, i16)
// CHECK: return %{{.*}} : bf16
func.func @carried(%x: memref<8xbf16>, %start: bf16) -> bf16 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  cf.br ^head(%c0, %start : index, bf16)
^head(%i: index, %most: bf16):
  %more = arith.cmpi slt, %i, %c8 : index
  cf.cond_br %more, ^body, ^end
^body:
  %element = memref.load %x[%i] : memref<8xbf16>
  %larger = arith.maximumf %most, %element : bf16
  %next = arith.addi %i, %c1 : index
  cf.br ^head(%next, %larger : index, bf16)
^end:
  return %most : bf16
}

// An argument that no maximum is brought to stays a float, and so does one that a switch hands over.
// CHECK-LABEL: func.func @not_carried
// CHECK: ^{{.*}}(%{{.*}}: bf16):
// CHECK: ^{{.*}}(%{{.*}}: bf16):
func.func @not_carried(%n: i32, %x: bf16, %y: bf16) -> bf16 {
  cf.br ^first(%x : bf16)
^first(%a: bf16):
  %0 = arith.maximumf %a, %y : bf16
  cf.switch %n : i32, [default: ^second(%0 : bf16), 1: ^second(%y : bf16)]
^second(%b: bf16):
  %1 = arith.maximumf %b, %y : bf16
  return %1 : bf16
}
