// RUN: inplace-opt %s --inplace-vectorize='machine="vector-bits=256 registers=16" print-kept' --canonicalize --split-input-file --verify-diagnostics | filecheck %s

// The columns run in the lanes, since the second operand and the result have them side by side.
// CHECK-LABEL: func.func @rows
//   CHECK-NOT:   linalg
//       CHECK:   scf.for {{.*}} iter_args(%[[OUT:.*]] = %{{.*}}) -> (tensor<12x16xf32>)
//       CHECK:     %[[SUMS:.*]]:12 = scf.for
//       CHECK:       tensor.extract %{{.*}} : tensor<12x5xf32>
//       CHECK:       vector.fma
//       CHECK:     vector.transfer_write %[[SUMS]]#0
func.func @rows(%a: tensor<12x5xf32>, %b: tensor<5x16xf32>, %c: tensor<12x16xf32>) -> tensor<12x16xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<12x5xf32>, tensor<5x16xf32>) outs(%c : tensor<12x16xf32>)
      -> tensor<12x16xf32>
  return %r : tensor<12x16xf32>
}

// -----

// Two rows would be left of eight if six went together; four and four have enough sums to compute at a time.
// CHECK-LABEL: func.func @halves
//       CHECK:   scf.for {{.*}} = %c0 to %c8 step %c4
//       CHECK:     %{{.*}}:8 = scf.for
//   CHECK-NOT:   scf.for
func.func @halves(%a: tensor<8x5xf32>, %b: tensor<5x16xf32>, %c: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<8x5xf32>, tensor<5x16xf32>) outs(%c : tensor<8x16xf32>) -> tensor<8x16xf32>
  return %r : tensor<8x16xf32>
}

// -----

// CHECK-LABEL: func.func @lanes
//       CHECK:   vector.constant_mask
//       CHECK:   arith.cmpf uno
//       CHECK:   %[[KEY:.*]] = vector.reduction <maxsi>
//       CHECK:   arith.maximumf
func.func @lanes(%a: tensor<3x13xf32>, %c: tensor<3xf32>) -> tensor<3xf32> {
  %r = linalg.reduce ins(%a : tensor<3x13xf32>) outs(%c : tensor<3xf32>) dimensions = [1]
    (%x: f32, %y: f32) {
      %m = arith.maximumf %x, %y : f32
      linalg.yield %m : f32
    }
  return %r : tensor<3xf32>
}

// -----

// Eight rows of eight elements are loaded, and three rounds of shuffles make columns of them: inside of four lanes in the
// first two. Two squares make up lines of 64 bytes.
// CHECK-LABEL: func.func @square
//       CHECK:   vector.transfer_read %arg0[%[[I:.*]], %[[J:.*]]], %{{.*}} {in_bounds = [true]}
//       CHECK:   vector.shuffle %{{.*}} [0, 8, 1, 9, 4, 12, 5, 13]
//       CHECK:   vector.shuffle %{{.*}} [0, 1, 2, 3, 8, 9, 10, 11]
// CHECK-COUNT-31: vector.shuffle
//   CHECK-NOT:   vector.shuffle
//       CHECK:   vector.transfer_write %{{.*}}, %{{.*}}[%[[J]], %[[I]]] {in_bounds = [true]}
func.func @square(%a: tensor<32x16xf32>, %c: tensor<16x32xf32>) -> tensor<16x32xf32> {
  %r = linalg.transpose ins(%a : tensor<32x16xf32>) outs(%c : tensor<16x32xf32>) permutation = [1, 0]
  return %r : tensor<16x32xf32>
}

// -----

// CHECK-LABEL: func.func @kept
func.func @kept(%a: tensor<8xi1>, %d: tensor<8xi1>, %b: tensor<8xi32>, %c: tensor<8xi32>) -> (tensor<8xi1>, tensor<8xi32>) {
  // CHECK: linalg.{{copy|generic}}
  // expected-remark @+1 {{'linalg.copy' is not vectorized, because elements of type i1 have another layout in a vector}}
  %0 = linalg.copy ins(%a : tensor<8xi1>) outs(%d : tensor<8xi1>) -> tensor<8xi1>
  // CHECK: linalg.div
  // expected-remark @+1 {{'linalg.div' is not vectorized, because 'arith.divsi' may trap on lanes beyond the end of a row}}
  %1 = linalg.div ins(%b, %c : tensor<8xi32>, tensor<8xi32>) outs(%c : tensor<8xi32>) -> tensor<8xi32>
  return %0, %1 : tensor<8xi1>, tensor<8xi32>
}

