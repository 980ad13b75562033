// RUN: inplace-opt %s --split-input-file --inplace-promote-bindings | filecheck %s

// A load is a slice of the content at that time, a store the next content, which each loop around it hands on. What is
// only loaded is handed on by nobody.
// CHECK-LABEL: func.func @matmul
func.func @matmul() {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c32 = arith.constant 32 : index
  // CHECK: %[[A:.*]] = dispatch.contents %{{.*}} : !dispatch.readonly<tensor<32x16xf32>> -> tensor<32x16xf32>
  %a = dispatch.binding set(0) binding(0) : !dispatch.readonly<tensor<32x16xf32>>
  %b = dispatch.binding set(0) binding(1) : !dispatch.readonly<tensor<16x32xf32>>
  %o = dispatch.binding set(0) binding(2) : !dispatch.readwrite<tensor<32x32xf32>>
  // CHECK: %[[O:.*]] = dispatch.contents %{{.*}} : !dispatch.readwrite<tensor<32x32xf32>> -> tensor<32x32xf32>
  // CHECK: %[[R:.*]] = scf.for %[[I:.*]] = %{{.*}} iter_args(%[[T:.*]] = %[[O]]) -> (tensor<32x32xf32>) {
  scf.for %i = %c0 to %c32 step %c8 {
    // CHECK: %[[Q:.*]] = scf.for %[[J:.*]] = %{{.*}} iter_args(%[[U:.*]] = %[[T]]) -> (tensor<32x32xf32>) {
    scf.for %j = %c0 to %c32 step %c8 {
      // CHECK: tensor.extract_slice %[[A]][%[[I]], 0] [8, 16] [1, 1]
      %x = dispatch.load %a[%i, 0] [8, 16] [1, 1] : !dispatch.readonly<tensor<32x16xf32>> -> tensor<8x16xf32>
      %y = dispatch.load %b[0, %j] [16, 8] [1, 1] : !dispatch.readonly<tensor<16x32xf32>> -> tensor<16x8xf32>
      // CHECK: tensor.extract_slice %[[U]][%[[I]], %[[J]]] [8, 8] [1, 1]
      %z = dispatch.load %o[%i, %j] [8, 8] [1, 1] : !dispatch.readwrite<tensor<32x32xf32>> -> tensor<8x8xf32>
      // CHECK: %[[M:.*]] = linalg.matmul
      %r = linalg.matmul ins(%x, %y : tensor<8x16xf32>, tensor<16x8xf32>) outs(%z : tensor<8x8xf32>) -> tensor<8x8xf32>
      // CHECK: %[[V:.*]] = tensor.insert_slice %[[M]] into %[[U]][%[[I]], %[[J]]] [8, 8] [1, 1]
      dispatch.store %r, %o[%i, %j] [8, 8] [1, 1] : tensor<8x8xf32> -> !dispatch.readwrite<tensor<32x32xf32>>
      // CHECK: scf.yield %[[V]]
    }
    // CHECK: scf.yield %[[Q]]
  }
  // CHECK: dispatch.commit %[[R]], %[[O]]
  // CHECK-NOT: dispatch.commit
  // CHECK: return
  return
}

// -----

// Both sides of a branch hand on a content, also if one of them was not written; the other memory is not handed on.
// CHECK-LABEL: func.func @under_condition
func.func @under_condition(%c: i1) {
  %a = dispatch.binding set(0) binding(0) : !dispatch.readwrite<tensor<8xf32>>
  %b = dispatch.binding set(0) binding(1) : !dispatch.readonly<tensor<8xf32>>
  // CHECK: %[[A:.*]] = dispatch.contents %{{.*}} : !dispatch.readwrite
  // CHECK: %[[B:.*]] = dispatch.contents %{{.*}} : !dispatch.readonly
  // CHECK: %[[R:.*]] = scf.if %{{.*}} -> (tensor<8xf32>) {
  scf.if %c {
    // CHECK: %[[X:.*]] = tensor.extract_slice %[[B]][0] [4] [1]
    %x = dispatch.load %b[0] [4] [1] : !dispatch.readonly<tensor<8xf32>> -> tensor<4xf32>
    // CHECK: %[[N:.*]] = tensor.insert_slice %[[X]] into %[[A]][4] [4] [1]
    dispatch.store %x, %a[4] [4] [1] : tensor<4xf32> -> !dispatch.readwrite<tensor<8xf32>>
    // CHECK: scf.yield %[[N]]
  }
  // CHECK: } else {
  // CHECK-NEXT: scf.yield %[[A]]
  // CHECK: dispatch.commit %[[R]], %[[A]] :
  return
}

// -----

