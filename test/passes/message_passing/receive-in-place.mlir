// RUN: inplace-opt %s --split-input-file --inplace-receive-in-place | filecheck %s

// The slice is known in front of the gather: it moves there.
// CHECK-LABEL: func.func @gather
//  CHECK-SAME:   %[[X:[^:]*]]: memref<4x8xf32>, %[[T:[^:]*]]: memref<20x8xf32>
//   CHECK-NOT:   memref.alloc
//       CHECK:   %[[S:.*]] = memref.subview %[[T]]
//  CHECK-NEXT:   mpi.allgather(%[[X]], %[[S]],
//   CHECK-NOT:   memref.copy
//       CHECK:   return
func.func @gather(%x: memref<4x8xf32>, %t: memref<20x8xf32>, %i: index) {
  %c = mpi.comm_world : !mpi.comm
  %a = memref.alloc() : memref<8x8xf32>
  mpi.allgather(%x, %a, %c) : memref<4x8xf32>, memref<8x8xf32>
  %s = memref.subview %t[%i, 0] [8, 8] [1, 1] : memref<20x8xf32> to memref<8x8xf32, strided<[8, 1], offset: ?>>
  memref.copy %a, %s : memref<8x8xf32> to memref<8x8xf32, strided<[8, 1], offset: ?>>
  return
}

// -----

// Parts are received in turn: they are copied.
// CHECK-LABEL: func.func @in_turn
//       CHECK:   memref.copy %{{.*}}, %{{.*}} : memref<4x16xf32> to
func.func private @inplace_mpi_sendrecv_2d_f32(memref<?x?xf32, strided<[?, ?], offset: ?>>, i32, memref<?x?xf32, strided<[?, ?], offset: ?>>, i32, !mpi.comm)
func.func @in_turn(%x: memref<4x8xf32>, %t: memref<20x16xf32>, %mine: index, %n: index, %to: i32, %from: i32) {
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
func.func @same_memory(%t: memref<20x8xf32>, %i: index, %j: index) {
  %c = mpi.comm_world : !mpi.comm
  %x = memref.subview %t[%i, 0] [4, 8] [1, 1] : memref<20x8xf32> to memref<4x8xf32, strided<[8, 1], offset: ?>>
  %s = memref.subview %t[%j, 0] [8, 8] [1, 1] : memref<20x8xf32> to memref<8x8xf32, strided<[8, 1], offset: ?>>
  %a = memref.alloc() : memref<8x8xf32>
  mpi.allgather(%x, %a, %c) : memref<4x8xf32, strided<[8, 1], offset: ?>>, memref<8x8xf32>
  memref.copy %a, %s : memref<8x8xf32> to memref<8x8xf32, strided<[8, 1], offset: ?>>
  return
}
func.func @called(%x: memref<4x8xf32>, %t: memref<8x8xf32>) {
  %c = mpi.comm_world : !mpi.comm
  %a = memref.alloc() : memref<8x8xf32>
  mpi.allgather(%x, %a, %c) : memref<4x8xf32>, memref<8x8xf32>
  memref.copy %a, %t : memref<8x8xf32> to memref<8x8xf32>
  return
}
func.func @caller(%t: memref<8x8xf32>) {
  %x = memref.subview %t[0, 0] [4, 8] [1, 1] : memref<8x8xf32> to memref<4x8xf32, strided<[8, 1]>>
  %y = memref.cast %x : memref<4x8xf32, strided<[8, 1]>> to memref<4x8xf32>
  call @called(%y, %t) : (memref<4x8xf32>, memref<8x8xf32>) -> ()
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
func.func @read_between(%x: memref<4x8xf32>, %t: memref<8x8xf32>, %i: index) -> f32 {
  %c = mpi.comm_world : !mpi.comm
  %a = memref.alloc() : memref<8x8xf32>
  mpi.allgather(%x, %a, %c) : memref<4x8xf32>, memref<8x8xf32>
  %old = memref.load %t[%i, %i] : memref<8x8xf32>
  memref.copy %a, %t : memref<8x8xf32> to memref<8x8xf32>
  return %old : f32
}
func.func @written_between(%x: memref<4x8xf32>, %t: memref<8x8xf32>, %i: index, %f: f32) {
  %c = mpi.comm_world : !mpi.comm
  %a = memref.alloc() : memref<8x8xf32>
  mpi.allgather(%x, %a, %c) : memref<4x8xf32>, memref<8x8xf32>
  memref.store %f, %t[%i, %i] : memref<8x8xf32>
  memref.copy %a, %t : memref<8x8xf32> to memref<8x8xf32>
  return
}
func.func @used_behind(%x: memref<4x8xf32>, %t: memref<8x8xf32>) -> memref<8x8xf32> {
  %c = mpi.comm_world : !mpi.comm
  %a = memref.alloc() : memref<8x8xf32>
  mpi.allgather(%x, %a, %c) : memref<4x8xf32>, memref<8x8xf32>
  memref.copy %a, %t : memref<8x8xf32> to memref<8x8xf32>
  return %a : memref<8x8xf32>
}
func.func private @other()
func.func @unknown(%x: memref<4x8xf32>, %t: memref<8x8xf32>) {
  %c = mpi.comm_world : !mpi.comm
  %a = memref.alloc() : memref<8x8xf32>
  mpi.allgather(%x, %a, %c) : memref<4x8xf32>, memref<8x8xf32>
  call @other() : () -> ()
  memref.copy %a, %t : memref<8x8xf32> to memref<8x8xf32>
  return
}
func.func @place_unknown(%x: memref<4x8xf32>, %t: memref<20x8xf32>, %i: index) {
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
func.func @other_block(%x: memref<4x8xf32>, %t: memref<8x8xf32>) {
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
func.func @unranked(%t: memref<8x8xf32>) {
  %a = memref.alloc() : memref<8x8xf32>
  %s = memref.subview %a[0, 0] [4, 8] [1, 1] : memref<8x8xf32> to memref<4x8xf32, strided<[8, 1]>>
  %u = memref.cast %s : memref<4x8xf32, strided<[8, 1]>> to memref<*xf32>
  call @show(%u) : (memref<*xf32>) -> ()
  memref.copy %a, %t : memref<8x8xf32> to memref<8x8xf32>
  return
}
#pairs = affine_map<(i, j) -> (i floordiv 2, j, i mod 2)>
func.func @no_strides(%x: memref<4x8xf32>, %t: memref<8x8xf32, #pairs>) {
  %c = mpi.comm_world : !mpi.comm
  %a = memref.alloc() : memref<8x8xf32>
  mpi.allgather(%x, %a, %c) : memref<4x8xf32>, memref<8x8xf32>
  memref.copy %a, %t : memref<8x8xf32> to memref<8x8xf32, #pairs>
  return
}

// -----

// The slice has gaps: `mpi.allgather` needs elements that lie one after the other.
// CHECK-LABEL: func.func @gaps
//       CHECK:   memref.copy
func.func @gaps(%x: memref<4x4xf32>, %t: memref<20x8xf32>, %i: index) {
  %c = mpi.comm_world : !mpi.comm
  %a = memref.alloc() : memref<8x4xf32>
  mpi.allgather(%x, %a, %c) : memref<4x4xf32>, memref<8x4xf32>
  %s = memref.subview %t[%i, 2] [8, 4] [1, 1] : memref<20x8xf32> to memref<8x4xf32, strided<[8, 1], offset: ?>>
  memref.copy %a, %s : memref<8x4xf32> to memref<8x4xf32, strided<[8, 1], offset: ?>>
  return
}
