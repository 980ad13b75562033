// passes: inplace-one-shot-bufferize{bufferize-function-boundaries=true},inplace-lower-dispatch
// after: canonicalize,cse,inplace-deallocate
// protects: no
// refused: yes
// runs: [[["float32", [8], 100], ["int8", [48], 1], ["float32", [8], 101]]]
func.func @main(%y: tensor<8xf32>) {
  %o = arith.constant 16 : index
  %z0 = arith.constant 0 : index
  %a = dispatch.binding set(0) binding(0) offset(%z0) : !dispatch.readwrite<tensor<8xf32>>
  %c = dispatch.binding set(0) binding(0) offset(%o) : !dispatch.readwrite<tensor<8xf32>>
  %b = dispatch.binding set(0) binding(1) : !dispatch.writeonly<tensor<8xf32>>
  %t = dispatch.load %a : !dispatch.readwrite<tensor<8xf32>> -> tensor<8xf32>
  dispatch.store %y, %c : tensor<8xf32> -> !dispatch.readwrite<tensor<8xf32>>
  dispatch.store %t, %b : tensor<8xf32> -> !dispatch.writeonly<tensor<8xf32>>
  return
}
