// passes: inplace-one-shot-bufferize{bufferize-function-boundaries=true warn-written-arguments=false}
// after:
// runs: [[["float32", [57], 1], ["int64", null, 2], ["int64", null, 7], ["int64", null, 8]]]
func.func @main(%t: tensor<?xf32>, %n: index, %a: index, %b: index) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 6 : index
  %c9 = arith.constant 12 : index
  %a4 = arith.maxsi %a, %c4 : index
  %a9 = arith.minsi %a4, %c9 : index
  %b4 = arith.maxsi %b, %c4 : index
  %b9 = arith.minsi %b4, %c9 : index
  %at = arith.muli %a9, %b9 : index
  %r = scf.for %k = %c0 to %n step %c1 iter_args(%x = %t) -> (tensor<?xf32>) {
    %e = tensor.extract_slice %t[56] [1] [1] : tensor<?xf32> to tensor<1xf32>
    %o = tensor.empty() : tensor<1xf32>
    %g = linalg.add ins(%e, %e : tensor<1xf32>, tensor<1xf32>) outs(%o : tensor<1xf32>) -> tensor<1xf32>
    %w = tensor.insert_slice %g into %x[%at] [1] [1] : tensor<1xf32> into tensor<?xf32>
    scf.yield %w : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}
