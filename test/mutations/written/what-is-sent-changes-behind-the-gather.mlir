// passes: inplace-receive-in-place
// after: canonicalize
// protects: no
// runs: [[["float32", [1], 1], ["float32", [2], 1], ["f", null, 100.5]]]
func.func @main(%x: memref<1xf32>, %t: memref<2xf32> {inplace.returnable}, %f: f32) {
  %c = mpi.comm_world : !mpi.comm
  %c0 = arith.constant 0 : index
  %y = memref.alloc() : memref<1xf32>
  memref.copy %x, %y : memref<1xf32> to memref<1xf32>
  %a = memref.alloc() : memref<2xf32>
  mpi.allgather(%y, %a, %c) : memref<1xf32>, memref<2xf32>
  memref.store %f, %y[%c0] : memref<1xf32>
  memref.copy %a, %t : memref<2xf32> to memref<2xf32>
  memref.dealloc %y : memref<1xf32>
  return
}
