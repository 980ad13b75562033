// passes: inplace-receive-in-place
// after: canonicalize
// protects: no
// runs: [[["float32", [2, 2], 1], ["float32", [4, 5], 1], ["float32", [4, 2], 1]]]
func.func @main(%x: memref<2x2xf32>, %t: memref<4x5xf32> {inplace.returnable}, %u: memref<4x2xf32>) {
  %c = mpi.comm_world : !mpi.comm
  %rank = mpi.comm_rank(%c) : i32
  %one = arith.constant 1 : i32
  %is_second = arith.cmpi eq, %rank, %one : i32
  scf.if %is_second {
    %s = memref.subview %t[0, 1] [4, 2] [1, 1] : memref<4x5xf32> to memref<4x2xf32, strided<[5, 1], offset: 1>>
    %a = memref.alloc() : memref<4x2xf32>
    mpi.allgather(%x, %a, %c) : memref<2x2xf32>, memref<4x2xf32>
    memref.copy %a, %s : memref<4x2xf32> to memref<4x2xf32, strided<[5, 1], offset: 1>>
  } else {
    mpi.allgather(%x, %u, %c) : memref<2x2xf32>, memref<4x2xf32>
  }
  return
}
