// RUN: inplace-opt %s --split-input-file --inplace-exchange-in-turn | filecheck %s

// Columns of two ranks: what is received is copied from memory in which it lies side by side.
// CHECK-LABEL: func.func @columns
//  CHECK-SAME:   %[[X:[^:]*]]: memref<4x8xf32>, %[[T:[^:]*]]: memref<4x16xf32>
//       CHECK:   %[[OWN:.*]] = memref.subview %[[T]][0, %{{.*}}] [4, 8] [1, 1]
//       CHECK:   memref.copy %[[X]], %[[OWN]]
//       CHECK:   scf.for
//       CHECK:     %[[PLACE:.*]] = memref.subview %[[T]][0, %{{.*}}] [4, 8] [1, 1]
//       CHECK:     %[[LINE:.*]] = memref.alloc() : memref<4x8xf32>
//       CHECK:     %[[SENT:.*]] = memref.cast %[[X]]
//       CHECK:     %[[GOT:.*]] = memref.cast %[[LINE]]
//       CHECK:     call @inplace_mpi_sendrecv_2d_f32(%[[SENT]], %{{.*}}, %[[GOT]], %{{.*}}, %{{.*}}) {inplace.overwrites}
//       CHECK:     memref.copy %[[LINE]], %[[PLACE]]
//   CHECK-NOT: inplace_mpi_exchange_parts
!any = memref<?x?xf32, strided<[?, ?], offset: ?>>
func.func private @inplace_mpi_exchange_parts_2_1_all_2d_f32(!any, !any, !mpi.comm)
func.func @columns(%x: memref<4x8xf32>, %t: memref<4x16xf32>) {
  %c = mpi.comm_world : !mpi.comm
  %sent = memref.cast %x : memref<4x8xf32> to !any
  %filled = memref.cast %t : memref<4x16xf32> to !any
  func.call @inplace_mpi_exchange_parts_2_1_all_2d_f32(%sent, %filled, %c) : (!any, !any, !mpi.comm) -> ()
  return
}

// -----

// Rows lie one after the other, also if their number differs: they are received in their places.
// CHECK-LABEL: func.func @rows
//  CHECK-SAME:   %[[X:[^:]*]]: memref<?x8xf32>, %[[T:[^:]*]]: memref<?x8xf32>, %[[O:[^:]*]]: memref<3xindex>
//       CHECK:   scf.for
//       CHECK:     memref.load %[[O]]
//   CHECK-NOT:     memref.alloc
//       CHECK:     %[[PLACE:.*]] = memref.subview %[[T]]
//       CHECK:     %[[GOT:.*]] = memref.cast %[[PLACE]]
//       CHECK:     call @inplace_mpi_sendrecv_2d_f32(%{{.*}}, %{{.*}}, %[[GOT]],
//   CHECK-NOT:     memref.copy
//       CHECK:   return
!any = memref<?x?xf32, strided<[?, ?], offset: ?>>
func.func private @inplace_mpi_exchange_parts_2_0_all_sizes_2d_f32(!any, !any, memref<3xindex>, !mpi.comm)
func.func @rows(%x: memref<?x8xf32>, %t: memref<?x8xf32>, %offsets: memref<3xindex>) {
  %c = mpi.comm_world : !mpi.comm
  %sent = memref.cast %x : memref<?x8xf32> to !any
  %filled = memref.cast %t : memref<?x8xf32> to !any
  func.call @inplace_mpi_exchange_parts_2_0_all_sizes_2d_f32(%sent, %filled, %offsets, %c)
    : (!any, !any, memref<3xindex>, !mpi.comm) -> ()
  return
}

// -----

// Columns are sent from a copy, and received as rows.
// CHECK-LABEL: func.func @turned
//  CHECK-SAME:   %[[X:[^:]*]]: memref<4x6xf32>, %[[T:[^:]*]]: memref<12x2xf32>
//       CHECK:   scf.for
//       CHECK:     %[[PART:.*]] = memref.subview %[[X]]
//       CHECK:     %[[LINE:.*]] = memref.alloc() : memref<4x2xf32>
//       CHECK:     memref.copy %[[PART]], %[[LINE]]
//       CHECK:     call @inplace_mpi_sendrecv_2d_f32
//   CHECK-NOT:     memref.copy
//       CHECK:   return
!any = memref<?x?xf32, strided<[?, ?], offset: ?>>
func.func private @inplace_mpi_exchange_parts_3_0_1_2d_f32(!any, !any, !mpi.comm)
func.func @turned(%x: memref<4x6xf32>, %t: memref<12x2xf32>) {
  %c = mpi.comm_world : !mpi.comm
  %sent = memref.cast %x : memref<4x6xf32> to !any
  %filled = memref.cast %t : memref<12x2xf32> to !any
  func.call @inplace_mpi_exchange_parts_3_0_1_2d_f32(%sent, %filled, %c) : (!any, !any, !mpi.comm) -> ()
  return
}

// -----

// Other calls stay.
// CHECK-LABEL: func.func @others
//       CHECK:   call @inplace_mpi_sendrecv_1d_f32
func.func private @inplace_mpi_sendrecv_1d_f32(memref<4xf32>, i32, memref<4xf32>, i32, !mpi.comm)
func.func @others(%x: memref<4xf32>, %t: memref<4xf32>, %to: i32) {
  %c = mpi.comm_world : !mpi.comm
  func.call @inplace_mpi_sendrecv_1d_f32(%x, %to, %t, %to, %c) : (memref<4xf32>, i32, memref<4xf32>, i32, !mpi.comm) -> ()
  return
}
