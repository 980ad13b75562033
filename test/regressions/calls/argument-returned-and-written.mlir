// A function returns its argument. What is written into the argument after the call is in the result as well, which need
// not be moved there: callers use the argument, as freeing lets the function return a clone of it.
// ARGUMENTS: 2
// ARGUMENTS: 5
func.func private @same(%t: tensor<?xf32>, %depth: index) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %deep = arith.cmpi sgt, %depth, %c0 : index
  %r = scf.if %deep -> (tensor<?xf32>) {
    %less = arith.subi %depth, %c1 : index
    %0 = func.call @same(%t, %less) : (tensor<?xf32>, index) -> tensor<?xf32>
    scf.yield %t : tensor<?xf32>
  } else {
    scf.yield %t : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}
func.func @main(%n: index) -> tensor<?xf32> {
  %c1 = arith.constant 1 : index
  %f = arith.constant 5.0 : f32
  %g = arith.constant 7.0 : f32
  %empty = tensor.empty(%n) : tensor<?xf32>
  %filled = linalg.fill ins(%f : f32) outs(%empty : tensor<?xf32>) -> tensor<?xf32>
  %same = func.call @same(%filled, %c1) : (tensor<?xf32>, index) -> tensor<?xf32>
  %slice = tensor.extract_slice %filled[%c1] [1] [1] : tensor<?xf32> to tensor<1xf32>
  %update = linalg.fill ins(%g : f32) outs(%slice : tensor<1xf32>) -> tensor<1xf32>
  %r = tensor.insert_slice %update into %same[%c1] [1] [1] : tensor<1xf32> into tensor<?xf32>
  return %r : tensor<?xf32>
}
