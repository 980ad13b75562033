// RUN: inplace-opt %s --split-input-file --inplace-rewrite-destructive-updates | filecheck %s

// The three functions that tiling and fusion leave behind, over any grid. Everything is read and stored tile by tile.
#rest4 = affine_map<(i)[s] -> (s, 4 - i)>
#rest6 = affine_map<(i)[s] -> (s, 6 - i)>

// CHECK-LABEL: func.func @tile_from_tensor_load
// CHECK-NOT:   dispatch.load
// CHECK:       scf.for %[[I:.*]] = %{{.*}} to %{{.*}} step %{{.*}} {
// CHECK-NEXT:    %[[H:.*]] = affine.min
// CHECK-NEXT:    scf.for %[[J:.*]] = %{{.*}} to %{{.*}} step %{{.*}} {
// CHECK-NEXT:      %[[W:.*]] = affine.min
// CHECK-NEXT:      %[[L:.*]] = dispatch.load %[[A:.*]][%[[I]], 0] [%[[H]], 5] [1, 1]
// CHECK-NEXT:      %[[R:.*]] = dispatch.load %[[B:.*]][0, %[[J]]] [5, %[[W]]] [1, 1]
// CHECK-NEXT:      %[[C:.*]] = dispatch.load %[[IN:.*]][%[[I]], %[[J]]] [%[[H]], %[[W]]] [1, 1]
// CHECK-NEXT:      %[[M:.*]] = linalg.matmul ins(%[[L]], %[[R]] : {{.*}}) outs(%[[C]] :
// CHECK-NEXT:      dispatch.store %[[M]], %[[O:.*]][%[[I]], %[[J]]] [%[[H]], %[[W]]] [1, 1]
// CHECK-NEXT:    }
// CHECK-NEXT:  }
// CHECK-NEXT:  return
func.func @tile_from_tensor_load() {
  %a = dispatch.binding set(0) binding(0) : !dispatch.readonly<tensor<4x5xf32>>
  %b = dispatch.binding set(0) binding(1) : !dispatch.readonly<tensor<5x6xf32>>
  %c = dispatch.binding set(0) binding(2) : !dispatch.readonly<tensor<4x6xf32>>
  %o = dispatch.binding set(0) binding(3) : !dispatch.writeonly<tensor<4x6xf32>>
  %c4 = arith.constant 4 : index
  %c6 = arith.constant 6 : index
  %sy = dispatch.workgroup_size 1 : index
  %sx = dispatch.workgroup_size 0 : index
  %ny = dispatch.workgroup_count 1 : index
  %nx = dispatch.workgroup_count 0 : index
  %y = dispatch.workgroup_id 1 : index
  %x = dispatch.workgroup_id 0 : index
  %y0 = arith.muli %y, %sy : index
  %dy = arith.muli %ny, %sy : index
  %x0 = arith.muli %x, %sx : index
  %dx = arith.muli %nx, %sx : index
  %lhs = dispatch.load %a : !dispatch.readonly<tensor<4x5xf32>> -> tensor<4x5xf32>
  %rhs = dispatch.load %b : !dispatch.readonly<tensor<5x6xf32>> -> tensor<5x6xf32>
  %in = dispatch.load %c : !dispatch.readonly<tensor<4x6xf32>> -> tensor<4x6xf32>
  %r = scf.for %i = %y0 to %c4 step %dy iter_args(%t = %in) -> (tensor<4x6xf32>) {
    %h = affine.min #rest4(%i)[%sy]
    %q = scf.for %j = %x0 to %c6 step %dx iter_args(%u = %t) -> (tensor<4x6xf32>) {
      %w = affine.min #rest6(%j)[%sx]
      %lt = tensor.extract_slice %lhs[%i, 0] [%h, 5] [1, 1] : tensor<4x5xf32> to tensor<?x5xf32>
      %rt = tensor.extract_slice %rhs[0, %j] [5, %w] [1, 1] : tensor<5x6xf32> to tensor<5x?xf32>
      %ct = tensor.extract_slice %u[%i, %j] [%h, %w] [1, 1] : tensor<4x6xf32> to tensor<?x?xf32>
      %m = linalg.matmul ins(%lt, %rt : tensor<?x5xf32>, tensor<5x?xf32>) outs(%ct : tensor<?x?xf32>) -> tensor<?x?xf32>
      %n = tensor.insert_slice %m into %u[%i, %j] [%h, %w] [1, 1] : tensor<?x?xf32> into tensor<4x6xf32>
      scf.yield %n : tensor<4x6xf32>
    }
    scf.yield %q : tensor<4x6xf32>
  }
  dispatch.store %r, %o : tensor<4x6xf32> -> !dispatch.writeonly<tensor<4x6xf32>>
  return
}

