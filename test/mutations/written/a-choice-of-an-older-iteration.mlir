// passes: inplace-one-shot-bufferize{bufferize-function-boundaries=true warn-written-arguments=false}
// after: canonicalize,cse,inplace-deallocate
// protects: no
// runs: [[["float32", [16], 1], ["int64", null, 0], ["int64", null, 4]]]
#id = affine_map<(d0) -> (d0)>
func.func @main(%t: tensor<16xf32>, %i: index, %n: index) -> tensor<8xf32> {
  %c1 = arith.constant 1 : index
  %f = arith.constant 3.0 : f32
  %e = tensor.empty() : tensor<8xf32>
  %g = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%e : tensor<8xf32>) {
  ^bb0(%p0: f32):
    %x = linalg.index 0 : index
    %y = arith.index_cast %x : index to i32
    %z = arith.sitofp %y : i32 to f32
    linalg.yield %z : f32
  } -> tensor<8xf32>
  cf.br ^loop(%i, %g : index, tensor<8xf32>)
^loop(%k: index, %a: tensor<8xf32>):
  %b = tensor.extract_slice %t[%k] [8] [1] : tensor<16xf32> to tensor<8xf32>
  %w = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%a : tensor<8xf32>) outs(%b : tensor<8xf32>) {
  ^bb0(%p0: f32, %p1: f32):
    %z = arith.mulf %p0, %f : f32
    linalg.yield %z : f32
  } -> tensor<8xf32>
  %next = arith.addi %k, %c1 : index
  %more = arith.cmpi slt, %next, %n : index
  cf.cond_br %more, ^loop(%next, %w : index, tensor<8xf32>), ^last
^last:
  return %w : tensor<8xf32>
}
