// RUN: inplace-opt %s --inplace-pack-weights='machine="vector-bits=512 registers=32 l1=32768" print-packed' --split-input-file --verify-diagnostics | filecheck %s

// Two layers: each reads its weights in blocks; the loop over blocks is outermost.
// CHECK-DAG: #[[X:.*]] = affine_map<(d0, d1, d2, d3) -> (d1, d3)>
// CHECK-DAG: #[[W:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d3, d2)>
// CHECK-DAG: #[[R:.*]] = affine_map<(d0, d1, d2, d3) -> (d1, d0, d2)>
// CHECK-LABEL: func.func @layers
//  CHECK-SAME:   %[[A:.*]]: tensor<6x256xf32>
//  CHECK-SAME:   %[[V:arg1]]: tensor<2x256x64xf32> {inplace.held, inplace.rearranged = {order = array<i64: 1, 0, 2>, shape = array<i64: 256, 2, 64>}}
//  CHECK-SAME:   %{{.*}}: tensor<3x128x32xf32> {inplace.held, inplace.rearranged = {order = array<i64: 1, 0, 2>, shape = array<i64: 128, 3, 32>}}
//       CHECK:   %[[E:.*]] = tensor.expand_shape %{{.*}} {{\[\[}}0], [1, 2]] output_shape [6, 2, 64]
//       CHECK:   %[[F:.*]] = linalg.fill {{.*}} outs(%[[E]] : tensor<6x2x64xf32>)
//       CHECK:   %[[P:.*]] = linalg.generic {indexing_maps = [#[[X]], #[[W]], #[[R]]], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%[[A]], %[[V]] : tensor<6x256xf32>, tensor<2x256x64xf32>) outs(%[[F]] : tensor<6x2x64xf32>)
//       CHECK:   %[[C:.*]] = tensor.collapse_shape %[[P]] {{.*}} into tensor<6x128xf32>
//       CHECK:   linalg.generic {{.*}} ins(%[[C]], %{{.*}} : tensor<6x128xf32>, tensor<3x128x32xf32>) outs(%{{.*}} : tensor<6x3x32xf32>)
func.func @layers(%x: tensor<6x256xf32>, %v: tensor<256x128xf32> {inplace.held},
    %w: tensor<128x96xf32> {inplace.held}) -> tensor<6x96xf32> {
  %zero = arith.constant 0.0 : f32
  %0 = tensor.empty() : tensor<6x128xf32>
  %1 = linalg.fill ins(%zero : f32) outs(%0 : tensor<6x128xf32>) -> tensor<6x128xf32>
  // expected-remark @+1 {{the weights of 'linalg.matmul' are packed in blocks of 64 columns}}
  %2 = linalg.matmul ins(%x, %v : tensor<6x256xf32>, tensor<256x128xf32>)
      outs(%1 : tensor<6x128xf32>) -> tensor<6x128xf32>
  %3 = tensor.empty() : tensor<6x96xf32>
  %4 = linalg.fill ins(%zero : f32) outs(%3 : tensor<6x96xf32>) -> tensor<6x96xf32>
  // expected-remark @+1 {{the weights of 'linalg.matmul' are packed in blocks of 32 columns}}
  %5 = linalg.matmul ins(%2, %w : tensor<6x128xf32>, tensor<128x96xf32>)
      outs(%4 : tensor<6x96xf32>) -> tensor<6x96xf32>
  return %5 : tensor<6x96xf32>
}

// -----

