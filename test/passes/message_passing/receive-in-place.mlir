// RUN: inplace-opt %s --split-input-file --inplace-receive-in-place | filecheck %s

// The slice is known in front of the gather: it moves there.
// CHECK-LABEL: func.func @gather
//  CHECK-SAME:   %[[X:[^:]*]]: memref<4x8xf32>, %[[T:[^:]*]]: memref<20x8xf32>
//   CHECK-NOT:   memref.alloc
//       CHECK:   %[[S:.*]] = memref.subview %[[T]]
//  CHECK-NEXT:   mpi.allgather(%[[X]], %[[S]],
//   CHECK-NOT:   memref.copy
//       CHECK:   return
func.func @gather(%x: memref<4x8xf32>, %t: memref<20x8xf32> {inplace.returnable}, %i: index) {
  %c = mpi.comm_world : !mpi.comm
  %a = memref.alloc() : memref<8x8xf32>
  mpi.allgather(%x, %a, %c) : memref<4x8xf32>, memref<8x8xf32>
  %s = memref.subview %t[%i, 0] [8, 8] [1, 1] : memref<20x8xf32> to memref<8x8xf32, strided<[8, 1], offset: ?>>
  memref.copy %a, %s : memref<8x8xf32> to memref<8x8xf32, strided<[8, 1], offset: ?>>
  return
}

// -----

// What is more than one message is copied.
// CHECK-LABEL: func.func @in_turn
//       CHECK:   memref.copy %{{.*}}, %{{.*}} : memref<4x16xf32> to
func.func private @inplace_mpi_sendrecv_2d_f32(memref<?x?xf32, strided<[?, ?], offset: ?>>, i32, memref<?x?xf32, strided<[?, ?], offset: ?>>, i32, !mpi.comm)
func.func @in_turn(%x: memref<4x8xf32>, %t: memref<20x16xf32> {inplace.returnable}, %mine: index, %n: index, %to: i32, %from: i32) {
  %c = mpi.comm_world : !mpi.comm
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %a = memref.alloc() : memref<4x16xf32>
  %own = memref.subview %a[0, %mine] [4, 8] [1, 1] : memref<4x16xf32> to memref<4x8xf32, strided<[16, 1], offset: ?>>
  memref.copy %x, %own : memref<4x8xf32> to memref<4x8xf32, strided<[16, 1], offset: ?>>
  %sent = memref.cast %x : memref<4x8xf32> to memref<?x?xf32, strided<[?, ?], offset: ?>>
  scf.for %i = %c0 to %n step %c8 {
    %other = memref.subview %a[0, %i] [4, 8] [1, 1] : memref<4x16xf32> to memref<4x8xf32, strided<[16, 1], offset: ?>>
    %cast = memref.cast %other : memref<4x8xf32, strided<[16, 1], offset: ?>> to memref<?x?xf32, strided<[?, ?], offset: ?>>
    func.call @inplace_mpi_sendrecv_2d_f32(%sent, %to, %cast, %from, %c) : (memref<?x?xf32, strided<[?, ?], offset: ?>>, i32, memref<?x?xf32, strided<[?, ?], offset: ?>>, i32, !mpi.comm) -> ()
  }
  %s = memref.subview %t[3, 0] [4, 16] [1, 1] : memref<20x16xf32> to memref<4x16xf32, strided<[16, 1], offset: 48>>
  memref.copy %a, %s : memref<4x16xf32> to memref<4x16xf32, strided<[16, 1], offset: 48>>
  return
}

// -----

