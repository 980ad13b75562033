// RUN: inplace-opt %s --split-input-file --inplace-convert-to-destination-style | filecheck %s
// RUN: inplace-opt %s --split-input-file --inplace-convert-to-destination-style --inplace-convert-to-destination-style | filecheck %s
// RUN: inplace-opt %s --split-input-file --pass-pipeline='builtin.module(inplace-convert-to-destination-style,inplace-one-shot-bufferize{bufferize-function-boundaries=true warn-written-arguments=false},canonicalize)' | filecheck %s --check-prefix=BUFFERS

// An empty tensor.
// CHECK-LABEL: func.func @empty
// CHECK-SAME:    %[[T:.*]]: tensor<10xf32>, %[[O:.*]]: index
func.func @empty(%t: tensor<10xf32>, %o: index, %c: f32) -> tensor<10xf32> {
  // CHECK-NEXT: %[[S:.*]] = tensor.extract_slice %[[T]][%[[O]]] [5] [1]
  // CHECK-NEXT: linalg.fill ins(%{{.*}}) outs(%[[S]]
  %e = tensor.empty() : tensor<5xf32>
  %f = linalg.fill ins(%c : f32) outs(%e : tensor<5xf32>) -> tensor<5xf32>
  %r = tensor.insert_slice %f into %t[%o] [5] [1] : tensor<5xf32> into tensor<10xf32>
  return %r : tensor<10xf32>
}

// -----

// Two products added up onto a tile that must not be written: the tile is copied into the destination.
// CHECK-LABEL: func.func @read_only_tile
// CHECK-SAME:    %[[A:.*]]: tensor<4x4xf32>, %[[IN:.*]]: tensor<8x8xf32> {bufferization.writable = false}, %[[T:.*]]: tensor<8x8xf32>,
// BUFFERS-LABEL: func.func @read_only_tile
func.func @read_only_tile(%a: tensor<4x4xf32>, %in: tensor<8x8xf32> {bufferization.writable = false}, %t: tensor<8x8xf32>, %i: index) -> tensor<8x8xf32> {
  // CHECK-NEXT: %[[TILE:.*]] = tensor.extract_slice %[[IN]]
  // CHECK-NEXT: %[[S:.*]] = tensor.extract_slice %[[T]]
  // CHECK-NEXT: %[[C:.*]] = bufferization.materialize_in_destination %[[TILE]] in %[[S]]
  // CHECK-NEXT: %[[M:.*]] = linalg.matmul {{.*}} outs(%[[C]]
  // CHECK-NEXT: %[[N:.*]] = linalg.matmul {{.*}} outs(%[[M]]
  // CHECK-NEXT: tensor.insert_slice %[[N]] into %[[T]]
  // BUFFERS-NOT: memref.alloc
  // BUFFERS: memref.copy
  // BUFFERS-NOT: memref.copy
  // BUFFERS: return
  %tile = tensor.extract_slice %in[%i, 0] [4, 4] [1, 1] : tensor<8x8xf32> to tensor<4x4xf32>
  %m = linalg.matmul ins(%a, %a : tensor<4x4xf32>, tensor<4x4xf32>) outs(%tile : tensor<4x4xf32>) -> tensor<4x4xf32>
  %n = linalg.matmul ins(%a, %a : tensor<4x4xf32>, tensor<4x4xf32>) outs(%m : tensor<4x4xf32>) -> tensor<4x4xf32>
  %r = tensor.insert_slice %n into %t[%i, 4] [4, 4] [1, 1] : tensor<4x4xf32> into tensor<8x8xf32>
  return %r : tensor<8x8xf32>
}

// -----