// -----

// In a vector there is no fourth byte behind three.
// CHECK-LABEL: func.func @kept_with_a_gap
//       CHECK:   linalg.copy
func.func @kept_with_a_gap(%a: tensor<8xi24>, %d: tensor<8xi24>) -> tensor<8xi24> {
  // expected-remark @+1 {{'linalg.copy' is not vectorized, because elements of type i24 have another layout in a vector}}
  %0 = linalg.copy ins(%a : tensor<8xi24>) outs(%d : tensor<8xi24>) -> tensor<8xi24>
  return %0 : tensor<8xi24>
}

// -----

// Each vector of the differences is stored and squared in one loop.
// CHECK-LABEL: func.func @joined
//       CHECK:   scf.for
//       CHECK:     scf.for {{.*}} -> (vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, tensor<4x64xf32>)
//       CHECK:       %[[D:.*]] = arith.subf
//       CHECK:       vector.transfer_write %[[D]]
//       CHECK:       vector.fma %[[D]], %[[D]]
func.func @joined(%a: tensor<4x64xf32>, %m: tensor<4xf32>, %s: tensor<4xf32>) -> (tensor<4x64xf32>, tensor<4xf32>) {
  %e = tensor.empty() : tensor<4x64xf32>
  %d = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%a, %m : tensor<4x64xf32>, tensor<4xf32>) outs(%e : tensor<4x64xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %p = arith.subf %x, %y : f32
    linalg.yield %p : f32
  } -> tensor<4x64xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
                       iterator_types = ["parallel", "reduction"]}
      ins(%d : tensor<4x64xf32>) outs(%s : tensor<4xf32>) {
  ^bb0(%x: f32, %z: f32):
    %p = arith.mulf %x, %x : f32
    %q = arith.addf %p, %z : f32
    linalg.yield %q : f32
  } -> tensor<4xf32>
  return %d, %r : tensor<4x64xf32>, tensor<4xf32>
}

// -----

// Polynomials are chains, so there are four vectors at a time, and each op is built for all of them before the next.
// CHECK-LABEL: func.func @chains
//       CHECK:   %[[STEP:.*]] = arith.constant 32 : index
//       CHECK:   scf.for %{{.*}} step %[[STEP]]
// CHECK-COUNT-4:   vector.transfer_read
// CHECK-COUNT-4:   arith.negf
// CHECK-COUNT-4:   math.exp
// CHECK-COUNT-4:   vector.transfer_write
//       CHECK:     scf.yield
func.func @chains(%a: tensor<64xf32>, %o: tensor<64xf32>) -> tensor<64xf32> {
  %0 = linalg.generic {
      indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%a : tensor<64xf32>) outs(%o : tensor<64xf32>) {
  ^bb0(%x: f32, %acc: f32):
    %n = arith.negf %x : f32
    %e = math.exp %n : f32
    linalg.yield %e : f32
  } -> tensor<64xf32>
  return %0 : tensor<64xf32>
}

// -----

// In f64 polynomials are long enough for two vectors to keep a processor busy.
// CHECK-LABEL: func.func @long_chains
//       CHECK:   %[[STEP:.*]] = arith.constant 8 : index
//       CHECK:   scf.for %{{.*}} step %[[STEP]]
// CHECK-COUNT-2:   math.exp
//   CHECK-NOT:     math.exp
func.func @long_chains(%a: tensor<64xf64>, %o: tensor<64xf64>) -> tensor<64xf64> {
  %0 = linalg.exp ins(%a : tensor<64xf64>) outs(%o : tensor<64xf64>) -> tensor<64xf64>
  return %0 : tensor<64xf64>
}

// -----

// So is the power of f32.
// CHECK-LABEL: func.func @long_function
//       CHECK:   %[[STEP:.*]] = arith.constant 16 : index
//       CHECK:   scf.for %{{.*}} step %[[STEP]]
// CHECK-COUNT-2:   math.powf
//   CHECK-NOT:     math.powf
func.func @long_function(%a: tensor<64xf32>, %b: tensor<64xf32>, %o: tensor<64xf32>) -> tensor<64xf32> {
  %0 = linalg.powf ins(%a, %b : tensor<64xf32>, tensor<64xf32>) outs(%o : tensor<64xf32>) -> tensor<64xf32>
  return %0 : tensor<64xf32>
}
