// A product of matrices on a grid of ranks, each of which has a block of all three: SUMMA with one panel.
//
//   inplace-opt examples/sharded/summa.mlir --inplace-shard --inplace-canonicalize --cse
//
// Blocks of a are gathered along the rows of the grid, blocks of b along its columns; what is added to stays in place.
// 50 rows on 2 ranks are 25; 37 columns are 19 and 18.

shard.grid @grid(shape = 2x2)

func.func @main(%a: tensor<50x60xf32>, %b: tensor<60x37xf32>, %c: tensor<50x37xf32> {bufferization.writable = true})
    -> tensor<50x37xf32> {
  %blocks = shard.sharding @grid split_axes = [[0], [1]] : !shard.sharding
  %as = shard.shard %a to %blocks : tensor<50x60xf32>
  %bs = shard.shard %b to %blocks : tensor<60x37xf32>
  %cs = shard.shard %c to %blocks : tensor<50x37xf32>
  %0 = linalg.matmul ins(%as, %bs : tensor<50x60xf32>, tensor<60x37xf32>) outs(%cs : tensor<50x37xf32>)
      -> tensor<50x37xf32>
  %1 = shard.shard %0 to %blocks : tensor<50x37xf32>
  return %1 : tensor<50x37xf32>
}

// RUN: inplace-check %s --ranks 4 | filecheck %s
// CHECK: shardings on 4 ranks: none differ
