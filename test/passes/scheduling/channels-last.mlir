// RUN: inplace-opt %s --inplace-channels-last='machine="vector-bits=512 registers=32 l2=4096" print-moved' --split-input-file --verify-diagnostics | filecheck %s

// Two convolutions with all that is between and behind them; only the result of the last op is read as before.
// CHECK-LABEL: func.func @chain
//  CHECK-SAME:   %[[X:.*]]: tensor<1x3x9x9xf32>
//  CHECK-SAME:   %[[W:.*]]: tensor<1x3x3x3x32xf32> {inplace.held, inplace.rearranged = {order = array<i64: 0, 2, 3, 4, 1>, shape = array<i64: 1, 32, 3, 3, 3>}}
//  CHECK-SAME:   %[[B:.*]]: tensor<32xf32>
//  CHECK-SAME:   %[[V:.*]]: tensor<2x3x3x32x32xf32> {inplace.held, inplace.rearranged = {order = array<i64: 0, 3, 4, 2, 1>, shape = array<i64: 2, 32, 32, 3, 3>}}
//       CHECK:   %[[S:.*]] = linalg.fill {{.*}} -> tensor<1x7x7x1x32xf32>
//       CHECK:   %[[C:.*]] = linalg.generic {{.*}} ins(%[[X]], %[[W]] : {{.*}}) outs(%[[S]] : tensor<1x7x7x1x32xf32>)
//       CHECK:   %[[F:.*]] = tensor.collapse_shape %[[C]] {{.*}} into tensor<1x7x7x32xf32>
//       CHECK:   %[[R:.*]] = linalg.generic {{.*}} ins(%[[F]], %[[B]] : tensor<1x7x7x32xf32>, tensor<32xf32>) outs(%{{.*}} : tensor<1x7x7x32xf32>)
//       CHECK:   tensor.insert_slice %[[R]] into %{{.*}}[0, 1, 1, 0] [1, 7, 7, 32] [1, 1, 1, 1] : tensor<1x7x7x32xf32> into tensor<1x9x9x32xf32>
//       CHECK:   %[[D:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<1x7x7x2x32xf32>)
//       CHECK:   %[[G:.*]] = tensor.collapse_shape %[[D]] {{.*}} into tensor<1x7x7x64xf32>
//       CHECK:   %[[P:.*]] = linalg.generic {{.*}} ins(%[[G]], %{{.*}} : {{.*}}) outs(%{{.*}} : tensor<1x3x3x64xf32>)
//       CHECK:   %[[T:.*]] = linalg.transpose ins(%[[P]] : tensor<1x3x3x64xf32>) outs(%{{.*}} : tensor<1x64x3x3xf32>) permutation = [0, 3, 1, 2]
//       CHECK:   return %[[T]]
func.func @chain(%x: tensor<1x3x9x9xf32>, %w: tensor<32x3x3x3xf32> {inplace.held}, %b: tensor<32xf32>,
    %v: tensor<64x32x3x3xf32> {inplace.held}) -> tensor<1x64x3x3xf32> {
  %zero = arith.constant 0.0 : f32
  %least = arith.constant 0xFF800000 : f32
  %0 = tensor.empty() : tensor<1x32x7x7xf32>
  %1 = linalg.fill ins(%zero : f32) outs(%0 : tensor<1x32x7x7xf32>) -> tensor<1x32x7x7xf32>
  // expected-remark @+1 {{'linalg.conv_2d_nchw_fchw' has its channels last, and its weights are laid out anew}}
  %2 = linalg.conv_2d_nchw_fchw ins(%x, %w : tensor<1x3x9x9xf32>, tensor<32x3x3x3xf32>)
      outs(%1 : tensor<1x32x7x7xf32>) -> tensor<1x32x7x7xf32>
  // expected-remark @+1 {{'linalg.generic' has its channels last}}
  %3 = linalg.generic {indexing_maps = [affine_map<(n, c, h, w) -> (n, c, h, w)>, affine_map<(n, c, h, w) -> (c)>,
      affine_map<(n, c, h, w) -> (n, c, h, w)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%2, %b : tensor<1x32x7x7xf32>, tensor<32xf32>) outs(%0 : tensor<1x32x7x7xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %s = arith.addf %p, %q : f32
    linalg.yield %s : f32
  } -> tensor<1x32x7x7xf32>
  // expected-remark @+1 {{'tensor.pad' has its channels last}}
  %4 = tensor.pad %3 low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f32
  } : tensor<1x32x7x7xf32> to tensor<1x32x9x9xf32>
  %5 = tensor.empty() : tensor<1x64x7x7xf32>
  %6 = linalg.fill ins(%zero : f32) outs(%5 : tensor<1x64x7x7xf32>) -> tensor<1x64x7x7xf32>
  // expected-remark @+1 {{'linalg.conv_2d_nchw_fchw' has its channels last, and its weights are laid out anew}}
  %7 = linalg.conv_2d_nchw_fchw ins(%4, %v : tensor<1x32x9x9xf32>, tensor<64x32x3x3xf32>)
      outs(%6 : tensor<1x64x7x7xf32>) -> tensor<1x64x7x7xf32>
  %8 = tensor.empty() : tensor<1x64x3x3xf32>
  %9 = linalg.fill ins(%least : f32) outs(%8 : tensor<1x64x3x3xf32>) -> tensor<1x64x3x3xf32>
  %10 = tensor.empty() : tensor<2x2xf32>
  // expected-remark @+1 {{'linalg.pooling_nchw_max' has its channels last}}
  %11 = linalg.pooling_nchw_max {strides = dense<2> : tensor<2xi64>}
      ins(%7, %10 : tensor<1x64x7x7xf32>, tensor<2x2xf32>) outs(%9 : tensor<1x64x3x3xf32>) -> tensor<1x64x3x3xf32>
  return %11 : tensor<1x64x3x3xf32>
}

