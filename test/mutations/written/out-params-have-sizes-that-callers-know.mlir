// passes: inplace-one-shot-bufferize{bufferize-function-boundaries=true warn-written-arguments=false}
// after: inplace-results-to-out-params{hoist-dynamic-allocs=true modify-called-functions=true},canonicalize,cse,inplace-deallocate
// protects: no
// runs: [[["int64", [4], 1], ["int64", null, 3]]]
func.func private @f(%t: tensor<4xindex>, %m: index) -> (tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %f = arith.constant 2.0 : f32
  %u = tensor.insert %m into %t[%c0] : tensor<4xindex>
  %n = tensor.extract %u[%c0] : tensor<4xindex>
  %e = tensor.empty(%n) : tensor<?xf32>
  %x = linalg.fill ins(%f : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  return %x : tensor<?xf32>
}
func.func @main(%t: tensor<4xindex>, %m: index) -> tensor<?xf32> {
  %r = func.call @f(%t, %m) : (tensor<4xindex>, index) -> tensor<?xf32>
  return %r : tensor<?xf32>
}
