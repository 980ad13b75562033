// Attention with the sequence split over the ranks: each has its queries, and gathers keys and values.
//
//   inplace-opt examples/sharded/attention.mlir --inplace-shard --inplace-canonicalize --cse

#row = affine_map<(i, j) -> (i)>
#all = affine_map<(i, j) -> (i, j)>

shard.grid @grid(shape = 3)

func.func @main(%q: tensor<50x8xf32>, %k: tensor<50x8xf32>, %v: tensor<50x8xf32>) -> tensor<50x8xf32> {
  %sequence = shard.sharding @grid split_axes = [[0]] : !shard.sharding
  %qs = shard.shard %q to %sequence : tensor<50x8xf32>
  %ks = shard.shard %k to %sequence : tensor<50x8xf32>
  %vs = shard.shard %v to %sequence : tensor<50x8xf32>
  %zero = arith.constant 0.0 : f32
  %least = arith.constant 0xFF800000 : f32
  %es = tensor.empty() : tensor<50x50xf32>
  %zs = linalg.fill ins(%zero : f32) outs(%es : tensor<50x50xf32>) -> tensor<50x50xf32>
  %s = linalg.generic {
      indexing_maps = [affine_map<(m, n, d) -> (m, d)>, affine_map<(m, n, d) -> (n, d)>, affine_map<(m, n, d) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%qs, %ks : tensor<50x8xf32>, tensor<50x8xf32>) outs(%zs : tensor<50x50xf32>) {
    ^bb0(%a: f32, %b: f32, %c: f32):
      %m = arith.mulf %a, %b : f32
      %n = arith.addf %c, %m : f32
      linalg.yield %n : f32
    } -> tensor<50x50xf32>
  %scores = shard.shard %s to %sequence : tensor<50x50xf32>
  %er = tensor.empty() : tensor<50xf32>
  %fm = linalg.fill ins(%least : f32) outs(%er : tensor<50xf32>) -> tensor<50xf32>
  %max = linalg.reduce { arith.maximumf } ins(%scores : tensor<50x50xf32>) outs(%fm : tensor<50xf32>) dimensions = [1]
  %p = linalg.generic {indexing_maps = [#row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%max : tensor<50xf32>) outs(%scores : tensor<50x50xf32>) {
    ^bb0(%m: f32, %x: f32):
      %d = arith.subf %x, %m : f32
      %e = math.exp %d : f32
      linalg.yield %e : f32
    } -> tensor<50x50xf32>
  %er2 = tensor.empty() : tensor<50xf32>
  %fs = linalg.fill ins(%zero : f32) outs(%er2 : tensor<50xf32>) -> tensor<50xf32>
  %sum = linalg.reduce { arith.addf } ins(%p : tensor<50x50xf32>) outs(%fs : tensor<50xf32>) dimensions = [1]
  %eo = tensor.empty() : tensor<50x8xf32>
  %zo = linalg.fill ins(%zero : f32) outs(%eo : tensor<50x8xf32>) -> tensor<50x8xf32>
  %o = linalg.matmul ins(%p, %vs : tensor<50x50xf32>, tensor<50x8xf32>) outs(%zo : tensor<50x8xf32>)
      -> tensor<50x8xf32>
  %r = linalg.generic {indexing_maps = [#row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%sum : tensor<50xf32>) outs(%o : tensor<50x8xf32>) {
    ^bb0(%m: f32, %x: f32):
      %d = arith.divf %x, %m : f32
      linalg.yield %d : f32
    } -> tensor<50x8xf32>
  %result = shard.shard %r to %sequence : tensor<50x8xf32>
  return %result : tensor<50x8xf32>
}

// RUN: inplace-check %s --ranks 3 | filecheck %s
// CHECK: shardings on 3 ranks: none differ
