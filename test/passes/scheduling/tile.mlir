// RUN: inplace-opt %s --inplace-tile='tile-sizes=5,6,4 interchange=2,0,1 peel=1 print-kept' --canonicalize --cse --split-input-file --verify-diagnostics | filecheck %s

// The sizes that do not divide are minima for two of the loops; the columns that are left are an op of their own.
// CHECK-LABEL: func.func @matmul
//       CHECK:   scf.for %[[K:.*]] = %{{.*}} to %{{.*}} step %c4 iter_args(%[[OUT:.*]] = %arg2)
//       CHECK:     %[[DEPTH:.*]] = affine.min
//       CHECK:     scf.for %[[I:.*]] = %{{.*}} to %c16{{.*}} step %c5 iter_args(%[[OUT1:.*]] = %[[OUT]])
//       CHECK:       %[[ROWS:.*]] = affine.min
//       CHECK:       %[[MAIN:.*]] = scf.for %[[J:.*]] = %c0 to %c12 step %c6 iter_args(%[[OUT2:.*]] = %[[OUT1]])
//       CHECK:         tensor.extract_slice %arg0[%[[I]], %[[K]]] [%[[ROWS]], %[[DEPTH]]] [1, 1]
//       CHECK:         tensor.extract_slice %arg1[%[[K]], %[[J]]] [%[[DEPTH]], 6] [1, 1]
//       CHECK:         tensor.extract_slice %[[OUT2]][%[[I]], %[[J]]] [%[[ROWS]], 6] [1, 1]
//       CHECK:         linalg.matmul {{.*}} -> tensor<?x6xf32>
//       CHECK:         tensor.insert_slice
//       CHECK:       linalg.matmul {{.*}} -> tensor<?x2xf32>
func.func @matmul(%a: tensor<16x?xf32>, %b: tensor<?x14xf32>, %c: tensor<16x14xf32>) -> tensor<16x14xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<16x?xf32>, tensor<?x14xf32>) outs(%c : tensor<16x14xf32>) -> tensor<16x14xf32>
  return %r : tensor<16x14xf32>
}

// -----

func.func @kept(%a: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<8xf32> {
  // expected-remark @+1 {{'linalg.copy' is not tiled, because it has only 1 loops}}
  %r = linalg.copy ins(%a : tensor<8xf32>) outs(%b : tensor<8xf32>) -> tensor<8xf32>
  return %r : tensor<8xf32>
}

// -----

// A slice of nothing is not valid.
// CHECK-LABEL: func.func @no_elements
//   CHECK-NOT:   scf.for
func.func @no_elements(%a: tensor<16x0xf32>, %b: tensor<0x16xf32>, %c: tensor<16x16xf32>) -> tensor<16x16xf32> {
  // expected-remark @+1 {{'linalg.matmul' is not tiled, because an operand has no elements}}
  %r = linalg.matmul ins(%a, %b : tensor<16x0xf32>, tensor<0x16xf32>) outs(%c : tensor<16x16xf32>) -> tensor<16x16xf32>
  return %r : tensor<16x16xf32>
}

// -----

// Iterations would not run in their order.
// CHECK-LABEL: func.func @effect
//   CHECK-NOT:   scf.for
func.func @effect(%a: tensor<8x8x8xf32>, %b: tensor<8x8x8xf32>, %m: memref<f32>) -> tensor<8x8x8xf32> {
  // expected-remark @+1 {{'linalg.map' is not tiled, because 'memref.store' of its payload may have an effect}}
  %r = linalg.map ins(%a : tensor<8x8x8xf32>) outs(%b : tensor<8x8x8xf32>) (%x: f32, %y: f32) {
    memref.store %x, %m[] : memref<f32>
    linalg.yield %x : f32
  }
  return %r : tensor<8x8x8xf32>
}

// -----

// The slice for a tile would begin where its last iteration reads.
// CHECK-LABEL: func.func @backwards
//   CHECK-NOT:   scf.for
func.func @backwards(%a: tensor<8x8x8xf32>, %b: tensor<8x8x8xf32>) -> tensor<8x8x8xf32> {
  // expected-remark @+1 {{'linalg.generic' is not tiled, because an index with its loop d2 decreases along a loop}}
  %r = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j, 7 - k)>, affine_map<(i, j, k) -> (i, j, k)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%a : tensor<8x8x8xf32>) outs(%b : tensor<8x8x8xf32>) {
  ^bb0(%x: f32, %y: f32):
    linalg.yield %x : f32
  } -> tensor<8x8x8xf32>
  return %r : tensor<8x8x8xf32>
}

// -----

// Those in a payload stay: they go where the op around them goes.
// CHECK-LABEL: func.func @in_a_payload
//       CHECK:   scf.for
//       CHECK:     linalg.map
//       CHECK:       linalg.reduce { arith.addf } ins(%{{.*}} : tensor<16x16x16xf32>)
func.func @in_a_payload(%a: tensor<64x64x64xf32>, %v: tensor<16x16x16xf32>) -> tensor<64x64x64xf32> {
  %e = tensor.empty() : tensor<f32>
  %0 = linalg.map ins(%a : tensor<64x64x64xf32>) outs(%a : tensor<64x64x64xf32>) (%x: f32, %o: f32) {
    %f = linalg.fill ins(%x : f32) outs(%e : tensor<f32>) -> tensor<f32>
    %h = linalg.reduce {arith.addf} ins(%v : tensor<16x16x16xf32>) outs(%f : tensor<f32>) dimensions = [0, 1, 2]
    %y = tensor.extract %h[] : tensor<f32>
    linalg.yield %y : f32
  }
  return %0 : tensor<64x64x64xf32>
}