// A value that is needed later: the second op copies it into the destination, not into a buffer of its own.
// CHECK-LABEL: func.func @needed_later
// CHECK-SAME:    %[[A:.*]]: tensor<4xf32>, %[[T:.*]]: tensor<8xf32>
// BUFFERS-LABEL: func.func @needed_later
func.func @needed_later(%a: tensor<4xf32>, %t: tensor<8xf32>, %f: f32, %i: index) -> (tensor<8xf32>, tensor<4xf32>) {
  // CHECK: %[[X:.*]] = linalg.exp
  // CHECK-NEXT: %[[S:.*]] = tensor.extract_slice %[[T]][0] [4] [1]
  // CHECK-NEXT: %[[C:.*]] = bufferization.materialize_in_destination %[[X]] in %[[S]]
  // CHECK-NEXT: %[[Y:.*]] = tensor.insert %{{.*}} into %[[C]]
  // CHECK-NEXT: tensor.insert_slice %[[Y]] into %[[T]][0]
  // BUFFERS: memref.alloc
  // BUFFERS-NOT: memref.alloc
  // BUFFERS: memref.copy
  // BUFFERS-NOT: memref.copy
  // BUFFERS: return
  %e = tensor.empty() : tensor<4xf32>
  %x = linalg.exp ins(%a : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %y = tensor.insert %f into %x[%i] : tensor<4xf32>
  %r = tensor.insert_slice %y into %t[0] [4] [1] : tensor<4xf32> into tensor<8xf32>
  return %r, %x : tensor<8xf32>, tensor<4xf32>
}

// -----

// Vector writes into a read-only tile, reshaped before it is inserted: the copy is made in the reshaped slice.
// CHECK-LABEL: func.func @vector_write_reshaped
// CHECK-SAME:    %[[IN:.*]]: tensor<2x4xf32> {bufferization.writable = false}, %[[T:.*]]: tensor<16xf32>
// BUFFERS-LABEL: func.func @vector_write_reshaped
func.func @vector_write_reshaped(%in: tensor<2x4xf32> {bufferization.writable = false}, %t: tensor<16xf32>, %v: vector<4xf32>, %i: index) -> tensor<16xf32> {
  // CHECK: %[[S:.*]] = tensor.extract_slice %[[T]][8] [8] [1]
  // CHECK-NEXT: %[[E:.*]] = tensor.expand_shape %[[S]] {{\[\[}}0, 1{{\]\]}} output_shape [2, 4]
  // CHECK-NEXT: %[[C:.*]] = bufferization.materialize_in_destination %[[IN]] in %[[E]]
  // CHECK-NEXT: vector.transfer_write %{{.*}}, %[[C]]
  // BUFFERS-NOT: memref.alloc
  // BUFFERS: memref.copy
  // BUFFERS-NOT: memref.copy
  // BUFFERS: return
  %c0 = arith.constant 0 : index
  %w = vector.transfer_write %v, %in[%i, %c0] : vector<4xf32>, tensor<2x4xf32>
  %x = vector.transfer_write %v, %w[%c0, %c0] : vector<4xf32>, tensor<2x4xf32>
  %y = tensor.collapse_shape %x [[0, 1]] : tensor<2x4xf32> into tensor<8xf32>
  %r = tensor.insert_slice %y into %t[8] [8] [1] : tensor<8xf32> into tensor<16xf32>
  return %r : tensor<16xf32>
}

// -----

// What a loop starts with, and what the other branch changes.
// CHECK-LABEL: func.func @loop_and_branch
// CHECK-SAME:    %[[IN:.*]]: tensor<4xf32> {bufferization.writable = false}, %[[T:.*]]: tensor<8xf32>
// BUFFERS-LABEL: func.func @loop_and_branch
func.func @loop_and_branch(%in: tensor<4xf32> {bufferization.writable = false}, %t: tensor<8xf32>, %f: f32, %n: index, %c: i1) -> tensor<8xf32> {
  // CHECK: %[[S:.*]] = tensor.extract_slice %[[T]][4] [4] [1]
  // CHECK: scf.if
  // CHECK: %[[C:.*]] = bufferization.materialize_in_destination %[[IN]] in %[[S]]
  // CHECK: scf.for {{.*}} iter_args(%{{.*}} = %[[C]])
  // CHECK: } else {
  // CHECK: %[[D:.*]] = bufferization.materialize_in_destination %[[IN]] in %[[S]]
  // CHECK: tensor.insert %{{.*}} into %[[D]]
  // BUFFERS-NOT: memref.alloc
  // BUFFERS-COUNT-2: memref.copy
  // BUFFERS-NOT: memref.copy
  // BUFFERS: return
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v = scf.if %c -> tensor<4xf32> {
    %l = scf.for %i = %c0 to %n step %c1 iter_args(%x = %in) -> tensor<4xf32> {
      %y = tensor.insert %f into %x[%i] : tensor<4xf32>
      scf.yield %y : tensor<4xf32>
    }
    scf.yield %l : tensor<4xf32>
  } else {
    %w = tensor.insert %f into %in[%c0] : tensor<4xf32>
    scf.yield %w : tensor<4xf32>
  }
  %r = tensor.insert_slice %v into %t[4] [4] [1] : tensor<4xf32> into tensor<8xf32>
  return %r : tensor<8xf32>
}

// -----

// A fill needs nothing of what it overwrites: the slice takes its place, without a copy.
// CHECK-LABEL: func.func @overwritten
// CHECK-SAME:    %[[IN:.*]]: tensor<4xf32>, %[[T:.*]]: tensor<8xf32>
// BUFFERS-LABEL: func.func @overwritten
func.func @overwritten(%in: tensor<4xf32>, %t: tensor<8xf32>, %f: f32) -> tensor<8xf32> {
  // CHECK-NEXT: %[[S:.*]] = tensor.extract_slice %[[T]][4] [4] [1]
  // CHECK-NEXT: linalg.fill {{.*}} outs(%[[S]]
  // BUFFERS-NOT: memref.alloc
  // BUFFERS-NOT: memref.copy
  // BUFFERS: return
  %x = linalg.fill ins(%f : f32) outs(%in : tensor<4xf32>) -> tensor<4xf32>
  %r = tensor.insert_slice %x into %t[4] [4] [1] : tensor<4xf32> into tensor<8xf32>
  return %r : tensor<8xf32>
}

// -----

// Into a memref, and by all threads of a loop.
// CHECK-LABEL: func.func @into_memory
// CHECK-SAME:    %[[IN:.*]]: tensor<4xf32> {bufferization.writable = false}, %[[M:.*]]: memref<4xf32>
func.func @into_memory(%in: tensor<4xf32> {bufferization.writable = false}, %m: memref<4xf32>, %f: f32, %i: index) {
  // CHECK-NEXT: %[[T:.*]] = bufferization.to_tensor %[[M]] restrict writable
  // CHECK-NEXT: %[[C:.*]] = bufferization.materialize_in_destination %[[IN]] in %[[T]]
  // CHECK-NEXT: %[[X:.*]] = tensor.insert %{{.*}} into %[[C]]
  // CHECK-NEXT: bufferization.materialize_in_destination %[[X]] in restrict writable %[[M]]
  %x = tensor.insert %f into %in[%i] : tensor<4xf32>
  bufferization.materialize_in_destination %x in restrict writable %m : (tensor<4xf32>, memref<4xf32>) -> ()
  return
}

// -----

// CHECK-LABEL: func.func @threads
// CHECK-SAME:    %[[IN:.*]]: tensor<8xf32> {bufferization.writable = false}, %[[T:.*]]: tensor<8xf32>
// BUFFERS-LABEL: func.func @threads
func.func @threads(%in: tensor<8xf32> {bufferization.writable = false}, %t: tensor<8xf32>, %f: f32) -> tensor<8xf32> {
  // CHECK: scf.forall {{.*}} shared_outs(%[[O:.*]] = %[[T]])
  // CHECK: %[[X:.*]] = tensor.extract_slice %[[IN]]
  // CHECK: %[[S:.*]] = tensor.extract_slice %[[O]]
  // CHECK: %[[C:.*]] = bufferization.materialize_in_destination %[[X]] in %[[S]]
  // CHECK: tensor.insert %{{.*}} into %[[C]]
  // BUFFERS-NOT: memref.alloc
  // BUFFERS: memref.copy
  // BUFFERS-NOT: memref.copy
  // BUFFERS: return
  %c1 = arith.constant 1 : index
  %r = scf.forall (%i) in (4) shared_outs(%o = %t) -> tensor<8xf32> {
    %p = affine.apply affine_map<(d0) -> (d0 * 2)>(%i)
    %s = tensor.extract_slice %in[%p] [2] [1] : tensor<8xf32> to tensor<2xf32>
    %x = tensor.insert %f into %s[%c1] : tensor<2xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %x into %o[%p] [2] [1] : tensor<2xf32> into tensor<8xf32>
    }
  }
  return %r : tensor<8xf32>
}

