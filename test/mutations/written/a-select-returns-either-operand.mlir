// passes: inplace-one-shot-bufferize{bufferize-function-boundaries=true warn-written-arguments=false}
// after: canonicalize,cse,inplace-deallocate
// protects: no
// runs: [[["int32", [4], 1], ["int32", [4], 101], ["bool", null, true], ["int", null, 0]], [["int32", [4], 1], ["int32", [4], 101], ["bool", null, true], ["int", null, 1]], [["int32", [4], 1], ["int32", [4], 101], ["bool", null, true], ["int", null, 2]], [["int32", [4], 1], ["int32", [4], 101], ["bool", null, false], ["int", null, 0]], [["int32", [4], 1], ["int32", [4], 101], ["bool", null, false], ["int", null, 1]], [["int32", [4], 1], ["int32", [4], 101], ["bool", null, false], ["int", null, 2]]]
func.func @main(%v0: tensor<4xi32>, %v1: tensor<4xi32> {bufferization.writable = false}, %c: i1, %n: index) -> (tensor<4xi32>) {
  %k0 = arith.constant 0 : index
  %k1 = arith.constant 1 : index
  %v5 = scf.for %v2 = %k0 to %n step %k1 iter_args(%v3 = %v0) -> (tensor<4xi32>) {
    %v4 = arith.select %c, %v1, %v3 : tensor<4xi32>
    scf.yield %v4 : tensor<4xi32>
  }
  return %v5 : tensor<4xi32>
}
