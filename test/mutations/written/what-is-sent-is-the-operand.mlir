// passes: inplace-one-shot-bufferize{bufferize-function-boundaries=true warn-written-arguments=false }
// after: canonicalize,cse,inplace-deallocate
// protects: yes
// runs: [[["float32", [4], 1], ["int64", null, 1], ["f", null, 100.5]]]
shard.grid @g(shape = 2)
func.func @main(%a: tensor<4xf32>, %i: index, %f: f32) -> (tensor<4xf32>, f32) {
  %c0 = arith.constant 0 : index
  %rank = shard.process_linear_index on @g : index
  %first = arith.cmpi eq, %rank, %c0 : index
  %e = tensor.empty() : tensor<4xf32>
  %b = linalg.add ins(%a, %a : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %r = scf.if %first -> tensor<4xf32> {
    %s = shard.send %b on @g grid_axes = [0] destination = [1] : (tensor<4xf32>) -> tensor<4xf32>
    scf.yield %s : tensor<4xf32>
  } else {
    %n = tensor.empty() : tensor<4xf32>
    %v = shard.recv %n on @g grid_axes = [0] source = [0] : (tensor<4xf32>) -> tensor<4xf32>
    scf.yield %v : tensor<4xf32>
  }
  %c = linalg.fill ins(%f : f32) outs(%b : tensor<4xf32>) -> tensor<4xf32>
  %x = tensor.extract %r[%i] : tensor<4xf32>
  return %c, %x : tensor<4xf32>, f32
}
