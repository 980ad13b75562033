// passes: inplace-one-shot-bufferize{bufferize-function-boundaries=true warn-written-arguments=false},inplace-lower-dispatch
// after: canonicalize,cse,inplace-deallocate
// protects: yes
// refused: yes
// runs: [[["float32", [8], 1], ["bool", null, true], ["float32", [8], 100]], [["float32", [8], 1], ["bool", null, false], ["float32", [8], 100]]]
func.func @main(%t: tensor<8xf32>, %c: i1) {
  %a = dispatch.binding set(0) binding(0) : !dispatch.readwrite<tensor<8xf32>>
  %b = dispatch.contents %a : !dispatch.readwrite<tensor<8xf32>> -> tensor<8xf32>
  %s = arith.select %c, %b, %t : tensor<8xf32>
  dispatch.commit %s, %b : tensor<8xf32>
  return
}
