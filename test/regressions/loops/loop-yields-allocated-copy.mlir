// A loop carries a tensor that is a copy: where a tensor comes from that an op copies, the sizes come from too, and not
// from operands of the op, of which there is one.
// ARGUMENTS: 4x3xf32:iota 2
// ARGUMENTS: 0x2xf32:iota 1
func.func @main(%t: tensor<?x?xf32> {bufferization.writable = false}, %n: index) -> (tensor<?x?xf32>, tensor<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %f = arith.constant 5.0 : f32
  %copy = bufferization.alloc_tensor() copy(%t) : tensor<?x?xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %copy) -> (tensor<?x?xf32>) {
    %filled = linalg.fill ins(%f : f32) outs(%a : tensor<?x?xf32>) -> tensor<?x?xf32>
    scf.yield %copy : tensor<?x?xf32>
  }
  return %r, %copy : tensor<?x?xf32>, tensor<?x?xf32>
}
