// passes: inplace-one-shot-bufferize{bufferize-function-boundaries=true warn-written-arguments=false analysis-heuristic=fuzzer analysis-fuzzer-seed=0}
// after: canonicalize,cse,inplace-deallocate
// protects: no
// runs: [[["int32", [4], 1], ["int32", [4], 101], ["bool", null, true], ["int", null, 0]], [["int32", [4], 1], ["int32", [4], 101], ["bool", null, false], ["int", null, 0]], [["int32", [4], 1], ["int32", [4], 101], ["bool", null, true], ["int", null, 1]], [["int32", [4], 1], ["int32", [4], 101], ["bool", null, false], ["int", null, 1]], [["int32", [4], 1], ["int32", [4], 101], ["bool", null, true], ["int", null, 2]], [["int32", [4], 1], ["int32", [4], 101], ["bool", null, false], ["int", null, 2]], [["int32", [4], 1], ["int32", [4], 101], ["bool", null, true], ["int", null, 3]], [["int32", [4], 1], ["int32", [4], 101], ["bool", null, false], ["int", null, 3]]]
func.func @main(%a: tensor<4xi32>, %b: tensor<4xi32>, %c: i1, %n: index) -> (tensor<4xi32>, tensor<4xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %k = arith.constant 9 : i32
  %z = arith.select %c, %a, %b : tensor<4xi32>
  %l:2 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %a, %y = %z) -> (tensor<4xi32>, tensor<4xi32>) {
    %s = arith.select %c, %x, %y : tensor<4xi32>
 %q = tensor.extract %s[%c1] : tensor<4xi32>
    scf.yield %y, %x : tensor<4xi32>, tensor<4xi32>
  }
  %p = tensor.insert %k into %l#0[%c0] : tensor<4xi32>
  return %p, %l#1 : tensor<4xi32>, tensor<4xi32>
}
