// The second slice is all of the first one, as their sizes are one value: the insertion copied it to where it was.
// COUNTS: 0 0
// ARGUMENTS: 8xf32:iota 3 2.5
// ARGUMENTS: 5xf32:iota 0 2.5
func.func @main(%t: tensor<?xf32>, %n: index, %f: f32) -> tensor<?xf32> {
  %s = tensor.extract_slice %t[5] [%n] [1] : tensor<?xf32> to tensor<?xf32>
  %x = linalg.fill ins(%f : f32) outs(%s : tensor<?xf32>) -> tensor<?xf32>
  %u = tensor.extract_slice %x[0] [%n] [1] : tensor<?xf32> to tensor<?xf32>
  %r = tensor.insert_slice %u into %t[5] [%n] [1] : tensor<?xf32> into tensor<?xf32>
  return %r : tensor<?xf32>
}
