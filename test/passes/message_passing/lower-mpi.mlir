// RUN: inplace-opt %s --inplace-keep-waits --inplace-lower-mpi --cse --verify-each | filecheck %s

// CHECK-DAG: func.func private @inplace_mpi_allreduce(i64, i64, i64, i64, i64, i64) -> i64
// CHECK-DAG: func.func private @inplace_mpi_send(i64, i64, i64, i64, i64, i64) -> i64
// CHECK-NOT: inplace_mpi_wait_for

// A collective gets addresses, a number of elements, and handles from the table; a code that is none of success fails
// an assertion.
// CHECK-LABEL: func.func @all_reduce
// CHECK-DAG: %[[AT:.*]] = memref.extract_aligned_pointer_as_index %arg0
// CHECK-DAG: %[[ADDRESS:.*]] = arith.index_cast %[[AT]] : index to i64
// CHECK-DAG: %[[COMM:.*]] = call @inplace_mpi_word(%c0_i64)
// CHECK: %[[CODE:.*]] = call @inplace_mpi_allreduce(%[[ADDRESS]], %[[ADDRESS]], %{{.*}}, %{{.*}}, %{{.*}}, %[[COMM]])
// CHECK: %[[OK:.*]] = arith.cmpi eq, %[[CODE]], %c0_i64
// CHECK: cf.assert %[[OK]], "mpi.allreduce failed"
func.func @all_reduce(%m: memref<4x?xf32>) {
  %c = mpi.comm_world : !mpi.comm
  mpi.allreduce(%m, %m, MPI_SUM, %c) : memref<4x?xf32>, memref<4x?xf32>
  return
}

// A column is one element of a type that is made for the message.
// CHECK-LABEL: func.func @column
// CHECK: %[[TYPE:.*]] = call @inplace_mpi_vector(%c4_i64, %{{.*}}, %{{.*}})
// CHECK: call @inplace_mpi_send(%{{.*}}, %c1_i64, %[[TYPE]], %{{.*}}, %{{.*}}, %{{.*}})
// CHECK: call @inplace_mpi_release(%[[TYPE]])
func.func @column(%m: memref<4xf32, strided<[5], offset: ?>>, %tag: i32, %rank: i32) {
  %c = mpi.comm_world : !mpi.comm
  mpi.send(%m, %tag, %rank, %c) : memref<4xf32, strided<[5], offset: ?>>, i32, i32
  return
}

// Rows of a matrix lie one after the other wherever they begin.
// CHECK-LABEL: func.func @rows
// CHECK-NOT: inplace_mpi_vector
// CHECK: call @inplace_mpi_recv(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}})
func.func @rows(%m: memref<?x5xf16, strided<[5, 1], offset: ?>>, %tag: i32, %rank: i32) {
  %c = mpi.comm_world : !mpi.comm
  mpi.recv(%m, %tag, %rank, %c) : memref<?x5xf16, strided<[5, 1], offset: ?>>, i32, i32
  return
}

// What the program takes the code of is not asserted.
// CHECK-LABEL: func.func @code
// CHECK: %[[CODE:.*]] = call @inplace_mpi_barrier
// CHECK-NOT: cf.assert
// CHECK: %[[OK:.*]] = arith.cmpi eq, %[[CODE]], %c0_i64
// CHECK: return %[[OK]]
func.func @code() -> i1 {
  %begun = mpi.init : !mpi.retval
  %c = mpi.comm_world : !mpi.comm
  %code = mpi.barrier(%c) -> !mpi.retval
  %ok = mpi.retval_check %code = <MPI_SUCCESS> : i1
  return %ok : i1
}

// Of a rank and constants every rank makes the same communicator again (1); of an argument they ask each other (0).
// CHECK-LABEL: func.func @splits
// CHECK: call @inplace_mpi_split(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %c1_i64)
// CHECK: call @inplace_mpi_split(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %c0_i64)
func.func @splits(%color: i32) {
  %c = mpi.comm_world : !mpi.comm
  %rank = mpi.comm_rank(%c) : i32
  %two = arith.constant 2 : i32
  %row = arith.divsi %rank, %two : i32
  %d = mpi.comm_split(%c, %row, %rank) : !mpi.comm
  %e = mpi.comm_split(%d, %color, %rank) : !mpi.comm
  mpi.barrier(%e)
  return
}

// CHECK-LABEL: func.func @begun_and_waited_for
// CHECK: %[[REQUEST:.*]] = call @inplace_mpi_isend
// CHECK: call @inplace_mpi_wait(%[[REQUEST]])
func.func @begun_and_waited_for(%m: memref<4xi1>, %tag: i32, %rank: i32) {
  %c = mpi.comm_world : !mpi.comm
  %q = mpi.isend(%m, %tag, %rank, %c) : memref<4xi1>, i32, i32 -> !mpi.request
  mpi.wait(%q) : !mpi.request
  return
}

// Where a rank is in a grid is computed of its number; what the grid is like is known.
// CHECK-LABEL: func.func @positions
// CHECK: %[[COMM:.*]] = call @inplace_mpi_word(%c0_i64)
// CHECK: %[[RANK:.*]] = call @inplace_mpi_rank(%[[COMM]])
// CHECK: %[[NUMBER:.*]] = arith.index_cast %[[RANK]] : i64 to index
// CHECK: %[[COLUMN:.*]] = arith.remsi %{{.*}}, %c3_i64
// CHECK: %[[PLACE:.*]] = arith.index_cast %[[COLUMN]] : i64 to index
// CHECK: return %[[NUMBER]], %[[PLACE]], %c2, %c3 : index, index, index, index
shard.grid @grid(shape = 2x3)
func.func @positions() -> (index, index, index, index) {
  %number = shard.process_linear_index on @grid : index
  %column = shard.process_multi_index on @grid axes = [1] : index
  %shape:2 = shard.grid_shape @grid : index, index
  return %number, %column, %shape#0, %shape#1 : index, index, index, index
}
