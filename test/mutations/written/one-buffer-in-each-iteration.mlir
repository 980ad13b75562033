// passes: inplace-one-shot-bufferize{bufferize-function-boundaries=true warn-written-arguments=false erase-dead-ops=true}
// after: canonicalize,cse,inplace-deallocate
// protects: yes
// runs: [[["float32", [8], 1], ["int64", null, 3]], [["float32", [8], 1], ["int64", null, 1]]]
func.func @main(%given: tensor<8xf32>, %n: index) -> tensor<4xf32> {
  %t = bufferization.alloc_tensor() copy(%given) : tensor<8xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %s = tensor.extract_slice %t[0] [4] [1] : tensor<8xf32> to tensor<4xf32>
  %u = tensor.extract_slice %t[1] [4] [1] : tensor<8xf32> to tensor<4xf32>
  cf.br ^head(%c0, %s : index, tensor<4xf32>)
^head(%k: index, %a: tensor<4xf32>):
  %w = linalg.add ins(%a, %a : tensor<4xf32>, tensor<4xf32>) outs(%u : tensor<4xf32>) -> tensor<4xf32>
  %next = arith.addi %k, %c1 : index
  %more = arith.cmpi slt, %next, %n : index
  cf.cond_br %more, ^head(%next, %w : index, tensor<4xf32>), ^exit
^exit:
  return %w : tensor<4xf32>
}
