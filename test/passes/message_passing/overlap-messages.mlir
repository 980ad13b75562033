// RUN: inplace-opt %s --split-input-file --inplace-overlap-messages | filecheck %s

// Both sides of a halo are under way at once. What is received first is waited for where the loop reads it.
// CHECK-LABEL: func.func @halo
// CHECK: %[[R:.*]] = call @inplace_mpi_begin_receive_1d_f32
// CHECK-NEXT: %[[S:.*]] = call @inplace_mpi_begin_send_1d_f32
// CHECK: call @inplace_mpi_sendrecv_1d_f32
// CHECK-NEXT: %[[C:.*]] = call @inplace_mpi_wait_for(%[[R]])
// CHECK-NEXT: %[[OK:.*]] = mpi.retval_check %[[C]] = <MPI_SUCCESS> : i1
// CHECK-NEXT: cf.assert %[[OK]], "mpi.wait failed"
// CHECK-NEXT: call @inplace_mpi_wait_for(%[[S]])
// CHECK: linalg.fill
func.func private @inplace_mpi_sendrecv_1d_f32(memref<?xf32, strided<[1], offset: ?>>, i32, memref<?xf32, strided<[1], offset: ?>>, i32, !mpi.comm)
func.func @halo(%m: memref<?xf32>, %up: i32, %down: i32, %x: f32) {
  %c = mpi.comm_world : !mpi.comm
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %n = memref.dim %m, %c0 : memref<?xf32>
  %last = arith.subi %n, %c2 : index
  %end = arith.subi %n, %c1 : index
  %a = memref.subview %m[%last] [1] [1] : memref<?xf32> to memref<1xf32, strided<[1], offset: ?>>
  %b = memref.subview %m[0] [1] [1] : memref<?xf32> to memref<1xf32, strided<[1]>>
  %d = memref.subview %m[1] [1] [1] : memref<?xf32> to memref<1xf32, strided<[1], offset: 1>>
  %e = memref.subview %m[%end] [1] [1] : memref<?xf32> to memref<1xf32, strided<[1], offset: ?>>
  %ca = memref.cast %a : memref<1xf32, strided<[1], offset: ?>> to memref<?xf32, strided<[1], offset: ?>>
  %cb = memref.cast %b : memref<1xf32, strided<[1]>> to memref<?xf32, strided<[1], offset: ?>>
  %cd = memref.cast %d : memref<1xf32, strided<[1], offset: 1>> to memref<?xf32, strided<[1], offset: ?>>
  %ce = memref.cast %e : memref<1xf32, strided<[1], offset: ?>> to memref<?xf32, strided<[1], offset: ?>>
  call @inplace_mpi_sendrecv_1d_f32(%ca, %up, %cb, %down, %c) : (memref<?xf32, strided<[1], offset: ?>>, i32, memref<?xf32, strided<[1], offset: ?>>, i32, !mpi.comm) -> ()
  call @inplace_mpi_sendrecv_1d_f32(%cd, %down, %ce, %up, %c) : (memref<?xf32, strided<[1], offset: ?>>, i32, memref<?xf32, strided<[1], offset: ?>>, i32, !mpi.comm) -> ()
  linalg.fill ins(%x : f32) outs(%m : memref<?xf32>)
  return
}

// -----

// Halos that are as wide as the whole: what the second exchange sends was received by the first.
// CHECK-LABEL: func.func @all_halo
// CHECK-NOT: begin
// CHECK: return
func.func private @inplace_mpi_sendrecv_1d_f32(memref<?xf32, strided<[1], offset: ?>>, i32, memref<?xf32, strided<[1], offset: ?>>, i32, !mpi.comm)
func.func @all_halo(%m: memref<?xf32>, %up: i32, %down: i32) {
  %c = mpi.comm_world : !mpi.comm
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %m, %c0 : memref<?xf32>
  %end = arith.subi %n, %c1 : index
  %b = memref.subview %m[0] [2] [1] : memref<?xf32> to memref<2xf32, strided<[1]>>
  %d = memref.subview %m[1] [2] [1] : memref<?xf32> to memref<2xf32, strided<[1], offset: 1>>
  %e = memref.subview %m[%end] [1] [1] : memref<?xf32> to memref<1xf32, strided<[1], offset: ?>>
  %cb = memref.cast %b : memref<2xf32, strided<[1]>> to memref<?xf32, strided<[1], offset: ?>>
  %cd = memref.cast %d : memref<2xf32, strided<[1], offset: 1>> to memref<?xf32, strided<[1], offset: ?>>
  %ce = memref.cast %e : memref<1xf32, strided<[1], offset: ?>> to memref<?xf32, strided<[1], offset: ?>>
  call @inplace_mpi_sendrecv_1d_f32(%ce, %up, %cb, %down, %c) : (memref<?xf32, strided<[1], offset: ?>>, i32, memref<?xf32, strided<[1], offset: ?>>, i32, !mpi.comm) -> ()
  call @inplace_mpi_sendrecv_1d_f32(%cd, %down, %ce, %up, %c) : (memref<?xf32, strided<[1], offset: ?>>, i32, memref<?xf32, strided<[1], offset: ?>>, i32, !mpi.comm) -> ()
  return
}

