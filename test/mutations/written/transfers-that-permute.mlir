// passes: inplace-one-shot-bufferize{bufferize-function-boundaries=true warn-written-arguments=false }
// after:
// protects: no
// runs: [[["float32", [4, 4], 1], ["f", null, 100.5]], [["float32", [4, 4], 1], ["f", null, 100.5]], [["float32", [4, 4], 1], ["f", null, 100.5]]]
func.func @main(%u: tensor<4x4xf32>, %f: f32) -> (tensor<4x4xf32>, f32, f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %vv = arith.constant dense<5.0> : vector<4xf32>
  %s = tensor.extract_slice %u[1, 0] [3, 1] [1, 1] : tensor<4x4xf32> to tensor<3xf32>
  %s2 = tensor.extract_slice %u[0, 1] [1, 3] [1, 1] : tensor<4x4xf32> to tensor<3xf32>
  %x = vector.transfer_write %vv, %u[%c0, %c0] {in_bounds=[true], permutation_map = affine_map<(d0,d1)->(d1)>} : vector<4xf32>, tensor<4x4xf32>
  %e = tensor.extract %s[%c0] : tensor<3xf32>
  %e2 = tensor.extract %s2[%c0] : tensor<3xf32>
  return %x, %e, %e2 : tensor<4x4xf32>, f32, f32
}
