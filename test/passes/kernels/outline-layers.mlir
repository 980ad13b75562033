// RUN: inplace-opt %s --inplace-outline-layers='repeats=2 fewest=2' --split-input-file | filecheck %s
// RUN: inplace-opt %s --inplace-outline-layers --split-input-file | filecheck %s --check-prefix=FEW
// RUN: inplace-opt %s --inplace-outline-layers='repeats=3 fewest=2' --split-input-file | filecheck %s --check-prefix=THREE
// RUN: inplace-opt %s --inplace-outline-layers='repeats=2 fewest=2' --inplace-one-shot-bufferize='bufferize-function-boundaries' --split-input-file | filecheck %s --check-prefix=COPIES

// A function for both layers. What is read only is not writable, so nothing is copied, although %x is an argument. The
// constant and the filled tensor are made inside.
// FEW-LABEL: func.func @repeated
//   FEW-NOT:   call
//       FEW:   return
// COPIES-LABEL: func.func @repeated
//   COPIES-NOT:   memref.copy
// CHECK-LABEL: func.func @repeated(
//  CHECK-SAME:   %[[X:[^:]*]]: tensor<8x8xf32>, %[[A:[^:]*]]: tensor<8x8xf32>, %[[B:[^:]*]]: tensor<8x8xf32>)
//   CHECK-NOT:   linalg
//       CHECK:   %[[Y:.*]] = call @inplace_layer(%[[X]], %[[A]])
//  CHECK-NEXT:   %[[R:.*]] = call @inplace_layer(%[[Y]], %[[B]])
//  CHECK-NEXT:   return %[[R]]
// CHECK-LABEL: func.func private @inplace_layer(
//  CHECK-SAME:   %[[T:[^:]*]]: tensor<8x8xf32> {bufferization.writable = false}, %[[W:[^:]*]]: tensor<8x8xf32> {bufferization.writable = false})
//  CHECK-SAME:   -> tensor<8x8xf32>
//       CHECK:   %[[Z:.*]] = arith.constant 0.000000e+00
//       CHECK:   %[[E:.*]] = tensor.empty()
//       CHECK:   %[[F:.*]] = linalg.fill ins(%[[Z]] : f32) outs(%[[E]]
//       CHECK:   %[[M:.*]] = linalg.matmul ins(%[[T]], %[[W]] : {{.*}}) outs(%[[F]]
//       CHECK:   %[[N:.*]] = linalg.exp ins(%[[M]]
//       CHECK:   return %[[N]]
func.func @repeated(%x: tensor<8x8xf32>, %a: tensor<8x8xf32>, %b: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x8xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
  %0 = linalg.matmul ins(%x, %a : tensor<8x8xf32>, tensor<8x8xf32>) outs(%f : tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = linalg.exp ins(%0 : tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
  %2 = linalg.matmul ins(%1, %b : tensor<8x8xf32>, tensor<8x8xf32>) outs(%f : tensor<8x8xf32>) -> tensor<8x8xf32>
  %3 = linalg.exp ins(%2 : tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %3 : tensor<8x8xf32>
}

// -----

// What is written may be written in place: no copy, of the caches or of their rows.
// CHECK-LABEL: func.func @in_place(
// CHECK-COUNT-2: call @inplace_layer
// COPIES-LABEL: func.func @in_place
//   COPIES-NOT:   memref.{{alloc|copy}}
// COPIES-LABEL: func.func @cut
// CHECK-LABEL: func.func private @inplace_layer(
//  CHECK-SAME:   %{{[^:]*}}: tensor<16x4xf32>, %{{[^:]*}}: index, %{{[^:]*}}: tensor<4xf32> {bufferization.writable = false})
func.func @in_place(%x: tensor<4xf32>, %p: tensor<16x4xf32> {bufferization.writable = true},
    %q: tensor<16x4xf32> {bufferization.writable = true}, %i: index) -> (tensor<16x4xf32>, tensor<16x4xf32>) {
  %0 = tensor.extract_slice %p[%i, 0] [1, 4] [1, 1] : tensor<16x4xf32> to tensor<4xf32>
  %1 = linalg.add ins(%x, %x : tensor<4xf32>, tensor<4xf32>) outs(%0 : tensor<4xf32>) -> tensor<4xf32>
  %2 = tensor.insert_slice %1 into %p[%i, 0] [1, 4] [1, 1] : tensor<4xf32> into tensor<16x4xf32>
  %3 = tensor.extract_slice %q[%i, 0] [1, 4] [1, 1] : tensor<16x4xf32> to tensor<4xf32>
  %4 = linalg.add ins(%x, %x : tensor<4xf32>, tensor<4xf32>) outs(%3 : tensor<4xf32>) -> tensor<4xf32>
  %5 = tensor.insert_slice %4 into %q[%i, 0] [1, 4] [1, 1] : tensor<4xf32> into tensor<16x4xf32>
  return %2, %5 : tensor<16x4xf32>, tensor<16x4xf32>
}

// -----

// The run is cut where least crosses: behind %s, not inside of the pairs, although ops in front are of the same kinds.
// CHECK-LABEL: func.func @cut(
//       CHECK:   linalg.add
// CHECK-COUNT-2: call @inplace_layer
//   CHECK-NOT: linalg
// CHECK-LABEL: func.func private @inplace_layer(
//       CHECK:   linalg.exp
//       CHECK:   linalg.log
//       CHECK:   linalg.add
//       CHECK:   return
func.func @cut(%x: tensor<8xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %0 = linalg.add ins(%x, %x : tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %1 = linalg.exp ins(%0 : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %2 = linalg.log ins(%0 : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %s = linalg.add ins(%1, %2 : tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %3 = linalg.exp ins(%s : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %4 = linalg.log ins(%s : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %5 = linalg.add ins(%3, %4 : tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  return %5 : tensor<8xf32>
}

// -----

// Layers of two runs are two functions; a number in the name tells them apart. Two are fewer than three.
// THREE-LABEL: func.func @two_runs
//   THREE-NOT:   call
//       THREE:   return
// CHECK-LABEL: func.func @two_runs(
// CHECK-COUNT-2: call @[[FIRST:inplace_layer[_0]*]](
//       CHECK:   linalg.sqrt
// CHECK-COUNT-2: call @{{inplace_layer[_0]*}}(
//   CHECK-NOT:   call @[[FIRST]](
//       CHECK:   return
//   CHECK-DAG: func.func private @inplace_layer(
//   CHECK-DAG: func.func private @inplace_layer_0(
func.func @two_runs(%x: tensor<8xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %0 = linalg.exp ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %1 = linalg.log ins(%0 : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %2 = linalg.exp ins(%1 : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %3 = linalg.log ins(%2 : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %4 = linalg.sqrt ins(%3 : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %5 = linalg.tanh ins(%4 : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %6 = linalg.abs ins(%5 : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %7 = linalg.tanh ins(%6 : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %8 = linalg.abs ins(%7 : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  return %8 : tensor<8xf32>
}

// -----

// What depends on constants only is computed once, in front of the calls.
// CHECK-LABEL: func.func @mask(
//       CHECK:   linalg.index
// CHECK-COUNT-2: call @inplace_layer
// CHECK-LABEL: func.func private @inplace_layer(
//   CHECK-NOT:   linalg.index
#row = affine_map<(i) -> (i)>
func.func @mask(%x: tensor<8xi32>) -> tensor<8xi32> {
  %e = tensor.empty() : tensor<8xi32>
  %0 = linalg.generic {indexing_maps = [#row], iterator_types = ["parallel"]} outs(%e : tensor<8xi32>) {
  ^bb0(%o: i32):
    %i = linalg.index 0 : index
    %n = arith.index_cast %i : index to i32
    linalg.yield %n : i32
  } -> tensor<8xi32>
  %1 = linalg.add ins(%x, %0 : tensor<8xi32>, tensor<8xi32>) outs(%e : tensor<8xi32>) -> tensor<8xi32>
  %2 = linalg.max ins(%1, %x : tensor<8xi32>, tensor<8xi32>) outs(%e : tensor<8xi32>) -> tensor<8xi32>
  %3 = linalg.add ins(%2, %0 : tensor<8xi32>, tensor<8xi32>) outs(%e : tensor<8xi32>) -> tensor<8xi32>
  %4 = linalg.max ins(%3, %2 : tensor<8xi32>, tensor<8xi32>) outs(%e : tensor<8xi32>) -> tensor<8xi32>
  return %4 : tensor<8xi32>
}
