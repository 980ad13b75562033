// RUN: inplace-opt %s --inplace-pack-messages=reductions | filecheck %s

// What is reduced and has gaps is packed, and put back where it is reduced in its own memory.
// CHECK-LABEL: func.func @in_place
//       CHECK:   %[[S:.*]] = memref.subview
//       CHECK:   %[[P:.*]] = memref.alloc() : memref<4x3xf32>
//       CHECK:   memref.copy %[[S]], %[[P]]
//       CHECK:   %[[LINE:.*]] = memref.collapse_shape %[[P]]
//       CHECK:   mpi.allreduce(%[[LINE]], %[[LINE]], MPI_SUM,
//       CHECK:   memref.copy %[[P]], %[[S]]
//       CHECK:   return
func.func @in_place(%t: memref<4x9xf32>) {
  %c = mpi.comm_world : !mpi.comm
  %s = memref.subview %t[0, 2] [4, 3] [1, 1] : memref<4x9xf32> to memref<4x3xf32, strided<[9, 1], offset: 2>>
  mpi.allreduce(%s, %s, MPI_SUM, %c)
    : memref<4x3xf32, strided<[9, 1], offset: 2>>, memref<4x3xf32, strided<[9, 1], offset: 2>>
  return
}

// CHECK-LABEL: func.func @scattered
//       CHECK:   %[[P:.*]] = memref.alloc() : memref<8x3xf32>
//       CHECK:   memref.copy %{{.*}}, %[[P]]
//       CHECK:   mpi.reduce_scatter_block(
//   CHECK-NOT:   memref.copy
//       CHECK:   return
func.func @scattered(%v: memref<8x3xf32, strided<[9, 1], offset: 2>>, %p: memref<4x3xf32>) {
  %c = mpi.comm_world : !mpi.comm
  mpi.reduce_scatter_block(%v, %p, MPI_SUM, %c) : memref<8x3xf32, strided<[9, 1], offset: 2>>, memref<4x3xf32>
  return
}

// Everything else stays as it is: the runtime sends memory with strides.
// CHECK-LABEL: func.func @left_alone
//   CHECK-NOT:   memref.alloc
//       CHECK:   mpi.send(%{{.*}}) : memref<4xf32, strided<[8]>>
//   CHECK-NOT:   collapse_shape
//       CHECK:   mpi.allreduce(%{{.*}}) : memref<2x3xf32>, memref<2x3xf32>
//       CHECK:   mpi.allgather(%{{.*}}) : memref<4xf32, strided<[8]>>
//       CHECK:   return
func.func @left_alone(%a: memref<4xf32, strided<[8]>>, %b: memref<2x3xf32>, %all: memref<8xf32>, %tag: i32, %to: i32) {
  %c = mpi.comm_world : !mpi.comm
  mpi.send(%a, %tag, %to, %c) : memref<4xf32, strided<[8]>>, i32, i32
  mpi.allreduce(%b, %b, MPI_SUM, %c) : memref<2x3xf32>, memref<2x3xf32>
  mpi.allgather(%a, %all, %c) : memref<4xf32, strided<[8]>>, memref<8xf32>
  return
}