// CHECK-LABEL: func.func @tile_from_pointwise_lhs
// CHECK-NOT:   dispatch.load
// CHECK:       scf.for %[[I:.*]] = %{{.*}} to %{{.*}} step %{{.*}} {
// CHECK-NEXT:    %[[H:.*]] = affine.min
// CHECK-NEXT:    scf.for %[[J:.*]] = %{{.*}} to %{{.*}} step %{{.*}} {
// CHECK-NEXT:      %[[W:.*]] = affine.min
// CHECK-NEXT:      %[[L:.*]] = dispatch.load %[[A:.*]][%[[I]], 0] [%[[H]], 5] [1, 1]
// CHECK-NEXT:      %[[R:.*]] = dispatch.load %[[B:.*]][0, %[[J]]] [5, %[[W]]] [1, 1]
// CHECK:           %[[X:.*]] = linalg.exp ins(%[[L]] :
// CHECK-NEXT:      %[[C:.*]] = dispatch.load %[[IN:.*]][%[[I]], %[[J]]] [%[[H]], %[[W]]] [1, 1]
// CHECK-NEXT:      %[[M:.*]] = linalg.matmul ins(%[[X]], %[[R]] : {{.*}}) outs(%[[C]] :
// CHECK-NEXT:      dispatch.store %[[M]], %[[O:.*]][%[[I]], %[[J]]] [%[[H]], %[[W]]] [1, 1]
// CHECK-NEXT:    }
// CHECK-NEXT:  }
// CHECK-NEXT:  return
func.func @tile_from_pointwise_lhs() {
  %a = dispatch.binding set(0) binding(0) : !dispatch.readonly<tensor<4x5xf32>>
  %b = dispatch.binding set(0) binding(1) : !dispatch.readonly<tensor<5x6xf32>>
  %c = dispatch.binding set(0) binding(2) : !dispatch.readonly<tensor<4x6xf32>>
  %o = dispatch.binding set(0) binding(3) : !dispatch.writeonly<tensor<4x6xf32>>
  %c4 = arith.constant 4 : index
  %c6 = arith.constant 6 : index
  %sy = dispatch.workgroup_size 1 : index
  %sx = dispatch.workgroup_size 0 : index
  %ny = dispatch.workgroup_count 1 : index
  %nx = dispatch.workgroup_count 0 : index
  %y = dispatch.workgroup_id 1 : index
  %x = dispatch.workgroup_id 0 : index
  %y0 = arith.muli %y, %sy : index
  %dy = arith.muli %ny, %sy : index
  %x0 = arith.muli %x, %sx : index
  %dx = arith.muli %nx, %sx : index
  %lhs = dispatch.load %a : !dispatch.readonly<tensor<4x5xf32>> -> tensor<4x5xf32>
  %rhs = dispatch.load %b : !dispatch.readonly<tensor<5x6xf32>> -> tensor<5x6xf32>
  %in = dispatch.load %c : !dispatch.readonly<tensor<4x6xf32>> -> tensor<4x6xf32>
  %r = scf.for %i = %y0 to %c4 step %dy iter_args(%t = %in) -> (tensor<4x6xf32>) {
    %h = affine.min #rest4(%i)[%sy]
    %q = scf.for %j = %x0 to %c6 step %dx iter_args(%u = %t) -> (tensor<4x6xf32>) {
      %w = affine.min #rest6(%j)[%sx]
      %lt = tensor.extract_slice %lhs[%i, 0] [%h, 5] [1, 1] : tensor<4x5xf32> to tensor<?x5xf32>
      %rt = tensor.extract_slice %rhs[0, %j] [5, %w] [1, 1] : tensor<5x6xf32> to tensor<5x?xf32>
      %le = tensor.empty(%h) : tensor<?x5xf32>
      %lx = linalg.exp ins(%lt : tensor<?x5xf32>) outs(%le : tensor<?x5xf32>) -> tensor<?x5xf32>
      %ct = tensor.extract_slice %u[%i, %j] [%h, %w] [1, 1] : tensor<4x6xf32> to tensor<?x?xf32>
      %m = linalg.matmul ins(%lx, %rt : tensor<?x5xf32>, tensor<5x?xf32>) outs(%ct : tensor<?x?xf32>) -> tensor<?x?xf32>
      %n = tensor.insert_slice %m into %u[%i, %j] [%h, %w] [1, 1] : tensor<?x?xf32> into tensor<4x6xf32>
      scf.yield %n : tensor<4x6xf32>
    }
    scf.yield %q : tensor<4x6xf32>
  }
  dispatch.store %r, %o : tensor<4x6xf32> -> !dispatch.writeonly<tensor<4x6xf32>>
  return
}