// What is sent may be where it would be received.
// CHECK-LABEL: func.func @same_memory
//       CHECK:   memref.copy
// CHECK-LABEL: func.func @called
//       CHECK:   memref.copy
// CHECK-LABEL: func.func @caller
// CHECK-LABEL: func.func @nothing_is_promised
//       CHECK:   memref.copy
// CHECK-LABEL: func.func @result
//   CHECK-NOT:   memref.copy
//       CHECK:   return
func.func @same_memory(%t: memref<20x8xf32> {inplace.returnable}, %i: index, %j: index) {
  %c = mpi.comm_world : !mpi.comm
  %x = memref.subview %t[%i, 0] [4, 8] [1, 1] : memref<20x8xf32> to memref<4x8xf32, strided<[8, 1], offset: ?>>
  %s = memref.subview %t[%j, 0] [8, 8] [1, 1] : memref<20x8xf32> to memref<8x8xf32, strided<[8, 1], offset: ?>>
  %a = memref.alloc() : memref<8x8xf32>
  mpi.allgather(%x, %a, %c) : memref<4x8xf32, strided<[8, 1], offset: ?>>, memref<8x8xf32>
  memref.copy %a, %s : memref<8x8xf32> to memref<8x8xf32, strided<[8, 1], offset: ?>>
  return
}
func.func @called(%x: memref<4x8xf32>, %t: memref<8x8xf32> {inplace.returnable}) {
  %c = mpi.comm_world : !mpi.comm
  %a = memref.alloc() : memref<8x8xf32>
  mpi.allgather(%x, %a, %c) : memref<4x8xf32>, memref<8x8xf32>
  memref.copy %a, %t : memref<8x8xf32> to memref<8x8xf32>
  return
}
func.func @caller(%t: memref<8x8xf32> {inplace.returnable}) {
  %x = memref.subview %t[0, 0] [4, 8] [1, 1] : memref<8x8xf32> to memref<4x8xf32, strided<[8, 1]>>
  %y = memref.cast %x : memref<4x8xf32, strided<[8, 1]>> to memref<4x8xf32>
  call @called(%y, %t) : (memref<4x8xf32>, memref<8x8xf32>) -> ()
  return
}
func.func @nothing_is_promised(%x: memref<4x8xf32> {inplace.returnable}, %t: memref<8x8xf32>) {
  %c = mpi.comm_world : !mpi.comm
  %a = memref.alloc() : memref<8x8xf32>
  mpi.allgather(%x, %a, %c) : memref<4x8xf32>, memref<8x8xf32>
  memref.copy %a, %t : memref<8x8xf32> to memref<8x8xf32>
  return
}
func.func @result(%x: memref<4x8xf32>, %r: memref<8x8xf32> {inplace.out_result = 0 : i64}) {
  %c = mpi.comm_world : !mpi.comm
  %a = memref.alloc() : memref<8x8xf32>
  mpi.allgather(%x, %a, %c) : memref<4x8xf32>, memref<8x8xf32>
  memref.copy %a, %r : memref<8x8xf32> to memref<8x8xf32>
  return
}

// -----

// The memory is used in between, or the allocation elsewhere; an op in between may touch any memory. That the place of
// the slice is known only behind the gather does not matter.
// CHECK-LABEL: func.func @read_between
//       CHECK:   memref.copy
// CHECK-LABEL: func.func @written_between
//       CHECK:   memref.copy
// CHECK-LABEL: func.func @used_behind
//       CHECK:   memref.copy
// CHECK-LABEL: func.func @unknown
//       CHECK:   memref.copy
// CHECK-LABEL: func.func @place_unknown
//       CHECK:   arith.addi
//       CHECK:   mpi.allgather
//   CHECK-NOT:   memref.copy
func.func @read_between(%x: memref<4x8xf32>, %t: memref<8x8xf32> {inplace.returnable}, %i: index) -> f32 {
  %c = mpi.comm_world : !mpi.comm
  %a = memref.alloc() : memref<8x8xf32>
  mpi.allgather(%x, %a, %c) : memref<4x8xf32>, memref<8x8xf32>
  %old = memref.load %t[%i, %i] : memref<8x8xf32>
  memref.copy %a, %t : memref<8x8xf32> to memref<8x8xf32>
  return %old : f32
}
func.func @written_between(%x: memref<4x8xf32>, %t: memref<8x8xf32> {inplace.returnable}, %i: index, %f: f32) {
  %c = mpi.comm_world : !mpi.comm
  %a = memref.alloc() : memref<8x8xf32>
  mpi.allgather(%x, %a, %c) : memref<4x8xf32>, memref<8x8xf32>
  memref.store %f, %t[%i, %i] : memref<8x8xf32>
  memref.copy %a, %t : memref<8x8xf32> to memref<8x8xf32>
  return
}
func.func @used_behind(%x: memref<4x8xf32>, %t: memref<8x8xf32> {inplace.returnable}) -> memref<8x8xf32> {
  %c = mpi.comm_world : !mpi.comm
  %a = memref.alloc() : memref<8x8xf32>
  mpi.allgather(%x, %a, %c) : memref<4x8xf32>, memref<8x8xf32>
  memref.copy %a, %t : memref<8x8xf32> to memref<8x8xf32>
  return %a : memref<8x8xf32>
}
func.func private @other()
func.func @unknown(%x: memref<4x8xf32>, %t: memref<8x8xf32> {inplace.returnable}) {
  %c = mpi.comm_world : !mpi.comm
  %a = memref.alloc() : memref<8x8xf32>
  mpi.allgather(%x, %a, %c) : memref<4x8xf32>, memref<8x8xf32>
  call @other() : () -> ()
  memref.copy %a, %t : memref<8x8xf32> to memref<8x8xf32>
  return
}
func.func @place_unknown(%x: memref<4x8xf32>, %t: memref<20x8xf32> {inplace.returnable}, %i: index) {
  %c = mpi.comm_world : !mpi.comm
  %a = memref.alloc() : memref<8x8xf32>
  mpi.allgather(%x, %a, %c) : memref<4x8xf32>, memref<8x8xf32>
  %j = arith.addi %i, %i : index
  %s = memref.subview %t[%j, 0] [8, 8] [1, 1] : memref<20x8xf32> to memref<8x8xf32, strided<[8, 1], offset: ?>>
  memref.copy %a, %s : memref<8x8xf32> to memref<8x8xf32, strided<[8, 1], offset: ?>>
  return
}

