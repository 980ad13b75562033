// The second slice is all of the first, so nothing is left where it is inserted.
// COUNTS: 0 0
// ARGUMENTS: 3x2xf32:iota 3 1
// ARGUMENTS: 3x2xf32:iota 2 0
func.func @main(%t: tensor<?x2xf32>, %n: index, %i: index) -> tensor<?x2xf32> {
  %c0 = arith.constant 0 : index
  %f = arith.constant 9.0 : f32
  %a = tensor.extract_slice %t[0, 0] [%n, 1] [1, 2] : tensor<?x2xf32> to tensor<?x1xf32>
  %b = tensor.extract_slice %a[0, 0] [%n, 1] [1, 1] : tensor<?x1xf32> to tensor<?x1xf32>
  %c = tensor.insert %f into %b[%i, %c0] : tensor<?x1xf32>
  %d = tensor.insert_slice %c into %a[0, 0] [%n, 1] [1, 1] : tensor<?x1xf32> into tensor<?x1xf32>
  %r = tensor.insert_slice %d into %t[0, 0] [%n, 1] [1, 2] : tensor<?x1xf32> into tensor<?x2xf32>
  return %r : tensor<?x2xf32>
}
