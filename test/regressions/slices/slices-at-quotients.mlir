// Both slices begin at 0, which is computed: the insertion was taken to change what it reads.
// COUNTS: 0 0
// ARGUMENTS: 8xi32:iota
func.func @main(%t: tensor<8xi32>) -> tensor<8xi32> {
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %q = arith.floordivsi %c2, %c4 : index
  %r = arith.floordivsi %q, %c3 : index
  %s = tensor.extract_slice %t[%q] [2] [1] : tensor<8xi32> to tensor<2xi32>
  %u = tensor.insert_slice %s into %t[%r] [2] [1] : tensor<2xi32> into tensor<8xi32>
  return %u : tensor<8xi32>
}
