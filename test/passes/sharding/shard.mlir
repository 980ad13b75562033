// RUN: inplace-opt %s --split-input-file --inplace-shard --inplace-canonicalize --cse | filecheck %s

// Rows of a product: nothing is sent. What every rank has is sliced.
// CHECK: module attributes {inplace.grid = array<i64: 2>}
// CHECK-LABEL: func.func @rows
// CHECK-SAME: tensor<2x6xf32> {inplace.sharding = {{\[\[}}0], []], inplace.whole_type = tensor<4x6xf32>}
// CHECK-SAME: -> (tensor<2x8xf32> {inplace.sharding = {{\[\[}}0], []], inplace.whole_type = tensor<4x8xf32>})
// CHECK-NOT: shard.all
// CHECK: tensor.extract_slice
// CHECK: linalg.matmul {{.*}} -> tensor<2x8xf32>
shard.grid @g(shape = 2)
func.func @rows(%a: tensor<4x6xf32>, %b: tensor<6x8xf32>, %c: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %s = shard.sharding @g split_axes = [[0]] : !shard.sharding
  %0 = shard.shard %a to %s : tensor<4x6xf32>
  %1 = linalg.matmul ins(%0, %b : tensor<4x6xf32>, tensor<6x8xf32>) outs(%c : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %1 : tensor<4x8xf32>
}

// -----

// A sum that is split: each rank sums its part, then all of them together. It starts from zeros on each rank.
// CHECK-LABEL: func.func @columns
// CHECK: %[[P:.*]] = linalg.matmul {{.*}} -> tensor<4x8xf32>
// CHECK-NEXT: %[[R:.*]] = shard.all_reduce %[[P]] on @g grid_axes = [0] : tensor<4x8xf32> -> tensor<4x8xf32>
// CHECK-NEXT: return %[[R]]
shard.grid @g(shape = 2)
func.func @columns(%a: tensor<4x6xf32>, %b: tensor<6x8xf32>) -> tensor<4x8xf32> {
  %s = shard.sharding @g split_axes = [[], [0]] : !shard.sharding
  %0 = shard.shard %a to %s : tensor<4x6xf32>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x8xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  %1 = linalg.matmul ins(%0, %b : tensor<4x6xf32>, tensor<6x8xf32>) outs(%f : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %1 : tensor<4x8xf32>
}

// -----

// It starts from anything else: that is added once, afterwards.
// CHECK-LABEL: func.func @added_to
// CHECK-DAG: %[[NEUTRAL:.*]] = arith.constant -0.000000e+00 : f32
// CHECK: linalg.fill ins(%[[NEUTRAL]] : f32)
// CHECK: %[[P:.*]] = linalg.matmul
// CHECK: %[[R:.*]] = shard.all_reduce %[[P]]
// CHECK: arith.addf %{{.*}}, %[[R]]
shard.grid @g(shape = 2)
func.func @added_to(%a: tensor<4x6xf32>, %b: tensor<6x8xf32>, %c: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %s = shard.sharding @g split_axes = [[], [0]] : !shard.sharding
  %0 = shard.shard %a to %s : tensor<4x6xf32>
  %1 = linalg.matmul ins(%0, %b : tensor<4x6xf32>, tensor<6x8xf32>) outs(%c : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %1 : tensor<4x8xf32>
}

// -----

// A product on a grid with its result in place: panels are gathered along rows and columns of the grid.
// CHECK-LABEL: func.func @summa
// CHECK-DAG: shard.all_gather %{{.*}} on @g grid_axes = [1] gather_axis = 1 : tensor<2x3xf32> -> tensor<2x6xf32>
// CHECK-DAG: shard.all_gather %{{.*}} on @g grid_axes = [0] gather_axis = 0 : tensor<3x4xf32> -> tensor<6x4xf32>
// CHECK: linalg.matmul {{.*}} -> tensor<2x4xf32>
// CHECK-NOT: shard.all
// CHECK: return
shard.grid @g(shape = 2x2)
func.func @summa(%a: tensor<4x6xf32>, %b: tensor<6x8xf32>, %c: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %s = shard.sharding @g split_axes = [[0], [1]] : !shard.sharding
  %a0 = shard.shard %a to %s : tensor<4x6xf32>
  %b0 = shard.shard %b to %s : tensor<6x8xf32>
  %c0 = shard.shard %c to %s : tensor<4x8xf32>
  %1 = linalg.matmul ins(%a0, %b0 : tensor<4x6xf32>, tensor<6x8xf32>) outs(%c0 : tensor<4x8xf32>) -> tensor<4x8xf32>
  %r = shard.shard %1 to %s : tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}

// -----

// 5 rows on two ranks are 3 and 2, so the type is dynamic. A tensor without content is made in the size of the part.
// CHECK-LABEL: func.func @uneven
// CHECK-SAME: tensor<?x6xf32> {inplace.sharding = {{\[\[}}0], []], inplace.whole_type = tensor<5x6xf32>}
// CHECK: shard.process_multi_index on @g axes = [0]
// CHECK: tensor.empty(%{{.*}}) : tensor<?x6xf32>
// CHECK: linalg.exp
// CHECK: %[[G:.*]] = shard.all_gather {{.*}} gather_axis = 0 : tensor<?x6xf32> -> tensor<?x6xf32>
// CHECK: tensor.cast %[[G]] : tensor<?x6xf32> to tensor<5x6xf32>
shard.grid @g(shape = 2)
func.func @uneven(%a: tensor<5x6xf32>) -> tensor<5x6xf32> {
  %s = shard.sharding @g split_axes = [[0]] : !shard.sharding
  %w = shard.sharding @g split_axes = [[]] : !shard.sharding
  %0 = shard.shard %a to %s : tensor<5x6xf32>
  %e = tensor.empty() : tensor<5x6xf32>
  %1 = linalg.exp ins(%0 : tensor<5x6xf32>) outs(%e : tensor<5x6xf32>) -> tensor<5x6xf32>
  %2 = shard.shard %1 to %s : tensor<5x6xf32>
  %3 = shard.shard %2 to %w : tensor<5x6xf32>
  return %3 : tensor<5x6xf32>
}

// -----

// The maximum of floats is not split: MPI does not say what NaN gives.
// CHECK-LABEL: func.func @maximum
// CHECK: shard.all_gather
// CHECK: linalg.reduce
// CHECK-NOT: shard.all_reduce
// CHECK: return
shard.grid @g(shape = 2)
func.func @maximum(%a: tensor<4xf32>, %m: tensor<f32>) -> tensor<f32> {
  %s = shard.sharding @g split_axes = [[0]] : !shard.sharding
  %0 = shard.shard %a to %s : tensor<4xf32>
  %1 = linalg.reduce { arith.maximumf } ins(%0 : tensor<4xf32>) outs(%m : tensor<f32>) dimensions = [0]
  return %1 : tensor<f32>
}

// -----

// A loop carries shards.
// CHECK-LABEL: func.func @loop
// CHECK: scf.for {{.*}} -> (tensor<4xf32>)
// CHECK-NOT: shard.all
// CHECK: arith.addf {{.*}} : tensor<4xf32>
// CHECK: return
shard.grid @g(shape = 2)
func.func @loop(%a: tensor<8xf32>, %n: index) -> tensor<8xf32> {
  %s = shard.sharding @g split_axes = [[0]] : !shard.sharding
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = shard.shard %a to %s : tensor<8xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%t = %0) -> tensor<8xf32> {
    %u = arith.addf %t, %t : tensor<8xf32>
    scf.yield %u : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}

// -----

// Any other op runs on whole tensors. A function without annotations stays.
// CHECK-LABEL: func.func @other
// CHECK: %[[W:.*]] = shard.all_gather
// CHECK: tensor.extract %[[W]]
// CHECK-LABEL: func.func @untouched(%{{.*}}: tensor<4xf32>) -> tensor<4xf32> {
shard.grid @g(shape = 2)
func.func @other(%a: tensor<4xf32>, %i: index) -> f32 {
  %s = shard.sharding @g split_axes = [[0]] : !shard.sharding
  %0 = shard.shard %a to %s : tensor<4xf32>
  %1 = tensor.extract %0[%i] : tensor<4xf32>
  return %1 : f32
}
func.func @untouched(%a: tensor<4xf32>) -> tensor<4xf32> {
  return %a : tensor<4xf32>
}

// -----

// A grid axis of one rank splits nothing: nothing is gathered, sliced or summed over it.
// CHECK-LABEL: func.func @alone
// CHECK-NOT: shard.all
// CHECK-NOT: tensor.extract_slice
// CHECK: linalg.matmul {{.*}} -> tensor<4x8xf32>
// CHECK-NOT: shard.all
// CHECK: return
shard.grid @g(shape = 1)
func.func @alone(%a: tensor<4x6xf32>, %b: tensor<6x8xf32>, %c: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %s = shard.sharding @g split_axes = [[], [0]] : !shard.sharding
  %r = shard.sharding @g split_axes = [[0]] : !shard.sharding
  %0 = shard.shard %a to %s : tensor<4x6xf32>
  %1 = linalg.matmul ins(%0, %b : tensor<4x6xf32>, tensor<6x8xf32>) outs(%c : tensor<4x8xf32>) -> tensor<4x8xf32>
  %2 = shard.shard %1 to %r : tensor<4x8xf32>
  return %2 : tensor<4x8xf32>
}