// -----

// Memory that is allocated here is apart from arguments, in functions that others call, too.
// CHECK-LABEL: func.func private @allocated
//       CHECK:   mpi.allgather(%{{[^,]*}}, %[[T:[^,]*]],
//   CHECK-NOT:   memref.copy
//       CHECK:   return %[[T]]
func.func private @allocated(%x: memref<4x8xf32>) -> memref<8x8xf32> {
  %c = mpi.comm_world : !mpi.comm
  %t = memref.alloc() : memref<8x8xf32>
  %a = memref.alloc() : memref<8x8xf32>
  mpi.allgather(%x, %a, %c) : memref<4x8xf32>, memref<8x8xf32>
  memref.copy %a, %t : memref<8x8xf32> to memref<8x8xf32>
  return %t : memref<8x8xf32>
}
func.func @calls(%x: memref<4x8xf32>) -> memref<8x8xf32> {
  %0 = call @allocated(%x) : (memref<4x8xf32>) -> memref<8x8xf32>
  return %0 : memref<8x8xf32>
}

// -----

// A global is apart from what is allocated here.
// CHECK-LABEL: func.func @global
//       CHECK:   %[[T:.*]] = memref.get_global @g
//       CHECK:   mpi.allgather(%{{[^,]*}}, %[[T]],
//   CHECK-NOT:   memref.copy
//       CHECK:   return
memref.global "private" @g : memref<8x8xf32> = uninitialized
func.func @global(%f: f32) {
  %c = mpi.comm_world : !mpi.comm
  %x = memref.alloc() : memref<4x8xf32>
  linalg.fill ins(%f : f32) outs(%x : memref<4x8xf32>)
  %t = memref.get_global @g : memref<8x8xf32>
  %a = memref.alloc() : memref<8x8xf32>
  mpi.allgather(%x, %a, %c) : memref<4x8xf32>, memref<8x8xf32>
  memref.copy %a, %t : memref<8x8xf32> to memref<8x8xf32>
  memref.dealloc %x : memref<4x8xf32>
  return
}

// -----

