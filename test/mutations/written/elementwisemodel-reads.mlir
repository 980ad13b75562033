// passes: inplace-one-shot-bufferize{bufferize-function-boundaries=true warn-written-arguments=false }
// after: canonicalize,cse,inplace-deallocate
// protects: yes
// runs: [[["float32", [8], 1], ["f", null, 100.5]], [["float32", [8], 1], ["f", null, 100.5]], [["float32", [8], 1], ["f", null, 100.5]]]
func.func @main(%t: tensor<8xf32>, %f: f32) -> (tensor<8xf32>, tensor<8xf32>) {
  %c0 = arith.constant 0 : index
  %a = tensor.insert %f into %t[%c0] : tensor<8xf32>
  %x = arith.negf %a : tensor<8xf32>
  %b = tensor.insert %f into %x[%c0] : tensor<8xf32>
  %y = arith.addf %x, %x : tensor<8xf32>
  return %y, %b : tensor<8xf32>, tensor<8xf32>
}
