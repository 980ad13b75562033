// arguments: [[1, 2], [3, 4], 1, 9]
// right: [[9, 4], [3, 4]]
// why: the result of scf.index_switch is not known to be the buffer that a case yields, so a write destroys what is returned
func.func @main(%a: tensor<2xf32>, %b: tensor<2xf32>, %n: index, %f: f32) -> (tensor<2xf32>, tensor<2xf32>) {
  %c0 = arith.constant 0 : index
  %0 = scf.index_switch %n -> tensor<2xf32>
  case 1 {
    scf.yield %b : tensor<2xf32>
  }
  default {
    scf.yield %a : tensor<2xf32>
  }
  %1 = tensor.insert %f into %0[%c0] : tensor<2xf32>
  return %1, %b : tensor<2xf32>, tensor<2xf32>
}
