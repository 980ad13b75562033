// RUN: inplace-opt %s --split-input-file --inplace-eliminate-empty-tensors | filecheck %s

// CHECK-LABEL: func.func @fill_and_insert
// CHECK-SAME:    %[[T:.*]]: tensor<10xf32>, %[[O:.*]]: index
func.func @fill_and_insert(%t: tensor<10xf32>, %o: index, %c: f32) -> tensor<10xf32> {
  // CHECK-NEXT: %[[S:.*]] = tensor.extract_slice %[[T]][%[[O]]] [5] [1]
  // CHECK-NEXT: %[[F:.*]] = linalg.fill ins(%{{.*}}) outs(%[[S]]
  // CHECK-NEXT: tensor.insert_slice %[[F]] into %[[T]][%[[O]]] [5] [1]
  %e = tensor.empty() : tensor<5xf32>
  %f = linalg.fill ins(%c : f32) outs(%e : tensor<5xf32>) -> tensor<5xf32>
  %r = tensor.insert_slice %f into %t[%o] [5] [1] : tensor<5xf32> into tensor<10xf32>
  return %r : tensor<10xf32>
}

// -----

// What the slice needs moves in front of it: arithmetic, the size of another tensor, the destination's own slice.
// CHECK-LABEL: func.func @moves
// CHECK-SAME:    %[[T:.*]]: tensor<?x10xf32>, %[[O:.*]]: index, %[[C:.*]]: f32
func.func @moves(%t: tensor<?x10xf32>, %o: index, %c: f32) -> tensor<?x10xf32> {
  // CHECK: %[[P:.*]] = arith.addi %[[O]], %[[O]]
  // CHECK: %[[ROW:.*]] = tensor.extract_slice %[[T]][%[[P]], 0] [1, 10] [1, 1]
  // CHECK: %[[Q:.*]] = affine.min
  // CHECK: %[[S:.*]] = tensor.extract_slice %[[ROW]][%[[Q]]] [5] [1]
  // CHECK: linalg.fill ins(%[[C]] : f32) outs(%[[S]]
  // CHECK-NOT: tensor.empty
  %e = tensor.empty() : tensor<5xf32>
  %f = linalg.fill ins(%c : f32) outs(%e : tensor<5xf32>) -> tensor<5xf32>
  %p = arith.addi %o, %o : index
  %q = affine.min affine_map<(d0) -> (d0, 5)>(%p)
  %row = tensor.extract_slice %t[%p, 0] [1, 10] [1, 1] : tensor<?x10xf32> to tensor<10xf32>
  %r = tensor.insert_slice %f into %row[%q] [5] [1] : tensor<5xf32> into tensor<10xf32>
  %s = tensor.insert_slice %r into %t[%p, 0] [1, 10] [1, 1] : tensor<10xf32> into tensor<?x10xf32>
  return %s : tensor<?x10xf32>
}

// -----

