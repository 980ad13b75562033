// passes: inplace-one-shot-bufferize{bufferize-function-boundaries=true warn-written-arguments=false}
// after: 
// protects: yes
// runs: [[["float32", [8], 1], ["f", null, 7.5]]]
func.func @main(%t: tensor<8xf32>, %f: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8xf32>
  %a = linalg.fill ins(%z : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %m0 = memref.alloc() : memref<1xf32>
  linalg.fill ins(%z : f32) outs(%m0 : memref<1xf32>)
  %m1 = memref.cast %m0 : memref<1xf32> to memref<1xf32, strided<[?], offset: ?>>
  %r:3 = scf.for %i = %c0 to %c7 step %c1 iter_args(%x = %a, %p = %m1, %s = %z) -> (tensor<8xf32>, memref<1xf32, strided<[?], offset: ?>>, f32) {
    %y = tensor.insert %f into %x[%i] : tensor<8xf32>
    %v = memref.load %p[%c0] : memref<1xf32, strided<[?], offset: ?>>
    %u = arith.addf %s, %v : f32
    %j = arith.addi %i, %c1 : index
    %q = tensor.extract_slice %y[%j] [1] [1] : tensor<8xf32> to tensor<1xf32>
    %m = bufferization.to_buffer %q read_only : tensor<1xf32> to memref<1xf32, strided<[?], offset: ?>>
    scf.yield %y, %m, %u : tensor<8xf32>, memref<1xf32, strided<[?], offset: ?>>, f32
  }
  memref.dealloc %m0 : memref<1xf32>
  return %r#2 : f32
}
