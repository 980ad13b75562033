// passes: inplace-one-shot-bufferize{bufferize-function-boundaries=true warn-written-arguments=false }
// after: canonicalize,cse,inplace-deallocate
// protects: yes
// runs: [[["f", null, 100.5]]]
func.func @main(%f: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4xf32>
  %t = linalg.fill ins(%z : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %m0 = memref.alloc() : memref<4xf32>
  linalg.fill ins(%z : f32) outs(%m0 : memref<4xf32>)
  %m1 = memref.cast %m0 : memref<4xf32> to memref<4xf32, strided<[?], offset: ?>>
  %r:3 = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %t, %p = %m1, %s = %z) -> (tensor<4xf32>, memref<4xf32, strided<[?], offset: ?>>, f32) {
    %w = tensor.insert %f into %a[%i] : tensor<4xf32>
    %x = memref.load %p[%i] : memref<4xf32, strided<[?], offset: ?>>
    %y = arith.addf %s, %x : f32
    %m = bufferization.to_buffer %w read_only : tensor<4xf32> to memref<4xf32, strided<[?], offset: ?>>
    scf.yield %w, %m, %y : tensor<4xf32>, memref<4xf32, strided<[?], offset: ?>>, f32
  }
  memref.dealloc %m0 : memref<4xf32>
  return %r#2 : f32
}
