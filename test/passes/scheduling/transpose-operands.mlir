// RUN: inplace-opt %s --inplace-transpose-operands='machine="vector-bits=512 registers=32 l1=32768" print-transposed' --split-input-file --verify-diagnostics | filecheck %s

#ik = affine_map<(i, j, k) -> (i, k)>
#jk = affine_map<(i, j, k) -> (j, k)>
#ki = affine_map<(i, j, k) -> (k, i)>
#ij = affine_map<(i, j, k) -> (i, j)>

// Neighbours of both inputs lie along the loop that reduces, and 64 rows read the second one.
// CHECK-DAG: #[[KJ:.*]] = affine_map<(d0, d1, d2) -> (d2, d1)>
// CHECK-DAG: #[[IK:.*]] = affine_map<(d0, d1, d2) -> (d0, d2)>
// CHECK-LABEL: func.func @both_along_the_reduction
//       CHECK:   %[[EMPTY:.*]] = tensor.empty() : tensor<32x48xf32>
//       CHECK:   %[[T:.*]] = linalg.transpose ins(%arg1 : tensor<48x32xf32>) outs(%[[EMPTY]] : tensor<32x48xf32>) permutation = [1, 0]
//       CHECK:   linalg.generic {indexing_maps = [#[[IK]], #[[KJ]], #{{.*}}], iterator_types = ["parallel", "parallel", "reduction"]}
//  CHECK-SAME:     ins(%arg0, %[[T]] : tensor<64x32xf32>, tensor<32x48xf32>) outs(%arg2
func.func @both_along_the_reduction(%a: tensor<64x32xf32>, %b: tensor<48x32xf32>, %c: tensor<64x48xf32>)
    -> tensor<64x48xf32> {
  // expected-remark @+1 {{'linalg.generic' reads transposed copies of its operands #1}}
  %r = linalg.generic {indexing_maps = [#ik, #jk, #ij], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<64x32xf32>, tensor<48x32xf32>) outs(%c : tensor<64x48xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %z, %p : f32
    linalg.yield %s : f32
  } -> tensor<64x48xf32>
  return %r : tensor<64x48xf32>
}

// -----

// A named op with the same maps; sizes that are not known are taken for large.
// CHECK-LABEL: func.func @named
//       CHECK:   %[[K:.*]] = tensor.dim %arg1, %c2
//       CHECK:   %[[J:.*]] = tensor.dim %arg1, %c1
//       CHECK:   tensor.empty(%[[K]], %[[J]]) : tensor<2x?x?xf32>
//       CHECK:   linalg.transpose ins(%arg1 {{.*}} permutation = [0, 2, 1]
//       CHECK:   linalg.generic
func.func @named(%a: tensor<2x?x?xf32>, %b: tensor<2x?x?xf32>, %c: tensor<2x?x?xf32>) -> tensor<2x?x?xf32> {
  // expected-remark @+1 {{'linalg.batch_matmul' reads transposed copies of its operands #1}}
  %r = linalg.batch_matmul indexing_maps = [
      affine_map<(b, i, j, k) -> (b, i, k)>, affine_map<(b, i, j, k) -> (b, j, k)>,
      affine_map<(b, i, j, k) -> (b, i, j)>]
      ins(%a, %b : tensor<2x?x?xf32>, tensor<2x?x?xf32>) outs(%c : tensor<2x?x?xf32>) -> tensor<2x?x?xf32>
  return %r : tensor<2x?x?xf32>
}

// -----

#ki = affine_map<(i, j, k) -> (k, i)>
#jk = affine_map<(i, j, k) -> (j, k)>
#ij = affine_map<(i, j, k) -> (i, j)>

// Four rows are too few to make up for a copy. The lanes of the first operand are the same in a vector.
// CHECK-LABEL: func.func @few_rows
//   CHECK-NOT:   linalg.transpose
func.func @few_rows(%a: tensor<4x512xf32>, %b: tensor<512x512xf32>, %c: tensor<4x512xf32>) -> tensor<4x512xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, #jk, #ij],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<4x512xf32>, tensor<512x512xf32>) outs(%c : tensor<4x512xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %z, %p : f32
    linalg.yield %s : f32
  } -> tensor<4x512xf32>
  return %r : tensor<4x512xf32>
}

