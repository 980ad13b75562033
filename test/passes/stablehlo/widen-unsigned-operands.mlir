// RUN: inplace-opt %s --inplace-widen-unsigned-operands | filecheck %s

// CHECK-LABEL: func.func @dot_general
//       CHECK:   %[[X:.*]] = stablehlo.convert %arg0 : (tensor<2x3xui8>) -> tensor<2x3xi32>
//       CHECK:   stablehlo.dot_general %[[X]], %arg1
func.func @dot_general(%x: tensor<2x3xui8>, %y: tensor<3x4xi8>) -> tensor<2x4xi32> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0]
      : (tensor<2x3xui8>, tensor<3x4xi8>) -> tensor<2x4xi32>
  return %0 : tensor<2x4xi32>
}

// Signed operands, and results of the same type.
// CHECK-LABEL: func.func @others
//   CHECK-NOT:   stablehlo.convert
func.func @others(%x: tensor<2x2xi8>, %y: tensor<2x2xui8>) -> (tensor<2x2xi32>, tensor<2x2xui8>) {
  %0 = stablehlo.dot %x, %x : (tensor<2x2xi8>, tensor<2x2xi8>) -> tensor<2x2xi32>
  %1 = stablehlo.dot %y, %y : (tensor<2x2xui8>, tensor<2x2xui8>) -> tensor<2x2xui8>
  return %0, %1 : tensor<2x2xi32>, tensor<2x2xui8>
}
