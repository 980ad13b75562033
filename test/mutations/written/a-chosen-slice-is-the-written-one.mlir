// passes: inplace-one-shot-bufferize{bufferize-function-boundaries=true warn-written-arguments=false}
// after: inplace-expand-strided-copies{all=true},convert-linalg-to-loops,canonicalize,cse,inplace-deallocate
// protects: no
// runs: [[["float32", [16], 1], ["float32", [8], 21], ["int64", null, 1], ["int64", null, 0], ["bool", null, false]], [["float32", [16], 1], ["float32", [8], 21], ["int64", null, 2], ["int64", null, 2], ["bool", null, true]], [["float32", [16], 1], ["float32", [8], 21], ["int64", null, 0], ["int64", null, 3], ["bool", null, false]]]
func.func @main(%t: tensor<16xf32>, %u: tensor<8xf32>, %i: index, %n: index, %p: i1) -> tensor<16xf32> {
  %x = scf.if %p -> tensor<8xf32> {
    scf.yield %u : tensor<8xf32>
  } else {
    %b = tensor.extract_slice %t[%n] [8] [1] : tensor<16xf32> to tensor<8xf32>
    scf.yield %b : tensor<8xf32>
  }
  %r = tensor.insert_slice %x into %t[%i] [8] [1] : tensor<8xf32> into tensor<16xf32>
  return %r : tensor<16xf32>
}
