// passes: inplace-one-shot-bufferize{bufferize-function-boundaries=true warn-written-arguments=false }
// after: canonicalize,cse,inplace-deallocate
// protects: yes
// runs: [[["float32", [8], 1], ["float32", [8], 101], ["float32", [8], 201], ["f", null, 102.5]], [["float32", [8], 1], ["float32", [8], 101], ["float32", [8], 201], ["f", null, 102.5]], [["float32", [8], 1], ["float32", [8], 101], ["float32", [8], 201], ["f", null, 102.5]]]
func.func private @f(%t: tensor<8xf32>, %u: tensor<8xf32>, %v: tensor<8xf32>, %n: index) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.cmpi eq, %n, %c0 : index
  %r = scf.if %z -> f32 {
    %x = arith.negf %t : tensor<8xf32>
    %e = tensor.extract %x[%c0] : tensor<8xf32>
    scf.yield %e : f32
  } else {
    %m = arith.subi %n, %c1 : index
    %e = func.call @f(%u, %v, %t, %m) : (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, index) -> f32
    scf.yield %e : f32
  }
  return %r : f32
}
func.func @main(%t: tensor<8xf32>, %u: tensor<8xf32>, %v: tensor<8xf32>, %g: f32) -> (f32, f32, f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %e = call @f(%t, %u, %v, %c2) : (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, index) -> f32
  %a = tensor.extract %u[%c0] : tensor<8xf32>
  %b = tensor.extract %v[%c0] : tensor<8xf32>
  return %e, %a, %b : f32, f32, f32
}
