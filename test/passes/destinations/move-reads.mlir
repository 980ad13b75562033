// RUN: inplace-opt %s --split-input-file --inplace-move-reads | filecheck %s
// RUN: inplace-opt %s --split-input-file --inplace-move-reads --inplace-move-reads | filecheck %s
// RUN: inplace-opt %s --split-input-file --pass-pipeline='builtin.module(inplace-move-reads,inplace-one-shot-bufferize{bufferize-function-boundaries=true warn-written-arguments=false},canonicalize)' | filecheck %s --check-prefix=BUFFERS

// An element.
// CHECK-LABEL: func.func @element
// BUFFERS-LABEL: func.func @element
func.func @element(%t: tensor<1024xf32>, %x: f32, %i: index, %j: index) -> (tensor<1024xf32>, f32) {
  // CHECK-NEXT: tensor.extract
  // CHECK-NEXT: tensor.insert
  // BUFFERS-NEXT: memref.load
  // BUFFERS-NEXT: memref.store
  // BUFFERS-NEXT: return
  %r = tensor.insert %x into %t[%i] : tensor<1024xf32>
  %o = tensor.extract %t[%j] : tensor<1024xf32>
  return %r, %o : tensor<1024xf32>, f32
}

// -----

// What the read needs comes along, and what came before it stays.
// CHECK-LABEL: func.func @index_of_the_read
func.func @index_of_the_read(%t: tensor<1024xf32>, %x: f32, %i: index) -> (tensor<1024xf32>, f32, f32) {
  // CHECK:      %[[J:.*]] = arith.addi
  // CHECK-NEXT: %[[O:.*]] = tensor.extract %{{.*}}[%[[J]]]
  // CHECK-NEXT: tensor.insert
  // CHECK-NEXT: arith.addf
  %r = tensor.insert %x into %t[%i] : tensor<1024xf32>
  %y = arith.addf %x, %x : f32
  %j = arith.addi %i, %i : index
  %o = tensor.extract %t[%j] : tensor<1024xf32>
  return %r, %o, %y : tensor<1024xf32>, f32, f32
}

// -----

// A loop, and a loop that is behind another one.
// CHECK-LABEL: func.func @loops
// BUFFERS-LABEL: func.func @loops
func.func @loops(%t: tensor<64xf32>, %n: index) -> (tensor<64xf32>, f32) {
  // CHECK:     scf.for
  // CHECK:       tensor.extract
  // CHECK:     scf.for
  // CHECK:       linalg.add
  // BUFFERS-NOT: memref.alloc
  // BUFFERS-NOT: memref.copy
  // BUFFERS: return
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0.0 : f32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %t) -> (tensor<64xf32>) {
    %b = linalg.add ins(%a, %a : tensor<64xf32>, tensor<64xf32>) outs(%a : tensor<64xf32>) -> tensor<64xf32>
    scf.yield %b : tensor<64xf32>
  }
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%a = %z) -> (f32) {
    %o = tensor.extract %t[%i] : tensor<64xf32>
    %b = arith.addf %a, %o : f32
    scf.yield %b : f32
  }
  return %r, %s : tensor<64xf32>, f32
}

// -----

// The read has an effect and cannot move; the write can.
func.func private @show(tensor<64xf32> {bufferization.access = "read"})
// CHECK-LABEL: func.func @write_behind
// BUFFERS-LABEL: func.func @write_behind
func.func @write_behind(%t: tensor<64xf32>, %x: f32, %i: index) -> tensor<64xf32> {
  // CHECK-NEXT: call @show
  // CHECK-NEXT: tensor.insert
  // BUFFERS-NOT: memref.alloc
  // BUFFERS: return
  %r = tensor.insert %x into %t[%i] : tensor<64xf32>
  call @show(%t) : (tensor<64xf32>) -> ()
  return %r : tensor<64xf32>
}

// -----