// -----

// The weights of a depthwise convolution behind have their channels last, too.
// CHECK-LABEL: func.func @depthwise
//  CHECK-SAME:   %[[V:arg2]]: tensor<3x3x32xf32> {inplace.held, inplace.rearranged = {order = array<i64: 1, 2, 0>, shape = array<i64: 32, 3, 3>}}
//       CHECK:   linalg.generic {{.*}} ins(%{{.*}}, %[[V]] : tensor<1x7x7x32xf32>, tensor<3x3x32xf32>) outs(%{{.*}} : tensor<1x5x5x32xf32>)
func.func @depthwise(%x: tensor<1x16x7x7xf32>, %w: tensor<32x16x1x1xf32> {inplace.held},
    %v: tensor<32x3x3xf32> {inplace.held}) -> tensor<1x32x5x5xf32> {
  %zero = arith.constant 0.0 : f32
  %0 = tensor.empty() : tensor<1x32x7x7xf32>
  %1 = linalg.fill ins(%zero : f32) outs(%0 : tensor<1x32x7x7xf32>) -> tensor<1x32x7x7xf32>
  // expected-remark @+1 {{'linalg.conv_2d_nchw_fchw' has its channels last}}
  %2 = linalg.conv_2d_nchw_fchw ins(%x, %w : tensor<1x16x7x7xf32>, tensor<32x16x1x1xf32>)
      outs(%1 : tensor<1x32x7x7xf32>) -> tensor<1x32x7x7xf32>
  %3 = tensor.empty() : tensor<1x32x5x5xf32>
  %4 = linalg.fill ins(%zero : f32) outs(%3 : tensor<1x32x5x5xf32>) -> tensor<1x32x5x5xf32>
  // expected-remark @+1 {{'linalg.depthwise_conv_2d_nchw_chw' has its channels last}}
  %5 = linalg.depthwise_conv_2d_nchw_chw ins(%2, %v : tensor<1x32x7x7xf32>, tensor<32x3x3xf32>)
      outs(%4 : tensor<1x32x5x5xf32>) -> tensor<1x32x5x5xf32>
  return %5 : tensor<1x32x5x5xf32>
}

