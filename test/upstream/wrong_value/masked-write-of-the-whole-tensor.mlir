// arguments: [[1, 2, 3, 4], 2, 9]
// right: [[9, 9, 3, 4], [1, 2, 3, 4]]
// why: a masked write of the whole tensor counts as overwriting all of it
func.func @main(%t: tensor<4xf32>, %n: index, %f: f32) -> (tensor<4xf32>, tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %v = vector.broadcast %f : f32 to vector<4xf32>
  %m = vector.create_mask %n : vector<4xi1>
  %0 = vector.transfer_write %v, %t[%c0], %m {in_bounds = [true]} : vector<4xf32>, tensor<4xf32>
  return %0, %t : tensor<4xf32>, tensor<4xf32>
}
