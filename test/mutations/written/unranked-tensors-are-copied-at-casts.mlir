// passes: inplace-one-shot-bufferize{bufferize-function-boundaries=true warn-written-arguments=false}
// after: canonicalize,cse
// protects: yes
// refused: yes
// runs: [[["float32", [4], 1], ["f", null, 1.5]]]
func.func private @f(%t: tensor<*xf32>, %f: f32) -> tensor<*xf32> {
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %p = arith.cmpf ogt, %f, %zero : f32
  %r = tensor.cast %t : tensor<*xf32> to tensor<4xf32>
  %w = scf.if %p -> (tensor<4xf32>) {
    %inserted = tensor.insert %f into %r[%c1] : tensor<4xf32>
    scf.yield %inserted : tensor<4xf32>
  } else {
    %new = tensor.splat %f : tensor<4xf32>
    scf.yield %new : tensor<4xf32>
  }
  %u = tensor.cast %w : tensor<4xf32> to tensor<*xf32>
  return %u : tensor<*xf32>
}
func.func @main(%a: tensor<4xf32>, %f: f32) -> (tensor<4xf32>, f32) {
  %c1 = arith.constant 1 : index
  %u = tensor.cast %a : tensor<4xf32> to tensor<*xf32>
  %v = func.call @f(%u, %f) : (tensor<*xf32>, f32) -> tensor<*xf32>
  %s = func.call @f(%v, %f) : (tensor<*xf32>, f32) -> tensor<*xf32>
  %t = tensor.cast %s : tensor<*xf32> to tensor<4xf32>
  %q = tensor.cast %v : tensor<*xf32> to tensor<4xf32>
  %x = tensor.extract %q[%c1] : tensor<4xf32>
  return %t, %x : tensor<4xf32>, f32
}
