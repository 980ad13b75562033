// RUN: inplace-opt %s --inplace-pack-messages | filecheck %s

// Contiguous memory is seen as one line; strided memory is copied before it is sent.
// CHECK-LABEL: func.func @send
// CHECK-SAME: %[[A:[a-z0-9]*]]: memref<2x3xf32>, %[[B:[a-z0-9]*]]: memref<4xf32, strided<[8]>>
// CHECK: %[[LINE:.*]] = memref.collapse_shape %[[A]]
// CHECK-NEXT: mpi.send(%[[LINE]], {{.*}}) : memref<6xf32>
// CHECK: %[[PACKED:.*]] = memref.alloc() : memref<4xf32>
// CHECK-NEXT: memref.copy %[[B]], %[[PACKED]]
// CHECK-NEXT: mpi.send(%[[PACKED]], {{.*}}) : memref<4xf32>
// CHECK-NEXT: return
func.func @send(%a: memref<2x3xf32>, %b: memref<4xf32, strided<[8]>>, %tag: i32, %rank: i32) {
  %comm = mpi.comm_world : !mpi.comm
  mpi.send(%a, %tag, %rank, %comm) : memref<2x3xf32>, i32, i32
  mpi.send(%b, %tag, %rank, %comm) : memref<4xf32, strided<[8]>>, i32, i32
  return
}

// In place stays in place: one line, on both sides.
// CHECK-LABEL: func.func @in_place
// CHECK-SAME: %[[A:[a-z0-9]*]]: memref<?x3xf32>
// CHECK: %[[LINE:.*]] = memref.collapse_shape %[[A]] {{.*}} into memref<?xf32>
// CHECK-NEXT: mpi.allreduce(%[[LINE]], %[[LINE]], MPI_SUM
// CHECK-NEXT: return
func.func @in_place(%a: memref<?x3xf32>) {
  %comm = mpi.comm_world : !mpi.comm
  mpi.allreduce(%a, %a, MPI_SUM, %comm) : memref<?x3xf32>, memref<?x3xf32>
  return
}

// CHECK-LABEL: func.func @strided_in_place
// CHECK-SAME: %[[A:[a-z0-9]*]]: memref<4xf32, strided<[2]>>
// CHECK: memref.copy %[[A]], %[[P:.*]] :
// CHECK-NEXT: mpi.allreduce(%[[P]], %[[P]], MPI_MAX
// CHECK-NEXT: memref.copy %[[P]], %[[A]]
func.func @strided_in_place(%a: memref<4xf32, strided<[2]>>) {
  %comm = mpi.comm_world : !mpi.comm
  mpi.allreduce(%a, %a, MPI_MAX, %comm) : memref<4xf32, strided<[2]>>, memref<4xf32, strided<[2]>>
  return
}

// A scalar.
// CHECK-LABEL: func.func @scalar
// CHECK: memref.expand_shape
// CHECK-NEXT: mpi.allreduce({{.*}}) : memref<1xf32>, memref<1xf32>
func.func @scalar(%a: memref<f32>) {
  %comm = mpi.comm_world : !mpi.comm
  mpi.allreduce(%a, %a, MPI_SUM, %comm) : memref<f32>, memref<f32>
  return
}

// Columns are received into a buffer; what nobody may send keeps its content, so that is copied there before.
// CHECK-LABEL: func.func @exchange
// CHECK-SAME: %[[A:[a-z0-9]*]]: memref<2x4xf32>
// CHECK: %[[FROM:.*]] = memref.subview %[[A]][0, 2] [2, 1]
// CHECK: %[[TO:.*]] = memref.subview %[[A]][0, 0] [2, 1]
// CHECK: memref.copy %[[FROM]], %[[P:[a-z0-9_]*]]
// CHECK: memref.copy %[[TO]], %[[Q:[a-z0-9_]*]]
// CHECK: call @inplace_mpi_sendrecv_1d_f32_line
// CHECK-NEXT: memref.copy %[[Q]], %[[TO]]
!any = memref<?x?xf32, strided<[?, ?], offset: ?>>
func.func private @inplace_mpi_sendrecv_2d_f32(!any, i32, !any, i32, !mpi.comm)
func.func @exchange(%a: memref<2x4xf32>, %other: i32) {
  %comm = mpi.comm_world : !mpi.comm
  %from = memref.subview %a[0, 2] [2, 1] [1, 1] : memref<2x4xf32> to memref<2x1xf32, strided<[4, 1], offset: 2>>
  %to = memref.subview %a[0, 0] [2, 1] [1, 1] : memref<2x4xf32> to memref<2x1xf32, strided<[4, 1]>>
  %0 = memref.cast %from : memref<2x1xf32, strided<[4, 1], offset: 2>> to !any
  %1 = memref.cast %to : memref<2x1xf32, strided<[4, 1]>> to !any
  call @inplace_mpi_sendrecv_2d_f32(%0, %other, %1, %other, %comm) : (!any, i32, !any, i32, !mpi.comm) -> ()
  return
}

// Rows need no copy at all.
// CHECK-LABEL: func.func @exchange_rows
// CHECK-NOT: memref.alloc
// CHECK-NOT: memref.copy
// CHECK: return
func.func @exchange_rows(%a: memref<4x6xf32>, %other: i32) {
  %comm = mpi.comm_world : !mpi.comm
  %from = memref.subview %a[2, 0] [1, 6] [1, 1] : memref<4x6xf32> to memref<1x6xf32, strided<[6, 1], offset: 12>>
  %to = memref.subview %a[0, 0] [1, 6] [1, 1] : memref<4x6xf32> to memref<1x6xf32, strided<[6, 1]>>
  %0 = memref.cast %from : memref<1x6xf32, strided<[6, 1], offset: 12>> to !any
  %1 = memref.cast %to : memref<1x6xf32, strided<[6, 1]>> to !any
  call @inplace_mpi_sendrecv_2d_f32(%0, %other, %1, %other, %comm) : (!any, i32, !any, i32, !mpi.comm) -> ()
  return
}

// The position in a grid follows from the rank; the grid itself is needed no longer.
// CHECK-NOT: shard.grid
// CHECK-LABEL: func.func @position
// CHECK: %[[RANK:.*]] = mpi.comm_rank
// CHECK: %[[R:.*]] = arith.index_cast %[[RANK]]
// CHECK: arith.divui %[[R]]
// CHECK: arith.remui
shard.grid @g(shape = 2x3)
func.func @position() -> (index, index) {
  %p:2 = shard.process_multi_index on @g : index, index
  return %p#0, %p#1 : index, index
}