// Users in another block, a copy into the allocation itself, a cast to an unranked memref, a layout without strides.
// CHECK-LABEL: func.func @other_block
//       CHECK:   memref.copy
// CHECK-LABEL: func.func @itself
//       CHECK:   memref.copy
// CHECK-LABEL: func.func @unranked
//       CHECK:   memref.copy
// CHECK-LABEL: func.func @no_strides
//       CHECK:   memref.copy
func.func @other_block(%x: memref<4x8xf32>, %t: memref<8x8xf32> {inplace.returnable}) {
  %c = mpi.comm_world : !mpi.comm
  %a = memref.alloc() : memref<8x8xf32>
  memref.copy %a, %t : memref<8x8xf32> to memref<8x8xf32>
  cf.br ^next
^next:
  mpi.allgather(%x, %a, %c) : memref<4x8xf32>, memref<8x8xf32>
  return
}
func.func @itself(%x: memref<4x8xf32>) {
  %c = mpi.comm_world : !mpi.comm
  %a = memref.alloc() : memref<8x8xf32>
  mpi.allgather(%x, %a, %c) : memref<4x8xf32>, memref<8x8xf32>
  memref.copy %a, %a : memref<8x8xf32> to memref<8x8xf32>
  return
}
func.func private @show(memref<*xf32>)
func.func @unranked(%t: memref<8x8xf32> {inplace.returnable}) {
  %a = memref.alloc() : memref<8x8xf32>
  %s = memref.subview %a[0, 0] [4, 8] [1, 1] : memref<8x8xf32> to memref<4x8xf32, strided<[8, 1]>>
  %u = memref.cast %s : memref<4x8xf32, strided<[8, 1]>> to memref<*xf32>
  call @show(%u) : (memref<*xf32>) -> ()
  memref.copy %a, %t : memref<8x8xf32> to memref<8x8xf32>
  return
}
#pairs = affine_map<(i, j) -> (i floordiv 2, j, i mod 2)>
func.func @no_strides(%x: memref<4x8xf32>, %t: memref<8x8xf32, #pairs> {inplace.returnable}) {
  %c = mpi.comm_world : !mpi.comm
  %a = memref.alloc() : memref<8x8xf32>
  mpi.allgather(%x, %a, %c) : memref<4x8xf32>, memref<8x8xf32>
  memref.copy %a, %t : memref<8x8xf32> to memref<8x8xf32, #pairs>
  return
}

// -----

// Columns are exchanged in turn, into their places.
// CHECK-LABEL: func.func @columns
//  CHECK-SAME:   %{{[^:]*}}: memref<4x8xf32>, %[[T:[^:]*]]: memref<20x19xf32>
//   CHECK-NOT:   memref.alloc
//       CHECK:   %[[S:.*]] = memref.subview %[[T]]
//       CHECK:   %[[CAST:.*]] = memref.cast %[[S]]
//  CHECK-NEXT:   call @inplace_mpi_exchange_parts_2_1_all_2d_f32(%{{.*}}, %[[CAST]],
//   CHECK-NOT:   memref.copy
//       CHECK:   return
!any = memref<?x?xf32, strided<[?, ?], offset: ?>>
!slice = memref<4x16xf32, strided<[19, 1], offset: ?>>
func.func private @inplace_mpi_exchange_parts_2_1_all_2d_f32(!any, !any, !mpi.comm)
func.func @columns(%x: memref<4x8xf32>, %t: memref<20x19xf32> {inplace.returnable}, %i: index) {
  %c = mpi.comm_world : !mpi.comm
  %a = memref.alloc() : memref<4x16xf32>
  %sent = memref.cast %x : memref<4x8xf32> to !any
  %filled = memref.cast %a : memref<4x16xf32> to !any
  func.call @inplace_mpi_exchange_parts_2_1_all_2d_f32(%sent, %filled, %c) : (!any, !any, !mpi.comm) -> ()
  %s = memref.subview %t[%i, 2] [4, 16] [1, 1] : memref<20x19xf32> to !slice
  memref.copy %a, %s : memref<4x16xf32> to !slice
  return
}

// -----

