// arguments: [[1, 2]]
// right: [[1, 2]]
// why: the memory of an arith.index_cast's operand is taken for that of its result, whose elements are larger
func.func @main(%t: tensor<2xi32>) -> tensor<2xindex> {
  %0 = arith.index_cast %t : tensor<2xi32> to tensor<2xindex>
  return %0 : tensor<2xindex>
}
