// RUN: inplace-opt %s --inplace-widen-product-results | filecheck %s

// CHECK-LABEL: func.func @dot
//       CHECK:   %[[WIDE:.*]] = stablehlo.dot %arg0, %arg1 : (tensor<2x3xbf16>, tensor<3x4xbf16>) -> tensor<2x4xf32>
//       CHECK:   %[[ROUNDED:.*]] = stablehlo.convert %[[WIDE]] : (tensor<2x4xf32>) -> tensor<2x4xbf16>
//       CHECK:   return %[[ROUNDED]], %[[ROUNDED]]
func.func @dot(%x: tensor<2x3xbf16>, %y: tensor<3x4xbf16>) -> (tensor<2x4xbf16>, tensor<2x4xbf16>) {
  %0 = stablehlo.dot %x, %y : (tensor<2x3xbf16>, tensor<3x4xbf16>) -> tensor<2x4xbf16>
  return %0, %0 : tensor<2x4xbf16>, tensor<2x4xbf16>
}

// CHECK-LABEL: func.func @convolution
//       CHECK:   stablehlo.convolution
//  CHECK-SAME:     (tensor<1x8x3xf16>, tensor<3x3x5xf16>) -> tensor<1x6x5xf32>
//       CHECK:   stablehlo.convert {{.*}} -> tensor<1x6x5xf16>
func.func @convolution(%x: tensor<1x8x3xf16>, %w: tensor<3x3x5xf16>) -> tensor<1x6x5xf16> {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {}
      {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
      : (tensor<1x8x3xf16>, tensor<3x3x5xf16>) -> tensor<1x6x5xf16>
  return %0 : tensor<1x6x5xf16>
}

// Wide results, integers, and what states how it adds up.
// CHECK-LABEL: func.func @others
//   CHECK-NOT:   stablehlo.convert
func.func @others(%x: tensor<2x2xbf16>, %n: tensor<2x2xi8>, %h: tensor<2x2xf16>)
    -> (tensor<2x2xf32>, tensor<2x2xi8>, tensor<2x2xf16>) {
  %0 = stablehlo.dot %x, %x : (tensor<2x2xbf16>, tensor<2x2xbf16>) -> tensor<2x2xf32>
  %1 = stablehlo.dot %n, %n : (tensor<2x2xi8>, tensor<2x2xi8>) -> tensor<2x2xi8>
  %2 = stablehlo.dot_general %h, %h, contracting_dims = [1] x [0],
      algorithm = <lhs_precision_type = f16, rhs_precision_type = f16, accumulation_type = f16,
                   lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1,
                   allow_imprecise_accumulation = false>
      : (tensor<2x2xf16>, tensor<2x2xf16>) -> tensor<2x2xf16>
  return %0, %1, %2 : tensor<2x2xf32>, tensor<2x2xi8>, tensor<2x2xf16>
}
