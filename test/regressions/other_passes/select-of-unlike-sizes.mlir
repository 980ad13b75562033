// A choice of whole tensors was made element by element, with the sizes of the first: the sizes were wrong, and memory
// past the end of the second was read (optimize=True).
// ARGUMENTS: 4xf32:iota 2 true
// ARGUMENTS: 4xf32:iota 2 false
// ARGUMENTS: 2xf32:iota 4 false
// ARGUMENTS: 2xf32:iota 0 true
func.func @main(%t: tensor<?xf32>, %n: index, %c: i1) -> (tensor<?xf32>, tensor<?x2xf32>, index) {
  %c0 = arith.constant 0 : index
  %x = arith.constant 7.0 : f32
  %e = tensor.empty(%n) : tensor<?xf32>
  %f = linalg.fill ins(%x : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %g = arith.negf %t : tensor<?xf32>
  %r = arith.select %c, %f, %g : tensor<?xf32>
  %s = math.absf %r : tensor<?xf32>
  %d = tensor.dim %s, %c0 : tensor<?xf32>
  %m = tensor.dim %t, %c0 : tensor<?xf32>
  %e0 = tensor.empty(%n) : tensor<?x2xf32>
  %f0 = linalg.fill ins(%x : f32) outs(%e0 : tensor<?x2xf32>) -> tensor<?x2xf32>
  %e1 = tensor.empty(%m) : tensor<?x2xf32>
  %f1 = linalg.broadcast ins(%t : tensor<?xf32>) outs(%e1 : tensor<?x2xf32>) dimensions = [1]
  %b = scf.if %c -> tensor<?x2xf32> {
    scf.yield %f1 : tensor<?x2xf32>
  } else {
    scf.yield %f0 : tensor<?x2xf32>
  }
  %k = arith.addf %b, %b : tensor<?x2xf32>
  return %s, %k, %d : tensor<?xf32>, tensor<?x2xf32>, index
}
