// passes: inplace-one-shot-bufferize{bufferize-function-boundaries=true warn-written-arguments=false  function-boundary-type-conversion=identity-layout-map}
// after: canonicalize,cse,inplace-deallocate
// protects: no
// runs: [[["float32", [8], 1000], ["float32", [8], 2000], ["float32", [8], 3000], ["int64", null, 0], ["bool", null, true]], [["float32", [8], 1000], ["float32", [8], 2000], ["float32", [8], 3000], ["int64", null, 2], ["bool", null, false]], [["float32", [8], 1000], ["float32", [8], 2000], ["float32", [8], 3000], ["int64", null, 3], ["bool", null, true]]]
#id = affine_map<(d0) -> (d0)>
func.func private @callee(%x: tensor<8xf32>, %y: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %c2 = arith.constant 2 : index
  %e = tensor.extract %y[%c2] : tensor<8xf32>
  %r = tensor.insert %e into %x[%c2] : tensor<8xf32>
  return %r, %y : tensor<8xf32>, tensor<8xf32>
}

func.func @main(%a: tensor<8xf32> {bufferization.writable = true}, %b: tensor<8xf32> {bufferization.writable = true}, %c: tensor<8xf32> {bufferization.writable = true}, %n: index, %p: i1) -> (tensor<8xf32>, tensor<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %f = arith.constant 100.0 : f32
  %k = arith.constant dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]> : tensor<8xf32>
  %v1:1 = scf.for %v3 = %c0 to %c0 step %c1 iter_args(%v2 = %k) -> (tensor<8xf32>) {
    %v4 = tensor.extract_slice %b[%c4] [4] [1] : tensor<8xf32> to tensor<4xf32>
    %v6 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%v4 : tensor<4xf32>) outs(%v4 : tensor<4xf32>) {
      ^bb0(%x: f32, %y: f32): %s = arith.addf %x, %y : f32
      linalg.yield %s : f32 } -> tensor<4xf32>
    %v5 = tensor.insert_slice %v6 into %b[%c4] [4] [1] : tensor<4xf32> into tensor<8xf32>
    %v7 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%v5 : tensor<8xf32>) outs(%v2 : tensor<8xf32>) {
      ^bb0(%x: f32, %y: f32): %s = arith.addf %x, %x : f32
      linalg.yield %s : f32 } -> tensor<8xf32>
    scf.yield %v7 : tensor<8xf32>
  }
  %v8 = arith.select %p, %b, %b : tensor<8xf32>
  %v9 = tensor.extract_slice %c[0] [4] [1] : tensor<8xf32> to tensor<4xf32>
  %v11 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
    ins(%v9 : tensor<4xf32>) outs(%v9 : tensor<4xf32>) {
    ^bb0(%x: f32, %y: f32): %s = arith.addf %x, %y : f32
    linalg.yield %s : f32 } -> tensor<4xf32>
  %v10 = tensor.insert_slice %v11 into %c[0] [4] [1] : tensor<4xf32> into tensor<8xf32>
  %v12 = tensor.extract_slice %k[2] [4] [1] : tensor<8xf32> to tensor<4xf32>
  %v13 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
    ins(%v1#0 : tensor<8xf32>) outs(%k : tensor<8xf32>) {
    ^bb0(%x: f32, %y: f32): %s = arith.addf %x, %y : f32
    linalg.yield %s : f32 } -> tensor<8xf32>
  %v14 = linalg.fill ins(%f : f32) outs(%v1#0 : tensor<8xf32>) -> tensor<8xf32>
  %v15 = tensor.insert_slice %v11 into %v10[2] [4] [1] : tensor<4xf32> into tensor<8xf32>
  return %v15, %v15 : tensor<8xf32>, tensor<8xf32>
}
