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