// CHECK-LABEL: func.func @tile_from_pointwise_init
// CHECK-NOT:   dispatch.load
// CHECK:       scf.for %[[I:.*]] = %{{.*}} to %{{.*}} step %{{.*}} {
// CHECK-NEXT:    %[[H:.*]] = affine.min
// CHECK-NEXT:    scf.for %[[J:.*]] = %{{.*}} to %{{.*}} step %{{.*}} {
// CHECK-NEXT:      %[[W:.*]] = affine.min
// CHECK-NEXT:      %[[L:.*]] = dispatch.load %[[A:.*]][%[[I]], 0] [%[[H]], 5] [1, 1]
// CHECK-NEXT:      %[[R:.*]] = dispatch.load %[[B:.*]][0, %[[J]]] [5, %[[W]]] [1, 1]
// CHECK-NEXT:      %[[C:.*]] = dispatch.load %[[IN:.*]][%[[I]], %[[J]]] [%[[H]], %[[W]]] [1, 1]
// CHECK:           %[[X:.*]] = linalg.exp ins(%[[C]] :
// CHECK-NEXT:      %[[M:.*]] = linalg.matmul ins(%[[L]], %[[R]] : {{.*}}) outs(%[[X]] :
// CHECK-NEXT:      dispatch.store %[[M]], %[[O:.*]][%[[I]], %[[J]]] [%[[H]], %[[W]]] [1, 1]
// CHECK-NEXT:    }
// CHECK-NEXT:  }
// CHECK-NEXT:  return
func.func @tile_from_pointwise_init() {
  %a = dispatch.binding set(0) binding(0) : !dispatch.readonly<tensor<4x5xf32>>
  %b = dispatch.binding set(0) binding(1) : !dispatch.readonly<tensor<5x6xf32>>
  %c = dispatch.binding set(0) binding(2) : !dispatch.readonly<tensor<4x6xf32>>
  %o = dispatch.binding set(0) binding(3) : !dispatch.writeonly<tensor<4x6xf32>>
  %c4 = arith.constant 4 : index
  %c6 = arith.constant 6 : index
  %sy = dispatch.workgroup_size 1 : index
  %sx = dispatch.workgroup_size 0 : index
  %ny = dispatch.workgroup_count 1 : index
  %nx = dispatch.workgroup_count 0 : index
  %y = dispatch.workgroup_id 1 : index
  %x = dispatch.workgroup_id 0 : index
  %y0 = arith.muli %y, %sy : index
  %dy = arith.muli %ny, %sy : index
  %x0 = arith.muli %x, %sx : index
  %dx = arith.muli %nx, %sx : index
  %lhs = dispatch.load %a : !dispatch.readonly<tensor<4x5xf32>> -> tensor<4x5xf32>
  %rhs = dispatch.load %b : !dispatch.readonly<tensor<5x6xf32>> -> tensor<5x6xf32>
  %in = dispatch.load %c : !dispatch.readonly<tensor<4x6xf32>> -> tensor<4x6xf32>
  %e = tensor.empty() : tensor<4x6xf32>
  %whole = linalg.exp ins(%in : tensor<4x6xf32>) outs(%e : tensor<4x6xf32>) -> tensor<4x6xf32>
  %r = scf.for %i = %y0 to %c4 step %dy iter_args(%t = %whole) -> (tensor<4x6xf32>) {
    %h = affine.min #rest4(%i)[%sy]
    %q = scf.for %j = %x0 to %c6 step %dx iter_args(%u = %t) -> (tensor<4x6xf32>) {
      %w = affine.min #rest6(%j)[%sx]
      %lt = tensor.extract_slice %lhs[%i, 0] [%h, 5] [1, 1] : tensor<4x5xf32> to tensor<?x5xf32>
      %rt = tensor.extract_slice %rhs[0, %j] [5, %w] [1, 1] : tensor<5x6xf32> to tensor<5x?xf32>
      %ct = tensor.extract_slice %in[%i, %j] [%h, %w] [1, 1] : tensor<4x6xf32> to tensor<?x?xf32>
      %ce = tensor.empty(%h, %w) : tensor<?x?xf32>
      %cx = linalg.exp ins(%ct : tensor<?x?xf32>) outs(%ce : tensor<?x?xf32>) -> tensor<?x?xf32>
      %m = linalg.matmul ins(%lt, %rt : tensor<?x5xf32>, tensor<5x?xf32>) outs(%cx : tensor<?x?xf32>) -> tensor<?x?xf32>
      %n = tensor.insert_slice %m into %u[%i, %j] [%h, %w] [1, 1] : tensor<?x?xf32> into tensor<4x6xf32>
      scf.yield %n : tensor<4x6xf32>
    }
    scf.yield %q : tensor<4x6xf32>
  }
  dispatch.store %r, %o : tensor<4x6xf32> -> !dispatch.writeonly<tensor<4x6xf32>>
  return
}

