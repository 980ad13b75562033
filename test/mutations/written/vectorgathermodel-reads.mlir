// passes: inplace-one-shot-bufferize{bufferize-function-boundaries=true warn-written-arguments=false }
// after: canonicalize,cse,inplace-deallocate
// protects: no
// runs: [[["float32", [8], 1], ["f", null, 100.5], ["int64", null, 3]], [["float32", [8], 1], ["f", null, 100.5], ["int64", null, 2]], [["float32", [8], 1], ["f", null, 100.5], ["int64", null, 1]]]
func.func @main(%t: tensor<8xf32>, %f: f32, %i: index) -> (f32, tensor<8xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %iv = arith.constant dense<[0,2,1,3]> : vector<4xi32>
%mask = arith.constant dense<true> : vector<4xi1>
%pt = arith.constant dense<0.0> : vector<4xf32>
  %b = tensor.insert %f into %t[%i] : tensor<8xf32>
  %v = vector.gather %t[%c0] [%iv], %mask, %pt : tensor<8xf32>, vector<4xi32>, vector<4xi1>, vector<4xf32> into vector<4xf32>
  %x = vector.reduction <add>, %v : vector<4xf32> into f32
  return %x, %b : f32, tensor<8xf32>
}
