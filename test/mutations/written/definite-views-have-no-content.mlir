// passes: inplace-one-shot-bufferize{bufferize-function-boundaries=true warn-written-arguments=false}
// after: canonicalize,cse,inplace-deallocate
// protects: no
// runs: [[["float32", [4], 1], ["bool", null, false]]]
func.func @main(%t: tensor<4xf32> {bufferization.writable = false}, %p: i1) -> (f32, f32) {
  %c0 = arith.constant 0 : index
  %f = arith.constant 5.0 : f32
  %e = tensor.empty() : tensor<4xf32>
  %s = arith.select %p, %e, %t : tensor<4xf32>
  %w = tensor.insert %f into %s[%c0] : tensor<4xf32>
  %c1 = arith.constant 1 : index
  %x = tensor.extract %w[%c1] : tensor<4xf32>
  %y = tensor.extract %w[%c0] : tensor<4xf32>
  return %x, %y : f32, f32
}
