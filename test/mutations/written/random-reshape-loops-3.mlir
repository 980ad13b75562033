// passes: inplace-one-shot-bufferize{bufferize-function-boundaries=true warn-written-arguments=false  analysis-heuristic=bottom-up-from-terminators}
// after: inplace-drop-equivalent-results,inplace-results-to-out-params,inplace-hoist-allocations,canonicalize,cse,inplace-deallocate
// protects: no
// runs: [[["float32", [2, 3], 1], ["int64", null, 0]], [["float32", [2, 3], 1], ["int64", null, 1]], [["float32", [2, 3], 1], ["int64", null, 2]]]
func.func @main(%x: tensor<2x3xf32>, %n: index) -> (tensor<2x3xf32>, tensor<2x3xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %seven = arith.constant 7.0 : f32
  %s23 = arith.constant dense<[2, 3]> : tensor<2xindex>
  %s32 = arith.constant dense<[3, 2]> : tensor<2xindex>
  %s6 = arith.constant dense<6> : tensor<1xindex>
  %e = tensor.empty() : tensor<2x3xf32>
  %t = linalg.negf ins(%x : tensor<2x3xf32>) outs(%e : tensor<2x3xf32>) -> tensor<2x3xf32>
  %r:1 = scf.for %i = %c0 to %n step %c1 iter_args(%a0 = %t) -> (tensor<2x3xf32>) {
    %v0 = linalg.sub ins(%a0, %t : tensor<2x3xf32>, tensor<2x3xf32>) outs(%a0 : tensor<2x3xf32>) -> tensor<2x3xf32>
    %v1 = tensor.reshape %v0(%s6) : (tensor<2x3xf32>, tensor<1xindex>) -> tensor<6xf32>
    %v2 = linalg.sub ins(%v1, %v1 : tensor<6xf32>, tensor<6xf32>) outs(%v1 : tensor<6xf32>) -> tensor<6xf32>
    %v3 = linalg.negf ins(%v0 : tensor<2x3xf32>) outs(%v0 : tensor<2x3xf32>) -> tensor<2x3xf32>
    %v4 = linalg.negf ins(%v3 : tensor<2x3xf32>) outs(%v3 : tensor<2x3xf32>) -> tensor<2x3xf32>
    scf.yield %v4 : tensor<2x3xf32>
  }
  return %r#0, %t : tensor<2x3xf32>, tensor<2x3xf32>
}
