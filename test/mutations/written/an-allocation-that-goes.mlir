// passes: inplace-receive-in-place
// after: canonicalize
// protects: no
// runs: [[["float32", [4, 8], 1], ["float32", [8, 8], 1]]]
func.func @main(%x: memref<4x8xf32>, %t: memref<8x8xf32>) -> f32 {
  %i = arith.constant 5 : index
  %c = mpi.comm_world : !mpi.comm
  %a = memref.alloc() : memref<8x8xf32>
  %b = memref.alloc() : memref<8x8xf32>
  mpi.allgather(%x, %a, %c) : memref<4x8xf32>, memref<8x8xf32>
  %old = memref.load %t[%i, %i] : memref<8x8xf32>
  %s = memref.subview %b[0, 0] [8, 8] [1, 1] : memref<8x8xf32> to memref<8x8xf32, strided<[8, 1]>>
  memref.copy %a, %s : memref<8x8xf32> to memref<8x8xf32, strided<[8, 1]>>
  memref.copy %b, %t : memref<8x8xf32> to memref<8x8xf32>
  return %old : f32
}
