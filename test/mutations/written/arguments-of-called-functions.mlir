// passes: inplace-receive-in-place
// after: canonicalize
// protects: no
// runs: [[["float32", [4], 1]]]
func.func private @f(%x: memref<4xf32>, %t: memref<4xf32>) -> f32 {
  %c = mpi.comm_world : !mpi.comm
  %c3 = arith.constant 3 : index
  %one = memref.subview %x[0] [2] [1] : memref<4xf32> to memref<2xf32, strided<[1]>>
  %a = memref.alloc() : memref<4xf32>
  mpi.allgather(%one, %a, %c) : memref<2xf32, strided<[1]>>, memref<4xf32>
  %old = memref.load %x[%c3] : memref<4xf32>
  memref.copy %a, %t : memref<4xf32> to memref<4xf32>
  return %old : f32
}
func.func @main(%m: memref<4xf32>) -> f32 {
  %0 = call @f(%m, %m) : (memref<4xf32>, memref<4xf32>) -> f32
  return %0 : f32
}
