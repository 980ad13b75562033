// passes: inplace-one-shot-bufferize{bufferize-function-boundaries=true warn-written-arguments=false},inplace-lower-dispatch
// after:
// refused: yes
// runs: [[["float32", [8], 101], ["f", null, 2.5], ["bool", null, true], ["float32", [8], 1], ["int64", null, 4]]]
func.func @main(%t: tensor<8xf32>, %f: f32, %c: i1) {
  %a = dispatch.binding set(0) binding(0) : !dispatch.readwrite<tensor<8xf32>>
  %id = dispatch.workgroup_id 0 : index
  %count = dispatch.workgroup_count 0 : index
  %b = dispatch.contents %a : !dispatch.readwrite<tensor<8xf32>> -> tensor<8xf32>
  %s = arith.select %c, %b, %t : tensor<8xf32>
  %r = tensor.insert %f into %s[%id] : tensor<8xf32>
  %c4 = arith.constant 4 : index
  %behind = arith.addi %id, %c4 : index
  %y = tensor.extract %b[%id] : tensor<8xf32>
  %q = tensor.insert %y into %r[%behind] : tensor<8xf32>
  dispatch.commit %q, %b : tensor<8xf32>
  return
}