// Transposed weights, rows of which two dimensions are not known, and an init that is no fill.
// CHECK-DAG: #[[X:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d1, d2, d4)>
// CHECK-DAG: #[[W:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d4, d3)>
// CHECK-DAG: #[[R:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d1, d2, d0, d3)>
// CHECK-LABEL: func.func @transposed
//  CHECK-SAME:   %[[V:arg1]]: tensor<2x256x64xf32> {inplace.held, inplace.rearranged = {order = array<i64: 0, 2, 1>, shape = array<i64: 2, 64, 256>}}
//       CHECK:   %[[E:.*]] = tensor.expand_shape %arg2 {{\[\[}}0], [1], [2, 3]] output_shape [%{{.*}}, %{{.*}}, 2, 64] : tensor<?x?x128xf32> into tensor<?x?x2x64xf32>
//       CHECK:   linalg.generic {indexing_maps = [#[[X]], #[[W]], #[[R]]], {{.*}} outs(%[[E]] : tensor<?x?x2x64xf32>)
//       CHECK:   tensor.collapse_shape %{{.*}} {{\[\[}}0], [1], [2, 3]] : tensor<?x?x2x64xf32> into tensor<?x?x128xf32>
func.func @transposed(%x: tensor<?x?x256xf32>, %v: tensor<128x256xf32> {inplace.held},
    %init: tensor<?x?x128xf32>) -> tensor<?x?x128xf32> {
  // expected-remark @+1 {{the weights of 'linalg.generic' are packed in blocks of 64 columns}}
  %0 = linalg.generic {indexing_maps = [affine_map<(a, b, n, k) -> (a, b, k)>, affine_map<(a, b, n, k) -> (n, k)>,
      affine_map<(a, b, n, k) -> (a, b, n)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %v : tensor<?x?x256xf32>, tensor<128x256xf32>) outs(%init : tensor<?x?x128xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %s = arith.mulf %p, %q : f32
    %t = arith.addf %o, %s : f32
    linalg.yield %t : f32
  } -> tensor<?x?x128xf32>
  return %0 : tensor<?x?x128xf32>
}

// -----

// Columns behind the blocks: they lie behind these, and are a product of their own, in the same result.
// CHECK-DAG: #[[X:.*]] = affine_map<(d0, d1, d2) -> (d0, d2)>
// CHECK-DAG: #[[W:.*]] = affine_map<(d0, d1, d2) -> (d2, d1)>
// CHECK-DAG: #[[R:.*]] = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-LABEL: func.func @behind
//  CHECK-SAME:   %[[A:.*]]: tensor<6x256xf32>
//  CHECK-SAME:   %[[V:arg1]]: tensor<25600xf32> {inplace.held, inplace.rearranged = {cut = array<i64: 1, 64>, order = array<i64: 1, 0, 2>, rest = array<i64: 0, 1>, shape = array<i64: 256, 1, 64>}}
//  CHECK-SAME:   %[[U:arg2]]: tensor<25600xf32> {inplace.held, inplace.rearranged = {cut = array<i64: 0, 64>, order = array<i64: 0, 2, 1>, rest = array<i64: 1, 0>, shape = array<i64: 1, 64, 256>}}
//       CHECK:   %[[E:.*]] = tensor.empty() : tensor<6x100xf32>
//       CHECK:   %[[W0:.*]] = tensor.extract_slice %[[V]][0] [16384] [1] : tensor<25600xf32> to tensor<16384xf32>
//       CHECK:   %[[B:.*]] = tensor.expand_shape %[[W0]] {{\[\[}}0, 1, 2]] output_shape [1, 256, 64]
//       CHECK:   %[[W1:.*]] = tensor.extract_slice %[[V]][16384] [9216] [1] : tensor<25600xf32> to tensor<9216xf32>
//       CHECK:   %[[REST:.*]] = tensor.expand_shape %[[W1]] {{\[\[}}0, 1]] output_shape [256, 36]
//       CHECK:   %[[E0:.*]] = tensor.extract_slice %[[E]][0, 0] [6, 64] [1, 1]
//       CHECK:   linalg.generic {{.*}} ins(%[[A]], %[[B]] : tensor<6x256xf32>, tensor<1x256x64xf32>)
//       CHECK:   %[[C:.*]] = tensor.collapse_shape %{{.*}} into tensor<6x64xf32>
//       CHECK:   %[[I:.*]] = tensor.insert_slice %[[C]] into %[[E]][0, 0] [6, 64] [1, 1]
//       CHECK:   %[[E1:.*]] = tensor.extract_slice %[[I]][0, 64] [6, 36] [1, 1]
//       CHECK:   %[[F:.*]] = linalg.fill {{.*}} outs(%[[E1]] : tensor<6x36xf32>)
//       CHECK:   %[[P:.*]] = linalg.generic {indexing_maps = [#[[X]], #[[W]], #[[R]]], {{.*}} ins(%[[A]], %[[REST]] : tensor<6x256xf32>, tensor<256x36xf32>) outs(%[[F]] : tensor<6x36xf32>)
//       CHECK:   tensor.insert_slice %[[P]] into %[[I]][0, 64] [6, 36] [1, 1]
//       CHECK:   linalg.generic {indexing_maps = [#[[X]], #[[W]], #[[R]]], {{.*}} tensor<256x36xf32>)
func.func @behind(%x: tensor<6x256xf32>, %v: tensor<256x100xf32> {inplace.held}, %u: tensor<100x256xf32> {inplace.held},
    %init: tensor<6x100xf32>) -> (tensor<6x100xf32>, tensor<6x100xf32>) {
  %zero = arith.constant 0.0 : f32
  %0 = tensor.empty() : tensor<6x100xf32>
  %1 = linalg.fill ins(%zero : f32) outs(%0 : tensor<6x100xf32>) -> tensor<6x100xf32>
  // expected-remark @+1 {{the weights of 'linalg.matmul' are packed in blocks of 64 columns, and 36 behind them}}
  %2 = linalg.matmul ins(%x, %v : tensor<6x256xf32>, tensor<256x100xf32>)
      outs(%1 : tensor<6x100xf32>) -> tensor<6x100xf32>
  // expected-remark @+1 {{the weights of 'linalg.matmul' are packed in blocks of 64 columns, and 36 behind them}}
  %3 = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%x, %u : tensor<6x256xf32>, tensor<100x256xf32>) outs(%init : tensor<6x100xf32>) -> tensor<6x100xf32>
  return %2, %3 : tensor<6x100xf32>, tensor<6x100xf32>
}

