// RUN: inplace-opt %s --inplace-schedule='machine="vector-bits=512 registers=32 l1=32768 l2=1048576 l3=16777216 cores=1"' --split-input-file | filecheck %s

// Weights in blocks are panels already: rows are cut, so that those of a part take a quarter of the second cache.
// CHECK-LABEL: func.func @rows
//       CHECK:   scf.for %[[I:.*]] = %{{.*}} to %{{.*}} step %{{.*}} iter_args{{.*}}
//       CHECK:     tensor.extract_slice %{{.*}}[%[[I]], 0] [125, 400] [1, 1]
//       CHECK:     linalg.generic {{.*}} tensor<125x16x32xf32>
//   CHECK-NOT: linalg.copy
#x = affine_map<(j, i, n, k) -> (i, k)>
#w = affine_map<(j, i, n, k) -> (j, k, n)>
#r = affine_map<(j, i, n, k) -> (i, j, n)>
func.func @rows(%x: tensor<500x400xf32>, %w: tensor<16x400x32xf32>, %c: tensor<500x16x32xf32>) -> tensor<500x16x32xf32> {
  %0 = linalg.generic {indexing_maps = [#x, #w, #r], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<500x400xf32>, tensor<16x400x32xf32>) outs(%c : tensor<500x16x32xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %s = arith.mulf %p, %q : f32
    %t = arith.addf %o, %s : f32
    linalg.yield %t : f32
  } -> tensor<500x16x32xf32>
  return %0 : tensor<500x16x32xf32>
}

// -----

// Left alone: 100 rows, and a single panel, whose rows need not stay anywhere.
// CHECK-LABEL: func.func @left_alone
//   CHECK-NOT:   scf.for
#x = affine_map<(j, i, n, k) -> (i, k)>
#w = affine_map<(j, i, n, k) -> (j, k, n)>
#r = affine_map<(j, i, n, k) -> (i, j, n)>
func.func @left_alone(%x: tensor<100x400xf32>, %w: tensor<16x400x32xf32>, %c: tensor<100x16x32xf32>,
    %y: tensor<500x400xf32>, %v: tensor<400x32xf32>, %d: tensor<500x32xf32>) -> (tensor<100x16x32xf32>, tensor<500x32xf32>) {
  %0 = linalg.generic {indexing_maps = [#x, #w, #r], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<100x400xf32>, tensor<16x400x32xf32>) outs(%c : tensor<100x16x32xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %s = arith.mulf %p, %q : f32
    %t = arith.addf %o, %s : f32
    linalg.yield %t : f32
  } -> tensor<100x16x32xf32>
  %1 = linalg.matmul ins(%y, %v : tensor<500x400xf32>, tensor<400x32xf32>) outs(%d : tensor<500x32xf32>) -> tensor<500x32xf32>
  return %0, %1 : tensor<100x16x32xf32>, tensor<500x32xf32>
}