// A loop that carries a tensor already carries one more.
// CHECK-LABEL: func.func @carries_more
func.func @carries_more(%t: tensor<4xf32>, %n: index) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = dispatch.binding set(0) binding(0) : !dispatch.readwrite<tensor<8xf32>>
  // CHECK: %[[A:.*]] = dispatch.contents
  // CHECK: %[[R:.*]]:2 = scf.for {{.*}} iter_args(%[[U:.*]] = %{{.*}}, %[[C:.*]] = %[[A]]) -> (tensor<4xf32>, tensor<8xf32>) {
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%u = %t) -> (tensor<4xf32>) {
    // CHECK: %[[X:.*]] = tensor.extract_slice %[[C]][0] [4] [1]
    %x = dispatch.load %a[0] [4] [1] : !dispatch.readwrite<tensor<8xf32>> -> tensor<4xf32>
    // CHECK: %[[N:.*]] = tensor.insert_slice %[[U]] into %[[C]][4] [4] [1]
    dispatch.store %u, %a[4] [4] [1] : tensor<4xf32> -> !dispatch.readwrite<tensor<8xf32>>
    // CHECK: scf.yield %[[X]], %[[N]]
    scf.yield %x : tensor<4xf32>
  }
  // CHECK: dispatch.commit %[[R]]#1, %[[A]] :
  // CHECK: return %[[R]]#0
  return %r : tensor<4xf32>
}

// -----

// Both regions of a while carry what either of them stores.
// CHECK-LABEL: func.func @while
func.func @while(%x: tensor<4xf32>, %c: i1) {
  %a = dispatch.binding set(0) binding(0) : !dispatch.writeonly<tensor<8xf32>>
  // CHECK: %[[A:.*]] = dispatch.contents
  // CHECK: %[[R:.*]] = scf.while (%[[T:.*]] = %[[A]])
  scf.while : () -> () {
    // CHECK: scf.condition(%{{.*}}) %[[T]]
    scf.condition(%c)
  } do {
  // CHECK: ^bb0(%[[U:.*]]: tensor<8xf32>):
    // CHECK: %[[N:.*]] = tensor.insert_slice %{{.*}} into %[[U]][2] [4] [1]
    dispatch.store %x, %a[2] [4] [1] : tensor<4xf32> -> !dispatch.writeonly<tensor<8xf32>>
    // CHECK: scf.yield %[[N]]
    scf.yield
  }
  // CHECK: dispatch.commit %[[R]], %[[A]] :
  return
}

// -----

// Versions meet where blocks do: %a at ^bb3, %b nowhere.
// CHECK-LABEL: func.func @blocks
func.func @blocks(%x: tensor<4xf32>, %c: i1) {
  %a = dispatch.binding set(0) binding(0) : !dispatch.writeonly<tensor<8xf32>>
  %b = dispatch.binding set(0) binding(1) : !dispatch.writeonly<tensor<8xf32>>
  // CHECK: %[[A:.*]] = dispatch.contents
  // CHECK: %[[B:.*]] = dispatch.contents
  // CHECK: %[[P:.*]] = tensor.insert_slice %{{.*}} into %[[B]]
  dispatch.store %x, %b[0] [4] [1] : tensor<4xf32> -> !dispatch.writeonly<tensor<8xf32>>
  // CHECK: cf.cond_br %{{.*}}, ^[[STORE:.*]], ^[[JOIN:.*]](%[[A]] : tensor<8xf32>)
  cf.cond_br %c, ^bb1, ^bb3
^bb1:
  // CHECK: %[[Q:.*]] = tensor.insert_slice %{{.*}} into %[[A]]
  dispatch.store %x, %a[0] [4] [1] : tensor<4xf32> -> !dispatch.writeonly<tensor<8xf32>>
  // CHECK: cf.br ^[[JOIN]](%[[Q]] : tensor<8xf32>)
  cf.br ^bb3
^bb3:
  // CHECK: ^[[JOIN]](%[[R:.*]]: tensor<8xf32>):
  // CHECK: dispatch.commit %[[R]], %[[A]] :
  // CHECK: dispatch.commit %[[P]], %[[B]] :
  return
}

// -----

// The content knows the sizes; the whole of a tensor is a slice too. Equal declarations are one memory, and one that
// stands in a loop moves in front of it.
// CHECK-LABEL: func.func @whole
// CHECK-SAME: %[[M:[a-z0-9]+]]: index
func.func @whole(%m: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: %[[TIED:.*]] = dispatch.tie_shape
  // CHECK: %[[C:.*]] = dispatch.contents %[[TIED]] :
  // CHECK-NOT: dispatch.binding
  // CHECK: scf.for {{.*}} iter_args(%[[T:.*]] = %[[C]])
  scf.for %i = %c0 to %n step %c1 {
    %a = dispatch.binding set(0) binding(0) : !dispatch.readwrite<tensor<?x4xf32>>
    %b = dispatch.tie_shape %a, [%m] : !dispatch.readwrite<tensor<?x4xf32>>
    // CHECK: %[[X:.*]] = tensor.extract_slice %[[T]][0, 0] [%[[M]], 4] [1, 1] : tensor<?x4xf32> to tensor<?x4xf32>
    %x = dispatch.load %b : !dispatch.readwrite<tensor<?x4xf32>> -> tensor<?x4xf32>
    %c = dispatch.binding set(0) binding(0) : !dispatch.readwrite<tensor<?x4xf32>>
    // CHECK: tensor.insert_slice %[[X]] into %[[T]][0, 0] [%[[M]], 4] [1, 1]
    dispatch.store %x, %c : tensor<?x4xf32> -> !dispatch.readwrite<tensor<?x4xf32>>
  }
  return
}