// One empty tensor that two ops use is two slices; the first insertion moves in front of the second op.
// CHECK-LABEL: func.func @concatenate
func.func @concatenate(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<8xf32> {
  // CHECK-NEXT: %[[D:.*]] = tensor.empty() : tensor<8xf32>
  // CHECK-NEXT: %[[S0:.*]] = tensor.extract_slice %[[D]][0] [4] [1]
  // CHECK-NEXT: %[[X:.*]] = linalg.exp {{.*}} outs(%[[S0]]
  // CHECK-NEXT: %[[I:.*]] = tensor.insert_slice %[[X]] into %[[D]][0]
  // CHECK-NEXT: %[[S1:.*]] = tensor.extract_slice %[[I]][4] [4] [1]
  // CHECK-NEXT: %[[Y:.*]] = linalg.log {{.*}} outs(%[[S1]]
  // CHECK-NEXT: tensor.insert_slice %[[Y]] into %[[I]][4]
  %e = tensor.empty() : tensor<4xf32>
  %x = linalg.exp ins(%a : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %y = linalg.log ins(%b : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %d = tensor.empty() : tensor<8xf32>
  %i = tensor.insert_slice %x into %d[0] [4] [1] : tensor<4xf32> into tensor<8xf32>
  %r = tensor.insert_slice %y into %i[4] [4] [1] : tensor<4xf32> into tensor<8xf32>
  return %r : tensor<8xf32>
}

// -----

// An insertion into what is inserted in turn: first the outer one, then the inner one into the outer slice.
// CHECK-LABEL: func.func @nested
// CHECK-SAME:    %{{.*}}: tensor<4xf32>, %[[T:.*]]: tensor<2x8xf32>
func.func @nested(%a: tensor<4xf32>, %t: tensor<2x8xf32>) -> tensor<2x8xf32> {
  // CHECK-NEXT: %[[ROW:.*]] = tensor.extract_slice %[[T]][0, 0] [1, 8] [1, 1]
  // CHECK-NEXT: %[[S:.*]] = tensor.extract_slice %[[ROW]][0] [4] [1]
  // CHECK-NEXT: %[[X:.*]] = linalg.exp {{.*}} outs(%[[S]]
  // CHECK-NEXT: %[[I:.*]] = tensor.insert_slice %[[X]] into %[[ROW]][0]
  // CHECK-NEXT: tensor.insert_slice %[[I]] into %[[T]][0, 0]
  %e = tensor.empty() : tensor<4xf32>
  %x = linalg.exp ins(%a : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %d = tensor.empty() : tensor<8xf32>
  %i = tensor.insert_slice %x into %d[0] [4] [1] : tensor<4xf32> into tensor<8xf32>
  %r = tensor.insert_slice %i into %t[0, 0] [1, 8] [1, 1] : tensor<8xf32> into tensor<2x8xf32>
  return %r : tensor<2x8xf32>
}

// -----

// Through a loop: its initial value is the slice.
// CHECK-LABEL: func.func @loop
// CHECK-SAME:    %[[T:.*]]: tensor<10xf32>
func.func @loop(%t: tensor<10xf32>, %x: f32, %n: index) -> tensor<10xf32> {
  // CHECK: %[[S:.*]] = tensor.extract_slice %[[T]][2] [5] [1]
  // CHECK: linalg.fill {{.*}} outs(%[[S]]
  // CHECK: scf.for
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = tensor.empty() : tensor<5xf32>
  %f = linalg.fill ins(%x : f32) outs(%e : tensor<5xf32>) -> tensor<5xf32>
  %l = scf.for %i = %c0 to %n step %c1 iter_args(%v = %f) -> tensor<5xf32> {
    %y = tensor.insert %x into %v[%i] : tensor<5xf32>
    scf.yield %y : tensor<5xf32>
  }
  %r = tensor.insert_slice %l into %t[2] [5] [1] : tensor<5xf32> into tensor<10xf32>
  return %r : tensor<10xf32>
}

// -----

// Either branch computes in the slice, which is made once in front of them.
// CHECK-LABEL: func.func @branches
// CHECK-SAME:    %[[T:.*]]: tensor<10xf32>
func.func @branches(%t: tensor<10xf32>, %a: tensor<5xf32>, %c: i1) -> tensor<10xf32> {
  // CHECK-NEXT: %[[S:.*]] = tensor.extract_slice %[[T]][2] [5] [1]
  // CHECK-NEXT: scf.if
  // CHECK-NEXT:   linalg.exp {{.*}} outs(%[[S]]
  // CHECK:        linalg.log {{.*}} outs(%[[S]]
  %v = scf.if %c -> tensor<5xf32> {
    %e = tensor.empty() : tensor<5xf32>
    %x = linalg.exp ins(%a : tensor<5xf32>) outs(%e : tensor<5xf32>) -> tensor<5xf32>
    scf.yield %x : tensor<5xf32>
  } else {
    %e = tensor.empty() : tensor<5xf32>
    %x = linalg.log ins(%a : tensor<5xf32>) outs(%e : tensor<5xf32>) -> tensor<5xf32>
    scf.yield %x : tensor<5xf32>
  }
  %r = tensor.insert_slice %v into %t[2] [5] [1] : tensor<5xf32> into tensor<10xf32>
  return %r : tensor<10xf32>
}

// -----

// Casts and reshapes on the way are undone.
// CHECK-LABEL: func.func @views
func.func @views(%c: f32) -> tensor<10x3xf32> {
  // CHECK: %[[T:.*]] = tensor.empty() : tensor<10x3xf32>
  // CHECK: %[[S:.*]] = tensor.extract_slice %[[T]][2, 1] [4, 1] [1, 1] : tensor<10x3xf32> to tensor<4xf32>
  // CHECK: %[[E:.*]] = tensor.expand_shape %[[S]] {{\[\[}}0, 1{{\]\]}} output_shape [2, 2]
  // CHECK: %[[D:.*]] = tensor.cast %[[E]] : tensor<2x2xf32> to tensor<?x2xf32>
  // CHECK: linalg.fill {{.*}} outs(%[[D]]
  %t = tensor.empty() : tensor<10x3xf32>
  %n = arith.constant 2 : index
  %e = tensor.empty(%n) : tensor<?x2xf32>
  %f = linalg.fill ins(%c : f32) outs(%e : tensor<?x2xf32>) -> tensor<?x2xf32>
  %x = tensor.cast %f : tensor<?x2xf32> to tensor<2x2xf32>
  %y = tensor.collapse_shape %x [[0, 1]] : tensor<2x2xf32> into tensor<4xf32>
  %r = tensor.insert_slice %y into %t[2, 1] [4, 1] [1, 1] : tensor<4xf32> into tensor<10x3xf32>
  return %r : tensor<10x3xf32>
}

// -----

// Into a memref: computed in its memory.
// CHECK-LABEL: func.func @into_memory
// CHECK-SAME:    %[[A:.*]]: tensor<4xf32>, %[[M:.*]]: memref<4xf32>
func.func @into_memory(%a: tensor<4xf32>, %m: memref<4xf32>) {
  // CHECK-NEXT: %[[T:.*]] = bufferization.to_tensor %[[M]] restrict writable
  // CHECK-NEXT: %[[X:.*]] = linalg.exp {{.*}} outs(%[[T]]
  // CHECK-NEXT: bufferization.materialize_in_destination %[[X]] in restrict writable %[[M]]
  %e = tensor.empty() : tensor<4xf32>
  %x = linalg.exp ins(%a : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  bufferization.materialize_in_destination %x in restrict writable %m : (tensor<4xf32>, memref<4xf32>) -> ()
  return
}

// -----

// Into a tensor as a whole.
// CHECK-LABEL: func.func @into_tensor
// CHECK-SAME:    %[[A:.*]]: tensor<4xf32>, %[[T:.*]]: tensor<4xf32>
func.func @into_tensor(%a: tensor<4xf32>, %t: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK-NEXT: linalg.exp {{.*}} outs(%[[T]]
  %e = tensor.empty() : tensor<4xf32>
  %x = linalg.exp ins(%a : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %r = bufferization.materialize_in_destination %x in %t : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

// Each thread computes in its slice of what the loop shares.
// CHECK-LABEL: func.func @forall
// CHECK-SAME:    %[[T:[a-z0-9]*]]: tensor<8xf32>, %[[A:[a-z0-9]*]]: tensor<8xf32>
func.func @forall(%t: tensor<8xf32>, %a: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK: scf.forall {{.*}} shared_outs(%[[O:.*]] = %[[T]])
  // CHECK: %[[P:.*]] = affine.apply
  // CHECK: %[[S:.*]] = tensor.extract_slice %[[O]][%[[P]]] [2] [1]
  // CHECK-NEXT: %[[F:.*]] = linalg.negf {{.*}} outs(%[[S]]
  // CHECK: tensor.parallel_insert_slice %[[F]] into %[[O]][%[[P]]]
  %r = scf.forall (%i) in (4) shared_outs(%o = %t) -> tensor<8xf32> {
    %p = affine.apply affine_map<(d0) -> (d0 * 2)>(%i)
    %s = tensor.extract_slice %a[%p] [2] [1] : tensor<8xf32> to tensor<2xf32>
    %e = tensor.empty() : tensor<2xf32>
    %f = linalg.negf ins(%s : tensor<2xf32>) outs(%e : tensor<2xf32>) -> tensor<2xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %f into %o[%p] [2] [1] : tensor<2xf32> into tensor<8xf32>
    }
  }
  return %r : tensor<8xf32>
}