// -----

// What is received goes into memory of its own: a product of other memory runs meanwhile; what is sent may be read.
// CHECK-LABEL: func.func @meanwhile
// CHECK: begin_receive
// CHECK: begin_send
// CHECK: linalg.matmul
// CHECK: inplace_mpi_wait_for
// CHECK: inplace_mpi_wait_for
// CHECK: linalg.add
func.func private @inplace_mpi_sendrecv_2d_f32(memref<8x8xf32>, i32, memref<8x8xf32>, i32, !mpi.comm)
func.func @meanwhile(%a: memref<8x8xf32>, %up: i32, %down: i32) -> memref<8x8xf32> {
  %c = mpi.comm_world : !mpi.comm
  %got = memref.alloc() : memref<8x8xf32>
  %p = memref.alloc() : memref<8x8xf32>
  call @inplace_mpi_sendrecv_2d_f32(%a, %up, %got, %down, %c) : (memref<8x8xf32>, i32, memref<8x8xf32>, i32, !mpi.comm) -> ()
  linalg.matmul ins(%a, %a : memref<8x8xf32>, memref<8x8xf32>) outs(%p : memref<8x8xf32>)
  linalg.add ins(%p, %got : memref<8x8xf32>, memref<8x8xf32>) outs(%p : memref<8x8xf32>)
  memref.dealloc %got : memref<8x8xf32>
  return %p : memref<8x8xf32>
}

// -----

// The product goes into an argument, which may be what is sent.
// CHECK-LABEL: func.func @may_be_sent
// CHECK-NOT: begin
// CHECK: return
func.func private @inplace_mpi_sendrecv_2d_f32(memref<8x8xf32>, i32, memref<8x8xf32>, i32, !mpi.comm)
func.func @may_be_sent(%a: memref<8x8xf32>, %p: memref<8x8xf32>, %up: i32, %down: i32) -> memref<8x8xf32> {
  %c = mpi.comm_world : !mpi.comm
  %got = memref.alloc() : memref<8x8xf32>
  call @inplace_mpi_sendrecv_2d_f32(%a, %up, %got, %down, %c) : (memref<8x8xf32>, i32, memref<8x8xf32>, i32, !mpi.comm) -> ()
  linalg.matmul ins(%a, %a : memref<8x8xf32>, memref<8x8xf32>) outs(%p : memref<8x8xf32>)
  return %got : memref<8x8xf32>
}

// -----

// Where the call may end early nothing is under way: an allocation, an assertion, a division by what may be 0.
// CHECK-LABEL: func.func @early_ends
// CHECK-NOT: begin
// CHECK: memref.alloc
// CHECK: return
func.func private @inplace_mpi_sendrecv_2d_f32(memref<8x8xf32>, i32, memref<8x8xf32>, i32, !mpi.comm)
func.func @early_ends(%a: memref<8x8xf32>, %up: i32, %down: i32, %i: i32, %ok: i1) -> (memref<8x8xf32>, memref<8x8xf32>, i32) {
  %c = mpi.comm_world : !mpi.comm
  %got = memref.alloc() : memref<8x8xf32>
  call @inplace_mpi_sendrecv_2d_f32(%a, %up, %got, %down, %c) : (memref<8x8xf32>, i32, memref<8x8xf32>, i32, !mpi.comm) -> ()
  %p = memref.alloc() : memref<8x8xf32>
  linalg.matmul ins(%a, %a : memref<8x8xf32>, memref<8x8xf32>) outs(%p : memref<8x8xf32>)
  call @inplace_mpi_sendrecv_2d_f32(%a, %up, %got, %down, %c) : (memref<8x8xf32>, i32, memref<8x8xf32>, i32, !mpi.comm) -> ()
  cf.assert %ok, "early"
  linalg.matmul ins(%a, %a : memref<8x8xf32>, memref<8x8xf32>) outs(%p : memref<8x8xf32>)
  call @inplace_mpi_sendrecv_2d_f32(%a, %up, %got, %down, %c) : (memref<8x8xf32>, i32, memref<8x8xf32>, i32, !mpi.comm) -> ()
  %q = arith.divsi %up, %i : i32
  linalg.matmul ins(%a, %a : memref<8x8xf32>, memref<8x8xf32>) outs(%p : memref<8x8xf32>)
  return %got, %p, %q : memref<8x8xf32>, memref<8x8xf32>, i32
}

