// RUN: inplace-opt %s --inplace-unfold-windows='machine="vector-bits=512 registers=32 l1=32768 l2=65536" print-unfolded' --split-input-file --verify-diagnostics | filecheck %s

// Rows of four pixels become one loop of 16. The copy takes 36864 bytes.
// CHECK-LABEL: func.func @short_rows
//       CHECK:   %[[E:.*]] = tensor.empty() : tensor<64x3x3x4x4xf32>
//       CHECK:   %[[X:.*]] = linalg.generic {{.*}} ins(%arg0 : tensor<1x64x6x6xf32>) outs(%[[E]]
//       CHECK:   tensor.collapse_shape %[[X]] {{.*}} into tensor<576x16xf32>
//       CHECK:   tensor.collapse_shape %arg1 {{.*}} into tensor<64x576xf32>
//       CHECK:   tensor.collapse_shape %arg2 {{.*}} into tensor<64x16xf32>
//       CHECK:   linalg.generic {{.*}} ["parallel", "parallel", "reduction"]}
//       CHECK:   tensor.expand_shape {{.*}} into tensor<1x64x4x4xf32>
func.func @short_rows(%x: tensor<1x64x6x6xf32>, %w: tensor<64x64x3x3xf32>, %y: tensor<1x64x4x4xf32>)
    -> tensor<1x64x4x4xf32> {
  // expected-remark @+1 {{'linalg.conv_2d_nchw_fchw' has merged loops d1, d2d3, d4d5d6, and reads copies of its windows #0}}
  %r = linalg.conv_2d_nchw_fchw ins(%x, %w : tensor<1x64x6x6xf32>, tensor<64x64x3x3xf32>)
      outs(%y : tensor<1x64x4x4xf32>) -> tensor<1x64x4x4xf32>
  return %r : tensor<1x64x4x4xf32>
}

// -----

// Of four pixels, vectors reduce: the copy has the reductions last.
// CHECK-LABEL: func.func @few_pixels
//       CHECK:   tensor.empty() : tensor<2x2x64x3x3xf32>
//       CHECK:   linalg.fill {{.*}} -> tensor<64x4xf32>
//       CHECK:   linalg.generic {{.*}} ins(%{{.*}}, %{{.*}} : tensor<4x576xf32>, tensor<64x576xf32>)
func.func @few_pixels(%x: tensor<1x64x4x4xf32>, %w: tensor<64x64x3x3xf32>) -> tensor<1x64x2x2xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x64x2x2xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x64x2x2xf32>) -> tensor<1x64x2x2xf32>
  // expected-remark @+1 {{has merged loops d1, d2d3, d4d5d6, and reads copies of its windows #0}}
  %r = linalg.conv_2d_nchw_fchw ins(%x, %w : tensor<1x64x4x4xf32>, tensor<64x64x3x3xf32>)
      outs(%f : tensor<1x64x2x2xf32>) -> tensor<1x64x2x2xf32>
  return %r : tensor<1x64x2x2xf32>
}

// -----

// The copy is larger than the second cache, so it is made for two rows of pixels at a time, in each image.
// CHECK-LABEL: func.func @in_tiles
//       CHECK:   scf.for
//       CHECK:     scf.for
//       CHECK:       tensor.extract_slice %arg0{{.*}} to tensor<1x8x5x33xf32>
//       CHECK:       tensor.empty() : tensor<8x3x3x2x16xf32>
//       CHECK:       linalg.generic
//       CHECK:       linalg.fill {{.*}} -> tensor<64x32xf32>
//       CHECK:       linalg.generic {{.*}} ["parallel", "parallel", "reduction"]}
//       CHECK:       tensor.insert_slice
func.func @in_tiles(%x: tensor<2x8x33x33xf32>, %w: tensor<64x8x3x3xf32>) -> tensor<2x64x16x16xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x64x16x16xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<2x64x16x16xf32>) -> tensor<2x64x16x16xf32>
  // expected-remark @+1 {{reads copies of its windows #0, in tiles, loop d0 by 1, loop d2 by 2}}
  %r = linalg.conv_2d_nchw_fchw {strides = dense<2> : tensor<2xi64>} ins(%x, %w : tensor<2x8x33x33xf32>, tensor<64x8x3x3xf32>)
      outs(%f : tensor<2x64x16x16xf32>) -> tensor<2x64x16x16xf32>
  return %r : tensor<2x64x16x16xf32>
}

