// passes: inplace-one-shot-bufferize{bufferize-function-boundaries=true warn-written-arguments=false }
// after: canonicalize,cse,inplace-deallocate
// protects: no
// runs: [[["float32", [2, 4], [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]], ["int64", null, 3]]]
func.func @main(%t: tensor<?x?xf32>, %n: index) -> tensor<?xf32> {
  %s = tensor.extract_slice %t[1, 0] [1, %n] [1, 1] : tensor<?x?xf32> to tensor<1x?xf32>
  %u = tensor.extract_slice %s[0, 0] [1, %n] [1, 1] : tensor<1x?xf32> to tensor<?xf32>
  return %u : tensor<?xf32>
}
