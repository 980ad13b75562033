// RUN: inplace-opt %s --inplace-one-shot-bufferize=bufferize-function-boundaries | filecheck %s

// CHECK-LABEL: func.func @tiles(
// CHECK-SAME:    %[[T:.*]]: memref<{{.*}}, %[[U:.*]]: memref<
// CHECK-NEXT:    scf.forall (%[[I:.*]]) = (0) to (8) step (4) {
// CHECK-NEXT:    %[[S:.*]] = memref.subview %[[T]][%[[I]]] [4] [1]
// CHECK-NEXT:    %[[V:.*]] = memref.subview %[[U]][%[[I]]] [4] [1]
// CHECK-NEXT:    linalg.add ins(%[[S]], %[[V]] : {{.*}}) outs(%[[S]] :
// CHECK-NEXT:    } {mapping = [#gpu.thread<x>]}
// CHECK-NEXT:    return %[[T]]
func.func @tiles(%t: tensor<8xf32>, %u: tensor<8xf32>) -> tensor<8xf32> {
  %r = scf.forall (%i) = (0) to (8) step (4) shared_outs(%o = %t) -> (tensor<8xf32>) {
    %s = tensor.extract_slice %o[%i] [4] [1] : tensor<8xf32> to tensor<4xf32>
    %v = tensor.extract_slice %u[%i] [4] [1] : tensor<8xf32> to tensor<4xf32>
    %x = linalg.add ins(%s, %v : tensor<4xf32>, tensor<4xf32>) outs(%s : tensor<4xf32>) -> tensor<4xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %x into %o[%i] [4] [1] : tensor<4xf32> into tensor<8xf32>
    }
  } {mapping = [#gpu.thread<x>]}
  return %r : tensor<8xf32>
}

// What other threads may change is read from the old buffer.
// CHECK-LABEL: func.func @reads_what_others_insert(
// CHECK-SAME:    %[[T:[a-z0-9]*]]: memref<
// CHECK:         %[[O:.*]] = memref.alloc()
// CHECK-NEXT:    memref.copy %[[T]], %[[O]]
// CHECK-NEXT:    scf.forall (%[[I:.*]]) = (0) to (8) step (4) {
// CHECK-NEXT:    %[[S:.*]] = memref.subview %[[T]][0] [4] [1]
// CHECK-NEXT:    %[[X:.*]] = memref.alloc()
// CHECK-NEXT:    linalg.exp ins(%[[S]] : {{.*}}) outs(%[[X]] :
// CHECK-NEXT:    %[[P:.*]] = memref.subview %[[O]][%[[I]]] [4] [1]
// CHECK-NEXT:    memref.copy %[[X]], %[[P]]
// CHECK-NEXT:    }
// CHECK-NEXT:    return %[[O]]
func.func @reads_what_others_insert(%t: tensor<8xf32>) -> tensor<8xf32> {
  %r = scf.forall (%i) = (0) to (8) step (4) shared_outs(%o = %t) -> (tensor<8xf32>) {
    %s = tensor.extract_slice %o[0] [4] [1] : tensor<8xf32> to tensor<4xf32>
    %e = tensor.empty() : tensor<4xf32>
    %x = linalg.exp ins(%s : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %x into %o[%i] [4] [1] : tensor<4xf32> into tensor<8xf32>
    }
  }
  return %r : tensor<8xf32>
}

// Slices that drop a dimension, dynamic bounds and sizes, two outputs.
// CHECK-LABEL: func.func @rows(
// CHECK-SAME:    %[[T:.*]]: memref<?x?xf32{{.*}}, %[[U:.*]]: memref<?xf32{{.*}}, %[[F:[a-z0-9]*]]: f32
// CHECK:         scf.forall (%[[I:.*]]) in (%{{.*}}) {
// CHECK-NEXT:    %[[S:.*]] = memref.subview %[[T]][%[[I]], 0] [1, %{{.*}}] [1, 1]
// CHECK-NEXT:    linalg.fill ins(%[[F]] : f32) outs(%[[S]] : memref<?xf32
// CHECK-NEXT:    %[[Q:.*]] = memref.subview %[[S]][0] [1] [1]
// CHECK-NEXT:    %[[P:.*]] = memref.subview %[[U]][%[[I]]] [1] [1]
// CHECK-NEXT:    memref.copy %[[Q]], %[[P]]
// CHECK-NEXT:    }
// CHECK-NEXT:    return %[[T]], %[[U]]
func.func @rows(%t: tensor<?x?xf32>, %u: tensor<?xf32>, %f: f32) -> (tensor<?x?xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %t, %c0 : tensor<?x?xf32>
  %m = tensor.dim %t, %c1 : tensor<?x?xf32>
  %r:2 = scf.forall (%i) in (%n) shared_outs(%o = %t, %q = %u) -> (tensor<?x?xf32>, tensor<?xf32>) {
    %s = tensor.extract_slice %o[%i, 0] [1, %m] [1, 1] : tensor<?x?xf32> to tensor<?xf32>
    %x = linalg.fill ins(%f : f32) outs(%s : tensor<?xf32>) -> tensor<?xf32>
    %y = tensor.extract_slice %x[0] [1] [1] : tensor<?xf32> to tensor<1xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %x into %o[%i, 0] [1, %m] [1, 1] : tensor<?xf32> into tensor<?x?xf32>
      tensor.parallel_insert_slice %y into %q[%i] [1] [1] : tensor<1xf32> into tensor<?xf32>
    }
  }
  return %r#0, %r#1 : tensor<?x?xf32>, tensor<?xf32>
}

// A loop without outputs stays as it is, a parallel loop that reduces scalars too.
// CHECK-LABEL: func.func @only_reads(
// CHECK-SAME:    %[[T:[a-z0-9]*]]: memref<
// CHECK:         scf.forall (%[[I:.*]]) in (8) {
// CHECK-NEXT:    memref.load %[[T]][%[[I]]]
// CHECK:         scf.parallel (%[[J:.*]]) =
// CHECK-NEXT:    memref.load %[[T]][%[[J]]]
func.func @only_reads(%t: tensor<8xf32>, %m: memref<8xf32>, %f: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.forall (%i) in (8) {
    %e = tensor.extract %t[%i] : tensor<8xf32>
    memref.store %e, %m[%i] : memref<8xf32>
  }
  %r = scf.parallel (%i) = (%c0) to (%c8) step (%c1) init (%f) -> f32 {
    %e = tensor.extract %t[%i] : tensor<8xf32>
    scf.reduce(%e : f32) {
    ^bb0(%a: f32, %b: f32):
      %s = arith.addf %a, %b : f32
      scf.reduce.return %s : f32
    }
  }
  return %r : f32
}
