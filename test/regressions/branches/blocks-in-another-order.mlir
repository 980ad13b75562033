// A trial numbered ops in the order of the text, the analysis along branches: the destination pass changed other ops.
// ARGUMENTS: 0 1 4xf32:iota true 9.0
// ARGUMENTS: 0 1 4xf32:iota false 9.0
func.func @main(%i: index, %j: index, %t: tensor<4xf32>, %p: i1, %f: f32) -> tensor<4xf32> {
  cf.cond_br %p, ^go, ^end
^end:
  return %t : tensor<4xf32>
^last(%r: tensor<4xf32>):
  return %r : tensor<4xf32>
^go:
  %e = tensor.empty() : tensor<2xf32>
  %0 = linalg.fill ins(%f : f32) outs(%e : tensor<2xf32>) -> tensor<2xf32>
  %1 = tensor.insert_slice %0 into %t[1] [2] [1] : tensor<2xf32> into tensor<4xf32>
  cf.br ^last(%1 : tensor<4xf32>)
}
