// passes: inplace-overlap-messages
// after: canonicalize
// protects: no
// runs: [[["float32", [4], 1], ["f", null, 100.5]]]
func.func private @inplace_mpi_sendrecv_1d_f32(memref<4xf32>, i32, memref<4xf32>, i32, !mpi.comm)
memref.global "private" @sent : memref<4xf32> = dense<1.0>
func.func private @change(%f: f32) {
  %c0 = arith.constant 0 : index
  %g = memref.get_global @sent : memref<4xf32>
  memref.store %f, %g[%c0] : memref<4xf32>
  return
}
func.func @main(%m: memref<4xf32>, %f: f32) -> f32 {
  %c = mpi.comm_world : !mpi.comm
  %rank = mpi.comm_rank(%c) : i32
  %one = arith.constant 1 : i32
  %other = arith.subi %one, %rank : i32
  %c0 = arith.constant 0 : index
  %g = memref.get_global @sent : memref<4xf32>
  %got = memref.alloc() : memref<4xf32>
  func.call @inplace_mpi_sendrecv_1d_f32(%g, %other, %got, %other, %c) : (memref<4xf32>, i32, memref<4xf32>, i32, !mpi.comm) -> ()
  func.call @change(%f) : (f32) -> ()
  %y = memref.load %m[%c0] : memref<4xf32>
  %x = memref.load %got[%c0] : memref<4xf32>
  %s = arith.addf %x, %y : f32
  return %s : f32
}