// -----

// Not: weights with another use, that are not held, that fit into the first cache, whose columns fill no block, and
// that are widened.
// CHECK-LABEL: func.func @left_alone
// CHECK-COUNT-6: linalg.matmul
func.func @left_alone(%x: tensor<6x256xf32>, %half: tensor<6x256xf16>,
    %shared: tensor<256x128xf32> {inplace.held}, %free: tensor<256x128xf32>,
    %small: tensor<128x64xf32> {inplace.held}, %odd: tensor<256x60xf32> {inplace.held},
    %narrow: tensor<256x128xf16> {inplace.held}, %a: tensor<6x128xf32>, %c: tensor<6x64xf32>,
    %d: tensor<6x60xf32>)
    -> (tensor<6x128xf32>, tensor<6x128xf32>, tensor<6x128xf32>, tensor<6x64xf32>,
        tensor<6x60xf32>, tensor<6x128xf32>) {
  %0 = linalg.matmul ins(%x, %shared : tensor<6x256xf32>, tensor<256x128xf32>) outs(%a : tensor<6x128xf32>) -> tensor<6x128xf32>
  %1 = linalg.matmul ins(%x, %shared : tensor<6x256xf32>, tensor<256x128xf32>) outs(%a : tensor<6x128xf32>) -> tensor<6x128xf32>
  %2 = linalg.matmul ins(%x, %free : tensor<6x256xf32>, tensor<256x128xf32>) outs(%a : tensor<6x128xf32>) -> tensor<6x128xf32>
  %4 = linalg.matmul ins(%0, %small : tensor<6x128xf32>, tensor<128x64xf32>) outs(%c : tensor<6x64xf32>) -> tensor<6x64xf32>
  %5 = linalg.matmul ins(%x, %odd : tensor<6x256xf32>, tensor<256x60xf32>) outs(%d : tensor<6x60xf32>) -> tensor<6x60xf32>
  %6 = linalg.matmul ins(%half, %narrow : tensor<6x256xf16>, tensor<256x128xf16>) outs(%a : tensor<6x128xf32>) -> tensor<6x128xf32>
  return %0, %1, %2, %4, %5, %6 : tensor<6x128xf32>, tensor<6x128xf32>, tensor<6x128xf32>, tensor<6x64xf32>, tensor<6x60xf32>, tensor<6x128xf32>
}

