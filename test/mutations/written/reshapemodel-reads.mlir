// passes: inplace-one-shot-bufferize{bufferize-function-boundaries=true warn-written-arguments=false }
// after: canonicalize,cse,inplace-deallocate
// protects: yes
// runs: [[["float32", [8], 1], ["int64", null, 2], ["f", null, 101.5]], [["float32", [8], 1], ["int64", null, 1], ["f", null, 101.5]], [["float32", [8], 1], ["int64", null, 0], ["f", null, 101.5]]]
func.func @main(%t: tensor<8xf32>, %i: index, %f: f32) -> (tensor<?x?xf32>, tensor<2xindex>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %s = tensor.from_elements %c2, %c4 : tensor<2xindex>
  %s1 = tensor.insert %c4 into %s[%c0] : tensor<2xindex>
  %s2 = tensor.insert %c2 into %s1[%c1] : tensor<2xindex>
  %x = tensor.reshape %t(%s) : (tensor<8xf32>, tensor<2xindex>) -> tensor<?x?xf32>
  return %x, %s2 : tensor<?x?xf32>, tensor<2xindex>
}
