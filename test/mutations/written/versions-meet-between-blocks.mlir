// passes: inplace-one-shot-bufferize{bufferize-function-boundaries=true},inplace-lower-dispatch
// after: canonicalize,cse,inplace-deallocate
// protects: no
// runs: [[["float32", [4], 1], ["bool", null, true], ["float32", [16], 1], ["float32", [16], 101]], [["float32", [4], 1], ["bool", null, false], ["float32", [16], 1], ["float32", [16], 101]]]
func.func @main(%y: tensor<4xf32>, %p: i1) {
  %a = dispatch.binding set(0) binding(0) : !dispatch.readwrite<tensor<16xf32>>
  %b = dispatch.binding set(0) binding(1) : !dispatch.writeonly<tensor<16xf32>>

  cf.cond_br %p, ^1, ^2
^1:
  dispatch.store %y, %a[0] [4] [1] : tensor<4xf32> -> !dispatch.readwrite<tensor<16xf32>>
  cf.br ^3
^2:
  dispatch.store %y, %a[4] [4] [1] : tensor<4xf32> -> !dispatch.readwrite<tensor<16xf32>>
  cf.br ^3
^3:
  %z = dispatch.load %a[2] [4] [1] : !dispatch.readwrite<tensor<16xf32>> -> tensor<4xf32>
  dispatch.store %z, %b[0] [4] [1] : tensor<4xf32> -> !dispatch.writeonly<tensor<16xf32>>
  return
}