// -----

// Not: calls have the old types. Nor: columns that are not the last dimension of the result, or of weights of a batch.
// CHECK-LABEL: func.func @called
//       CHECK:   linalg.matmul
func.func @called(%x: tensor<6x256xf32>, %w: tensor<256x128xf32> {inplace.held}, %c: tensor<6x128xf32>) -> tensor<6x128xf32> {
  %0 = linalg.matmul ins(%x, %w : tensor<6x256xf32>, tensor<256x128xf32>) outs(%c : tensor<6x128xf32>) -> tensor<6x128xf32>
  return %0 : tensor<6x128xf32>
}

func.func @caller(%x: tensor<6x256xf32>, %w: tensor<256x128xf32>, %c: tensor<6x128xf32>) -> tensor<6x128xf32> {
  %0 = func.call @called(%x, %w, %c) : (tensor<6x256xf32>, tensor<256x128xf32>, tensor<6x128xf32>) -> tensor<6x128xf32>
  return %0 : tensor<6x128xf32>
}

// CHECK-LABEL: func.func @other_results
//       CHECK:   linalg.matmul ins(%arg1, %arg0
//       CHECK:   linalg.batch_matmul
func.func @other_results(%x: tensor<32x128xf32>, %w: tensor<256x32xf32> {inplace.held}, %v: tensor<2x256x128xf32> {inplace.held},
    %y: tensor<2x32x256xf32>, %c: tensor<256x128xf32>, %d: tensor<2x32x128xf32>) -> (tensor<256x128xf32>, tensor<2x32x128xf32>) {
  %0 = linalg.matmul ins(%w, %x : tensor<256x32xf32>, tensor<32x128xf32>) outs(%c : tensor<256x128xf32>) -> tensor<256x128xf32>
  %1 = linalg.batch_matmul ins(%y, %v : tensor<2x32x256xf32>, tensor<2x256x128xf32>) outs(%d : tensor<2x32x128xf32>) -> tensor<2x32x128xf32>
  return %0, %1 : tensor<256x128xf32>, tensor<2x32x128xf32>
}

// -----

// More than six rows, whose number is known: two vectors; as many columns are behind these as behind four. Two loops of
// few rows are few, and so are unknown rows, above.
// CHECK-LABEL: func.func @many_rows
//  CHECK-SAME:   tensor<7x256xf32>, %{{.*}}: tensor<28160xf32> {inplace.held, inplace.rearranged = {cut = array<i64: 1, 64>, order = array<i64: 1, 0, 2>, rest = array<i64: 0, 1>, shape = array<i64: 256, 2, 32>}}
//  CHECK-SAME:   %{{.*}}: tensor<2x256x64xf32> {inplace.held
func.func @many_rows(%x: tensor<7x256xf32>, %v: tensor<256x110xf32> {inplace.held}, %c: tensor<7x110xf32>,
    %y: tensor<6x3x256xf32>, %w: tensor<256x128xf32> {inplace.held}, %d: tensor<6x3x128xf32>)
    -> (tensor<7x110xf32>, tensor<6x3x128xf32>) {
  // expected-remark @+1 {{the weights of 'linalg.matmul' are packed in blocks of 32 columns, and 46 behind them}}
  %0 = linalg.matmul ins(%x, %v : tensor<7x256xf32>, tensor<256x110xf32>) outs(%c : tensor<7x110xf32>) -> tensor<7x110xf32>
  // expected-remark @+1 {{the weights of 'linalg.generic' are packed in blocks of 64 columns}}
  %1 = linalg.generic {indexing_maps = [affine_map<(a, b, n, k) -> (a, b, k)>, affine_map<(a, b, n, k) -> (k, n)>,
      affine_map<(a, b, n, k) -> (a, b, n)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%y, %w : tensor<6x3x256xf32>, tensor<256x128xf32>) outs(%d : tensor<6x3x128xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %s = arith.mulf %p, %q : f32
    %t = arith.addf %o, %s : f32
    linalg.yield %t : f32
  } -> tensor<6x3x128xf32>
  return %0, %1 : tensor<7x110xf32>, tensor<6x3x128xf32>
}
