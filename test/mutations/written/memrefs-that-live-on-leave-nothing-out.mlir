// passes: inplace-one-shot-bufferize{bufferize-function-boundaries=true warn-written-arguments=false }
// after: canonicalize,cse,inplace-deallocate
// protects: yes
// runs: [[["float32", [8], 1]]]
func.func @main(%t0: tensor<8xf32>) -> (tensor<8xf32>, f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c100 = arith.constant 100.0 : f32
  %z = arith.constant 0.0 : f32
  %o = memref.alloc() : memref<4xf32>
  %init = bufferization.alloc_tensor() copy(%t0) : tensor<8xf32>
  %e = tensor.empty() : tensor<4xf32>
  %ef = linalg.fill ins(%z : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %m0a = bufferization.to_buffer %ef read_only : tensor<4xf32> to memref<4xf32>
  %m0 = memref.cast %m0a : memref<4xf32> to memref<4xf32, strided<[?], offset: ?>>
  %r:3 = scf.for %i = %c0 to %c2 step %c1 iter_args(%t = %init, %m = %m0, %s = %z) -> (tensor<8xf32>, memref<4xf32, strided<[?], offset: ?>>, f32) {
    %v = tensor.extract_slice %t[0] [4] [1] : tensor<8xf32> to tensor<4xf32>
    %odd = arith.cmpi eq, %i, %c1 : index
    %q:3 = scf.if %odd -> (tensor<8xf32>, memref<4xf32, strided<[?], offset: ?>>, f32) {
      %w = tensor.insert %c100 into %v[%c0] : tensor<4xf32>
      %t2 = tensor.insert_slice %w into %t[0] [4] [1] : tensor<4xf32> into tensor<8xf32>
      %x = memref.load %m[%c0] : memref<4xf32, strided<[?], offset: ?>>
      %p0 = arith.addf %x, %c100 : f32
      memref.store %p0, %o[%c0] : memref<4xf32>
      %p1 = arith.addf %x, %c100 : f32
      memref.store %p1, %o[%c1] : memref<4xf32>
      %p2 = arith.addf %x, %c100 : f32
      memref.store %p2, %o[%c2] : memref<4xf32>
      %p3 = arith.addf %x, %c100 : f32
      memref.store %p3, %o[%c3] : memref<4xf32>
      %p4 = arith.addf %x, %c100 : f32
      memref.store %p4, %o[%c0] : memref<4xf32>
      %p5 = arith.addf %x, %c100 : f32
      memref.store %p5, %o[%c1] : memref<4xf32>
      %p6 = arith.addf %x, %c100 : f32
      memref.store %p6, %o[%c2] : memref<4xf32>
      %p7 = arith.addf %x, %c100 : f32
      memref.store %p7, %o[%c3] : memref<4xf32>
      %p8 = arith.addf %x, %c100 : f32
      memref.store %p8, %o[%c0] : memref<4xf32>
      %p9 = arith.addf %x, %c100 : f32
      memref.store %p9, %o[%c1] : memref<4xf32>
      %p10 = arith.addf %x, %c100 : f32
      memref.store %p10, %o[%c2] : memref<4xf32>
      %p11 = arith.addf %x, %c100 : f32
      memref.store %p11, %o[%c3] : memref<4xf32>
      %p12 = arith.addf %x, %c100 : f32
      memref.store %p12, %o[%c0] : memref<4xf32>
      %p13 = arith.addf %x, %c100 : f32
      memref.store %p13, %o[%c1] : memref<4xf32>
      %p14 = arith.addf %x, %c100 : f32
      memref.store %p14, %o[%c2] : memref<4xf32>
      %p15 = arith.addf %x, %c100 : f32
      memref.store %p15, %o[%c3] : memref<4xf32>
      %p16 = arith.addf %x, %c100 : f32
      memref.store %p16, %o[%c0] : memref<4xf32>
      %p17 = arith.addf %x, %c100 : f32
      memref.store %p17, %o[%c1] : memref<4xf32>
      %p18 = arith.addf %x, %c100 : f32
      memref.store %p18, %o[%c2] : memref<4xf32>
      %p19 = arith.addf %x, %c100 : f32
      memref.store %p19, %o[%c3] : memref<4xf32>
      %p20 = arith.addf %x, %c100 : f32
      memref.store %p20, %o[%c0] : memref<4xf32>
      %p21 = arith.addf %x, %c100 : f32
      memref.store %p21, %o[%c1] : memref<4xf32>
      %p22 = arith.addf %x, %c100 : f32
      memref.store %p22, %o[%c2] : memref<4xf32>
      %p23 = arith.addf %x, %c100 : f32
      memref.store %p23, %o[%c3] : memref<4xf32>
      %p24 = arith.addf %x, %c100 : f32
      memref.store %p24, %o[%c0] : memref<4xf32>
      %p25 = arith.addf %x, %c100 : f32
      memref.store %p25, %o[%c1] : memref<4xf32>
      %p26 = arith.addf %x, %c100 : f32
      memref.store %p26, %o[%c2] : memref<4xf32>
      %p27 = arith.addf %x, %c100 : f32
      memref.store %p27, %o[%c3] : memref<4xf32>
      %p28 = arith.addf %x, %c100 : f32
      memref.store %p28, %o[%c0] : memref<4xf32>
      %p29 = arith.addf %x, %c100 : f32
      memref.store %p29, %o[%c1] : memref<4xf32>
      %p30 = arith.addf %x, %c100 : f32
      memref.store %p30, %o[%c2] : memref<4xf32>
      %p31 = arith.addf %x, %c100 : f32
      memref.store %p31, %o[%c3] : memref<4xf32>
      %p32 = arith.addf %x, %c100 : f32
      memref.store %p32, %o[%c0] : memref<4xf32>
      %p33 = arith.addf %x, %c100 : f32
      memref.store %p33, %o[%c1] : memref<4xf32>
      %p34 = arith.addf %x, %c100 : f32
      memref.store %p34, %o[%c2] : memref<4xf32>
      %p35 = arith.addf %x, %c100 : f32
      memref.store %p35, %o[%c3] : memref<4xf32>
      %p36 = arith.addf %x, %c100 : f32
      memref.store %p36, %o[%c0] : memref<4xf32>
      %p37 = arith.addf %x, %c100 : f32
      memref.store %p37, %o[%c1] : memref<4xf32>
      %p38 = arith.addf %x, %c100 : f32
      memref.store %p38, %o[%c2] : memref<4xf32>
      %p39 = arith.addf %x, %c100 : f32
      memref.store %p39, %o[%c3] : memref<4xf32>
      %p40 = arith.addf %x, %c100 : f32
      memref.store %p40, %o[%c0] : memref<4xf32>
      %p41 = arith.addf %x, %c100 : f32
      memref.store %p41, %o[%c1] : memref<4xf32>
      %p42 = arith.addf %x, %c100 : f32
      memref.store %p42, %o[%c2] : memref<4xf32>
      %p43 = arith.addf %x, %c100 : f32
      memref.store %p43, %o[%c3] : memref<4xf32>
      %p44 = arith.addf %x, %c100 : f32
      memref.store %p44, %o[%c0] : memref<4xf32>
      %p45 = arith.addf %x, %c100 : f32
      memref.store %p45, %o[%c1] : memref<4xf32>
      %p46 = arith.addf %x, %c100 : f32
      memref.store %p46, %o[%c2] : memref<4xf32>
      %p47 = arith.addf %x, %c100 : f32
      memref.store %p47, %o[%c3] : memref<4xf32>
      %p48 = arith.addf %x, %c100 : f32
      memref.store %p48, %o[%c0] : memref<4xf32>
      %p49 = arith.addf %x, %c100 : f32
      memref.store %p49, %o[%c1] : memref<4xf32>
      scf.yield %t2, %m, %x : tensor<8xf32>, memref<4xf32, strided<[?], offset: ?>>, f32
    } else {
      %b = bufferization.to_buffer %v read_only : tensor<4xf32> to memref<4xf32, strided<[?], offset: ?>>
      scf.yield %t, %b, %s : tensor<8xf32>, memref<4xf32, strided<[?], offset: ?>>, f32
    }
    scf.yield %q#0, %q#1, %q#2 : tensor<8xf32>, memref<4xf32, strided<[?], offset: ?>>, f32
  }
  return %r#0, %r#2 : tensor<8xf32>, f32
}