// -----

// A loop that swaps its buffers may hold what is received.
// CHECK-LABEL: func.func @carried
// CHECK-NOT: begin
// CHECK: return
func.func private @inplace_mpi_sendrecv_2d_f32(memref<8x8xf32>, i32, memref<8x8xf32>, i32, !mpi.comm)
func.func @carried(%up: i32, %down: i32, %n: index) {
  %c = mpi.comm_world : !mpi.comm
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %x = arith.constant 0.0 : f32
  %a = memref.alloc() : memref<8x8xf32>
  %b = memref.alloc() : memref<8x8xf32>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %a, %t = %b) -> (memref<8x8xf32>, memref<8x8xf32>) {
    func.call @inplace_mpi_sendrecv_2d_f32(%s, %up, %t, %down, %c) : (memref<8x8xf32>, i32, memref<8x8xf32>, i32, !mpi.comm) -> ()
    linalg.fill ins(%x : f32) outs(%a : memref<8x8xf32>)
    scf.yield %t, %s : memref<8x8xf32>, memref<8x8xf32>
  }
  memref.dealloc %a : memref<8x8xf32>
  memref.dealloc %b : memref<8x8xf32>
  return
}

// -----

// A product runs while the ranks add up other memory. The second sum is begun, too, as MPI lets no sum that is begun meet
// one that waits; both are under way at once, and memory of neither is freed before.
// CHECK-LABEL: func.func @sums
// CHECK: %[[A:.*]] = call @inplace_mpi_begin_allreduce_3_
// CHECK-NEXT: linalg.matmul
// CHECK-NEXT: %[[B:.*]] = call @inplace_mpi_begin_allreduce_3_
// CHECK-NEXT: memref.dealloc
// CHECK-NEXT: call @inplace_mpi_wait_for(%[[A]])
// CHECK: call @inplace_mpi_wait_for(%[[B]])
// CHECK: linalg.add
func.func @sums(%a: memref<8x8xf32>, %m: memref<8x8xf32>, %o: memref<8x8xf32>) {
  %c = mpi.comm_world : !mpi.comm
  %x = memref.alloc() : memref<8x8xf32>
  %p = memref.alloc() : memref<8x8xf32>
  %t = memref.alloc() : memref<8x8xf32>
  memref.copy %m, %x : memref<8x8xf32> to memref<8x8xf32>
  mpi.allreduce(%x, %x, MPI_SUM, %c) : memref<8x8xf32>, memref<8x8xf32>
  linalg.matmul ins(%a, %a : memref<8x8xf32>, memref<8x8xf32>) outs(%p : memref<8x8xf32>)
  mpi.allreduce(%p, %p, MPI_SUM, %c) : memref<8x8xf32>, memref<8x8xf32>
  memref.dealloc %t : memref<8x8xf32>
  linalg.add ins(%p, %x : memref<8x8xf32>, memref<8x8xf32>) outs(%o : memref<8x8xf32>)
  return
}

// -----

// Nothing is done behind, or what is sent changes: each sum waits.
// CHECK-LABEL: func.func @needed_at_once
// CHECK-NOT: begin
// CHECK: return
func.func @needed_at_once(%a: memref<8xf32>, %b: memref<8xf32>, %x: f32) {
  %c = mpi.comm_world : !mpi.comm
  %m = memref.alloc() : memref<8xf32>
  mpi.allreduce(%a, %m, MPI_SUM, %c) : memref<8xf32>, memref<8xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<8xf32>)
  mpi.allreduce(%b, %m, MPI_SUM, %c) : memref<8xf32>, memref<8xf32>
  linalg.add ins(%m, %a : memref<8xf32>, memref<8xf32>) outs(%b : memref<8xf32>)
  return
}

// -----