// -----

// Elements that no iteration stores keep what the tensor was loaded with; who uses the result besides loads it.
// CHECK-LABEL: func.func @copied_and_reloaded
// CHECK-DAG:     %[[IN:.*]] = dispatch.binding set(0) binding(0)
// CHECK-DAG:     %[[OUT:.*]] = dispatch.binding set(0) binding(1)
// CHECK:         %[[T:.*]] = dispatch.load %[[IN]] :
// CHECK-NEXT:    dispatch.store %[[T]], %[[OUT]] :
// CHECK-NEXT:    scf.for %[[I:.*]] = %{{.*}} to %{{.*}} step %{{.*}} {
// CHECK-NEXT:      %[[E:.*]] = tensor.from_elements %{{.*}} : tensor<1xf32>
// CHECK-NEXT:      dispatch.store %[[E]], %[[OUT]][%[[I]]] [1] [1]
// CHECK-NEXT:    }
// CHECK-NEXT:    %[[R:.*]] = dispatch.load %[[OUT]] :
// CHECK-NEXT:    dispatch.store %[[R]], %{{.*}} : tensor<8xf32> -> !dispatch.writeonly<tensor<8xf32>>
// CHECK-NEXT:    return
func.func @copied_and_reloaded() {
  %in = dispatch.binding set(0) binding(0) : !dispatch.readonly<tensor<8xf32>>
  %out = dispatch.binding set(0) binding(1) : !dispatch.readwrite<tensor<8xf32>>
  %other = dispatch.binding set(0) binding(2) : !dispatch.writeonly<tensor<8xf32>>
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %f = arith.constant 3.0 : f32
  %t = dispatch.load %in : !dispatch.readonly<tensor<8xf32>> -> tensor<8xf32>
  %r = scf.for %i = %c1 to %c7 step %c1 iter_args(%a = %t) -> (tensor<8xf32>) {
    %n = tensor.insert %f into %a[%i] : tensor<8xf32>
    scf.yield %n : tensor<8xf32>
  }
  dispatch.store %r, %out : tensor<8xf32> -> !dispatch.readwrite<tensor<8xf32>>
  dispatch.store %r, %other : tensor<8xf32> -> !dispatch.writeonly<tensor<8xf32>>
  return
}

