// passes: inplace-one-shot-bufferize{bufferize-function-boundaries=true warn-written-arguments=false }
// after: canonicalize,cse,inplace-deallocate
// protects: no
// runs: [[["float32", [8], [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]], ["int64", null, 3], ["int64", null, 2], ["f", null, 100.5]]]
func.func @main(%t: tensor<?xf32>, %m: index, %n: index, %f: f32) -> (f32, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %s = tensor.extract_slice %t[1] [%m] [1] : tensor<?xf32> to tensor<?xf32>
  %u = tensor.extract_slice %s[0] [%n] [1] : tensor<?xf32> to tensor<?xf32>
  %k = tensor.dim %s, %c0 : tensor<?xf32>
  %v = tensor.extract_slice %t[2] [%k] [1] : tensor<?xf32> to tensor<?xf32>
  %x = tensor.extract %v[%c0] : tensor<?xf32>
  return %x, %u : f32, tensor<?xf32>
}
