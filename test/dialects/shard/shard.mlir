// RUN: inplace-opt %s --inplace-one-shot-bufferize='bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map' --inplace-canonicalize --cse | filecheck %s

shard.grid @g(shape = 2x3)

// One memref: MPI sums in place.
// CHECK-LABEL: func.func @all_reduce
// CHECK-SAME: %[[T:[a-z0-9]*]]: memref<4xf32>
// CHECK-NEXT: %[[COMM:.*]] = call @inplace_mpi_comm_0() : () -> !mpi.comm
// CHECK-NEXT: mpi.allreduce(%[[T]], %[[T]], MPI_SUM, %[[COMM]])
// CHECK-NEXT: return %[[T]]
func.func @all_reduce(%t: tensor<4xf32> {bufferization.writable = true}) -> tensor<4xf32> {
  %0 = shard.all_reduce %t on @g grid_axes = [0] : tensor<4xf32> -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @halo
// CHECK-SAME: %[[T:[a-z0-9]*]]: memref<5x6xf32>
// CHECK-NOT: memref.alloc
// CHECK: memref.subview %[[T]][3, 0] [1, 6]
// CHECK: memref.subview %[[T]][0, 0] [1, 6]
// CHECK: call @inplace_mpi_sendrecv_2d_f32
// CHECK: memref.subview %[[T]][1, 0] [1, 6]
// CHECK: memref.subview %[[T]][4, 0] [1, 6]
// CHECK: call @inplace_mpi_sendrecv_2d_f32
// CHECK: return %[[T]]
func.func @halo(%t: tensor<5x6xf32> {bufferization.writable = true}) -> tensor<5x6xf32> {
  %0 = shard.update_halo %t on @g split_axes = [[1]] halo_sizes = [1, 1] : tensor<5x6xf32>
  return %0 : tensor<5x6xf32>
}

// Rows at the slice of each rank, by MPI; nothing is copied.
// CHECK-LABEL: func.func @gather
// CHECK-SAME: %[[T:[a-z0-9]*]]: memref<2x6xf32>
// CHECK: %[[WHOLE:.*]] = memref.alloc() {{.*}} : memref<6x6xf32>
// CHECK-NEXT: mpi.allgather(%[[T]], %[[WHOLE]], %{{.*}})
// CHECK-NEXT: return %[[WHOLE]]
func.func @gather(%t: tensor<2x6xf32>) -> tensor<6x6xf32> {
  %0 = shard.all_gather %t on @g grid_axes = [1] gather_axis = 0 : tensor<2x6xf32> -> tensor<6x6xf32>
  return %0 : tensor<6x6xf32>
}

// The world, where all axes take part.
// CHECK-LABEL: func.func private @inplace_mpi_comm_0()
// CHECK: mpi.comm_split
