// The whole binding is loaded, but its sizes are values: it counted as a slice with gaps, which a reshape copies.
// COUNTS: 0 1
// ARGUMENTS: 2x3xf32:iota 6xf32:zeros 2 3
// ARGUMENTS: 0x3xf32:iota 0xf32:zeros 0 3
func.func @main() {
  %m = dispatch.push_constant 0 : index
  %n = dispatch.push_constant 1 : index
  %mn = arith.muli %m, %n : index
  %A = dispatch.binding set(0) binding(0) sizes(%m, %n) : !dispatch.readonly<tensor<?x?xf32>>
  %C = dispatch.binding set(0) binding(1) sizes(%mn) : !dispatch.writeonly<tensor<?xf32>>
  %a = dispatch.load %A[0, 0] [%m, %n] [1, 1] : !dispatch.readonly<tensor<?x?xf32>> -> tensor<?x?xf32>
  %b = tensor.collapse_shape %a [[0, 1]] : tensor<?x?xf32> into tensor<?xf32>
  dispatch.store %b, %C[0] [%mn] [1] : tensor<?xf32> -> !dispatch.writeonly<tensor<?xf32>>
  return
}