// -----

// Without sizes they are asked of the content.
// CHECK-LABEL: func.func @unknown_sizes
func.func @unknown_sizes() -> tensor<?xf32> {
  %a = dispatch.binding set(0) binding(0) : !dispatch.readonly<tensor<?xf32>>
  // CHECK: %[[C:.*]] = dispatch.contents
  // CHECK: %[[D:.*]] = tensor.dim %[[C]], %{{.*}}
  // CHECK: tensor.extract_slice %[[C]][0] [%[[D]]] [1]
  %x = dispatch.load %a : !dispatch.readonly<tensor<?xf32>> -> tensor<?xf32>
  return %x : tensor<?xf32>
}

// -----

// A thread inserts at its end what it stores; a later load of that needs no memory, one of something else does not wait.
// CHECK-LABEL: func.func @threads
func.func @threads(%y: tensor<4xf32>) {
  %a = dispatch.binding set(0) binding(0) : !dispatch.readwrite<tensor<16xf32>>
  %b = dispatch.binding set(0) binding(1) : !dispatch.writeonly<tensor<16xf32>>
  // CHECK: %[[A:.*]] = dispatch.contents
  // CHECK: %[[B:.*]] = dispatch.contents
  // CHECK: %[[R:.*]]:2 = scf.forall (%[[I:.*]]) = (0) to (16) step (4) shared_outs(%[[T:.*]] = %[[A]], %[[U:.*]] = %[[B]])
  scf.forall (%i) = (0) to (16) step (4) {
    // CHECK: %[[X:.*]] = tensor.extract_slice %[[T]][%[[I]]] [4] [1]
    // CHECK-NOT: tensor.insert_slice
    %x = dispatch.load %a[%i] [4] [1] : !dispatch.readwrite<tensor<16xf32>> -> tensor<4xf32>
    dispatch.store %x, %a[%i] [4] [1] : tensor<4xf32> -> !dispatch.readwrite<tensor<16xf32>>
    dispatch.store %y, %a[%i] [4] [1] : tensor<4xf32> -> !dispatch.readwrite<tensor<16xf32>>
    %z = dispatch.load %a[%i] [4] [1] : !dispatch.readwrite<tensor<16xf32>> -> tensor<4xf32>
    dispatch.store %z, %b[%i] [4] [1] : tensor<4xf32> -> !dispatch.writeonly<tensor<16xf32>>
    // CHECK: scf.forall.in_parallel {
    // CHECK-NEXT: tensor.parallel_insert_slice %[[Y:.*]] into %[[T]][%[[I]]] [4] [1]
    // CHECK-NEXT: tensor.parallel_insert_slice %[[Y]] into %[[U]][%[[I]]] [4] [1]
    // CHECK-NEXT: }
  }
  // CHECK: dispatch.commit %[[R]]#0, %[[A]] :
  // CHECK: dispatch.commit %[[R]]#1, %[[B]] :
  return
}

// -----

// Two names of memory that is only read may overlap. What is not accessed stays, and so do other functions.
// CHECK-LABEL: func.func @left_alone
func.func @left_alone() -> (tensor<8xf32>, tensor<4xf32>) {
  %c8 = arith.constant 8 : index
  %a = dispatch.binding set(0) binding(0) : !dispatch.readonly<tensor<8xf32>>
  %b = dispatch.binding set(0) binding(0) offset(%c8) : !dispatch.readonly<tensor<4xf32>>
  // CHECK: %[[U:.*]] = dispatch.binding {{.*}} !dispatch.readwrite<tensor<8xf32>>
  // CHECK-NOT: dispatch.contents
  // CHECK-NOT: dispatch.commit
  %unused = dispatch.binding set(1) binding(0) : !dispatch.readwrite<tensor<8xf32>>
  %x = dispatch.load %a : !dispatch.readonly<tensor<8xf32>> -> tensor<8xf32>
  %y = dispatch.load %b : !dispatch.readonly<tensor<4xf32>> -> tensor<4xf32>
  return %x, %y : tensor<8xf32>, tensor<4xf32>
}
// CHECK-LABEL: func.func @no_accesses
// CHECK-NEXT: dispatch.binding
// CHECK-NEXT: return
func.func @no_accesses() {
  %a = dispatch.binding set(0) binding(0) : !dispatch.readonly<tensor<8xf32>>
  return
}
