// passes: inplace-one-shot-bufferize{bufferize-function-boundaries=true warn-written-arguments=false  function-boundary-type-conversion=identity-layout-map}
// after: canonicalize,cse,inplace-deallocate
// protects: yes
// runs: [[["float32", [8], 1000], ["float32", [8], 2000], ["float32", [8], 3000], ["int64", null, 0], ["bool", null, true]], [["float32", [8], 1000], ["float32", [8], 2000], ["float32", [8], 3000], ["int64", null, 2], ["bool", null, false]], [["float32", [8], 1000], ["float32", [8], 2000], ["float32", [8], 3000], ["int64", null, 3], ["bool", null, true]]]
#id = affine_map<(d0) -> (d0)>
func.func @callee(%x: tensor<8xf32>, %y: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %c2 = arith.constant 2 : index
  %e = tensor.extract %y[%c2] : tensor<8xf32>
  %r = tensor.insert %e into %x[%c2] : tensor<8xf32>
  return %r, %y : tensor<8xf32>, tensor<8xf32>
}

func.func @main(%a: tensor<8xf32>, %b: tensor<8xf32>, %c: tensor<8xf32>, %n: index, %p: i1) -> (tensor<8xf32>, tensor<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %f = arith.constant 100.0 : f32
  %k = arith.constant dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]> : tensor<8xf32>
  %v1:1 = scf.forall (%v2) = (0) to (8) step (4) shared_outs(%v3 = %k) -> (tensor<8xf32>) {
    %v4 = tensor.extract_slice %v3[%v2] [4] [1] : tensor<8xf32> to tensor<4xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %v4 into %v3[%v2] [4] [1] : tensor<4xf32> into tensor<8xf32>
    }
  }
  %v5:2 = func.call @callee(%v1#0, %c) : (tensor<8xf32>, tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
  %v6 = linalg.fill ins(%f : f32) outs(%v5#0 : tensor<8xf32>) -> tensor<8xf32>
  %v7 = vector.transfer_read %v6[%n], %f : tensor<8xf32>, vector<4xf32>
  %v8 = vector.transfer_write %v7, %v1#0[%c0] {in_bounds = [true]} : vector<4xf32>, tensor<8xf32>
  return %v8, %v5#0 : tensor<8xf32>, tensor<8xf32>
}
