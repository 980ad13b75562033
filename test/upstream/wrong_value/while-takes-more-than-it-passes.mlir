// passes: one-shot-bufferize{bufferize-function-boundaries=true allow-return-allocs-from-loops=true}
// arguments: [[1, 2], [3, 4], 2, 9]
// right: [[3, 4]]
// why: the while loop writes in place into a tensor from outside that it is given in every iteration
func.func @main(%t: tensor<2xf32>, %u: tensor<2xf32>, %n: index, %f: f32) -> tensor<2xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.while (%i = %c0, %a = %t) : (index, tensor<2xf32>) -> index {
    %x = tensor.insert %f into %a[%c0] : tensor<2xf32>
    %go = arith.cmpi slt, %i, %n : index
    scf.condition(%go) %i : index
  } do {
  ^bb0(%j: index):
    %next = arith.addi %j, %c1 : index
    scf.yield %next, %u : index, tensor<2xf32>
  }
  return %u : tensor<2xf32>
}
