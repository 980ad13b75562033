// passes: inplace-one-shot-bufferize{bufferize-function-boundaries=true warn-written-arguments=false }
// after:
// protects: yes
// runs: [[["float32", [8], 1], ["f", null, 100.5], ["int64", null, 6]], [["float32", [8], 1], ["f", null, 100.5], ["int64", null, 2]], [["float32", [8], 1], ["f", null, 100.5], ["int64", null, 0]]]
func.func @main(%s: tensor<8xf32>, %v: f32, %n: index) -> (f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %q = bufferization.alloc_tensor() : tensor<8xf32>
  %r = scf.parallel (%k) = (%c0) to (%n) step (%c1) init (%v) -> f32 {
    %e0 = tensor.extract %s[%k] : tensor<8xf32>
    scf.reduce(%e0 : f32) {
    ^bb0(%a: f32, %b: f32):
      %m = tensor.insert %a into %q[%c0] : tensor<8xf32>
      %x = tensor.extract %m[%c0] : tensor<8xf32>
      %z = arith.addf %x, %b : f32
      scf.reduce.return %z : f32
    }
  }
  return %r : f32
}
