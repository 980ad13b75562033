// passes: inplace-one-shot-bufferize{bufferize-function-boundaries=true warn-written-arguments=false }
// after: canonicalize,cse,inplace-deallocate
// protects: yes
// runs: [[["float32", [8], 1], ["f", null, 100.5]], [["float32", [8], 1], ["f", null, 100.5]], [["float32", [8], 1], ["f", null, 100.5]]]
func.func @main(%u: tensor<8xf32>, %f: f32) -> (tensor<8xf32>, f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %vv = arith.constant dense<5.0> : vector<8xf32>
  %mask = arith.constant dense<[true,false,true,false,true,false,true,false]> : vector<8xi1>
  %x = vector.transfer_write %vv, %u[%c1] {in_bounds=[false]} : vector<8xf32>, tensor<8xf32>
  %e = tensor.extract %u[%c0] : tensor<8xf32>
  return %x, %e : tensor<8xf32>, f32
}
