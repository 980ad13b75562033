// passes: inplace-one-shot-bufferize{bufferize-function-boundaries=true warn-written-arguments=false }
// after: canonicalize,cse,inplace-deallocate
// protects: yes
// runs: [[["float32", [8], 1], ["f", null, 100.5]], [["float32", [8], 1], ["f", null, 100.5]], [["float32", [8], 1], ["f", null, 100.5]]]
func.func @main(%t: tensor<8xf32>, %f: f32) -> (tensor<8xf32>, f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %vv = arith.constant dense<5.0> : vector<2xf32>
  %iv = arith.constant dense<[0,1]> : vector<2xi32>
  %mask = arith.constant dense<true> : vector<2xi1>
  %x = vector.scatter %t[%c0] [%iv], %mask, %vv : tensor<8xf32>, vector<2xi32>, vector<2xi1>, vector<2xf32> -> tensor<8xf32>
  %e = tensor.extract %t[%c1] : tensor<8xf32>
  return %x, %e : tensor<8xf32>, f32
}
