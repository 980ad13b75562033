// passes: inplace-one-shot-bufferize{bufferize-function-boundaries=true warn-written-arguments=false }
// after:
// protects: no
// runs: [[["float32", [8], 1], ["f", null, 100.5]], [["float32", [8], 1], ["f", null, 100.5]], [["float32", [8], 1], ["f", null, 100.5]]]
func.func @main(%t: tensor<8xf32>, %f: f32) -> (f32, f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  cf.br ^b1(%c0, %f : index, f32)
^b1(%i: index, %acc: f32):
  %v = tensor.extract_slice %t[%i] [1] [1] : tensor<8xf32> to tensor<1xf32>
  %w = linalg.fill ins(%f : f32) outs(%v : tensor<1xf32>) -> tensor<1xf32>
  %e = tensor.extract %w[%c0] : tensor<1xf32>
  %s = arith.addf %acc, %e : f32
  %i1 = arith.addi %i, %c1 : index
  %c = arith.cmpi slt, %i1, %c4 : index
  cf.cond_br %c, ^b1(%i1, %s : index, f32), ^b2
^b2:
  %p = arith.subi %i, %c1 : index
  %x = tensor.extract %t[%p] : tensor<8xf32>
  return %x, %s : f32, f32
}
