// passes: inplace-receive-in-place
// after: canonicalize
// protects: no
// runs: [[["float32", [1], 1]]]
memref.global "private" @g : memref<2xf32> = dense<[5.0, 7.0]>
func.func private @f() -> f32 {
  %c0 = arith.constant 0 : index
  %t = memref.get_global @g : memref<2xf32>
  %old = memref.load %t[%c0] : memref<2xf32>
  return %old : f32
}
func.func @main(%x: memref<1xf32>) -> f32 {
  %c = mpi.comm_world : !mpi.comm
  %y = memref.alloc() : memref<1xf32>
  memref.copy %x, %y : memref<1xf32> to memref<1xf32>
  %t = memref.get_global @g : memref<2xf32>
  %a = memref.alloc() : memref<2xf32>
  mpi.allgather(%y, %a, %c) : memref<1xf32>, memref<2xf32>
  %old = func.call @f() : () -> f32
  memref.copy %a, %t : memref<2xf32> to memref<2xf32>
  memref.dealloc %y : memref<1xf32>
  return %old : f32
}