// The old slice is returned: only that is copied.
// CHECK-LABEL: func.func @slice
// BUFFERS-LABEL: func.func @slice
func.func @slice(%t: tensor<64x64xf32>, %x: f32, %i: index) -> (tensor<64x64xf32>, tensor<64xf32>) {
  // CHECK-NEXT: %[[S:.*]] = tensor.extract_slice
  // CHECK-NEXT: tensor.insert
  // CHECK-NEXT: return %{{.*}}, %[[S]]
  // BUFFERS: memref.alloc() {{.*}} : memref<64xf32>
  // BUFFERS-NOT: memref.alloc
  // BUFFERS: return
  %r = tensor.insert %x into %t[%i, %i] : tensor<64x64xf32>
  %s = tensor.extract_slice %t[5, 0] [1, 64] [1, 1] : tensor<64x64xf32> to tensor<64xf32>
  return %r, %s : tensor<64x64xf32>, tensor<64xf32>
}

// -----

// Four slices are returned: they are copied instead of the whole tensor, which the decisions alone find.
// CHECK-LABEL: func.func @copied_slices
// BUFFERS-LABEL: func.func @copied_slices
func.func @copied_slices(%t: tensor<64xf32>)
    -> (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<64xf32>) {
  %a = tensor.extract_slice %t[0] [1] [1] : tensor<64xf32> to tensor<1xf32>
  %r = tensor.insert_slice %a into %t[0] [1] [1] : tensor<1xf32> into tensor<64xf32>
  %s = tensor.extract_slice %t[0] [1] [1] : tensor<64xf32> to tensor<1xf32>
  %o = tensor.extract_slice %t[2] [1] [1] : tensor<64xf32> to tensor<1xf32>
  %m = tensor.extract_slice %t[4] [1] [1] : tensor<64xf32> to tensor<1xf32>
  %n = tensor.extract_slice %t[6] [1] [1] : tensor<64xf32> to tensor<1xf32>
  // CHECK-NOT: bufferization.alloc_tensor
  // CHECK: return
  // BUFFERS-COUNT-4: memref.alloc() {{.*}} : memref<1xf32>
  // BUFFERS-NOT: memref.alloc
  // BUFFERS: return
  %u = linalg.generic {
      indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]
    } ins(%r : tensor<64xf32>) outs(%t : tensor<64xf32>) {
  ^bb0(%p: f32, %q: f32):
    %z = arith.addf %p, %q : f32
    linalg.yield %z : f32
  } -> tensor<64xf32>
  return %s, %o, %m, %n, %u : tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<64xf32>
}

// -----

// Two rows change places: only they are copied as it is, also where moves pay elsewhere.
// CHECK-LABEL: func.func @swap
// BUFFERS-LABEL: func.func @swap
func.func @swap(%t: tensor<64x64xf32>, %i: index, %j: index) -> tensor<64x64xf32> {
  // CHECK-NOT: bufferization.alloc_tensor
  // CHECK: return
  // BUFFERS-COUNT-2: memref.alloc() {{.*}} : memref<64xf32>
  // BUFFERS-NOT: memref.alloc
  // BUFFERS: return
  %a = tensor.extract_slice %t[%i, 0] [1, 64] [1, 1] : tensor<64x64xf32> to tensor<64xf32>
  %b = tensor.extract_slice %t[%j, 0] [1, 64] [1, 1] : tensor<64x64xf32> to tensor<64xf32>
  %u = tensor.insert_slice %a into %t[%j, 0] [1, 64] [1, 1] : tensor<64xf32> into tensor<64x64xf32>
  %v = tensor.insert_slice %b into %u[%i, 0] [1, 64] [1, 1] : tensor<64xf32> into tensor<64x64xf32>
  return %v : tensor<64x64xf32>
}
// CHECK-LABEL: func.func @elsewhere
func.func @elsewhere(%t: tensor<64x64xf32>, %x: f32, %i: index) -> (tensor<64x64xf32>, tensor<64xf32>) {
  // CHECK-NEXT: tensor.extract_slice
  // CHECK-NEXT: tensor.insert
  // CHECK-NEXT: return
  %r = tensor.insert %x into %t[%i, %i] : tensor<64x64xf32>
  %s = tensor.extract_slice %t[5, 0] [1, 64] [1, 1] : tensor<64x64xf32> to tensor<64xf32>
  return %r, %s : tensor<64x64xf32>, tensor<64xf32>
}

// -----

