// inplace-fuse left the only operand behind that said how large a loop is, since its elements are not used
// (optimize=True): the op was invalid. Elements are read by their indices here, in reverse, so nothing else says it.
// ARGUMENTS: 6xf32:iota 4xf32:iota 3xf32:iota
// ARGUMENTS: 1xf32:iota 2xf32:iota 1xf32:iota
#id = affine_map<(d0) -> (d0)>
#all = affine_map<(d0) -> ()>
#ij = affine_map<(d0, d1) -> (d0, d1)>
#ji = affine_map<(d0, d1) -> (d1, d0)>
#i = affine_map<(d0, d1) -> (d0)>
#j = affine_map<(d0, d1) -> (d1)>
#none = affine_map<(d0, d1) -> ()>
func.func @main(%a: tensor<?xf32>, %b: tensor<?xf32>, %c: tensor<?xf32>)
    -> (tensor<i32>, tensor<f32>, tensor<?xf32>, tensor<f32>, tensor<f32>) {
  %least = arith.constant -1.0 : f32
  %zero = arith.constant 0 : i32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %k = tensor.dim %a, %c0 : tensor<?xf32>
  %m = tensor.dim %b, %c0 : tensor<?xf32>
  %n = tensor.dim %c, %c0 : tensor<?xf32>
  %ef = tensor.empty() : tensor<f32>
  %ei = tensor.empty() : tensor<i32>
  %f0 = linalg.fill ins(%least : f32) outs(%ef : tensor<f32>) -> tensor<f32>
  %i0 = linalg.fill ins(%zero : i32) outs(%ei : tensor<i32>) -> tensor<i32>

  // The index of the largest element, of the reversed input.
  %ea = tensor.empty(%k) : tensor<?xf32>
  %reversed = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%a : tensor<?xf32>) outs(%ea : tensor<?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %i = linalg.index 0 : index
    %j = arith.subi %k, %i : index
    %l = arith.subi %j, %c1 : index
    %x = tensor.extract %a[%l] : tensor<?xf32>
    linalg.yield %x : f32
  } -> tensor<?xf32>
  %largest:2 = linalg.generic {indexing_maps = [#id, #all, #all], iterator_types = ["reduction"]}
      ins(%reversed : tensor<?xf32>) outs(%f0, %i0 : tensor<f32>, tensor<i32>) {
  ^bb0(%x: f32, %most: f32, %place: i32):
    %i = linalg.index 0 : index
    %now = arith.index_cast %i : index to i32
    %is = arith.cmpf ogt, %x, %most : f32
    %value = arith.select %is, %x, %most : f32
    %index = arith.select %is, %now, %place : i32
    linalg.yield %value, %index : f32, i32
  } -> (tensor<f32>, tensor<i32>)

  // Two inputs that say a loop each, of which one or both are used by their indices only.
  %eb = tensor.empty(%m, %n) : tensor<?x?xf32>
  %both = linalg.generic {indexing_maps = [#i, #j, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%b, %c : tensor<?xf32>, tensor<?xf32>) outs(%eb : tensor<?x?xf32>) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %p = tensor.extract %b[%i] : tensor<?xf32>
    %q = tensor.extract %c[%j] : tensor<?xf32>
    %r = arith.subf %p, %q : f32
    linalg.yield %r : f32
  } -> tensor<?x?xf32>
  %sum = linalg.generic {indexing_maps = [#ji, #none], iterator_types = ["reduction", "reduction"]}
      ins(%both : tensor<?x?xf32>) outs(%f0 : tensor<f32>) {
  ^bb0(%x: f32, %s: f32):
    %r = arith.addf %x, %s : f32
    linalg.yield %r : f32
  } -> tensor<f32>
  %ec = tensor.empty(%m, %n) : tensor<?x?xf32>
  %one = linalg.generic {indexing_maps = [#i, #j, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%b, %c : tensor<?xf32>, tensor<?xf32>) outs(%ec : tensor<?x?xf32>) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %j = linalg.index 1 : index
    %q = tensor.extract %c[%j] : tensor<?xf32>
    %r = arith.subf %x, %q : f32
    linalg.yield %r : f32
  } -> tensor<?x?xf32>
  %ed = tensor.empty(%m) : tensor<?xf32>
  %fd = linalg.fill ins(%least : f32) outs(%ed : tensor<?xf32>) -> tensor<?xf32>
  %rows = linalg.generic {indexing_maps = [#ij, #i], iterator_types = ["parallel", "reduction"]}
      ins(%one : tensor<?x?xf32>) outs(%fd : tensor<?xf32>) {
  ^bb0(%x: f32, %s: f32):
    %r = arith.addf %x, %s : f32
    linalg.yield %r : f32
  } -> tensor<?xf32>

  // No input says it, only the result that would not be there any more.
  %count = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%ea : tensor<?xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %x = tensor.extract %a[%i] : tensor<?xf32>
    linalg.yield %x : f32
  } -> tensor<?xf32>
  %total = linalg.generic {indexing_maps = [#id, #all], iterator_types = ["reduction"]}
      ins(%count : tensor<?xf32>) outs(%f0 : tensor<f32>) {
  ^bb0(%x: f32, %s: f32):
    %r = arith.addf %x, %s : f32
    linalg.yield %r : f32
  } -> tensor<f32>

  // Rank 0: there are no loops to be said anything of.
  %point = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []}
      ins(%f0 : tensor<f32>) outs(%ef : tensor<f32>) {
  ^bb0(%in: f32, %out: f32):
    %x = tensor.extract %a[%c0] : tensor<?xf32>
    linalg.yield %x : f32
  } -> tensor<f32>
  %minus = linalg.negf ins(%point : tensor<f32>) outs(%ef : tensor<f32>) -> tensor<f32>
  return %largest#1, %sum, %rows, %total, %minus : tensor<i32>, tensor<f32>, tensor<?xf32>, tensor<f32>, tensor<f32>
}
