// passes: inplace-one-shot-bufferize{bufferize-function-boundaries=true warn-written-arguments=false }
// after:
// protects: yes
// runs: [[["float32", [8], 1], ["float32", [8], 101], ["f", null, 101.5], ["bool", null, true]], [["float32", [8], 1], ["float32", [8], 101], ["f", null, 101.5], ["bool", null, false]], [["float32", [8], 1], ["float32", [8], 101], ["f", null, 101.5], ["bool", null, true]]]
func.func private @choose(%t: tensor<8xf32>, %u: tensor<8xf32>, %p: i1) -> tensor<8xf32> {
  cf.cond_br %p, ^a, ^b
^a:
  return %t : tensor<8xf32>
^b:
  return %u : tensor<8xf32>
}
func.func @main(%t: tensor<8xf32>, %u: tensor<8xf32>, %g: f32, %p: i1) -> (tensor<8xf32>, f32, f32) {
  %c0 = arith.constant 0 : index
  %a = call @choose(%t, %u, %p) : (tensor<8xf32>, tensor<8xf32>, i1) -> tensor<8xf32>
  %i = tensor.insert %g into %a[%c0] : tensor<8xf32>
  %e = tensor.extract %u[%c0] : tensor<8xf32>
  %k = tensor.extract %t[%c0] : tensor<8xf32>
  return %i, %e, %k : tensor<8xf32>, f32, f32
}
