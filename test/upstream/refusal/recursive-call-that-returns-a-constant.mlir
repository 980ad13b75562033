// arguments: [true]
// right: [[1, 2]]
// message: 'func.call' op result type mismatch
// why: a recursive call is given any strides as its result, and the function returns a contiguous buffer
func.func private @down(%p: i1) -> tensor<2xf32> {
  %c0 = arith.constant 0 : index
  %false = arith.constant false
  %f = arith.constant 3.0 : f32
  %k = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %r = scf.if %p -> tensor<2xf32> {
    scf.yield %k : tensor<2xf32>
  } else {
    %x = func.call @down(%p) : (i1) -> tensor<2xf32>
    %y = tensor.insert %f into %x[%c0] : tensor<2xf32>
    scf.yield %y : tensor<2xf32>
  }
  return %r : tensor<2xf32>
}
func.func @main(%p: i1) -> tensor<2xf32> {
  %0 = func.call @down(%p) : (i1) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