// A line for each of 128 steps stays in the first cache until the next rows want their elements of it.
// CHECK-LABEL: func.func @near
//   CHECK-NOT:   linalg.transpose
func.func @near(%a: tensor<128x64xf32>, %b: tensor<128x512xf32>, %c: tensor<64x512xf32>)
    -> tensor<64x512xf32> {
  %r = linalg.generic {indexing_maps = [#ki, affine_map<(i, j, k) -> (k, j)>, #ij],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<128x64xf32>, tensor<128x512xf32>) outs(%c : tensor<64x512xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %z, %p : f32
    linalg.yield %s : f32
  } -> tensor<64x512xf32>
  return %r : tensor<64x512xf32>
}

// Lines for 512 steps do not, and would come from the second cache for each few rows.
// CHECK-LABEL: func.func @far
//       CHECK:   linalg.transpose ins(%arg0 : tensor<512x64xf32>) outs(%{{.*}} : tensor<64x512xf32>) permutation = [1, 0]
//       CHECK:   linalg.generic {{.*}} ins(%{{.*}}, %arg1 : tensor<64x512xf32>, tensor<512x512xf32>)
func.func @far(%a: tensor<512x64xf32>, %b: tensor<512x512xf32>, %c: tensor<64x512xf32>)
    -> tensor<64x512xf32> {
  // expected-remark @+1 {{'linalg.generic' reads transposed copies of its operands #0}}
  %r = linalg.generic {indexing_maps = [#ki, affine_map<(i, j, k) -> (k, j)>, #ij],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<512x64xf32>, tensor<512x512xf32>) outs(%c : tensor<64x512xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %z, %p : f32
    linalg.yield %s : f32
  } -> tensor<64x512xf32>
  return %r : tensor<64x512xf32>
}

// Each element is read once: a row of sums, and an elementwise op.
// CHECK-LABEL: func.func @read_once
//   CHECK-NOT:   linalg.transpose
func.func @read_once(%a: tensor<64x64xf32>, %c: tensor<64xf32>, %d: tensor<64x64xf32>)
    -> (tensor<64xf32>, tensor<64x64xf32>) {
  %r = linalg.reduce ins(%a : tensor<64x64xf32>) outs(%c : tensor<64xf32>) dimensions = [1]
    (%x: f32, %y: f32) {
      %s = arith.addf %x, %y : f32
      linalg.yield %s : f32
    }
  %t = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]} ins(%a : tensor<64x64xf32>) outs(%d : tensor<64x64xf32>) {
  ^bb0(%x: f32, %y: f32):
    %n = arith.negf %x : f32
    linalg.yield %n : f32
  } -> tensor<64x64xf32>
  return %r, %t : tensor<64xf32>, tensor<64x64xf32>
}