// All of it: as it was.
// CHECK-LABEL: func.func @large_slice
func.func @large_slice(%t: tensor<64x64xf32>, %x: f32, %i: index) -> (tensor<64x64xf32>, tensor<32x128xf32>) {
  // CHECK-NEXT: tensor.insert
  // CHECK-NEXT: tensor.collapse_shape
  // CHECK-NEXT: tensor.expand_shape
  // CHECK-NEXT: return
  %r = tensor.insert %x into %t[%i, %i] : tensor<64x64xf32>
  %s = tensor.collapse_shape %t [[0, 1]] : tensor<64x64xf32> into tensor<4096xf32>
  %u = tensor.expand_shape %s [[0, 1]] output_shape [32, 128] : tensor<4096xf32> into tensor<32x128xf32>
  return %r, %u : tensor<64x64xf32>, tensor<32x128xf32>
}

// -----

// The read depends on the write, and the write cannot pass it.
// CHECK-LABEL: func.func @dependent
// BUFFERS-LABEL: func.func @dependent
func.func @dependent(%t: tensor<64xindex>, %x: index, %i: index) -> (tensor<64xindex>, index) {
  // CHECK-NEXT: tensor.insert
  // CHECK-NEXT: tensor.extract
  // CHECK-NEXT: tensor.extract
  // BUFFERS: memref.alloc
  // BUFFERS: memref.copy
  %r = tensor.insert %x into %t[%i] : tensor<64xindex>
  %j = tensor.extract %r[%x] : tensor<64xindex>
  %o = tensor.extract %t[%j] : tensor<64xindex>
  return %r, %o : tensor<64xindex>, index
}

// -----

// All of the old tensor is wanted: nothing would be gained.
// CHECK-LABEL: func.func @returned
func.func @returned(%t: tensor<64xf32>, %x: f32, %i: index) -> (tensor<64xf32>, tensor<64xf32>, f32) {
  // CHECK-NEXT: tensor.insert
  // CHECK-NEXT: tensor.extract
  // CHECK-NEXT: return
  %r = tensor.insert %x into %t[%i] : tensor<64xf32>
  %o = tensor.extract %t[%i] : tensor<64xf32>
  return %r, %t, %o : tensor<64xf32>, tensor<64xf32>, f32
}

// -----

// The assertion may be what keeps the index within bounds. The write, which moves behind it then, needs it no less.
// CHECK-LABEL: func.func @asserted
func.func @asserted(%t: tensor<64xf32>, %x: f32, %j: index, %ok: i1) -> (tensor<64xf32>, f32, f32) {
  // CHECK-NEXT: cf.assert
  // CHECK-NEXT: tensor.extract
  // CHECK-NEXT: tensor.insert
  // CHECK-NEXT: return
  %s = tensor.insert %x into %t[%j] : tensor<64xf32>
  cf.assert %ok, "index out of bounds"
  %o = tensor.extract %t[%j] : tensor<64xf32>
  return %s, %o, %x : tensor<64xf32>, f32, f32
}

// -----

// Here it cannot: the assertion needs the new content.
// CHECK-LABEL: func.func @assertion_reads
// BUFFERS-LABEL: func.func @assertion_reads
func.func @assertion_reads(%t: tensor<64xi1>, %x: i1, %j: index) -> (tensor<64xi1>, i1) {
  // CHECK-NEXT: tensor.insert
  // CHECK-NEXT: tensor.extract
  // CHECK-NEXT: cf.assert
  // CHECK-NEXT: tensor.extract
  // BUFFERS: memref.copy
  %s = tensor.insert %x into %t[%j] : tensor<64xi1>
  %ok = tensor.extract %s[%j] : tensor<64xi1>
  cf.assert %ok, "index out of bounds"
  %o = tensor.extract %t[%j] : tensor<64xi1>
  return %s, %o : tensor<64xi1>, i1
}

// -----

// The same with an index that is certainly within bounds.
// CHECK-LABEL: func.func @in_bounds
func.func @in_bounds(%t: tensor<64xi1>, %x: i1, %j: index) -> (tensor<64xi1>, i1) {
  // CHECK-NEXT: %[[C:.*]] = arith.constant 63
  // CHECK-NEXT: tensor.extract %{{.*}}[%[[C]]]
  // CHECK-NEXT: tensor.insert
  // CHECK-NEXT: tensor.extract
  // CHECK-NEXT: cf.assert
  // CHECK-NEXT: return
  %c63 = arith.constant 63 : index
  %s = tensor.insert %x into %t[%j] : tensor<64xi1>
  %ok = tensor.extract %s[%j] : tensor<64xi1>
  cf.assert %ok, "index out of bounds"
  %o = tensor.extract %t[%c63] : tensor<64xi1>
  return %s, %o : tensor<64xi1>, i1
}

