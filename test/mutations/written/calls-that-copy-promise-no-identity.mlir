// passes: inplace-one-shot-bufferize{bufferize-function-boundaries=true warn-written-arguments=false function-boundary-type-conversion=identity-layout-map}
// after: canonicalize,cse,inplace-deallocate
// protects: no
// runs: [[["int32", [4], 1], ["bool", null, true]]]
func.func private @same(%x: tensor<2xi32>) -> tensor<2xi32> {
  return %x : tensor<2xi32>
}
func.func @main(%a: tensor<4xi32>, %c: i1) -> tensor<4xi32> {
  %i = arith.constant 0 : index
  %k = arith.constant 9 : i32
  %s = tensor.extract_slice %a[0] [2] [2] : tensor<4xi32> to tensor<2xi32>
  %r = func.call @same(%s) : (tensor<2xi32>) -> tensor<2xi32>
  %w = tensor.insert %k into %r[%i] : tensor<2xi32>
  %v = tensor.insert_slice %w into %a[0] [2] [2] : tensor<2xi32> into tensor<4xi32>
  return %v : tensor<4xi32>
}
