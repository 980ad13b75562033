// passes: inplace-overlap-messages
// after: canonicalize
// protects: no
// runs: [[["float32", [8], 1], ["f", null, 100.5]]]
func.func private @inplace_mpi_sendrecv_1d_f32(memref<?xf32, strided<[?], offset: ?>>, i32, memref<?xf32, strided<[?], offset: ?>>, i32, !mpi.comm)
func.func @main(%m: memref<8xf32>, %f: f32) -> f32 {
  %c = mpi.comm_world : !mpi.comm
  %rank = mpi.comm_rank(%c) : i32
  %one = arith.constant 1 : i32
  %other = arith.subi %one, %rank : i32
  %c0 = arith.constant 0 : index
  %got = memref.alloc() : memref<2xf32>
  %a = memref.subview %m[0] [2] [4] : memref<8xf32> to memref<2xf32, strided<[4]>>
  %b = memref.subview %m[3] [2] [1] : memref<8xf32> to memref<2xf32, strided<[1], offset: 3>>
  %ca = memref.cast %a : memref<2xf32, strided<[4]>> to memref<?xf32, strided<[?], offset: ?>>
  %cg = memref.cast %got : memref<2xf32> to memref<?xf32, strided<[?], offset: ?>>
  func.call @inplace_mpi_sendrecv_1d_f32(%ca, %other, %cg, %other, %c) : (memref<?xf32, strided<[?], offset: ?>>, i32, memref<?xf32, strided<[?], offset: ?>>, i32, !mpi.comm) -> ()
  linalg.fill ins(%f : f32) outs(%b : memref<2xf32, strided<[1], offset: 3>>)
  %x = memref.load %got[%c0] : memref<2xf32>
  return %x : f32
}
