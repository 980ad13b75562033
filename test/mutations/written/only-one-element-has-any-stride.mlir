// passes: inplace-one-shot-bufferize{bufferize-function-boundaries=true warn-written-arguments=false}
// after: canonicalize,cse,inplace-deallocate
// protects: no
// runs: [[["float32", [8], 1], ["f", null, 100.5], ["int64", null, 4]]]
func.func @main(%t: tensor<8xf32>, %f: f32, %n: index) -> (tensor<2xf32>, f32) {
  %c2 = arith.constant 2 : index
  %a = tensor.extract_slice %t[0] [2] [4] : tensor<8xf32> to tensor<2xf32>
  %b = tensor.extract_slice %t[2] [%n] [1] : tensor<8xf32> to tensor<?xf32>
  %w = linalg.fill ins(%f : f32) outs(%a : tensor<2xf32>) -> tensor<2xf32>
  %x = tensor.extract %b[%c2] : tensor<?xf32>
  return %w, %x : tensor<2xf32>, f32
}
