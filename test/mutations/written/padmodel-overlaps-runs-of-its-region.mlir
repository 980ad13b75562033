// passes: inplace-one-shot-bufferize{bufferize-function-boundaries=true warn-written-arguments=false }
// after:
// protects: yes
// runs: [[["float32", [8], 1], ["f", null, 100.5], ["int64", null, 3]], [["float32", [8], 1], ["f", null, 100.5], ["int64", null, 2]], [["float32", [8], 1], ["f", null, 100.5], ["int64", null, 1]]]
func.func @main(%s: tensor<8xf32>, %f: f32, %i: index) -> (tensor<10xf32>) {
  %c7 = arith.constant 7 : index
  %c1 = arith.constant 1 : index
  %t = bufferization.alloc_tensor() copy(%s) : tensor<8xf32>
  %r = tensor.pad %t low[1] high[1] {
  ^bb0(%k: index):
    %n = tensor.insert %f into %t[%c7] : tensor<8xf32>
    %x = tensor.extract %n[%c7] : tensor<8xf32>
    tensor.yield %x : f32
  } : tensor<8xf32> to tensor<10xf32>
  return %r : tensor<10xf32>
}
