// RUN: inplace-opt %s --inplace-fuse | filecheck %s

// A fill that several ops start from, or read, is computed for each of them, in a loop as well: others would copy it.
// CHECK-LABEL: func.func @shared_fill
//   CHECK-DAG:   %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
//   CHECK-DAG:   %[[FIRST:.*]] = linalg.fill ins(%[[ZERO]] : f32) outs(%arg2 : tensor<8x8xf32>)
//       CHECK:   linalg.matmul ins(%arg0, %arg1 : tensor<8x8xf32>, tensor<8x8xf32>) outs(%[[FIRST]] : tensor<8x8xf32>)
//       CHECK:   scf.for {{.*}} iter_args(%[[IN:.*]] =
//       CHECK:     %[[OWN:.*]] = linalg.fill ins(%[[ZERO]] : f32) outs(%arg2 : tensor<8x8xf32>)
//       CHECK:     linalg.matmul ins(%[[IN]], %arg1 : {{.*}}) outs(%[[OWN]] : tensor<8x8xf32>)
//       CHECK:   linalg.generic {{.*}} ins(%{{.*}}, %[[ZERO]] : tensor<8x8xf32>, f32) outs(%arg3 : tensor<8x8xf32>)
func.func @shared_fill(%a: tensor<8x8xf32>, %b: tensor<8x8xf32>, %e: tensor<8x8xf32>, %d: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<8x8xf32>, tensor<8x8xf32>) outs(%f : tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = scf.for %i = %c0 to %c4 step %c1 iter_args(%x = %0) -> (tensor<8x8xf32>) {
    %m = linalg.matmul ins(%x, %b : tensor<8x8xf32>, tensor<8x8xf32>) outs(%f : tensor<8x8xf32>) -> tensor<8x8xf32>
    scf.yield %m : tensor<8x8xf32>
  }
  %2 = linalg.max ins(%f, %1 : tensor<8x8xf32>, tensor<8x8xf32>) outs(%d : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %2 : tensor<8x8xf32>
}

// The number is broadcast in each op that reads it; a row that is broadcast to several ops stays.
// CHECK-LABEL: func.func @shared_broadcast
//  CHECK-SAME:   (%[[X:.*]]: tensor<4x8xf32>, %[[S:.*]]: tensor<f32>, %[[R:.*]]: tensor<8xf32>, %[[E:.*]]: tensor<4x8xf32>)
//       CHECK:   %[[ROW:.*]] = linalg.generic {{.*}} ins(%[[R]] : tensor<8xf32>) outs(%[[E]] : tensor<4x8xf32>)
//       CHECK:   linalg.generic {{.*}} ins(%[[X]], %[[S]] : tensor<4x8xf32>, tensor<f32>) outs(%[[E]] : tensor<4x8xf32>)
//       CHECK:     arith.addf
//       CHECK:   linalg.generic {{.*}} ins(%[[X]], %[[S]] : tensor<4x8xf32>, tensor<f32>) outs(%[[E]] : tensor<4x8xf32>)
//       CHECK:     arith.mulf
//       CHECK:   linalg.add ins(%[[X]], %[[ROW]] :
//       CHECK:   linalg.mul ins(%[[X]], %[[ROW]] :
func.func @shared_broadcast(%x: tensor<4x8xf32>, %s: tensor<f32>, %r: tensor<8xf32>, %e: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) {
  %n = linalg.generic {indexing_maps = [affine_map<(i, j) -> ()>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%s : tensor<f32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<4x8xf32>
  %row = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%r : tensor<8xf32>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<4x8xf32>
  %0 = linalg.add ins(%x, %n : tensor<4x8xf32>, tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  %1 = linalg.mul ins(%x, %n : tensor<4x8xf32>, tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  %2 = linalg.add ins(%x, %row : tensor<4x8xf32>, tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  %3 = linalg.mul ins(%x, %row : tensor<4x8xf32>, tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0, %1, %2, %3 : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>
}

// What no op can compute where it reads it is computed once: the window's sizes say how many iterations there are.
// CHECK-LABEL: func.func @shared_window
// CHECK-COUNT-1: linalg.fill
//     CHECK-NOT: linalg.fill
func.func @shared_window(%x: tensor<1x1x8x8xf32>, %e: tensor<?x?xf32>, %d: tensor<1x1x7x7xf32>) -> (tensor<1x1x7x7xf32>, tensor<1x1x7x7xf32>) {
  %zero = arith.constant 0.0 : f32
  %w = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(n, c, y, x, i, j) -> (n, c, y + i, x + j)>, affine_map<(n, c, y, x, i, j) -> (i, j)>, affine_map<(n, c, y, x, i, j) -> (n, c, y, x)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%x, %w : tensor<1x1x8x8xf32>, tensor<?x?xf32>) outs(%d : tensor<1x1x7x7xf32>) {
  ^bb0(%in: f32, %weight: f32, %out: f32):
    %p = arith.mulf %in, %weight : f32
    %r = arith.addf %p, %out : f32
    linalg.yield %r : f32
  } -> tensor<1x1x7x7xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(n, c, y, x, i, j) -> (n, c, y + i, x + j)>, affine_map<(n, c, y, x, i, j) -> (i, j)>, affine_map<(n, c, y, x, i, j) -> (n, c, y, x)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%x, %w : tensor<1x1x8x8xf32>, tensor<?x?xf32>) outs(%d : tensor<1x1x7x7xf32>) {
  ^bb0(%in: f32, %weight: f32, %out: f32):
    %p = arith.subf %in, %weight : f32
    %r = arith.maximumf %p, %out : f32
    linalg.yield %r : f32
  } -> tensor<1x1x7x7xf32>
  return %0, %1 : tensor<1x1x7x7xf32>, tensor<1x1x7x7xf32>
}

// Constants of one number are numbers in the payload; others are read.
// CHECK-LABEL: func.func @constants
//       CHECK:   %[[ROW:.*]] = arith.constant dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>
//       CHECK:   linalg.generic {{.*}} ins(%arg0, %[[ROW]] : tensor<4x2xf32>, tensor<2xf32>)
//       CHECK:     arith.constant 3.000000e+00 : f32
func.func @constants(%x: tensor<4x2xf32>, %e: tensor<4x2xf32>) -> tensor<4x2xf32> {
  %three = arith.constant dense<3.0> : tensor<f32>
  %row = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x, %three, %row : tensor<4x2xf32>, tensor<f32>, tensor<2xf32>) outs(%e : tensor<4x2xf32>) {
  ^bb0(%in: f32, %number: f32, %other: f32, %out: f32):
    %p = arith.mulf %in, %number : f32
    %r = arith.addf %p, %other : f32
    linalg.yield %r : f32
  } -> tensor<4x2xf32>
  return %0 : tensor<4x2xf32>
}
