// RUN: inplace-opt %s --inplace-widen-operands='machine="vector-bits=256 registers=16" print-widened' --split-input-file --verify-diagnostics | filecheck %s

// An element of the first operand is widened for each of 32 pairs of vectors, one of the second for each of 86 six rows.
// CHECK-LABEL: func.func @both
//       CHECK:   %[[E:.*]] = tensor.empty() : tensor<512x64xf32>
//       CHECK:   %[[A:.*]] = linalg.generic {{.*}} ["parallel", "parallel"]} ins(%arg0 : tensor<512x64xbf16>) outs(%[[E]]
//       CHECK:     arith.extf
//       CHECK:   %[[B:.*]] = linalg.generic {{.*}} ins(%arg1 : tensor<64x512xbf16>)
//       CHECK:     arith.extf
//       CHECK:   linalg.generic {{.*}} ins(%[[A]], %[[B]] : tensor<512x64xf32>, tensor<64x512xf32>) outs(%arg2
//   CHECK-NOT:     arith.extf
func.func @both(%a: tensor<512x64xbf16>, %b: tensor<64x512xbf16>, %c: tensor<512x512xf32>) -> tensor<512x512xf32> {
  // expected-remark @+1 {{'linalg.matmul' reads wide copies of its operands #0, #1}}
  %r = linalg.matmul ins(%a, %b : tensor<512x64xbf16>, tensor<64x512xbf16>) outs(%c : tensor<512x512xf32>)
      -> tensor<512x512xf32>
  return %r : tensor<512x512xf32>
}

// -----

// Sixteen groups of six rows are too few for elements that are widened in the lanes. Sizes that are not known are taken
// for large.
// CHECK-LABEL: func.func @few_rows
//       CHECK:   tensor.dim %arg0, %c1
//       CHECK:   linalg.generic {{.*}} ins(%arg0 : tensor<96x?xi8>)
//       CHECK:   linalg.generic {{.*}} ins(%{{.*}}, %arg1 : tensor<96x?xi32>, tensor<?x512xi8>)
//       CHECK:     arith.extsi
func.func @few_rows(%a: tensor<96x?xi8>, %b: tensor<?x512xi8>, %c: tensor<96x512xi32>) -> tensor<96x512xi32> {
  // expected-remark @+1 {{'linalg.matmul' reads wide copies of its operands #0}}
  %r = linalg.matmul ins(%a, %b : tensor<96x?xi8>, tensor<?x512xi8>) outs(%c : tensor<96x512xi32>) -> tensor<96x512xi32>
  return %r : tensor<96x512xi32>
}

// -----

#ik = affine_map<(i, j, k) -> (i, k)>
#kj = affine_map<(i, j, k) -> (k, j)>
#ij = affine_map<(i, j, k) -> (i, j)>

// What is the same value is copied once. The loop does not change it.
// CHECK-LABEL: func.func @same
//       CHECK:   %[[W:.*]] = linalg.generic
//       CHECK:   scf.for
//   CHECK-NOT:     arith.extui
//       CHECK:     linalg.generic {{.*}} ins(%[[W]], %[[W]] : tensor<512x512xi32>, tensor<512x512xi32>)
//   CHECK-NOT:     arith.extui
func.func @same(%a: tensor<512x512xi16>, %c: tensor<512x512xi32>, %n: index) -> tensor<512x512xi32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %last = scf.for %t = %c0 to %n step %c1 iter_args(%d = %c) -> tensor<512x512xi32> {
    // expected-remark @+1 {{'linalg.generic' reads wide copies of its operands #0, #1}}
    %r = linalg.generic {indexing_maps = [#ik, #kj, #ij], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%a, %a : tensor<512x512xi16>, tensor<512x512xi16>) outs(%d : tensor<512x512xi32>) {
    ^bb0(%x: i16, %y: i16, %z: i32):
      %u = arith.extui %x : i16 to i32
      %v = arith.extui %y : i16 to i32
      %p = arith.muli %u, %v : i32
      %s = arith.addi %z, %p : i32
      linalg.yield %s : i32
    } -> tensor<512x512xi32>
    scf.yield %r : tensor<512x512xi32>
  }
  return %last : tensor<512x512xi32>
}

// -----

#ik = affine_map<(i, j, k) -> (i, k)>
#kj = affine_map<(i, j, k) -> (k, j)>
#ij = affine_map<(i, j, k) -> (i, j)>

// The narrow elements are also wanted as they are.
// CHECK-LABEL: func.func @two_uses
//   CHECK-NOT:   tensor.empty
func.func @two_uses(%a: tensor<512x512xi8>, %b: tensor<512x512xi32>, %c: tensor<512x512xi32>) -> tensor<512x512xi32> {
  %r = linalg.generic {indexing_maps = [#ik, #kj, #ij], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<512x512xi8>, tensor<512x512xi32>) outs(%c : tensor<512x512xi32>) {
  ^bb0(%x: i8, %y: i32, %z: i32):
    %n = arith.addi %x, %x : i8
    %u = arith.extsi %x : i8 to i32
    %v = arith.extsi %n : i8 to i32
    %w = arith.addi %u, %v : i32
    %p = arith.muli %w, %y : i32
    %s = arith.addi %z, %p : i32
    linalg.yield %s : i32
  } -> tensor<512x512xi32>
  return %r : tensor<512x512xi32>
}

// Each element is read once: a sum of rows, and an elementwise op.
// CHECK-LABEL: func.func @read_once
//   CHECK-NOT:   tensor.empty
func.func @read_once(%a: tensor<512x512xbf16>, %c: tensor<512xf32>, %d: tensor<512x512xf32>)
    -> (tensor<512xf32>, tensor<512x512xf32>) {
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
      iterator_types = ["parallel", "reduction"]} ins(%a : tensor<512x512xbf16>) outs(%c : tensor<512xf32>) {
  ^bb0(%x: bf16, %z: f32):
    %u = arith.extf %x : bf16 to f32
    %s = arith.addf %z, %u : f32
    linalg.yield %s : f32
  } -> tensor<512xf32>
  %t = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]} ins(%a : tensor<512x512xbf16>) outs(%d : tensor<512x512xf32>) {
  ^bb0(%x: bf16, %z: f32):
    %u = arith.extf %x : bf16 to f32
    linalg.yield %u : f32
  } -> tensor<512x512xf32>
  return %r, %t : tensor<512xf32>, tensor<512x512xf32>
}