// Rows into memory with gaps: few from few ranks, or many.
// CHECK-LABEL: func.func @gaps
//       CHECK:   %[[SIZE:.*]] = mpi.comm_size
//       CHECK:   %[[SAME:.*]] = arith.cmpi eq, %[[SIZE]], %{{.*}} : i32
//       CHECK:   cf.assert %[[SAME]], "mpi.allgather: the sizes of source and destination do not agree"
//       CHECK:   call @inplace_mpi_exchange_parts_2_0_all_2d_f32
//   CHECK-NOT:   memref.copy
// CHECK-LABEL: func.func @long_gaps
//       CHECK:   call @inplace_mpi_exchange_parts_8_0_all_2d_f32
//   CHECK-NOT:   memref.copy
// CHECK-LABEL: func.func @one_row
//       CHECK:   call @inplace_mpi_exchange_parts_2_1_all_2d_f64
//   CHECK-NOT:   memref.copy
//       CHECK:   return
func.func @gaps(%x: memref<4x8xf32>, %t: memref<8x19xf32> {inplace.returnable}) {
  %c = mpi.comm_world : !mpi.comm
  %a = memref.alloc() : memref<8x8xf32>
  mpi.allgather(%x, %a, %c) : memref<4x8xf32>, memref<8x8xf32>
  %s = memref.subview %t[0, 2] [8, 8] [1, 1] : memref<8x19xf32> to memref<8x8xf32, strided<[19, 1], offset: 2>>
  memref.copy %a, %s : memref<8x8xf32> to memref<8x8xf32, strided<[19, 1], offset: 2>>
  return
}
func.func @long_gaps(%x: memref<2000x10xf32>, %t: memref<16000x19xf32> {inplace.returnable}) {
  %c = mpi.comm_world : !mpi.comm
  %a = memref.alloc() : memref<16000x10xf32>
  mpi.allgather(%x, %a, %c) : memref<2000x10xf32>, memref<16000x10xf32>
  %s = memref.subview %t[0, 2] [16000, 10] [1, 1]
    : memref<16000x19xf32> to memref<16000x10xf32, strided<[19, 1], offset: 2>>
  memref.copy %a, %s : memref<16000x10xf32> to memref<16000x10xf32, strided<[19, 1], offset: 2>>
  return
}
func.func @one_row(%x: memref<1x4xf64>, %t: memref<1x19xf64> {inplace.returnable}) {
  %c = mpi.comm_world : !mpi.comm
  %a = memref.alloc() : memref<1x8xf64>
  mpi.allgather(%x, %a, %c) : memref<1x4xf64>, memref<1x8xf64>
  %s = memref.subview %t[0, 2] [1, 8] [1, 2] : memref<1x19xf64> to memref<1x8xf64, strided<[19, 2], offset: 2>>
  memref.copy %a, %s : memref<1x8xf64> to memref<1x8xf64, strided<[19, 2], offset: 2>>
  return
}

// -----

// Few elements of many ranks take fewer messages at once; what is gathered are no rows; the sizes are not known; no
// other message is received in memory with gaps.
// CHECK-LABEL: func.func @many_ranks
//       CHECK:   memref.copy
// CHECK-LABEL: func.func @no_rows
//       CHECK:   memref.copy
// CHECK-LABEL: func.func @dynamic
//       CHECK:   memref.copy
// CHECK-LABEL: func.func @reduced
//       CHECK:   memref.copy
func.func @many_ranks(%x: memref<2x8xf32>, %t: memref<16x19xf32> {inplace.returnable}) {
  %c = mpi.comm_world : !mpi.comm
  %a = memref.alloc() : memref<16x8xf32>
  mpi.allgather(%x, %a, %c) : memref<2x8xf32>, memref<16x8xf32>
  %s = memref.subview %t[0, 2] [16, 8] [1, 1] : memref<16x19xf32> to memref<16x8xf32, strided<[19, 1], offset: 2>>
  memref.copy %a, %s : memref<16x8xf32> to memref<16x8xf32, strided<[19, 1], offset: 2>>
  return
}
func.func @no_rows(%x: memref<4x4xf32>, %t: memref<4x19xf32> {inplace.returnable}) {
  %c = mpi.comm_world : !mpi.comm
  %a = memref.alloc() : memref<4x8xf32>
  mpi.allgather(%x, %a, %c) : memref<4x4xf32>, memref<4x8xf32>
  %s = memref.subview %t[0, 2] [4, 8] [1, 1] : memref<4x19xf32> to memref<4x8xf32, strided<[19, 1], offset: 2>>
  memref.copy %a, %s : memref<4x8xf32> to memref<4x8xf32, strided<[19, 1], offset: 2>>
  return
}
func.func @dynamic(%x: memref<2x?xf32>, %t: memref<4x19xf32> {inplace.returnable}, %n: index) {
  %c = mpi.comm_world : !mpi.comm
  %a = memref.alloc(%n) : memref<4x?xf32>
  mpi.allgather(%x, %a, %c) : memref<2x?xf32>, memref<4x?xf32>
  %s = memref.subview %t[0, 2] [4, %n] [1, 1] : memref<4x19xf32> to memref<4x?xf32, strided<[19, 1], offset: 2>>
  memref.copy %a, %s : memref<4x?xf32> to memref<4x?xf32, strided<[19, 1], offset: 2>>
  return
}
func.func @reduced(%x: memref<8x8xf32>, %t: memref<4x19xf32> {inplace.returnable}) {
  %c = mpi.comm_world : !mpi.comm
  %a = memref.alloc() : memref<4x8xf32>
  mpi.reduce_scatter_block(%x, %a, MPI_SUM, %c) : memref<8x8xf32>, memref<4x8xf32>
  %s = memref.subview %t[0, 2] [4, 8] [1, 1] : memref<4x19xf32> to memref<4x8xf32, strided<[19, 1], offset: 2>>
  memref.copy %a, %s : memref<4x8xf32> to memref<4x8xf32, strided<[19, 1], offset: 2>>
  return
}

