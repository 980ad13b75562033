// passes: inplace-receive-in-place
// after: canonicalize
// protects: no
// runs: [[["float32", [4, 8], 1], ["float32", [16, 8], 1]]]
func.func @main(%x: memref<4x8xf32>, %t: memref<16x8xf32>) -> f32 {
  %c = mpi.comm_world : !mpi.comm
  %c5 = arith.constant 5 : index
  %c0 = arith.constant 0 : index
  %v = memref.subview %t[8, 0] [4, 8] [1, 1] : memref<16x8xf32> to memref<4x8xf32, strided<[8, 1], offset: 64>>
  %y = memref.reinterpret_cast %v to offset: [0], sizes: [8, 8], strides: [8, 1]
    : memref<4x8xf32, strided<[8, 1], offset: 64>> to memref<8x8xf32, strided<[8, 1]>>
  %s = memref.subview %t[0, 0] [8, 8] [1, 1] : memref<16x8xf32> to memref<8x8xf32, strided<[8, 1]>>
  %a = memref.alloc() : memref<8x8xf32>
  mpi.allgather(%x, %a, %c) : memref<4x8xf32>, memref<8x8xf32>
  %old = memref.load %y[%c5, %c0] : memref<8x8xf32, strided<[8, 1]>>
  memref.copy %a, %s : memref<8x8xf32> to memref<8x8xf32, strided<[8, 1]>>
  return %old : f32
}
