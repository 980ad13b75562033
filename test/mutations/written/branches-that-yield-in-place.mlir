// passes: inplace-one-shot-bufferize{bufferize-function-boundaries=true warn-written-arguments=false analysis-heuristic=fuzzer analysis-fuzzer-seed=0}
// after: canonicalize,cse,inplace-deallocate
// protects: no
// runs: [[["int32", [4], 1], ["bool", null, true]], [["int32", [4], 1], ["bool", null, false]]]
func.func @main(%a: tensor<4xi32>, %c: i1) -> (tensor<4xi32>, tensor<4xi32>) {
  %i = arith.constant 0 : index
  %k = arith.constant 9 : i32
  %s = tensor.extract_slice %a[0] [2] [1] : tensor<4xi32> to tensor<2xi32>
  %r = scf.if %c -> (tensor<4xi32>) {
    scf.yield %a : tensor<4xi32>
  } else {
    scf.yield %a : tensor<4xi32>
  }
  %w = tensor.insert %k into %r[%i] : tensor<4xi32>
  %v = tensor.insert_slice %s into %w[0] [2] [1] : tensor<2xi32> into tensor<4xi32>
  return %v, %a : tensor<4xi32>, tensor<4xi32>
}
