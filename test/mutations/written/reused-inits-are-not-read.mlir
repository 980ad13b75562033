// passes: inplace-convert-to-destination-style,inplace-one-shot-bufferize{bufferize-function-boundaries=true warn-written-arguments=false }
// after: canonicalize,cse,inplace-deallocate
// protects: yes
// runs: [[["float32", [8], 1], ["f", null, 100.5], ["int64", null, 3], ["float32", [8], 301], ["bool", [8], 0]], [["float32", [8], 1], ["f", null, 100.5], ["int64", null, 2], ["float32", [8], 301], ["bool", [8], 0]], [["float32", [8], 1], ["f", null, 100.5], ["int64", null, 1], ["float32", [8], 301], ["bool", [8], 0]]]
func.func @main(%t0: tensor<8xf32>, %f: f32, %i: index, %u: tensor<8xf32>, %m: tensor<8xi1>) -> (tensor<8xf32>, tensor<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %t = tensor.insert %f into %t0[%c1] : tensor<8xf32>
  %b = tensor.insert %f into %t[%c0] : tensor<8xf32>
  %x = arith.select %m, %u, %t : tensor<8xi1>, tensor<8xf32>
  return %x, %b : tensor<8xf32>, tensor<8xf32>
}