// A gather into memory of its own; a kind of its own, so the sum that is needed at once waits as it did.
// CHECK-LABEL: func.func @gather
// CHECK: %[[A:.*]] = call @inplace_mpi_begin_allgather_
// CHECK-NEXT: linalg.fill
// CHECK-NEXT: mpi.allreduce
// CHECK-NEXT: memref.store
// CHECK-NEXT: call @inplace_mpi_wait_for(%[[A]])
func.func @gather(%a: memref<?xf32>, %all: memref<?xf32>, %n: index, %x: f32) {
  %c = mpi.comm_world : !mpi.comm
  %m = memref.alloc() : memref<8xf32>
  mpi.allgather(%a, %all, %c) : memref<?xf32>, memref<?xf32>
  linalg.fill ins(%x : f32) outs(%m : memref<8xf32>)
  mpi.allreduce(%m, %m, MPI_SUM, %c) : memref<8xf32>, memref<8xf32>
  memref.store %x, %m[%n] : memref<8xf32>
  return
}

// -----

// One of the kind returns its code, which is not known before the end; none is begun.
// CHECK-LABEL: func.func @code
// CHECK-NOT: begin
// CHECK: return
func.func @code(%a: memref<8xf32>, %x: f32) {
  %c = mpi.comm_world : !mpi.comm
  %m = memref.alloc() : memref<8xf32>
  %n = memref.alloc() : memref<8xf32>
  mpi.allreduce(%a, %a, MPI_SUM, %c) : memref<8xf32>, memref<8xf32>
  linalg.fill ins(%x : f32) outs(%m : memref<8xf32>)
  %e = mpi.allreduce(%m, %m, MPI_SUM, %c) : memref<8xf32>, memref<8xf32> -> !mpi.retval
  return
}

// -----

// An all-gather compares sizes when it runs, and ends the call where they do not agree: an exchange ends before.
// CHECK-LABEL: func.func @compared_in_between
// CHECK-NOT: begin
// CHECK: return
func.func private @inplace_mpi_sendrecv_1d_f32(memref<8xf32>, i32, memref<8xf32>, i32, !mpi.comm)
func.func @compared_in_between(%a: memref<8xf32>, %all: memref<16xf32>, %up: i32, %down: i32) {
  %c = mpi.comm_world : !mpi.comm
  %got = memref.alloc() : memref<8xf32>
  %own = memref.alloc() : memref<8xf32>
  %whole = memref.alloc() : memref<16xf32>
  call @inplace_mpi_sendrecv_1d_f32(%a, %up, %got, %down, %c) : (memref<8xf32>, i32, memref<8xf32>, i32, !mpi.comm) -> ()
  mpi.allgather(%own, %whole, %c) : memref<8xf32>, memref<16xf32>
  memref.copy %whole, %all : memref<16xf32> to memref<16xf32>
  return
}

// -----

// Functions are told apart by where strides are known.
// CHECK-LABEL: func.func @strides
//       CHECK:   call @[[F:.*_strided_d_1_.*]](
//       CHECK:   call @[[G:.*_strided_1_d_.*]](
func.func @strides(%x: memref<4x4xf32, strided<[?, 1]>>, %y: memref<4x4xf32, strided<[1, ?]>>, %f: f32)
    -> (memref<8x4xf32>, memref<8x4xf32>) {
  %c = mpi.comm_world : !mpi.comm
  %a = memref.alloc() : memref<8x4xf32>
  %b = memref.alloc() : memref<8x4xf32>
  %o = memref.alloc() : memref<8x4xf32>
  mpi.allgather(%x, %a, %c) : memref<4x4xf32, strided<[?, 1]>>, memref<8x4xf32>
  linalg.fill ins(%f : f32) outs(%o : memref<8x4xf32>)
  mpi.allgather(%y, %b, %c) : memref<4x4xf32, strided<[1, ?]>>, memref<8x4xf32>
  linalg.fill ins(%f : f32) outs(%o : memref<8x4xf32>)
  memref.dealloc %o : memref<8x4xf32>
  return %a, %b : memref<8x4xf32>, memref<8x4xf32>
}

// -----

// A division by what may be 0 may end the process: the message ends before, also where it has another name.
// CHECK-LABEL: func.func @divided
// CHECK-NOT: begin
// CHECK: return
func.func @divided(%a: memref<8xf32>, %x: f32, %n: index) -> index {
  %c = mpi.comm_world : !mpi.comm
  %m = memref.alloc() : memref<8xf32>
  mpi.allreduce(%a, %a, MPI_SUM, %c) : memref<8xf32>, memref<8xf32>
  %d = index.divs %n, %n
  linalg.fill ins(%x : f32) outs(%m : memref<8xf32>)
  return %d : index
}