// A convolution of images whose channels are outermost: its windows are sums of loops, so no transposition makes lanes.
// CHECK-LABEL: func.func @sums_of_loops
//   CHECK-NOT:   linalg.transpose
func.func @sums_of_loops(%a: tensor<1x66x8xf32>, %b: tensor<3x8x8xf32>, %c: tensor<1x8x64xf32>) -> tensor<1x8x64xf32> {
  %r = linalg.generic {indexing_maps = [
      affine_map<(n, w, f, k, c) -> (n, w + k, c)>, affine_map<(n, w, f, k, c) -> (k, f, c)>,
      affine_map<(n, w, f, k, c) -> (n, f, w)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%a, %b : tensor<1x66x8xf32>, tensor<3x8x8xf32>) outs(%c : tensor<1x8x64xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %z, %p : f32
    linalg.yield %s : f32
  } -> tensor<1x8x64xf32>
  return %r : tensor<1x8x64xf32>
}

// -----

#ik = affine_map<(i, j, k) -> (i, k)>
#jk = affine_map<(i, j, k) -> (j, k)>
#ij = affine_map<(i, j, k) -> (i, j)>

// The loop does not change the weights, so they are transposed once; what it carries is transposed in each iteration.
// CHECK-LABEL: func.func @in_a_loop
//       CHECK:   linalg.transpose ins(%arg1
//   CHECK-NOT:   linalg.transpose
//       CHECK:   scf.for {{.*}} iter_args(%[[CARRIED:.*]] = %arg0)
//       CHECK:     linalg.generic
//       CHECK:     linalg.transpose ins(%[[CARRIED]]
//       CHECK:     linalg.generic
func.func @in_a_loop(%a: tensor<64x64xf32>, %w: tensor<64x64xf32>, %c: tensor<64x64xf32>, %n: index)
    -> tensor<64x64xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%x = %a) -> tensor<64x64xf32> {
    // expected-remark @+1 {{'linalg.generic' reads transposed copies of its operands #1}}
    %y = linalg.generic {indexing_maps = [#ik, #jk, #ij], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%x, %w : tensor<64x64xf32>, tensor<64x64xf32>) outs(%c : tensor<64x64xf32>) {
    ^bb0(%l: f32, %r: f32, %z: f32):
      %p = arith.mulf %l, %r : f32
      %s = arith.addf %z, %p : f32
      linalg.yield %s : f32
    } -> tensor<64x64xf32>
    // expected-remark @+1 {{'linalg.generic' reads transposed copies of its operands #1}}
    %v = linalg.generic {indexing_maps = [#ik, #jk, #ij], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%y, %x : tensor<64x64xf32>, tensor<64x64xf32>) outs(%c : tensor<64x64xf32>) {
    ^bb0(%l: f32, %r: f32, %z: f32):
      %p = arith.mulf %l, %r : f32
      %s = arith.addf %z, %p : f32
      linalg.yield %s : f32
    } -> tensor<64x64xf32>
    scf.yield %v : tensor<64x64xf32>
  }
  return %last : tensor<64x64xf32>
}

// -----

// Two columns would leave fourteen of sixteen lanes empty; with the loop that reduces in the lanes they are full.
// CHECK-LABEL: func.func @few_columns
//       CHECK:   %[[T:.*]] = linalg.transpose ins(%arg1 : tensor<512x2xf32>) outs({{.*}} : tensor<2x512xf32>) permutation = [1, 0]
//       CHECK:   linalg.generic {{.*}} ins(%arg0, %[[T]] : tensor<64x512xf32>, tensor<2x512xf32>)
func.func @few_columns(%a: tensor<64x512xf32>, %b: tensor<512x2xf32>, %c: tensor<64x2xf32>) -> tensor<64x2xf32> {
  // expected-remark @+1 {{'linalg.matmul' reads transposed copies of its operands #1}}
  %r = linalg.matmul ins(%a, %b : tensor<64x512xf32>, tensor<512x2xf32>) outs(%c : tensor<64x2xf32>)
      -> tensor<64x2xf32>
  return %r : tensor<64x2xf32>
}

// -----

// Sixteen columns fill the lanes.
// CHECK-LABEL: func.func @enough_columns
//   CHECK-NOT:   linalg.transpose
func.func @enough_columns(%a: tensor<64x512xf32>, %b: tensor<512x16xf32>, %c: tensor<64x16xf32>) -> tensor<64x16xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<64x512xf32>, tensor<512x16xf32>) outs(%c : tensor<64x16xf32>)
      -> tensor<64x16xf32>
  return %r : tensor<64x16xf32>
}

// Lanes cannot combine what is no sum.
// CHECK-LABEL: func.func @no_combiner
//   CHECK-NOT:   linalg.transpose
func.func @no_combiner(%a: tensor<64x512xf32>, %b: tensor<512x2xf32>, %c: tensor<64x2xf32>) -> tensor<64x2xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>,
      affine_map<(i, j, k) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<64x512xf32>, tensor<512x2xf32>) outs(%c : tensor<64x2xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %p = arith.mulf %x, %z : f32
    %s = arith.subf %p, %y : f32
    linalg.yield %s : f32
  } -> tensor<64x2xf32>
  return %r : tensor<64x2xf32>
}
