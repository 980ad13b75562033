// passes: inplace-one-shot-bufferize{bufferize-function-boundaries=true},inplace-lower-dispatch
// after: canonicalize,cse,inplace-deallocate
// protects: no
// runs: [[["float32", [4], 1], ["float32", [16], 1], ["float32", [16], 101]], [["float32", [4], 1], ["float32", [16], 1], ["float32", [16], 101]], [["float32", [4], 1], ["float32", [16], 1], ["float32", [16], 101]]]
func.func @main(%y: tensor<4xf32>) {
  %a = dispatch.binding set(0) binding(0) : !dispatch.readwrite<tensor<16xf32>>
  %b = dispatch.binding set(0) binding(1) : !dispatch.writeonly<tensor<16xf32>>
  scf.forall (%i) = (0) to (16) step (4) {
    %x = dispatch.load %a[%i] [4] [1] : !dispatch.readwrite<tensor<16xf32>> -> tensor<4xf32>
    dispatch.store %x, %a[%i] [4] [1] : tensor<4xf32> -> !dispatch.readwrite<tensor<16xf32>>
    dispatch.store %y, %a[%i] [4] [1] : tensor<4xf32> -> !dispatch.readwrite<tensor<16xf32>>
    %z = dispatch.load %a[%i] [4] [1] : !dispatch.readwrite<tensor<16xf32>> -> tensor<4xf32>
    dispatch.store %z, %b[%i] [4] [1] : tensor<4xf32> -> !dispatch.writeonly<tensor<16xf32>>
  }
  return
}
