// passes: inplace-receive-in-place
// after: canonicalize
// protects: no
// runs: [[["float32", [2, 2], 1], ["float32", [2, 5], 1]]]
func.func @main(%x: memref<2x2xf32>, %t: memref<2x5xf32> {inplace.returnable}) {
  %c = mpi.comm_world : !mpi.comm
  %s = memref.subview %t[0, 1] [2, 4] [1, 1] : memref<2x5xf32> to memref<2x4xf32, strided<[5, 1], offset: 1>>
  %a = memref.alloc() : memref<2x4xf32>
  mpi.allgather(%x, %a, %c) : memref<2x2xf32>, memref<2x4xf32>
  memref.copy %a, %s : memref<2x4xf32> to memref<2x4xf32, strided<[5, 1], offset: 1>>
  return
}
