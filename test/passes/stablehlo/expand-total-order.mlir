// RUN: inplace-opt %s --inplace-expand-total-order | filecheck %s

// CHECK-LABEL: func.func @number
//       CHECK:   %[[BITS:.*]] = stablehlo.bitcast_convert %arg0 : (tensor<f64>) -> tensor<i64>
//       CHECK:   %[[SIGN:.*]] = stablehlo.shift_right_arithmetic %[[BITS]]
//       CHECK:   %[[REST:.*]] = stablehlo.and %[[SIGN]]
//       CHECK:   %[[KEY:.*]] = stablehlo.xor %[[BITS]], %[[REST]]
//       CHECK:   stablehlo.compare GT, %[[KEY]], %{{.*}}, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
func.func @number(%x: tensor<f64>, %y: tensor<f64>) -> tensor<i1> {
  %0 = stablehlo.compare GT, %x, %y, TOTALORDER : (tensor<f64>, tensor<f64>) -> tensor<i1>
  return %0 : tensor<i1>
}

// CHECK-LABEL: func.func @others
//  CHECK-NEXT:   stablehlo.compare LT, %arg0, %arg0, FLOAT
//  CHECK-NEXT:   stablehlo.compare LT, %arg1, %arg1, SIGNED
func.func @others(%x: tensor<f64>, %i: tensor<i32>) -> (tensor<i1>, tensor<i1>) {
  %0 = stablehlo.compare LT, %x, %x, FLOAT : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %1 = stablehlo.compare LT, %i, %i, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  return %0, %1 : tensor<i1>, tensor<i1>
}