// -----

// A sweep in place: the binding holds the tensor already, and what an iteration reads was stored by the one before.
// Branches return nothing any more, and the loop keeps what else it carries.
// CHECK-LABEL: func.func @sweep
// CHECK:         %[[OUT:.*]] = dispatch.binding set(0) binding(0)
// CHECK-NOT:     tensor<8xf32> {
// CHECK:         %{{.*}} = scf.for %[[I:.*]] = %{{.*}} iter_args(%[[S:.*]] = %{{.*}}) -> (f32) {
// CHECK:           %[[B:.*]] = arith.subi %[[I]], %{{.*}}
// CHECK:           %[[L:.*]] = dispatch.load %[[OUT]][%[[B]]] [1] [1] : !dispatch.readwrite<tensor<8xf32>> -> tensor<1xf32>
// CHECK:           %[[E:.*]] = tensor.extract %[[L]][%{{.*}}]
// CHECK:           %[[Z:.*]] = arith.addf %[[S]], %[[E]]
// CHECK:           scf.if %{{.*}} {
// CHECK:             dispatch.store %{{.*}}, %[[OUT]][%[[I]]] [1] [1]
// CHECK:           }
// CHECK:           scf.yield %[[Z]] : f32
// CHECK:         dispatch.store %{{.*}}, %{{.*}} : tensor<1xf32>
// CHECK-NOT:     dispatch.store
// CHECK:         return
func.func @sweep() {
  %out = dispatch.binding set(0) binding(0) : !dispatch.readwrite<tensor<8xf32>>
  %sum = dispatch.binding set(0) binding(1) : !dispatch.writeonly<tensor<1xf32>>
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %f = arith.constant 0.0 : f32
  %t = dispatch.load %out : !dispatch.readwrite<tensor<8xf32>> -> tensor<8xf32>
  %r:2 = scf.for %i = %c1 to %c8 step %c1 iter_args(%a = %t, %s = %f) -> (tensor<8xf32>, f32) {
    %before = arith.subi %i, %c1 : index
    %e = tensor.extract %a[%before] : tensor<8xf32>
    %z = arith.addf %s, %e : f32
    %p = arith.cmpf ogt, %e, %f : f32
    %q = scf.if %p -> (tensor<8xf32>) {
      %n = tensor.insert %z into %a[%i] : tensor<8xf32>
      scf.yield %n : tensor<8xf32>
    } else {
      scf.yield %a : tensor<8xf32>
    }
    scf.yield %q, %z : tensor<8xf32>, f32
  }
  dispatch.store %r#0, %out : tensor<8xf32> -> !dispatch.readwrite<tensor<8xf32>>
  %one = tensor.from_elements %r#1 : tensor<1xf32>
  dispatch.store %one, %sum : tensor<1xf32> -> !dispatch.writeonly<tensor<1xf32>>
  return
}

// -----

