// passes: inplace-one-shot-bufferize{bufferize-function-boundaries=true warn-written-arguments=false }
// after:
// protects: yes
// runs: [[["float32", [8], 1], ["float32", [8], 101], ["f", null, 101.5]], [["float32", [8], 1], ["float32", [8], 101], ["f", null, 101.5]], [["float32", [8], 1], ["float32", [8], 101], ["f", null, 101.5]]]
func.func @main(%t: tensor<8xf32>, %m: memref<8xf32>, %f: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %em = tensor.empty() : tensor<8xf32>
  scf.parallel (%i) = (%c0) to (%c8) step (%c1) {
    %y = arith.index_cast %i : index to i32
    %g = arith.sitofp %y : i32 to f32
    %a = linalg.fill ins(%g : f32) outs(%em : tensor<8xf32>) -> tensor<8xf32>
    %e = tensor.extract %a[%c0] : tensor<8xf32>
    memref.store %e, %m[%i] : memref<8xf32>
    scf.reduce
  }
  return
}
