// passes: inplace-one-shot-bufferize{bufferize-function-boundaries=true warn-written-arguments=false}
// after: 
// protects: yes
// runs: [[["f", null, 7.5]]]
func.func @main(%f: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c8 = arith.constant 8 : index
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<32xf32>
  %a = linalg.fill ins(%z : f32) outs(%e : tensor<32xf32>) -> tensor<32xf32>
  %m0 = memref.alloc() : memref<1xf32>
  linalg.fill ins(%z : f32) outs(%m0 : memref<1xf32>)
  %m1 = memref.cast %m0 : memref<1xf32> to memref<1xf32, strided<[?], offset: ?>>
  %r:3 = scf.for %i = %c0 to %c3 step %c1 iter_args(%x = %a, %p = %m1, %s = %z) -> (tensor<32xf32>, memref<1xf32, strided<[?], offset: ?>>, f32) {
    %i1 = arith.addi %i, %c1 : index
    %k = arith.muli %i1, %c8 : index
    %b = arith.muli %i, %c8 : index
    %q = tensor.extract_slice %x[%k] [1] [1] : tensor<32xf32> to tensor<1xf32>
    %l:2 = scf.for %j = %c0 to %c8 step %c1 iter_args(%y = %x, %w = %p) -> (tensor<32xf32>, memref<1xf32, strided<[?], offset: ?>>) {
      %o = arith.addi %b, %j : index
      %y1 = tensor.insert %f into %y[%o] : tensor<32xf32>
      %m = bufferization.to_buffer %q read_only : tensor<1xf32> to memref<1xf32, strided<[?], offset: ?>>
      scf.yield %y1, %m : tensor<32xf32>, memref<1xf32, strided<[?], offset: ?>>
    }
    %v = memref.load %p[%c0] : memref<1xf32, strided<[?], offset: ?>>
    %u = arith.addf %s, %v : f32
    scf.yield %l#0, %l#1, %u : tensor<32xf32>, memref<1xf32, strided<[?], offset: ?>>, f32
  }
  memref.dealloc %m0 : memref<1xf32>
  return %r#2 : f32
}