// Stored twice: the second one stores what is loaded from the first. A loop that follows begins with that.
// CHECK-LABEL: func.func @twice
// CHECK-DAG:     %[[OUT:.*]] = dispatch.binding set(0) binding(0)
// CHECK-DAG:     %[[OTHER:.*]] = dispatch.binding set(0) binding(1)
// CHECK-DAG:     %[[LAST:.*]] = dispatch.binding set(0) binding(2)
// CHECK-NOT:     iter_args
// CHECK:         dispatch.store %{{.*}}, %[[OUT]][
// CHECK:         %[[R:.*]] = dispatch.load %[[OUT]] :
// CHECK-NEXT:    dispatch.store %[[R]], %[[OTHER]] :
// CHECK-NEXT:    dispatch.store %[[R]], %[[LAST]] :
// CHECK-NEXT:    scf.for
// CHECK:           dispatch.store %{{.*}}, %[[LAST]][
// CHECK-NOT:     dispatch.store
// CHECK:         return
func.func @twice() {
  %out = dispatch.binding set(0) binding(0) : !dispatch.readwrite<tensor<8xf32>>
  %other = dispatch.binding set(0) binding(1) : !dispatch.readwrite<tensor<8xf32>>
  %last = dispatch.binding set(0) binding(2) : !dispatch.writeonly<tensor<8xf32>>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %f = arith.constant 3.0 : f32
  %e = tensor.empty() : tensor<8xf32>
  %r = scf.for %i = %c0 to %c8 step %c1 iter_args(%a = %e) -> (tensor<8xf32>) {
    %n = tensor.insert %f into %a[%i] : tensor<8xf32>
    scf.yield %n : tensor<8xf32>
  }
  dispatch.store %r, %out : tensor<8xf32> -> !dispatch.readwrite<tensor<8xf32>>
  dispatch.store %r, %other : tensor<8xf32> -> !dispatch.readwrite<tensor<8xf32>>
  %q = scf.for %i = %c1 to %c8 step %c1 iter_args(%a = %r) -> (tensor<8xf32>) {
    %n = tensor.insert %f into %a[%i] : tensor<8xf32>
    scf.yield %n : tensor<8xf32>
  }
  dispatch.store %q, %last : tensor<8xf32> -> !dispatch.writeonly<tensor<8xf32>>
  return
}

// -----

// Into memrefs: tiles are materialized in subviews. Of a tensor without content nothing has to be copied first.
// CHECK-LABEL: func.func @memrefs
// CHECK-SAME:    %[[T:.*]]: tensor<?xf32>, %[[M:.*]]: memref<?xf32>, %[[O:.*]]: memref<8xf32>
// CHECK-NOT:     materialize_in_destination
// CHECK:         scf.for %[[I:.*]] = %{{.*}} to %{{.*}} step %{{.*}} {
// CHECK-NEXT:      %[[W:.*]] = affine.min
// CHECK-NEXT:      tensor.extract_slice %[[T]][%[[I]]] [%[[W]]] [1]
// CHECK:           %[[X:.*]] = linalg.exp
// CHECK-NEXT:      %[[S:.*]] = memref.subview %[[M]][%[[I]]] [%[[W]]] [1]
// CHECK-NEXT:      bufferization.materialize_in_destination %[[X]] in restrict writable %[[S]] :
// CHECK-NEXT:    }
// CHECK-NEXT:    scf.for %[[J:.*]] = %{{.*}} to %{{.*}} step %{{.*}} {
// CHECK:           %[[S:.*]] = memref.subview %[[O]][%[[J]]] [1] [1]
// CHECK-NEXT:      bufferization.materialize_in_destination %{{.*}} in restrict writable %[[S]] :
// CHECK-NEXT:    }
// CHECK-NEXT:    return
func.func @memrefs(%t: tensor<?xf32>, %m: memref<?xf32>, %o: memref<8xf32>, %f: f32) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %n = tensor.dim %t, %c0 : tensor<?xf32>
  %e = tensor.empty() : tensor<8xf32>
  %r = scf.for %i = %c0 to %n step %c4 iter_args(%a = %t) -> (tensor<?xf32>) {
    %w = affine.min affine_map<(i)[n] -> (4, n - i)>(%i)[%n]
    %s = tensor.extract_slice %a[%i] [%w] [1] : tensor<?xf32> to tensor<?xf32>
    %d = tensor.empty(%w) : tensor<?xf32>
    %x = linalg.exp ins(%s : tensor<?xf32>) outs(%d : tensor<?xf32>) -> tensor<?xf32>
    %u = tensor.insert_slice %x into %a[%i] [%w] [1] : tensor<?xf32> into tensor<?xf32>
    scf.yield %u : tensor<?xf32>
  }
  %q = scf.for %i = %c4 to %c8 step %c4 iter_args(%a = %e) -> (tensor<8xf32>) {
    %u = tensor.insert %f into %a[%i] : tensor<8xf32>
    scf.yield %u : tensor<8xf32>
  }
  bufferization.materialize_in_destination %r in restrict writable %m : (tensor<?xf32>, memref<?xf32>) -> ()
  bufferization.materialize_in_destination %q in restrict writable %o : (tensor<8xf32>, memref<8xf32>) -> ()
  return
}