// -----

// A slice backwards, whose last element exists.
// CHECK-LABEL: func.func @backwards
func.func @backwards(%t: tensor<64xi1>, %x: i1, %j: index) -> (tensor<64xi1>, tensor<3xi1>) {
  // CHECK: tensor.extract_slice
  // CHECK: linalg.copy
  // CHECK: tensor.insert
  // CHECK: cf.assert
  %s = tensor.insert %x into %t[%j] : tensor<64xi1>
  %ok = tensor.extract %s[%j] : tensor<64xi1>
  cf.assert %ok, "index out of bounds"
  %o = tensor.extract_slice %t[2] [3] [-1] : tensor<64xi1> to tensor<3xi1>
  %e = tensor.empty() : tensor<3xi1>
  %c = linalg.copy ins(%o : tensor<3xi1>) outs(%e : tensor<3xi1>) -> tensor<3xi1>
  return %s, %c : tensor<64xi1>, tensor<3xi1>
}

// -----

// Its last element would be in front of the first one of the tensor.
// CHECK-LABEL: func.func @backwards_too_far
func.func @backwards_too_far(%t: tensor<64xi1>, %x: i1, %j: index) -> (tensor<64xi1>, tensor<3xi1>) {
  // CHECK: tensor.insert
  // CHECK: cf.assert
  // CHECK: tensor.extract_slice
  // CHECK: linalg.copy
  %s = tensor.insert %x into %t[%j] : tensor<64xi1>
  %ok = tensor.extract %s[%j] : tensor<64xi1>
  cf.assert %ok, "index out of bounds"
  %o = tensor.extract_slice %t[1] [3] [-1] : tensor<64xi1> to tensor<3xi1>
  %e = tensor.empty() : tensor<3xi1>
  %c = linalg.copy ins(%o : tensor<3xi1>) outs(%e : tensor<3xi1>) -> tensor<3xi1>
  return %s, %c : tensor<64xi1>, tensor<3xi1>
}

// -----

// A call that returns may be passed, one that may not return must not.
func.func private @set(%t: tensor<64xf32>, %x: f32, %i: index) -> tensor<64xf32> {
  %r = tensor.insert %x into %t[%i] : tensor<64xf32>
  return %r : tensor<64xf32>
}
func.func private @set_or_stop(%t: tensor<64xf32>, %x: f32, %i: index, %ok: i1) -> tensor<64xf32> {
  cf.assert %ok, "stop"
  %r = tensor.insert %x into %t[%i] : tensor<64xf32>
  return %r : tensor<64xf32>
}
// CHECK-LABEL: func.func @calls
func.func @calls(%t: tensor<64xf32>, %u: tensor<64xf32>, %x: f32, %i: index, %ok: i1) -> (tensor<64xf32>, f32, tensor<64xf32>, f32) {
  // CHECK-NEXT: tensor.extract
  // CHECK-NEXT: call @set(
  // CHECK-NEXT: call @set_or_stop(
  // CHECK-NEXT: tensor.extract
  %r = call @set(%t, %x, %i) : (tensor<64xf32>, f32, index) -> tensor<64xf32>
  %o = tensor.extract %t[%i] : tensor<64xf32>
  %s = call @set_or_stop(%u, %x, %i, %ok) : (tensor<64xf32>, f32, index, i1) -> tensor<64xf32>
  %p = tensor.extract %u[%i] : tensor<64xf32>
  return %r, %o, %s, %p : tensor<64xf32>, f32, tensor<64xf32>, f32
}

// -----

// No copy of the slice can be made between the insertions of threads.
// CHECK-LABEL: func.func @threads
func.func @threads(%t: tensor<64xf32>, %n: index) -> tensor<64xf32> {
  // CHECK-NOT: bufferization.alloc_tensor
  // CHECK: return
  %r = scf.forall (%i) in (%n) shared_outs(%o = %t) -> (tensor<64xf32>) {
    %s = tensor.extract_slice %o[%n] [1] [1] : tensor<64xf32> to tensor<1xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %s into %o[%i] [1] [1] : tensor<1xf32> into tensor<64xf32>
    }
  }
  return %r : tensor<64xf32>
}
