// passes: inplace-convert-to-destination-style,inplace-one-shot-bufferize{bufferize-function-boundaries=true warn-written-arguments=false  function-boundary-type-conversion=identity-layout-map}
// after: canonicalize,cse,inplace-deallocate
// protects: yes
// runs: [[["int64", null, 3], ["int64", null, 4], ["int64", null, 3], ["bool", null, false], ["bool", null, true], ["int32", [6, 2], 1], ["float32", [2], 18]], [["int64", null, 0], ["int64", null, 0], ["int64", null, 0], ["bool", null, true], ["bool", null, false], ["int32", [6, 2], 6], ["float32", [2], 23]], [["int64", null, 1], ["int64", null, 1], ["int64", null, 0], ["bool", null, false], ["bool", null, true], ["int32", [6, 2], 11], ["float32", [2], 28]]]
#map = affine_map<(d0, d1) -> (d0, d1)>
module {
  ml_program.global private @g1(dense<5.100000e+01> : tensor<4x4xf64>) : tensor<4x4xf64>
  ml_program.global private mutable @g0(dense<13> : tensor<4x2xi32>) : tensor<4x2xi32>
  func.func @main(%arg0: index, %arg1: index, %arg2: index, %arg3: i1, %arg4: i1, %arg5: tensor<6x2xi32>, %arg6: tensor<2xf32> {bufferization.writable = false}) -> tensor<1xf32> {
    %g0 = ml_program.global_load @g0 : tensor<4x2xi32>
    %extracted_slice = tensor.extract_slice %arg6[0] [1] [2] : tensor<2xf32> to tensor<f32>
    %extracted_slice_0 = tensor.extract_slice %arg6[0] [1] [2] : tensor<2xf32> to tensor<1xf32>
    %c2 = arith.constant 2 : index
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %0:2 = scf.while (%arg7 = %c0, %arg8 = %arg5) : (index, tensor<6x2xi32>) -> (index, tensor<6x2xi32>) {
      %1 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel", "parallel"]} outs(%arg5 : tensor<6x2xi32>) {
      ^bb0(%out: i32):
        %c3_i32 = arith.constant 3 : i32
        %3 = arith.minsi %out, %c3_i32 : i32
        linalg.yield %3 : i32
      } -> tensor<6x2xi32>
      %2 = arith.cmpi slt, %arg7, %c2 : index
      scf.condition(%2) %arg7, %1 : index, tensor<6x2xi32>
    } do {
    ^bb0(%arg7: index, %arg8: tensor<6x2xi32>):
      %1:3 = scf.for %arg9 = %c0 to %arg0 step %c1 iter_args(%arg10 = %g0, %arg11 = %extracted_slice, %arg12 = %g0) -> (tensor<4x2xi32>, tensor<f32>, tensor<4x2xi32>) {
        %3:2 = scf.while (%arg13 = %c0, %arg14 = %arg8) : (index, tensor<6x2xi32>) -> (index, tensor<6x2xi32>) {
          %5 = arith.maxui %arg12, %arg12 : tensor<4x2xi32>
          %6 = math.absi %arg14 : tensor<6x2xi32>
          %7 = arith.cmpi slt, %arg13, %arg2 : index
          scf.condition(%7) %arg13, %arg5 : index, tensor<6x2xi32>
        } do {
        ^bb0(%arg13: index, %arg14: tensor<6x2xi32>):
          %5 = arith.addi %arg13, %c1 : index
          %cst = arith.constant dense<[[12, 13], [14, 15], [16, 17], [18, 19], [20, 21], [22, 23]]> : tensor<6x2xi32>
          scf.yield %5, %cst : index, tensor<6x2xi32>
        }
        %4 = tensor.empty() : tensor<4x2xi32>
        scf.yield %arg12, %arg11, %arg10 : tensor<4x2xi32>, tensor<f32>, tensor<4x2xi32>
      }
      %2 = arith.addi %arg7, %c1 : index
      scf.yield %2, %arg8 : index, tensor<6x2xi32>
    }
    return %extracted_slice_0 : tensor<1xf32>
  }
}
