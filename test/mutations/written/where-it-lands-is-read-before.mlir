// passes: inplace-receive-in-place
// after: canonicalize
// protects: no
// runs: [[["float32", [1], 1], ["float32", [2], 1]]]
func.func @main(%x: memref<1xf32>, %t: memref<2xf32>) -> f32 {
  %c = mpi.comm_world : !mpi.comm
  %c1 = arith.constant 1 : index
  %a = memref.alloc() : memref<2xf32>
  mpi.allgather(%x, %a, %c) : memref<1xf32>, memref<2xf32>
  %old = memref.load %t[%c1] : memref<2xf32>
  memref.copy %a, %t : memref<2xf32> to memref<2xf32>
  return %old : f32
}
