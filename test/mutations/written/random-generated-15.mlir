// passes: inplace-one-shot-bufferize{bufferize-function-boundaries=true warn-written-arguments=false  }
// after: canonicalize,cse,inplace-deallocate
// protects: no
// runs: [[["int64", null, 5], ["int64", null, 2], ["int64", null, 2], ["bool", null, false], ["bool", null, true], ["int32", [4, 1], 1], ["int32", [4, 1], 18], ["int32", [5, 6], 35], ["float32", [2, 1, 2], 52]], [["int64", null, 0], ["int64", null, 0], ["int64", null, 2], ["bool", null, false], ["bool", null, true], ["int32", [4, 1], 6], ["int32", [4, 1], 23], ["int32", [0, 6], 0], ["float32", [2, 1, 2], 57]], [["int64", null, 1], ["int64", null, 1], ["int64", null, 2], ["bool", null, true], ["bool", null, false], ["int32", [4, 1], 11], ["int32", [4, 1], 28], ["int32", [1, 6], 45], ["float32", [2, 1, 2], 62]]]
module {
  func.func private @b83(%arg0: index, %arg1: index, %arg2: index, %arg3: i1, %arg4: i1, %arg5: tensor<3x5xi32>) -> tensor<3x5xi32> {
    cf.cond_br %arg3, ^bb2, ^bb1
  ^bb1:  // pred: ^bb0
    return %arg5 : tensor<3x5xi32>
  ^bb2:  // pred: ^bb0
    %c1_i32 = arith.constant 1 : i32
    cf.switch %c1_i32 : i32, [
      default: ^bb6(%arg0, %arg5, %arg5 : index, tensor<3x5xi32>, tensor<3x5xi32>),
      1: ^bb12(%arg0 : index),
      2: ^bb9(%arg0, %arg5 : index, tensor<3x5xi32>)
    ]
  ^bb3(%0: index, %1: tensor<3x5xi32>, %2: tensor<3x5xi32>):  // 2 preds: ^bb8, ^bb14
    %c1_i32_0 = arith.constant 1 : i32
    %3 = vector.transfer_read %2[%arg0, %arg0], %c1_i32_0 : tensor<3x5xi32>, vector<1xi32>
    %4 = vector.transfer_write %3, %1[%arg2, %arg0] : vector<1xi32>, tensor<3x5xi32>
    %true = arith.constant true
    cf.cond_br %true, ^bb5, ^bb4
  ^bb4:  // pred: ^bb3
    return %1 : tensor<3x5xi32>
  ^bb5:  // pred: ^bb3
    %true_1 = arith.constant true
    cf.cond_br %true_1, ^bb6(%arg0, %4, %1 : index, tensor<3x5xi32>, tensor<3x5xi32>), ^bb9(%arg0, %2 : index, tensor<3x5xi32>)
  ^bb6(%5: index, %6: tensor<3x5xi32>, %7: tensor<3x5xi32>):  // 3 preds: ^bb2, ^bb5, ^bb8
    %true_2 = arith.constant true
    cf.cond_br %true_2, ^bb8, ^bb7
  ^bb7:  // pred: ^bb6
    return %7 : tensor<3x5xi32>
  ^bb8:  // pred: ^bb6
    %8 = arith.remui %arg0, %arg0 : index
    %9 = arith.cmpi eq, %8, %arg0 : index
    cf.cond_br %9, ^bb6(%arg0, %7, %7 : index, tensor<3x5xi32>, tensor<3x5xi32>), ^bb3(%arg0, %7, %7 : index, tensor<3x5xi32>, tensor<3x5xi32>)
  ^bb9(%10: index, %11: tensor<3x5xi32>):  // 2 preds: ^bb2, ^bb5
    %true_3 = arith.constant true
    cf.cond_br %true_3, ^bb11, ^bb10
  ^bb10:  // pred: ^bb9
    return %arg5 : tensor<3x5xi32>
  ^bb11:  // pred: ^bb9
    cf.br ^bb12(%arg0 : index)
  ^bb12(%12: index):  // 3 preds: ^bb2, ^bb11, ^bb14
    %true_4 = arith.constant true
    cf.cond_br %true_4, ^bb14, ^bb13
  ^bb13:  // pred: ^bb12
    return %arg5 : tensor<3x5xi32>
  ^bb14:  // pred: ^bb12
    %true_5 = arith.constant true
    cf.cond_br %true_5, ^bb3(%arg0, %arg5, %arg5 : index, tensor<3x5xi32>, tensor<3x5xi32>), ^bb12(%arg0 : index)
  }
  func.func @main(%arg0: index, %arg1: index, %arg2: index, %arg3: i1, %arg4: i1, %arg5: memref<4x1xi32>, %arg6: tensor<4x1xi32>, %arg7: memref<?x6xi32>, %arg8: memref<2x1x2xf32>) -> tensor<6x?xi32> {
    %0 = tensor.empty(%arg0) : tensor<6x?xi32>
    return %0 : tensor<6x?xi32>
  }
}
