// passes: inplace-one-shot-bufferize{bufferize-function-boundaries=true warn-written-arguments=false }
// after:
// protects: yes
// runs: [[["float32", [8], 1], ["f", null, 100.5], ["int64", null, 3]], [["float32", [8], 1], ["f", null, 100.5], ["int64", null, 2]], [["float32", [8], 1], ["f", null, 100.5], ["int64", null, 1]]]
func.func @main(%s: tensor<8xf32>, %f: f32, %i: index) -> (tensor<10xf32>) {
  %c7 = arith.constant 7 : index
  %c0 = arith.constant 0 : index
  %q = bufferization.alloc_tensor() copy(%s) : tensor<8xf32>
  %r = tensor.pad %s low[1] high[1] {
  ^bb0(%k: index):
    %y = arith.index_cast %k : index to i32
    %g = arith.sitofp %y : i32 to f32
    %e = tensor.extract %q[%c0] : tensor<8xf32>
    %n = tensor.insert %g into %q[%c0] : tensor<8xf32>
    %x = tensor.extract %n[%c0] : tensor<8xf32>
    %z = arith.addf %e, %x : f32
    tensor.yield %z : f32
  } : tensor<8xf32> to tensor<10xf32>
  return %r : tensor<10xf32>
}