// -----

// Elementwise ops write over inputs that nobody needs any more, but not over an argument that nobody gave away.
// CHECK-LABEL: func.func @dead_inputs
// CHECK-SAME:    %[[A:.*]]: tensor<8xf32>, %[[B:.*]]: tensor<8xf32> {bufferization.writable = true}
// BUFFERS-LABEL: func.func @dead_inputs
func.func @dead_inputs(%a: tensor<8xf32>, %b: tensor<8xf32> {bufferization.writable = true}) -> (tensor<8xf32>, tensor<8xf32>) {
  // CHECK-NEXT: %[[E:.*]] = tensor.empty
  // CHECK-NEXT: %[[X:.*]] = linalg.exp {{.*}} outs(%[[E]]
  // CHECK-NEXT: %[[Y:.*]] = linalg.map {{.*}} outs(%[[X]]
  // CHECK-NEXT: %[[Z:.*]] = linalg.add ins(%[[A]], %[[Y]] {{.*}} outs(%[[Y]]
  // CHECK-NEXT: %[[W:.*]] = linalg.negf {{.*}} outs(%[[B]]
  // CHECK-NEXT: return %[[Z]], %[[W]]
  // BUFFERS: memref.alloc
  // BUFFERS-NOT: memref.alloc
  // BUFFERS-NOT: memref.copy
  // BUFFERS: return
  %e = tensor.empty() : tensor<8xf32>
  %x = linalg.exp ins(%a : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %y = linalg.map { math.absf } ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>)
  %z = linalg.add ins(%a, %y : tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %w = linalg.negf ins(%b : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  return %z, %w : tensor<8xf32>, tensor<8xf32>
}

// -----

// Each of two inits takes an input of its own.
// CHECK-LABEL: func.func @two_inits
// CHECK-SAME:    %[[A:.*]]: tensor<8xf32> {bufferization.writable = true}, %[[B:.*]]: tensor<8xf32> {bufferization.writable = true}
// BUFFERS-LABEL: func.func @two_inits
#id = affine_map<(i) -> (i)>
func.func @two_inits(%a: tensor<8xf32> {bufferization.writable = true}, %b: tensor<8xf32> {bufferization.writable = true}) -> (tensor<8xf32>, tensor<8xf32>) {
  // CHECK-NEXT: linalg.generic {{.*}} outs(%[[A]], %[[B]] :
  // BUFFERS-NOT: memref.alloc
  // BUFFERS-NOT: memref.copy
  // BUFFERS: return
  %e = tensor.empty() : tensor<8xf32>
  %r:2 = linalg.generic {indexing_maps = [#id, #id, #id, #id], iterator_types = ["parallel"]}
      ins(%a, %b : tensor<8xf32>, tensor<8xf32>) outs(%e, %e : tensor<8xf32>, tensor<8xf32>) {
    ^bb0(%x: f32, %y: f32, %o: f32, %p: f32):
      %s = arith.addf %x, %y : f32
      %t = arith.mulf %x, %y : f32
      linalg.yield %s, %t : f32, f32
  } -> (tensor<8xf32>, tensor<8xf32>)
  return %r#0, %r#1 : tensor<8xf32>, tensor<8xf32>
}

// -----

// Ops without an init are given one: the slice of the destination.
// CHECK-LABEL: func.func @without_inits
// CHECK-SAME:    %[[X:.*]]: tensor<2xf32>, %[[T:.*]]: tensor<16xf32>, %[[F:.*]]: f32
// BUFFERS-LABEL: func.func @without_inits
func.func @without_inits(%x: tensor<2xf32>, %t: tensor<16xf32>, %f: f32) -> tensor<16xf32> {
  // CHECK:      %[[S0:.*]] = tensor.extract_slice %[[T]][0] [4] [1]
  // CHECK-NEXT: %[[P0:.*]] = linalg.fill ins(%[[F]] : f32) outs(%[[S0]]
  // CHECK-NEXT: %[[P1:.*]] = tensor.insert_slice %[[X]] into %[[P0]][1] [2] [1]
  // CHECK-NEXT: %[[R0:.*]] = tensor.insert_slice %[[P1]] into %[[T]][0] [4] [1]
  %0 = tensor.pad %x low[1] high[1] {
  ^bb0(%i: index):
    tensor.yield %f : f32
  } : tensor<2xf32> to tensor<4xf32>
  %r0 = tensor.insert_slice %0 into %t[0] [4] [1] : tensor<4xf32> into tensor<16xf32>
  // CHECK:      %[[S1:.*]] = tensor.extract_slice %[[R0]][4] [4] [1]
  // CHECK-NEXT: %[[G:.*]] = linalg.generic {{.*}} outs(%[[S1]]
  // CHECK:        linalg.index 0
  // CHECK:      %[[R1:.*]] = tensor.insert_slice %[[G]] into %[[R0]][4] [4] [1]
  %1 = tensor.generate {
  ^bb0(%i: index):
    %j = arith.index_cast %i : index to i32
    %k = arith.sitofp %j : i32 to f32
    tensor.yield %k : f32
  } : tensor<4xf32>
  %r1 = tensor.insert_slice %1 into %r0[4] [4] [1] : tensor<4xf32> into tensor<16xf32>
  // CHECK:      %[[S2:.*]] = tensor.extract_slice %[[R1]][8] [2] [1]
  // CHECK-NEXT: %[[E0:.*]] = tensor.insert %[[F]] into %[[S2]]
  // CHECK-NEXT: %[[E1:.*]] = tensor.insert %[[F]] into %[[E0]]
  // CHECK-NEXT: %[[R2:.*]] = tensor.insert_slice %[[E1]] into %[[R1]][8] [2] [1]
  %2 = tensor.from_elements %f, %f : tensor<2xf32>
  %r2 = tensor.insert_slice %2 into %r1[8] [2] [1] : tensor<2xf32> into tensor<16xf32>
  // CHECK:      %[[S3:.*]] = tensor.extract_slice %[[R2]][10] [2] [1]
  // CHECK-NEXT: %[[A:.*]] = linalg.generic {{.*}} ins(%[[X]] : tensor<2xf32>) outs(%[[S3]]
  // CHECK:        math.absf
  // CHECK:      %[[R3:.*]] = tensor.insert_slice %[[A]] into %[[R2]][10] [2] [1]
  %3 = math.absf %x : tensor<2xf32>
  %r3 = tensor.insert_slice %3 into %r2[10] [2] [1] : tensor<2xf32> into tensor<16xf32>
  // CHECK:      %[[S4:.*]] = tensor.extract_slice %[[R3]][12] [2] [1]
  // CHECK-NEXT: %[[C:.*]] = linalg.fill ins(%{{.*}} : f32) outs(%[[S4]]
  // CHECK-NEXT: tensor.insert_slice %[[C]] into %[[R3]][12] [2] [1]
  // CHECK-NOT:  tensor.empty
  %4 = arith.constant dense<3.0> : tensor<2xf32>
  %r4 = tensor.insert_slice %4 into %r3[12] [2] [1] : tensor<2xf32> into tensor<16xf32>
  // What a pad takes over is copied, and nothing else.
  // BUFFERS-NOT: memref.alloc
  // BUFFERS:     memref.copy
  // BUFFERS-NOT: memref.alloc
  // BUFFERS-NOT: memref.copy
  // BUFFERS:     return
  return %r4 : tensor<16xf32>
}

// -----

// The generated elements are read from the destination, and the elementwise op reads other elements of it.
// CHECK-LABEL: func.func @reads_the_destination
func.func @reads_the_destination(%t: tensor<16xf32>, %a: tensor<4xf32> {bufferization.writable = false}) -> tensor<16xf32> {
  // CHECK-NEXT: tensor.generate
  // CHECK:      tensor.insert_slice
  // CHECK-NEXT: tensor.extract_slice
  // CHECK-NEXT: arith.addf
  // CHECK-NEXT: tensor.insert_slice
  %0 = tensor.generate {
  ^bb0(%i: index):
    %e = tensor.extract %t[%i] : tensor<16xf32>
    tensor.yield %e : f32
  } : tensor<4xf32>
  %r0 = tensor.insert_slice %0 into %t[1] [4] [1] : tensor<4xf32> into tensor<16xf32>
  %s = tensor.extract_slice %r0[0] [4] [1] : tensor<16xf32> to tensor<4xf32>
  %1 = arith.addf %s, %a : tensor<4xf32>
  %r1 = tensor.insert_slice %1 into %r0[2] [4] [1] : tensor<4xf32> into tensor<16xf32>
  return %r1 : tensor<16xf32>
}

// -----

// What goes to a destination is computed there, and not over an input.
// CHECK-LABEL: func.func @chain_into_slice
// CHECK-SAME:    %[[A:.*]]: tensor<8xf32>, %[[T:.*]]: tensor<16xf32>
func.func @chain_into_slice(%a: tensor<8xf32>, %t: tensor<16xf32>) -> tensor<16xf32> {
  // CHECK-NEXT: %[[E:.*]] = tensor.empty
  // CHECK-NEXT: %[[X:.*]] = linalg.exp {{.*}} outs(%[[E]]
  // CHECK-NEXT: %[[S:.*]] = tensor.extract_slice %[[T]][4] [8] [1]
  // CHECK-NEXT: %[[Y:.*]] = linalg.elementwise {{.*}} outs(%[[S]]
  // CHECK-NEXT: tensor.insert_slice %[[Y]] into %[[T]][4]
  %e = tensor.empty() : tensor<8xf32>
  %x = linalg.exp ins(%a : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %y = linalg.elementwise kind=#linalg.elementwise_kind<negf> ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %r = tensor.insert_slice %y into %t[4] [8] [1] : tensor<8xf32> into tensor<16xf32>
  return %r : tensor<16xf32>
}

// -----

// A constant of one number that is written becomes a fill; where it is only read it stays.
// CHECK-LABEL: func.func @constants
// CHECK-SAME:    %[[T:.*]]: tensor<16xf32>
// BUFFERS-LABEL: func.func @constants
func.func @constants(%t: tensor<16xf32>, %f: f32, %i: index) -> (tensor<16xf32>, tensor<8xf32>, f32) {
  // CHECK: %[[C:.*]] = arith.constant dense<1.000000e+00> : tensor<8xf32>
  // CHECK: %[[S:.*]] = tensor.extract_slice %[[T]][4] [8] [1]
  // CHECK: %[[F:.*]] = linalg.fill {{.*}} outs(%[[S]]
  // CHECK: tensor.insert %{{.*}} into %[[F]]
  // CHECK: %[[E:.*]] = tensor.empty
  // CHECK: %[[G:.*]] = linalg.fill {{.*}} outs(%[[E]]
  // CHECK: tensor.insert %{{.*}} into %[[G]]
  // CHECK: tensor.extract %[[C]]
  // BUFFERS: memref.alloc
  // BUFFERS-NOT: memref.alloc
  // BUFFERS-NOT: memref.copy
  // BUFFERS: return
  %c = arith.constant dense<1.0> : tensor<8xf32>
  %x = tensor.insert %f into %c[%i] : tensor<8xf32>
  %r = tensor.insert_slice %x into %t[4] [8] [1] : tensor<8xf32> into tensor<16xf32>
  %y = tensor.insert %f into %c[%i] : tensor<8xf32>
  %z = tensor.extract %c[%i] : tensor<8xf32>
  return %r, %y, %z : tensor<16xf32>, tensor<8xf32>, f32
}

// -----

// Elements of other kinds than linalg.fill takes, and several numbers: copied.
// CHECK-LABEL: func.func @other_constants
func.func @other_constants(%f: f32, %z: complex<f32>, %i: index) -> (tensor<2xf32>, tensor<2xcomplex<f32>>) {
  // CHECK-NOT: linalg.fill
  // CHECK: return
  %c = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %x = tensor.insert %f into %c[%i] : tensor<2xf32>
  %d = arith.constant dense<(1.0, 2.0)> : tensor<2xcomplex<f32>>
  %y = tensor.insert %z into %d[%i] : tensor<2xcomplex<f32>>
  return %x, %y : tensor<2xf32>, tensor<2xcomplex<f32>>
}

// -----

// An input of another map, of another type, in memory that is not the function's own, or a part that would be returned.
// CHECK-LABEL: func.func @other_inputs
func.func @other_inputs(%a: tensor<4x4xf32>, %m: memref<4x4xf32>, %n: index) -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<2x4xf32>) {
  // CHECK: %[[E:.*]] = tensor.empty() : tensor<4x4xf32>
  // CHECK: linalg.transpose ins(%{{.*}}) outs(%[[E]]
  // CHECK: %[[B:.*]] = tensor.empty() : tensor<4xf32>
  // CHECK: linalg.broadcast ins(%{{.*}}) outs(%[[E]]
  // CHECK: linalg.negf {{.*}} outs(%[[E]]
  // CHECK: %[[G:.*]] = tensor.empty() : tensor<2x4xf32>
  // CHECK: linalg.negf {{.*}} outs(%[[G]]
  %e = tensor.empty() : tensor<4x4xf32>
  %x = linalg.exp ins(%a : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  %0 = linalg.transpose ins(%x : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) permutation = [1, 0]
  %f = tensor.empty() : tensor<4xf32>
  %row = tensor.extract_slice %a[0, 0] [1, 4] [1, 1] : tensor<4x4xf32> to tensor<4xf32>
  %y = linalg.exp ins(%row : tensor<4xf32>) outs(%f : tensor<4xf32>) -> tensor<4xf32>
  %1 = linalg.broadcast ins(%y : tensor<4xf32>) outs(%e : tensor<4x4xf32>) dimensions = [0]
  %t = bufferization.to_tensor %m restrict writable : memref<4x4xf32> to tensor<4x4xf32>
  %2 = linalg.negf ins(%t : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  %z = linalg.exp ins(%a : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  %s = tensor.extract_slice %z[%n, 0] [2, 4] [1, 1] : tensor<4x4xf32> to tensor<2x4xf32>
  %g = tensor.empty() : tensor<2x4xf32>
  %3 = linalg.negf ins(%s : tensor<2x4xf32>) outs(%g : tensor<2x4xf32>) -> tensor<2x4xf32>
  return %0, %1, %2, %3 : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<2x4xf32>
}

// -----

// A computed part of a concatenation, and what is padded, are computed in the result; an argument is copied there.
// CHECK-LABEL: func.func @parts
// BUFFERS-LABEL: func.func @parts
func.func @parts(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<8xf32>, tensor<6xf32>) {
  // CHECK-NOT: tensor.concat
  // CHECK-NOT: tensor.pad
  // BUFFERS: memref.alloc() {{.*}} : memref<8xf32>
  // BUFFERS-NOT: memref.alloc
  // BUFFERS: memref.copy
  // BUFFERS-NOT: memref.copy
  // BUFFERS: memref.alloc() {{.*}} : memref<6xf32>
  // BUFFERS-NOT: memref.alloc
  // BUFFERS-NOT: memref.copy
  // BUFFERS: return
  %c = arith.constant 7.0 : f32
  %e = tensor.empty() : tensor<4xf32>
  %a = linalg.exp ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %r = tensor.concat dim(0) %y, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<8xf32>
  %b = linalg.log ins(%y : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %p = tensor.pad %b low[1] high[1] {
  ^bb0(%i: index):
    tensor.yield %c : f32
  } : tensor<4xf32> to tensor<6xf32>
  return %r, %p : tensor<8xf32>, tensor<6xf32>
}

// -----

// A part that is needed elsewhere, too, stays where it is.
// CHECK-LABEL: func.func @needed_elsewhere
func.func @needed_elsewhere(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<8xf32>, tensor<4xf32>) {
  // CHECK: tensor.concat
  %e = tensor.empty() : tensor<4xf32>
  %a = linalg.exp ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %r = tensor.concat dim(0) %y, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<8xf32>
  return %r, %a : tensor<8xf32>, tensor<4xf32>
}

// -----

// A fill that two ops write is made for each of them.
// CHECK-LABEL: func.func @filled_twice
// BUFFERS-LABEL: func.func @filled_twice
func.func @filled_twice(%x: tensor<4x4xf32>, %f: f32) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  // CHECK-COUNT-2: linalg.fill
  // BUFFERS-NOT: memref.copy
  // BUFFERS: return
  %e = tensor.empty() : tensor<4x4xf32>
  %z = linalg.fill ins(%f : f32) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  %p = linalg.matmul ins(%x, %x : tensor<4x4xf32>, tensor<4x4xf32>) outs(%z : tensor<4x4xf32>) -> tensor<4x4xf32>
  %q = linalg.matmul ins(%x, %p : tensor<4x4xf32>, tensor<4x4xf32>) outs(%z : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %p, %q : tensor<4x4xf32>, tensor<4x4xf32>
}

// -----

// A fill of its own that is copied all the same gets no other one, again and again: the callee returns it as two results.
// CHECK-LABEL: func.func @filled_once_more
// BUFFERS-LABEL: func.func @filled_once_more
func.func @filled_once_more(%p: i1, %u: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  // CHECK-COUNT-3: linalg.fill
  // CHECK-NOT: linalg.fill
  // CHECK: return
  %c = arith.constant 54.0 : f32
  %h = tensor.empty() : tensor<3xf32>
  %i = linalg.fill ins(%c : f32) outs(%h : tensor<3xf32>) -> tensor<3xf32>
  %j = tensor.insert_slice %i into %u[0] [3] [1] : tensor<3xf32> into tensor<4xf32>
  %e = tensor.empty() : tensor<4xf32>
  %t = linalg.fill ins(%c : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %r:2 = func.call @one_or_two(%p, %t, %t) : (i1, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return %r#0, %r#1, %j : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}
func.func private @one_or_two(%p: i1, %a: tensor<4xf32>, %b: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %r:2 = scf.if %p -> (tensor<4xf32>, tensor<4xf32>) {
    scf.yield %a, %a : tensor<4xf32>, tensor<4xf32>
  } else {
    %z:2 = scf.forall (%k) in (2) shared_outs(%x = %a, %y = %b) -> (tensor<4xf32>, tensor<4xf32>) {
      %g = arith.constant 6.0 : f32
      %s = tensor.extract_slice %y[%k] [2] [2] : tensor<4xf32> to tensor<2xf32>
      %t = linalg.fill ins(%g : f32) outs(%s : tensor<2xf32>) -> tensor<2xf32>
      scf.forall.in_parallel {
        tensor.parallel_insert_slice %t into %y[%k] [2] [2] : tensor<2xf32> into tensor<4xf32>
      }
    }
    scf.yield %z#1, %z#0 : tensor<4xf32>, tensor<4xf32>
  }
  return %r#0, %r#1 : tensor<4xf32>, tensor<4xf32>
}

// -----

// Pads of one type that linalg ops alone read get buffers of their own, which CSE keeps apart.
// CHECK-LABEL: func.func @alike
// BUFFERS-LABEL: func.func @alike
func.func @alike(%a: tensor<6xf32>, %b: tensor<6xf32>, %e: tensor<8xf32>) -> tensor<8xf32> {
  %zero = arith.constant 0.0 : f32
  %t = tensor.empty() : tensor<6xf32>
  // CHECK: %[[M:.*]] = bufferization.alloc_tensor() : tensor<8xf32>
  // CHECK: linalg.fill ins(%{{.*}} : f32) outs(%[[M]] : tensor<8xf32>)
  %x = linalg.exp ins(%a : tensor<6xf32>) outs(%t : tensor<6xf32>) -> tensor<6xf32>
  %p = tensor.pad %x low[1] high[1] {
  ^bb0(%i: index):
    tensor.yield %zero : f32
  } : tensor<6xf32> to tensor<8xf32>
  // CHECK: %[[N:.*]] = bufferization.alloc_tensor() : tensor<8xf32>
  // CHECK: linalg.fill ins(%{{.*}} : f32) outs(%[[N]] : tensor<8xf32>)
  %y = linalg.exp ins(%b : tensor<6xf32>) outs(%t : tensor<6xf32>) -> tensor<6xf32>
  %q = tensor.pad %y low[1] high[1] {
  ^bb0(%i: index):
    tensor.yield %zero : f32
  } : tensor<6xf32> to tensor<8xf32>
  // BUFFERS-COUNT-2: memref.alloc
  // BUFFERS-NOT: memref.copy
  %r = linalg.add ins(%p, %q : tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  return %r : tensor<8xf32>
}

// -----

// A pad that is inserted is computed in the slice, whatever is of its type.
// CHECK-LABEL: func.func @alike_and_inserted
// CHECK-NOT:     bufferization.alloc_tensor
func.func @alike_and_inserted(%a: tensor<6xf32>, %b: tensor<6xf32>, %e: tensor<16xf32>) -> tensor<16xf32> {
  %zero = arith.constant 0.0 : f32
  %t = tensor.empty() : tensor<6xf32>
  %x = linalg.exp ins(%a : tensor<6xf32>) outs(%t : tensor<6xf32>) -> tensor<6xf32>
  %p = tensor.pad %x low[1] high[1] {
  ^bb0(%i: index):
    tensor.yield %zero : f32
  } : tensor<6xf32> to tensor<8xf32>
  %y = linalg.exp ins(%b : tensor<6xf32>) outs(%t : tensor<6xf32>) -> tensor<6xf32>
  %q = tensor.pad %y low[1] high[1] {
  ^bb0(%i: index):
    tensor.yield %zero : f32
  } : tensor<6xf32> to tensor<8xf32>
  %r = tensor.insert_slice %p into %e[0] [8] [1] : tensor<8xf32> into tensor<16xf32>
  %s = tensor.insert_slice %q into %r[8] [8] [1] : tensor<8xf32> into tensor<16xf32>
  return %s : tensor<16xf32>
}
