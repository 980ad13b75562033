// passes: inplace-overlap-messages
// after: canonicalize
// protects: no
// runs: [[["float32", [4], 1], ["f", null, 100.5]]]
func.func private @inplace_mpi_sendrecv_1d_f32(memref<4xf32>, i32, memref<4xf32>, i32, !mpi.comm)
func.func @main(%m: memref<4xf32>, %f: f32) -> f32 {
  %c = mpi.comm_world : !mpi.comm
  %rank = mpi.comm_rank(%c) : i32
  %one = arith.constant 1 : i32
  %other = arith.subi %one, %rank : i32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %p = memref.alloc() : memref<4xf32>
  %q = memref.alloc() : memref<4xf32>
  memref.copy %m, %p : memref<4xf32> to memref<4xf32>
  memref.copy %m, %q : memref<4xf32> to memref<4xf32>
  %r:2 = scf.for %i = %c0 to %c2 step %c1 iter_args(%a = %p, %b = %q) -> (memref<4xf32>, memref<4xf32>) {
    func.call @inplace_mpi_sendrecv_1d_f32(%a, %other, %m, %other, %c) : (memref<4xf32>, i32, memref<4xf32>, i32, !mpi.comm) -> ()
    memref.store %f, %p[%c0] : memref<4xf32>
    scf.yield %b, %a : memref<4xf32>, memref<4xf32>
  }
  %x = memref.load %r#0[%c0] : memref<4xf32>
  return %x : f32
}
