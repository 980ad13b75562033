// passes: inplace-overlap-messages
// after: canonicalize
// protects: no
// runs: [[["float32", [4], 1], ["f", null, 100.5]]]
func.func @main(%m: memref<4xf32>, %f: f32) {
  %c = mpi.comm_world : !mpi.comm
  %rank = mpi.comm_rank(%c) : i32
  %one = arith.constant 1 : i32
  %other = arith.subi %one, %rank : i32
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i32
  %first = arith.cmpi eq, %rank, %zero : i32
  %t = memref.alloc() : memref<4xf32>
  scf.if %first {
    mpi.allreduce(%m, %m, MPI_SUM, %c) : memref<4xf32>, memref<4xf32>
    linalg.fill ins(%f : f32) outs(%t : memref<4xf32>)
  } else {
    mpi.allreduce(%m, %m, MPI_SUM, %c) : memref<4xf32>, memref<4xf32>
    memref.store %f, %m[%c0] : memref<4xf32>
  }
  return
}