// -----

// The same with weights that have a dimension of one channel, as ONNX has them.
// CHECK-LABEL: func.func @one_channel
//  CHECK-SAME:   %[[V:arg2]]: tensor<1x3x32xf32> {inplace.held, inplace.rearranged = {order = array<i64: 1, 2, 0>, shape = array<i64: 32, 1, 3>}}
//       CHECK:   linalg.generic {{.*}} ins(%{{.*}}, %[[V]] : tensor<1x7x32xf32>, tensor<1x3x32xf32>) outs(%{{.*}} : tensor<1x5x32xf32>)
func.func @one_channel(%x: tensor<1x16x7xf32>, %w: tensor<32x16x1xf32> {inplace.held},
    %v: tensor<32x1x3xf32> {inplace.held}, %y: tensor<1x32x5xf32>) -> tensor<1x32x5xf32> {
  %zero = arith.constant 0.0 : f32
  %0 = tensor.empty() : tensor<1x32x7xf32>
  %1 = linalg.fill ins(%zero : f32) outs(%0 : tensor<1x32x7xf32>) -> tensor<1x32x7xf32>
  // expected-remark @+1 {{'linalg.conv_1d_ncw_fcw' has its channels last}}
  %2 = linalg.conv_1d_ncw_fcw ins(%x, %w : tensor<1x16x7xf32>, tensor<32x16x1xf32>)
      outs(%1 : tensor<1x32x7xf32>) -> tensor<1x32x7xf32>
  %3 = tensor.empty() : tensor<1x32x5xf32>
  %4 = linalg.fill ins(%zero : f32) outs(%3 : tensor<1x32x5xf32>) -> tensor<1x32x5xf32>
  // expected-remark @+1 {{'linalg.generic' has its channels last}}
  %5 = linalg.generic {indexing_maps = [affine_map<(n, c, w, i) -> (n, c, w + i)>, affine_map<(n, c, w, i) -> (c, 0, i)>,
      affine_map<(n, c, w, i) -> (n, c, w)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%2, %v : tensor<1x32x7xf32>, tensor<32x1x3xf32>) outs(%4 : tensor<1x32x5xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %m = arith.mulf %p, %q : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<1x32x5xf32>
  return %5 : tensor<1x32x5xf32>
}

// -----

// Weights that another op reads, too, stay; so do those that no attribute says to be held.
// CHECK-LABEL: func.func @read_twice
//       CHECK:   linalg.conv_2d_nchw_fchw
//       CHECK:   linalg.conv_2d_nchw_fchw
func.func @read_twice(%x: tensor<1x32x9x9xf32>, %w: tensor<32x32x3x3xf32> {inplace.held}, %v: tensor<32x32x3x3xf32>,
    %y: tensor<1x32x7x7xf32>) -> (tensor<1x32x7x7xf32>, tensor<32x32x3x3xf32>) {
  %0 = linalg.conv_2d_nchw_fchw ins(%x, %w : tensor<1x32x9x9xf32>, tensor<32x32x3x3xf32>)
      outs(%y : tensor<1x32x7x7xf32>) -> tensor<1x32x7x7xf32>
  %1 = linalg.conv_2d_nchw_fchw ins(%x, %v : tensor<1x32x9x9xf32>, tensor<32x32x3x3xf32>)
      outs(%0 : tensor<1x32x7x7xf32>) -> tensor<1x32x7x7xf32>
  return %1, %w : tensor<1x32x7x7xf32>, tensor<32x32x3x3xf32>
}

// -----

// With many products a convolution alone pays, though its result is transposed back.
// CHECK-LABEL: func.func @alone
//   CHECK-NOT:   linalg.conv_2d_nchw_fchw
//       CHECK:   linalg.transpose
func.func @alone(%x: tensor<1x32x9x9xf32>, %w: tensor<32x32x3x3xf32> {inplace.held}, %y: tensor<1x32x7x7xf32>)
    -> tensor<1x32x7x7xf32> {
  // expected-remark @+1 {{'linalg.conv_2d_nchw_fchw' has its channels last}}
  %0 = linalg.conv_2d_nchw_fchw ins(%x, %w : tensor<1x32x9x9xf32>, tensor<32x32x3x3xf32>)
      outs(%y : tensor<1x32x7x7xf32>) -> tensor<1x32x7x7xf32>
  return %0 : tensor<1x32x7x7xf32>
}

// -----

// Twelve filters fill no vector of 16, products of integers are not taken, and few products do not pay a transposition.
// CHECK-LABEL: func.func @left
// CHECK-COUNT-3: linalg.conv_2d_nchw_fchw
func.func @left(%x: tensor<1x32x9x9xf32>, %w: tensor<12x32x3x3xf32> {inplace.held}, %y: tensor<1x12x7x7xf32>,
    %i: tensor<1x32x9x9xi32>, %v: tensor<32x32x3x3xi32> {inplace.held}, %j: tensor<1x32x7x7xi32>,
    %a: tensor<1x28x9x9xf32>, %u: tensor<32x28x3x3xf32> {inplace.held}, %z: tensor<1x32x7x7xf32>)
    -> (tensor<1x12x7x7xf32>, tensor<1x32x7x7xi32>, tensor<1x32x7x7xf32>) {
  %0 = linalg.conv_2d_nchw_fchw ins(%x, %w : tensor<1x32x9x9xf32>, tensor<12x32x3x3xf32>)
      outs(%y : tensor<1x12x7x7xf32>) -> tensor<1x12x7x7xf32>
  %1 = linalg.conv_2d_nchw_fchw ins(%i, %v : tensor<1x32x9x9xi32>, tensor<32x32x3x3xi32>)
      outs(%j : tensor<1x32x7x7xi32>) -> tensor<1x32x7x7xi32>
  %2 = linalg.conv_2d_nchw_fchw ins(%a, %u : tensor<1x28x9x9xf32>, tensor<32x28x3x3xf32>)
      outs(%z : tensor<1x32x7x7xf32>) -> tensor<1x32x7x7xf32>
  return %0, %1, %2 : tensor<1x12x7x7xf32>, tensor<1x32x7x7xi32>, tensor<1x32x7x7xf32>
}

// -----

// A function that is called has the types that the call has.
// CHECK-LABEL: func.func @called
//       CHECK:   linalg.conv_2d_nchw_fchw
func.func @called(%x: tensor<1x32x9x9xf32>, %w: tensor<32x32x3x3xf32> {inplace.held}, %y: tensor<1x32x7x7xf32>)
    -> tensor<1x32x7x7xf32> {
  %r = linalg.conv_2d_nchw_fchw ins(%x, %w : tensor<1x32x9x9xf32>, tensor<32x32x3x3xf32>)
      outs(%y : tensor<1x32x7x7xf32>) -> tensor<1x32x7x7xf32>
  return %r : tensor<1x32x7x7xf32>
}

func.func @calls(%x: tensor<1x32x9x9xf32>, %w: tensor<32x32x3x3xf32>, %y: tensor<1x32x7x7xf32>) -> tensor<1x32x7x7xf32> {
  %r = func.call @called(%x, %w, %y)
      : (tensor<1x32x9x9xf32>, tensor<32x32x3x3xf32>, tensor<1x32x7x7xf32>) -> tensor<1x32x7x7xf32>
  return %r : tensor<1x32x7x7xf32>
}

// -----

// A vector times a held matrix is no convolution.
// CHECK-LABEL: func.func @vector
//       CHECK:   linalg.vecmat
func.func @vector(%y: tensor<256xf32>, %w: tensor<256x512xf32> {inplace.held}, %d: tensor<512xf32>) -> tensor<512xf32> {
  %0 = linalg.vecmat ins(%y, %w : tensor<256xf32>, tensor<256x512xf32>) outs(%d : tensor<512xf32>) -> tensor<512xf32>
  return %0 : tensor<512xf32>
}
