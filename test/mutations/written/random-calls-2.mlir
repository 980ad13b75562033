// passes: inplace-one-shot-bufferize{bufferize-function-boundaries=true warn-written-arguments=false  analysis-heuristic=fuzzer analysis-fuzzer-seed=1}
// after: canonicalize,cse,inplace-deallocate
// protects: no
// runs: [[["float32", [4, 4], [0.0, 0.015625, 0.03125, 0.046875, 0.0625, 0.078125, 0.09375, 0.109375, 0.125, 0.140625, 0.15625, 0.171875, 0.1875, 0.203125, 0.21875, 0.234375]], ["float32", [4], [0.3125, 0.328125, 0.34375, 0.359375]], ["f", null, 0.75], ["int64", null, 2], ["int64", null, 1], ["bool", null, true]], [["float32", [4, 4], [0.0, 0.015625, 0.03125, 0.046875, 0.0625, 0.078125, 0.09375, 0.109375, 0.125, 0.140625, 0.15625, 0.171875, 0.1875, 0.203125, 0.21875, 0.234375]], ["float32", [4], [0.3125, 0.328125, 0.34375, 0.359375]], ["f", null, 0.75], ["int64", null, 2], ["int64", null, 2], ["bool", null, false]], [["float32", [4, 4], [0.0, 0.015625, 0.03125, 0.046875, 0.0625, 0.078125, 0.09375, 0.109375, 0.125, 0.140625, 0.15625, 0.171875, 0.1875, 0.203125, 0.21875, 0.234375]], ["float32", [4], [0.3125, 0.328125, 0.34375, 0.359375]], ["f", null, 0.75], ["int64", null, 2], ["int64", null, 3], ["bool", null, true]]]
func.func private @f0(%m: tensor<4x4xf32>, %v: tensor<4xf32>, %f: f32, %i: index, %n: index, %p: i1) -> (tensor<4x4xf32>, tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %k = arith.constant dense<[-1.0, -2.0, -3.0, -4.0]> : tensor<4xf32>

  %more = arith.cmpi sgt, %n, %c0 : index
  %d = arith.subi %n, %c1 : index
  %r:2 = scf.if %more -> (tensor<4x4xf32>, tensor<4xf32>) {
    %x1 = linalg.exp ins(%m : tensor<4x4xf32>) outs(%m : tensor<4x4xf32>) -> tensor<4x4xf32>
    scf.yield %m, %v : tensor<4x4xf32>, tensor<4xf32>
  } else {
    scf.yield %m, %v : tensor<4x4xf32>, tensor<4xf32>
  }
  return %r#0, %r#1 : tensor<4x4xf32>, tensor<4xf32>
}

func.func private @f1(%m: tensor<4x4xf32>, %v: tensor<4xf32>, %f: f32, %i: index, %n: index, %p: i1) -> (tensor<4x4xf32>, tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %k = arith.constant dense<[-1.0, -2.0, -3.0, -4.0]> : tensor<4xf32>

  %more = arith.cmpi sgt, %n, %c0 : index
  %d = arith.subi %n, %c1 : index
  %r:2 = scf.if %more -> (tensor<4x4xf32>, tensor<4xf32>) {
    %x1 = arith.select %p, %v, %v : tensor<4xf32>
    %x2 = tensor.extract_slice %m[0, 0] [1, 4] [1, 1] : tensor<4x4xf32> to tensor<4xf32>
    %x3:2 = func.call @f0(%m, %x2, %f, %i, %d, %p) : (tensor<4x4xf32>, tensor<4xf32>, f32, index, index, i1) -> (tensor<4x4xf32>, tensor<4xf32>)
    %x4 = tensor.insert_slice %x3#1 into %m[0, 0] [1, 4] [1, 1] : tensor<4xf32> into tensor<4x4xf32>
    %x5 = tensor.extract_slice %m[1, 0] [1, 4] [1, 1] : tensor<4x4xf32> to tensor<4xf32>
    %x6:2 = func.call @f0(%m, %x5, %f, %i, %d, %p) : (tensor<4x4xf32>, tensor<4xf32>, f32, index, index, i1) -> (tensor<4x4xf32>, tensor<4xf32>)
    %x7 = tensor.insert_slice %x6#1 into %m[1, 0] [1, 4] [1, 1] : tensor<4xf32> into tensor<4x4xf32>
    %x8 = scf.if %p -> tensor<4xf32> {
      %y7 = tensor.insert %f into %x5[%c0] : tensor<4xf32>
      scf.yield %y7 : tensor<4xf32>
    } else {
      scf.yield %x3#1 : tensor<4xf32>
    }
    %x9:2 = scf.for %j8 = %c0 to %n step %c1 iter_args(%p8 = %x8, %q8 = %x6#1) -> (tensor<4xf32>, tensor<4xf32>) {
      %z8 = tensor.insert %f into %p8[%j8] : tensor<4xf32>
      scf.yield %q8, %z8 : tensor<4xf32>, tensor<4xf32>
    }
    scf.yield %x7, %x9#0 : tensor<4x4xf32>, tensor<4xf32>
  } else {
    scf.yield %m, %v : tensor<4x4xf32>, tensor<4xf32>
  }
  return %r#0, %r#1 : tensor<4x4xf32>, tensor<4xf32>
}

func.func @main(%m: tensor<4x4xf32>, %v: tensor<4xf32>, %f: f32, %i: index, %n: index, %p: i1) -> (tensor<4x4xf32>, tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %k = arith.constant dense<[-1.0, -2.0, -3.0, -4.0]> : tensor<4xf32>

  %more = arith.cmpi sgt, %n, %c0 : index
  %d = arith.subi %n, %c1 : index
  %r:2 = scf.if %more -> (tensor<4x4xf32>, tensor<4xf32>) {
    %x1:2 = scf.for %j0 = %c0 to %n step %c1 iter_args(%p0 = %v, %q0 = %v) -> (tensor<4xf32>, tensor<4xf32>) {
      %z0 = tensor.insert %f into %p0[%j0] : tensor<4xf32>
      scf.yield %q0, %z0 : tensor<4xf32>, tensor<4xf32>
    }
    %x2:2 = scf.for %j1 = %c0 to %n step %c1 iter_args(%p1 = %x1#1, %q1 = %x1#1) -> (tensor<4xf32>, tensor<4xf32>) {
      %z1 = tensor.insert %f into %p1[%j1] : tensor<4xf32>
      scf.yield %q1, %z1 : tensor<4xf32>, tensor<4xf32>
    }
    %x3 = tensor.insert %f into %x2#1[%c1] : tensor<4xf32>
    %x4:2 = scf.for %j3 = %c0 to %n step %c1 iter_args(%p3 = %x3, %q3 = %x2#1) -> (tensor<4xf32>, tensor<4xf32>) {
      %z3 = tensor.insert %f into %p3[%j3] : tensor<4xf32>
      scf.yield %q3, %z3 : tensor<4xf32>, tensor<4xf32>
    }
    scf.yield %m, %x4#1 : tensor<4x4xf32>, tensor<4xf32>
  } else {
    scf.yield %m, %v : tensor<4x4xf32>, tensor<4xf32>
  }
  return %r#0, %r#1 : tensor<4x4xf32>, tensor<4xf32>
}
