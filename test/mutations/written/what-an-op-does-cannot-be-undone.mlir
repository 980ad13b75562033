// passes: inplace-eliminate-empty-tensors,inplace-one-shot-bufferize{bufferize-function-boundaries=true warn-written-arguments=false}
// after: canonicalize,cse,inplace-deallocate
// protects: no
// runs: [[["float32", [4, 4], 1], ["int64", [2], [3, 2]], ["int64", null, 2], ["int64", null, 3], ["f", null, 1.5]]]
func.func @main(%d0: tensor<?x?xf32>, %s: tensor<2xindex>, %m: index, %n: index, %f: f32) -> tensor<?x?xf32> {
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %i = linalg.generic {indexing_maps = [affine_map<(a, b) -> (a, b)>], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<?x?xf32>) {
  ^bb0(%o: f32):
    %a = linalg.index 0 : index
    %b = linalg.index 1 : index
    %c10 = arith.constant 10 : index
    %x = arith.muli %a, %c10 : index
    %y = arith.addi %x, %b : index
    %z = arith.index_cast %y : index to i32
    %r = arith.sitofp %z : i32 to f32
    linalg.yield %r : f32
  } -> tensor<?x?xf32>
  %r = tensor.reshape %i(%s) : (tensor<?x?xf32>, tensor<2xindex>) -> tensor<?x?xf32>
  %w = tensor.insert_slice %r into %d0[0, 0] [%n, %m] [1, 1] : tensor<?x?xf32> into tensor<?x?xf32>
  return %w : tensor<?x?xf32>
}
