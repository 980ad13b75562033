// The loop carries a slice that shrinks: from the second iteration on, its first elements are not all of it.
// ARGUMENTS: 9xf32:iota 8 4 2.5
// ARGUMENTS: 9xf32:iota 8 8 2.5
func.func @main(%t: tensor<?xf32>, %m: index, %k: index, %f: f32) -> (f32, f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %s = tensor.extract_slice %t[1] [%m] [1] : tensor<?xf32> to tensor<?xf32>
  %r = scf.for %i = %c0 to %c2 step %c1 iter_args(%a = %s) -> tensor<?xf32> {
    %h = tensor.extract_slice %a[0] [%k] [1] : tensor<?xf32> to tensor<?xf32>
    %w = tensor.insert %f into %h[%i] : tensor<?xf32>
    scf.yield %w : tensor<?xf32>
  }
  %n = tensor.dim %r, %c0 : tensor<?xf32>
  %all = tensor.extract_slice %r[0] [%n] [1] : tensor<?xf32> to tensor<?xf32>
  %x = tensor.insert %f into %all[%c2] : tensor<?xf32>
  %v = tensor.extract %r[%c2] : tensor<?xf32>
  %y = tensor.extract %x[%c2] : tensor<?xf32>
  return %v, %y : f32, f32
}