// -----

// What was loaded from a place is there: it need not be stored, whatever is stored to other elements in between.
// CHECK-LABEL: func.func @stored_back
// CHECK-NOT:     dispatch.load
// CHECK:         scf.for
// CHECK-NEXT:      dispatch.store
// CHECK-NEXT:    }
// CHECK-NEXT:    return
func.func @stored_back(%f: tensor<1xf32>, %p: i1) {
  %a = dispatch.binding set(0) binding(0) : !dispatch.readwrite<tensor<8xf32>>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %v = dispatch.load %a[4] [4] [1] : !dispatch.readwrite<tensor<8xf32>> -> tensor<4xf32>
  scf.for %i = %c0 to %c4 step %c1 {
    dispatch.store %f, %a[%i] [1] [1] : tensor<1xf32> -> !dispatch.readwrite<tensor<8xf32>>
    dispatch.store %v, %a[4] [4] [1] : tensor<4xf32> -> !dispatch.readwrite<tensor<8xf32>>
  }
  return
}

// -----

// The store that follows in the loop comes before the one of what was loaded, in the next iteration.
// CHECK-LABEL: func.func @changed_since
// CHECK:         scf.for
// CHECK-NEXT:      dispatch.store
// CHECK-NEXT:      dispatch.store
// CHECK-NEXT:    }
func.func @changed_since(%f: tensor<1xf32>) {
  %a = dispatch.binding set(0) binding(0) : !dispatch.readwrite<tensor<8xf32>>
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %v = dispatch.load %a[4] [4] [1] : !dispatch.readwrite<tensor<8xf32>> -> tensor<4xf32>
  scf.for %i = %c1 to %c5 step %c1 {
    dispatch.store %v, %a[4] [4] [1] : tensor<4xf32> -> !dispatch.readwrite<tensor<8xf32>>
    dispatch.store %f, %a[%i] [1] [1] : tensor<1xf32> -> !dispatch.readwrite<tensor<8xf32>>
  }
  return
}

// -----

