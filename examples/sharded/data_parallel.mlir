// One step of training a linear model, w -= 0.01 * x^T (x w - y), with the samples split over the ranks.
//
//   inplace-opt examples/sharded/data_parallel.mlir --inplace-shard --inplace-canonicalize --cse
//
// Each rank computes the gradient of its samples; shard.all_reduce adds them, in the buffer of the gradient. 100 samples
// on 3 ranks are 34, 33 and 33.

shard.grid @grid(shape = 3)

func.func @main(%x: tensor<100x8xf32>, %y: tensor<100x4xf32>, %w: tensor<8x4xf32> {bufferization.writable = true})
    -> tensor<8x4xf32> {
  %samples = shard.sharding @grid split_axes = [[0]] : !shard.sharding
  %xs = shard.shard %x to %samples : tensor<100x8xf32>
  %ys = shard.shard %y to %samples : tensor<100x4xf32>
  %zero = arith.constant 0.0 : f32
  %rate = arith.constant 0.01 : f32
  %e0 = tensor.empty() : tensor<100x4xf32>
  %z0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<100x4xf32>) -> tensor<100x4xf32>
  %p = linalg.matmul ins(%xs, %w : tensor<100x8xf32>, tensor<8x4xf32>) outs(%z0 : tensor<100x4xf32>)
      -> tensor<100x4xf32>
  %d = linalg.sub ins(%p, %ys : tensor<100x4xf32>, tensor<100x4xf32>) outs(%p : tensor<100x4xf32>)
      -> tensor<100x4xf32>
  %e1 = tensor.empty() : tensor<8x4xf32>
  %z1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<8x4xf32>) -> tensor<8x4xf32>
  %g = linalg.generic {
      indexing_maps = [affine_map<(m, n, k) -> (k, m)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%xs, %d : tensor<100x8xf32>, tensor<100x4xf32>) outs(%z1 : tensor<8x4xf32>) {
    ^bb0(%a: f32, %b: f32, %s: f32):
      %m = arith.mulf %a, %b : f32
      %n = arith.addf %s, %m : f32
      linalg.yield %n : f32
    } -> tensor<8x4xf32>
  %r = linalg.generic {
      indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%g : tensor<8x4xf32>) outs(%w : tensor<8x4xf32>) {
    ^bb0(%a: f32, %b: f32):
      %m = arith.mulf %a, %rate : f32
      %n = arith.subf %b, %m : f32
      linalg.yield %n : f32
    } -> tensor<8x4xf32>
  return %r : tensor<8x4xf32>
}

// RUN: inplace-check %s --ranks 3 | filecheck %s
// CHECK: shardings on 3 ranks: none differ
