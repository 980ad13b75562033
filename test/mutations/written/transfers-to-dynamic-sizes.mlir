// passes: inplace-one-shot-bufferize{bufferize-function-boundaries=true warn-written-arguments=false }
// after: canonicalize,cse,inplace-deallocate
// protects: yes
// runs: [[["float32", [6], 1], ["f", null, 100.5]], [["float32", [3], 1], ["f", null, 100.5]], [["float32", [6], 1], ["f", null, 100.5]]]
func.func @main(%t: tensor<?xf32>, %f: f32) -> (tensor<?xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %v = vector.broadcast %f : f32 to vector<4xf32>
  %x = vector.transfer_write %v, %t[%c0] : vector<4xf32>, tensor<?xf32>
  return %x, %t : tensor<?xf32>, tensor<?xf32>
}
