// RUN: inplace-opt %s --inplace-refuse-hlo | filecheck %s

// CHECK-LABEL: func.func @f
//  CHECK-NEXT:   arith.negf %arg0
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = arith.negf %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
