// What is added to %t is %t itself, or something that shares no memory with it, never a part of it: %t was copied.
// COUNTS: 2 0
// ARGUMENTS: true 3.0
// ARGUMENTS: false 3.0
func.func @main(%p: i1, %f: f32) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %t = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      outs(%e : tensor<4xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %j = arith.index_cast %i : index to i32
    %k = arith.sitofp %j : i32 to f32
    %l = arith.addf %k, %f : f32
    linalg.yield %l : f32
  } -> tensor<4xf32>
  cf.cond_br %p, ^join(%t : tensor<4xf32>), ^other
^other:
  %s = tensor.splat %f : tensor<4xf32>
  cf.br ^join(%s : tensor<4xf32>)
^join(%x: tensor<4xf32>):
  %w = linalg.add ins(%x, %t : tensor<4xf32>, tensor<4xf32>) outs(%t : tensor<4xf32>) -> tensor<4xf32>
  return %w : tensor<4xf32>
}
