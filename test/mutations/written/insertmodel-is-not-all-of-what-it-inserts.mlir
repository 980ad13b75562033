// passes: inplace-plan-bufferize,inplace-lower-dispatch
// after: canonicalize,cse,inplace-deallocate
// protects: no
// runs: [[["float32", [8], 1]], [["float32", [8], 101]]]
func.func @main() {
  %b = dispatch.binding set(0) binding(0) : !dispatch.readwrite<tensor<8xf32>>
  %c2 = arith.constant 2 : index
  %f = arith.constant 3.0 : f32
  %t = dispatch.load %b : !dispatch.readwrite<tensor<8xf32>> -> tensor<8xf32>
  %r = tensor.insert %f into %t[%c2] : tensor<8xf32>
  dispatch.store %r, %b : tensor<8xf32> -> !dispatch.readwrite<tensor<8xf32>>
  return
}