// -----

// Other messages, into memory without gaps.
// CHECK-LABEL: func.func @others
//   CHECK-NOT:   memref.copy
//       CHECK:   return
func.func private @inplace_mpi_sendrecv_1d_f32(memref<4xf32>, i32, memref<4xf32>, i32, !mpi.comm)
func.func @others(%x: memref<4xf32>, %t: memref<4xf32> {inplace.returnable}, %u: memref<4xf32> {inplace.returnable},
    %v: memref<4xf32> {inplace.returnable}, %w: memref<2xf32> {inplace.returnable},
    %to: i32, %tag: i32) {
  %c = mpi.comm_world : !mpi.comm
  %a = memref.alloc() : memref<4xf32>
  func.call @inplace_mpi_sendrecv_1d_f32(%x, %to, %a, %to, %c) : (memref<4xf32>, i32, memref<4xf32>, i32, !mpi.comm) -> ()
  memref.copy %a, %t : memref<4xf32> to memref<4xf32>
  %b = memref.alloc() : memref<4xf32>
  mpi.recv(%b, %tag, %to, %c) : memref<4xf32>, i32, i32
  memref.copy %b, %u : memref<4xf32> to memref<4xf32>
  %s = memref.alloc() : memref<4xf32>
  mpi.allreduce(%x, %s, MPI_SUM, %c) : memref<4xf32>, memref<4xf32>
  memref.copy %s, %v : memref<4xf32> to memref<4xf32>
  %r = memref.alloc() : memref<2xf32>
  mpi.reduce_scatter_block(%x, %r, MPI_SUM, %c) : memref<4xf32>, memref<2xf32>
  memref.copy %r, %w : memref<2xf32> to memref<2xf32>
  return
}

// -----

// What an exchange of parts reads besides is where it would be received; the sum is that of the memory itself.
// CHECK-LABEL: func.func private @offsets
//       CHECK:   memref.copy
// CHECK-LABEL: func.func @in_itself
//       CHECK:   memref.copy
!any = memref<?xindex, strided<[?], offset: ?>>
func.func private @inplace_mpi_exchange_parts_2_0_all_sizes_1d_index(!any, !any, memref<3xindex>, !mpi.comm)
func.func private @offsets(%x: memref<?xindex>, %o: memref<3xindex>, %t: memref<3xindex> {inplace.returnable}) {
  %c = mpi.comm_world : !mpi.comm
  %a = memref.alloc() : memref<3xindex>
  %sent = memref.cast %x : memref<?xindex> to !any
  %filled = memref.cast %a : memref<3xindex> to !any
  func.call @inplace_mpi_exchange_parts_2_0_all_sizes_1d_index(%sent, %filled, %o, %c)
    : (!any, !any, memref<3xindex>, !mpi.comm) -> ()
  memref.copy %a, %t : memref<3xindex> to memref<3xindex>
  return
}
func.func @in_itself(%t: memref<4xf32> {inplace.returnable}) {
  %c = mpi.comm_world : !mpi.comm
  %s = memref.alloc() : memref<4xf32>
  mpi.allreduce(%s, %s, MPI_SUM, %c) : memref<4xf32>, memref<4xf32>
  memref.copy %s, %t : memref<4xf32> to memref<4xf32>
  return
}