// Threads store their tiles at their end.
// CHECK-LABEL: func.func @threads
// CHECK-NOT:     dispatch.load %{{.*}} :
// CHECK:         scf.forall (%[[I:.*]]) = (0) to (8) step (4) {
// CHECK-NEXT:      %[[S:.*]] = dispatch.load %{{.*}}[%[[I]]] [4] [1]
// CHECK-NEXT:      %[[X:.*]] = linalg.exp
// CHECK-NEXT:      dispatch.store %[[X]], %{{.*}}[%[[I]]] [4] [1]
// CHECK-NEXT:    }
// CHECK-NEXT:    return
func.func @threads() {
  %in = dispatch.binding set(0) binding(0) : !dispatch.readonly<tensor<8xf32>>
  %out = dispatch.binding set(0) binding(1) : !dispatch.writeonly<tensor<8xf32>>
  %t = dispatch.load %in : !dispatch.readonly<tensor<8xf32>> -> tensor<8xf32>
  %r = scf.forall (%i) = (0) to (8) step (4) shared_outs(%a = %t) -> (tensor<8xf32>) {
    %s = tensor.extract_slice %a[%i] [4] [1] : tensor<8xf32> to tensor<4xf32>
    %x = linalg.exp ins(%s : tensor<4xf32>) outs(%s : tensor<4xf32>) -> tensor<4xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %x into %a[%i] [4] [1] : tensor<4xf32> into tensor<8xf32>
    }
  }
  dispatch.store %r, %out : tensor<8xf32> -> !dispatch.writeonly<tensor<8xf32>>
  return
}

// -----

// Tiles of tiles, of a part of a binding.
// CHECK-LABEL: func.func @tiles_of_tiles
// CHECK-NOT:     dispatch.load
// CHECK:         scf.for %[[I:.*]] = %{{.*}} to %{{.*}} step %{{.*}} {
// CHECK:           scf.for %[[J:.*]] = %{{.*}} to %{{.*}} step %{{.*}} {
// CHECK-NEXT:        %[[K:.*]] = arith.addi %[[I]], %[[J]]
// CHECK-NEXT:        %[[S:.*]] = dispatch.load %{{.*}}[%[[K]]] [2] [1]
// CHECK-NEXT:        %[[X:.*]] = linalg.exp
// CHECK:             dispatch.store %[[X]], %{{.*}}[%{{.*}}] [2] [1]
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:    return
func.func @tiles_of_tiles() {
  %in = dispatch.binding set(0) binding(0) : !dispatch.readonly<tensor<8xf32>>
  %out = dispatch.binding set(0) binding(1) : !dispatch.writeonly<tensor<16xf32>>
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %t = dispatch.load %in : !dispatch.readonly<tensor<8xf32>> -> tensor<8xf32>
  %r = scf.for %i = %c0 to %c8 step %c4 iter_args(%a = %t) -> (tensor<8xf32>) {
    %h = tensor.extract_slice %a[%i] [4] [1] : tensor<8xf32> to tensor<4xf32>
    %q = scf.for %j = %c0 to %c4 step %c2 iter_args(%b = %h) -> (tensor<4xf32>) {
      %s = tensor.extract_slice %b[%j] [2] [1] : tensor<4xf32> to tensor<2xf32>
      %x = linalg.exp ins(%s : tensor<2xf32>) outs(%s : tensor<2xf32>) -> tensor<2xf32>
      %n = tensor.insert_slice %x into %b[%j] [2] [1] : tensor<2xf32> into tensor<4xf32>
      scf.yield %n : tensor<4xf32>
    }
    %m = tensor.insert_slice %q into %a[%i] [4] [1] : tensor<4xf32> into tensor<8xf32>
    scf.yield %m : tensor<8xf32>
  }
  dispatch.store %r, %out[8] [8] [1] : tensor<8xf32> -> !dispatch.writeonly<tensor<16xf32>>
  return
}

// -----

// What is updated is an argument of a block, with a number that no argument of the function has. The attributes of the
// function's arguments say nothing of it.
// CHECK-LABEL: func.func @argument_of_a_block
// CHECK:         scf.for {{.*}} iter_args
func.func @argument_of_a_block(%t: tensor<8xf32> {bufferization.writable = true}, %f: f32) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  cf.br ^bb1(%f, %c8, %t : f32, index, tensor<8xf32>)
^bb1(%x: f32, %n: index, %u: tensor<8xf32>):
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %u) -> (tensor<8xf32>) {
    %v = tensor.insert %x into %a[%i] : tensor<8xf32>
    scf.yield %v : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}
