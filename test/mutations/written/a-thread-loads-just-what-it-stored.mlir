// passes: inplace-one-shot-bufferize{bufferize-function-boundaries=true},inplace-lower-dispatch
// after: canonicalize,cse,inplace-deallocate
// protects: no
// refused: yes
// runs: [[["float32", [4], 1], ["float32", [16], 1], ["float32", [16], 101]]]
func.func @main(%y: tensor<4xf32>) {
  %a = dispatch.binding set(0) binding(0) : !dispatch.readwrite<tensor<16xf32>>
  %b = dispatch.binding set(0) binding(1) : !dispatch.writeonly<tensor<16xf32>>

  %c1 = arith.constant 1 : index
  scf.forall (%i) = (0) to (12) step (4) {
    %j = arith.addi %i, %c1 : index
    dispatch.store %y, %a[%i] [4] [1] : tensor<4xf32> -> !dispatch.readwrite<tensor<16xf32>>
    %z = dispatch.load %a[%j] [4] [1] : !dispatch.readwrite<tensor<16xf32>> -> tensor<4xf32>
    dispatch.store %z, %b[%i] [4] [1] : tensor<4xf32> -> !dispatch.writeonly<tensor<16xf32>>
  }
  return
}
