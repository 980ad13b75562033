// passes: inplace-receive-in-place
// after: canonicalize
// protects: no
// runs: [[["float32", [3], 1]]]
func.func @main(%t: memref<3xf32> {inplace.returnable}) {
  %c = mpi.comm_world : !mpi.comm
  %x = memref.subview %t[1] [1] [1] : memref<3xf32> to memref<1xf32, strided<[1], offset: 1>>
  %s = memref.subview %t[0] [2] [1] : memref<3xf32> to memref<2xf32, strided<[1]>>
  %a = memref.alloc() : memref<2xf32>
  mpi.allgather(%x, %a, %c) : memref<1xf32, strided<[1], offset: 1>>, memref<2xf32>
  memref.copy %a, %s : memref<2xf32> to memref<2xf32, strided<[1]>>
  return
}
