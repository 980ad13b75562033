// A memref of the tensor is carried out of one branch; in the next iteration the other branch updates the tensor and then
// loads from the memref, which must have what the tensor was.
// ARGUMENTS: 4xf32:iota
func.func @main(%t0: tensor<4xf32>) -> (tensor<4xf32>, f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c100 = arith.constant 100.0 : f32
  %z = arith.constant 0.0 : f32
  %m0 = memref.alloc() : memref<4xf32>
  %r:3 = scf.for %i = %c0 to %c2 step %c1 iter_args(%t = %t0, %m = %m0, %s = %z) -> (tensor<4xf32>, memref<4xf32>, f32) {
    %odd = arith.cmpi eq, %i, %c1 : index
    %q:3 = scf.if %odd -> (tensor<4xf32>, memref<4xf32>, f32) {
      %t2 = tensor.insert %c100 into %t[%c0] : tensor<4xf32>
      %x = memref.load %m[%c0] : memref<4xf32>
      scf.yield %t2, %m, %x : tensor<4xf32>, memref<4xf32>, f32
    } else {
      %b = bufferization.to_buffer %t read_only : tensor<4xf32> to memref<4xf32>
      scf.yield %t, %b, %s : tensor<4xf32>, memref<4xf32>, f32
    }
    scf.yield %q#0, %q#1, %q#2 : tensor<4xf32>, memref<4xf32>, f32
  }
  return %r#0, %r#2 : tensor<4xf32>, f32
}