// -----

// Windows of one pixel are read as they are.
// CHECK-LABEL: func.func @one_pixel
//   CHECK-NOT:   tensor.empty
//       CHECK:   tensor.collapse_shape %arg0 {{.*}} : tensor<1x64x5x7xf32> into tensor<64x35xf32>
//       CHECK:   linalg.generic
func.func @one_pixel(%x: tensor<1x64x5x7xf32>, %w: tensor<64x64x1x1xf32>, %y: tensor<1x64x5x7xf32>)
    -> tensor<1x64x5x7xf32> {
  // expected-remark @+1 {{'linalg.conv_2d_nchw_fchw' has merged loops d1, d2d3, d4}}
  %r = linalg.conv_2d_nchw_fchw ins(%x, %w : tensor<1x64x5x7xf32>, tensor<64x64x1x1xf32>)
      outs(%y : tensor<1x64x5x7xf32>) -> tensor<1x64x5x7xf32>
  return %r : tensor<1x64x5x7xf32>
}

// -----

// Vectors are full already: rows are two of them, or channels are last. Nothing is read again where each channel has a
// window of its own, and what is not known is left alone.
// CHECK-LABEL: func.func @kept
//   CHECK-NOT:   tensor.collapse_shape
//       CHECK:   linalg.conv_2d_nchw_fchw
//       CHECK:   linalg.conv_2d_nhwc_hwcf
//       CHECK:   linalg.depthwise_conv_2d_nchw_chw
//       CHECK:   linalg.conv_2d_nchw_fchw
func.func @kept(%x: tensor<1x64x34x66xf32>, %w: tensor<64x64x3x3xf32>, %y: tensor<1x64x32x64xf32>,
                %x1: tensor<1x6x6x64xf32>, %w1: tensor<3x3x64x64xf32>, %y1: tensor<1x4x4x64xf32>,
                %x2: tensor<1x64x6x6xf32>, %w2: tensor<64x3x3xf32>, %y2: tensor<1x64x4x4xf32>,
                %x3: tensor<1x64x?x6xf32>, %y3: tensor<1x64x?x4xf32>)
    -> (tensor<1x64x32x64xf32>, tensor<1x4x4x64xf32>, tensor<1x64x4x4xf32>, tensor<1x64x?x4xf32>) {
  %r = linalg.conv_2d_nchw_fchw ins(%x, %w : tensor<1x64x34x66xf32>, tensor<64x64x3x3xf32>)
      outs(%y : tensor<1x64x32x64xf32>) -> tensor<1x64x32x64xf32>
  %r1 = linalg.conv_2d_nhwc_hwcf ins(%x1, %w1 : tensor<1x6x6x64xf32>, tensor<3x3x64x64xf32>)
      outs(%y1 : tensor<1x4x4x64xf32>) -> tensor<1x4x4x64xf32>
  %r2 = linalg.depthwise_conv_2d_nchw_chw ins(%x2, %w2 : tensor<1x64x6x6xf32>, tensor<64x3x3xf32>)
      outs(%y2 : tensor<1x64x4x4xf32>) -> tensor<1x64x4x4xf32>
  %r3 = linalg.conv_2d_nchw_fchw ins(%x3, %w : tensor<1x64x?x6xf32>, tensor<64x64x3x3xf32>)
      outs(%y3 : tensor<1x64x?x4xf32>) -> tensor<1x64x?x4xf32>
  return %r, %r1, %r2, %r3 : tensor<1x64x32x64xf32>, tensor<1x4x4x64xf32>, tensor<1x64x4x4xf32>, tensor<1x64x?x4xf32>
}
