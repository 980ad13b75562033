// passes: inplace-overlap-messages
// after: canonicalize
// protects: no
// runs: [[["float32", [4, 4], 1], ["f", null, 100.5]]]
func.func private @inplace_mpi_sendrecv_1d_f32(memref<?xf32, strided<[?], offset: ?>>, i32, memref<?xf32, strided<[?], offset: ?>>, i32, !mpi.comm)
func.func @main(%m: memref<4x4xf32>, %f: f32) -> f32 {
  %c = mpi.comm_world : !mpi.comm
  %rank = mpi.comm_rank(%c) : i32
  %one = arith.constant 1 : i32
  %other = arith.subi %one, %rank : i32
  %c0 = arith.constant 0 : index
  %got = memref.alloc() : memref<1x2xf32>
  %a = memref.subview %m[0, 0] [1, 2] [1, 1] : memref<4x4xf32> to memref<1x2xf32, strided<[4, 1]>>
  %v = memref.subview %m[2, 0] [1, 2] [1, 1] : memref<4x4xf32> to memref<1x2xf32, strided<[4, 1], offset: 8>>
  %b = memref.reinterpret_cast %v to offset: [0], sizes: [1, 2], strides: [4, 1] : memref<1x2xf32, strided<[4, 1], offset: 8>> to memref<1x2xf32, strided<[4, 1]>>
  %a1 = memref.subview %a[0, 0] [1, 2] [1, 1] : memref<1x2xf32, strided<[4, 1]>> to memref<2xf32, strided<[1]>>
  %g1 = memref.subview %got[0, 0] [1, 2] [1, 1] : memref<1x2xf32> to memref<2xf32, strided<[1]>>
  %ca = memref.cast %a1 : memref<2xf32, strided<[1]>> to memref<?xf32, strided<[?], offset: ?>>
  %cg = memref.cast %g1 : memref<2xf32, strided<[1]>> to memref<?xf32, strided<[?], offset: ?>>
  func.call @inplace_mpi_sendrecv_1d_f32(%ca, %other, %cg, %other, %c) : (memref<?xf32, strided<[?], offset: ?>>, i32, memref<?xf32, strided<[?], offset: ?>>, i32, !mpi.comm) -> ()
  linalg.fill ins(%f : f32) outs(%b : memref<1x2xf32, strided<[4, 1]>>)
  %x = memref.load %got[%c0, %c0] : memref<1x2xf32>
  return %x : f32
}
