// RUN: inplace-opt %s --inplace-fuse='machine="l2=1024" print-groups' --verify-diagnostics | filecheck %s

#q = affine_map<(h, a, i, j, d) -> (h, a, i, d)>
#k = affine_map<(h, a, i, j, d) -> (h, a, d, j)>
#s = affine_map<(h, a, i, j, d) -> (h, a, i, j)>
#id = affine_map<(h, a, i, j) -> (h, a, i, j)>

// The scores of eight rows have room. The transposed keys do not move with rows, so they stay in front; a loop with one
// iteration is not cut.
// CHECK-LABEL: func.func @heads
//       CHECK:   linalg.transpose
//       CHECK:   scf.for
//       CHECK:     scf.for
//   CHECK-NOT:     linalg.transpose
//       CHECK:     linalg.generic {{.*}} outs(%{{.*}} : tensor<1x1x8x16xf32>)
//       CHECK:     linalg.generic {{.*}} outs(%{{.*}} : tensor<1x1x8x8xf32>)
func.func @heads(%query: tensor<1x2x16x8xf32>, %key: tensor<1x2x16x8xf32>, %value: tensor<1x2x16x8xf32>,
    %scores: tensor<1x2x16x16xf32>, %out: tensor<1x2x16x8xf32>) -> tensor<1x2x16x8xf32> {
  %e = tensor.empty() : tensor<1x2x8x16xf32>
  %t = linalg.transpose ins(%key : tensor<1x2x16x8xf32>) outs(%e : tensor<1x2x8x16xf32>) permutation = [0, 1, 3, 2]
  %s = linalg.generic {indexing_maps = [#q, #k, #s],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%query, %t : tensor<1x2x16x8xf32>, tensor<1x2x8x16xf32>) outs(%scores : tensor<1x2x16x16xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %p = arith.mulf %x, %y : f32
    %n = arith.addf %z, %p : f32
    linalg.yield %n : f32
  } -> tensor<1x2x16x16xf32>
  // expected-remark @+1 {{'linalg.generic' is computed in tiles, loop d1 by 1, loop d2 by 8, together with 'linalg.generic'}}
  %r = linalg.generic {indexing_maps = [#s, affine_map<(h, a, i, j, d) -> (h, a, j, d)>, #q],
      iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel"]}
      ins(%s, %value : tensor<1x2x16x16xf32>, tensor<1x2x16x8xf32>) outs(%out : tensor<1x2x16x8xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %p = arith.mulf %x, %y : f32
    %n = arith.addf %z, %p : f32
    linalg.yield %n : f32
  } -> tensor<1x2x16x8xf32>
  return %r : tensor<1x2x16x8xf32>
}
