// passes: inplace-one-shot-bufferize{bufferize-function-boundaries=true warn-written-arguments=false analysis-heuristic=top-down}
// after: inplace-drop-equivalent-results,inplace-results-to-out-params,inplace-hoist-allocations,canonicalize,cse,inplace-deallocate
// protects: no
// runs: [[["float32", [8], 1], ["int64", null, 2], ["f", null, 101.5]], [["float32", [8], 1], ["int64", null, 1], ["f", null, 101.5]], [["float32", [8], 1], ["int64", null, 0], ["f", null, 101.5]]]
func.func private @g(%a: tensor<8xf32>, %n: index, %x: f32) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.cmpi eq, %n, %c0 : index
  %m = arith.subi %n, %c1 : index
  %r = scf.if %z -> tensor<8xf32> {
    %e = tensor.empty() : tensor<8xf32>
    %b = linalg.fill ins(%x : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    scf.yield %b : tensor<8xf32>
  } else {
    %b = func.call @f(%a, %m, %x) : (tensor<8xf32>, index, f32) -> tensor<8xf32>
    scf.yield %b : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}
func.func private @f(%a: tensor<8xf32>, %n: index, %x: f32) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.cmpi eq, %n, %c0 : index
  %m = arith.subi %n, %c1 : index
  %r = scf.if %z -> tensor<8xf32> {
    scf.yield %a : tensor<8xf32>
  } else {
    %b = func.call @g(%a, %m, %x) : (tensor<8xf32>, index, f32) -> tensor<8xf32>
    scf.yield %b : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}
func.func @main(%t: tensor<8xf32>, %n: index, %f: f32) -> tensor<8xf32> {
  %r = call @f(%t, %n, %f) : (tensor<8xf32>, index, f32) -> tensor<8xf32>
  return %r : tensor<8xf32>
}
