// RUN: inplace-opt %s --split-input-file --inplace-canonicalize | filecheck %s

// Nothing leads to the loop once the first branch is folded: upstream's pass would fold in it forever.
// CHECK-LABEL: func.func @past_a_loop
// CHECK-NEXT: return %arg0
func.func @past_a_loop(%t: memref<4xf32>) -> memref<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c6 = arith.constant 6 : index
  %p = arith.cmpi slt, %c0, %c1 : index
  cf.cond_br %p, ^end, ^b1(%c0 : index)
^b1(%i: index):
  %j = arith.addi %i, %c1 : index
  %k = arith.cmpi slt, %j, %c6 : index
  cf.cond_br %k, ^go, ^end
^go:
  cf.br ^b1(%j : index)
^end:
  return %t : memref<4xf32>
}

// -----

// A condition that only a pattern of canonicalization finds; the loop is closed by cases, and nobody calls the function.
// CHECK-LABEL: func.func private @past_a_switch
// CHECK-NEXT: return %arg0
func.func private @past_a_switch(%t: memref<4xf32>) -> memref<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c6 = arith.constant 6 : index
  %true = arith.constant true
  %p = scf.if %true -> i1 {
    scf.yield %true : i1
  } else {
    %false = arith.constant false
    scf.yield %false : i1
  }
  cf.cond_br %p, ^end, ^b1(%c0 : index)
^b1(%i: index):
  %j = arith.addi %i, %c1 : index
  %d = arith.remui %j, %c6 : index
  %f = arith.index_cast %d : index to i32
  cf.switch %f : i32, [
    default: ^b1(%j : index),
    1: ^end,
    2: ^b1(%j : index)
  ]
^end:
  return %t : memref<4xf32>
}

// -----

// What goes on for good is what it was.
// CHECK-LABEL: func.func @loop(
// CHECK-SAME: %[[T:.*]]: memref<?xf32>, %[[N:.*]]: index)
// CHECK-DAG: %[[ZERO:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[ONE:.*]] = arith.constant 1 : index
// CHECK-DAG: %[[F:.*]] = arith.constant 0.0
// CHECK: cf.br ^[[LOOP:bb[0-9]+]](%[[ZERO]] : index)
// CHECK: ^[[LOOP]](%[[I:.*]]: index):
// CHECK-NEXT: %[[P:.*]] = arith.cmpi slt, %[[I]], %[[N]] : index
// CHECK-NEXT: cf.cond_br %[[P]], ^[[GO:bb[0-9]+]], ^[[END:bb[0-9]+]]
// CHECK: ^[[GO]]:
// CHECK-NEXT: memref.store %[[F]], %[[T]][%[[I]]] : memref<?xf32>
// CHECK-NEXT: %[[J:.*]] = arith.addi %[[I]], %[[ONE]] : index
// CHECK-NEXT: cf.br ^[[LOOP]](%[[J]] : index)
// CHECK: ^[[END]]:
// CHECK-NEXT: return
// CHECK-NOT: ^bb
func.func @loop(%t: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  cf.br ^loop(%c0 : index)
^loop(%i: index):
  %p = arith.cmpi slt, %i, %n : index
  cf.cond_br %p, ^go, ^end
^go:
  memref.store %zero, %t[%i] : memref<?xf32>
  %j = arith.addi %i, %c1 : index
  cf.br ^next(%j : index)
^next(%k: index):
  cf.br ^loop(%k : index)
^end:
  return
}

// -----

// A loop closed by a condition and a case; each keeps its own operands.
// CHECK-LABEL: func.func @ways(
// CHECK-SAME: %[[P:.*]]: i1, %[[F:.*]]: i32
// CHECK-DAG: %[[A:.*]] = arith.constant 1 : i32
// CHECK-DAG: %[[B:.*]] = arith.constant 2 : i32
// CHECK: cf.br ^[[LOOP:bb[0-9]+]](%[[A]], %[[B]] : i32, i32)
// CHECK: ^[[LOOP]](%[[X:.*]]: i32, %[[Y:.*]]: i32):
// CHECK: cf.cond_br %[[P]], ^[[BACK:bb[0-9]+]], ^[[CASES:bb[0-9]+]]
// CHECK: ^[[BACK]]:
// CHECK-NEXT: cf.br ^[[LOOP]](%[[Y]], %[[X]] : i32, i32)
// CHECK: ^[[CASES]]:
// CHECK-NEXT: cf.switch %[[F]] : i32, [
// CHECK-NEXT: default: ^[[OUT:bb[0-9]+]](%[[X]] : i32),
// CHECK-NEXT: 7: ^[[CASE:bb[0-9]+]]
// CHECK: ^[[CASE]]:
// CHECK-NEXT: cf.br ^[[LOOP]](%[[B]], %[[X]] : i32, i32)
// CHECK: ^[[OUT]](%[[R:.*]]: i32):
// CHECK-NEXT: return %[[R]] : i32
// CHECK-NOT: unreachable
func.func @ways(%p: i1, %f: i32) -> i32 {
  %a = arith.constant 1 : i32
  %b = arith.constant 2 : i32
  cf.br ^loop(%a, %b : i32, i32)
^loop(%x: i32, %y: i32):
  cf.cond_br %p, ^loop(%y, %x : i32, i32), ^cases
^cases:
  cf.switch %f : i32, [
    default: ^out(%x : i32),
    7: ^loop(%b, %x : i32, i32)
  ]
^out(%z: i32):
  return %z : i32
}

// -----

// Without branches it is canonicalize.
// CHECK-LABEL: func.func @plain
// CHECK-NEXT: %[[C:.*]] = arith.constant 3 : index
// CHECK-NEXT: return %[[C]] : index
func.func @plain() -> index {
  %a = arith.constant 1 : index
  %b = arith.constant 2 : index
  %c = arith.addi %a, %b : index
  return %c : index
}

// -----

// MLIR refuses offset 0 of a dimension of size 0; strides and offset of the view without elements stay what they were.
// CHECK-LABEL: func.func @slice_of_nothing
// CHECK-SAME: (%[[M:.*]]: memref<8xf32, strided<[2], offset: 3>>)
// CHECK-NEXT: %[[A:.*]] = memref.subview %[[M]][1] [0] [1]
// CHECK-NEXT: %[[B:.*]] = memref.reinterpret_cast %[[A]] to offset: [5], sizes: [0], strides: [6]
// CHECK-NEXT: %[[C:.*]] = memref.cast %[[B]]
// CHECK-NEXT: return %[[C]]
func.func @slice_of_nothing(%m: memref<8xf32, strided<[2], offset: 3>>) -> memref<?xf32, strided<[6], offset: 5>> {
  %c0 = arith.constant 0 : index
  %a = memref.subview %m[1] [%c0] [1] : memref<8xf32, strided<[2], offset: 3>> to memref<?xf32, strided<[2], offset: 5>>
  %b = memref.subview %a[0] [%c0] [3] : memref<?xf32, strided<[2], offset: 5>> to memref<?xf32, strided<[6], offset: 5>>
  return %b : memref<?xf32, strided<[6], offset: 5>>
}

// -----

// Only 0 is in bounds as the size of what begins where nothing is.
// CHECK-LABEL: func.func @slice_of_a_size_that_comes_with_the_call
// CHECK-SAME: (%[[M:.*]]: memref<0x4xf32>, %arg1: index)
// CHECK-NEXT: %[[C0:.*]] = arith.constant 0
// CHECK-NEXT: %[[V:.*]] = memref.reinterpret_cast %[[M]] to offset: [1], sizes: [%[[C0]], 2], strides: [4, 1]
// CHECK-NEXT: return %[[V]]
func.func @slice_of_a_size_that_comes_with_the_call(%m: memref<0x4xf32>, %n: index)
    -> memref<?x2xf32, strided<[4, 1], offset: 1>> {
  %w = memref.cast %m : memref<0x4xf32> to memref<?x4xf32>
  %a = memref.subview %w[0, 1] [%n, 2] [1, 1] : memref<?x4xf32> to memref<?x2xf32, strided<[4, 1], offset: 1>>
  return %a : memref<?x2xf32, strided<[4, 1], offset: 1>>
}

// -----

// CHECK-LABEL: func.func @a_slice_with_a_place_to_start_from_stays
// CHECK-NEXT: memref.subview
// CHECK-NOT: memref.reinterpret_cast
func.func @a_slice_with_a_place_to_start_from_stays(%m: memref<8xf32>) -> memref<?xf32, strided<[1], offset: 7>> {
  %c0 = arith.constant 0 : index
  %a = memref.subview %m[7] [%c0] [1] : memref<8xf32> to memref<?xf32, strided<[1], offset: 7>>
  return %a : memref<?xf32, strided<[1], offset: 7>>
}

// -----

// Two casts become one, which MLIR refuses; what the type does not state comes from the source.
// CHECK-LABEL: func.func @cast_in_a_branch_that_is_not_taken
// CHECK-SAME: (%[[M:.*]]: memref<6x?xf32, strided<[?, 1], offset: ?>>,
// CHECK: scf.if
// CHECK-NEXT: %[[V:.*]] = memref.subview %[[M]][0, 0] [2, 3] [1, 1]
// CHECK-NEXT: %{{.*}}, %[[O:.*]], %{{.*}}:2, %[[S:.*]]:2 = memref.extract_strided_metadata %[[V]]
// CHECK-NEXT: %[[C3:.*]] = arith.constant 3 : index
// CHECK-NEXT: %[[R:.*]] = memref.reinterpret_cast %[[V]] to offset: [%[[O]]], sizes: [6, %[[C3]]], strides: [%[[S]]#0, 1]
// CHECK-SAME: to memref<6x?xf32, strided<[?, 1], offset: ?>>
// CHECK-NEXT: scf.yield %[[R]]
func.func @cast_in_a_branch_that_is_not_taken(%m: memref<6x?xf32, strided<[?, 1], offset: ?>>, %p: i1)
    -> memref<6x?xf32, strided<[?, 1], offset: ?>> {
  %c2 = arith.constant 2 : index
  %r = scf.if %p -> (memref<6x?xf32, strided<[?, 1], offset: ?>>) {
    %a = memref.subview %m[0, 0] [%c2, 3] [1, 1]
      : memref<6x?xf32, strided<[?, 1], offset: ?>> to memref<?x3xf32, strided<[?, 1], offset: ?>>
    %b = memref.cast %a : memref<?x3xf32, strided<[?, 1], offset: ?>> to memref<6x?xf32, strided<[?, 1], offset: ?>>
    scf.yield %b : memref<6x?xf32, strided<[?, 1], offset: ?>>
  } else {
    scf.yield %m : memref<6x?xf32, strided<[?, 1], offset: ?>>
  }
  return %r : memref<6x?xf32, strided<[?, 1], offset: ?>>
}

// -----

// CHECK-LABEL: func.func @a_cast_that_can_be_stays
// CHECK-NEXT: memref.cast %{{.*}} : memref<?x4xf32> to memref<6x?xf32>
// CHECK-NOT: memref.reinterpret_cast
func.func @a_cast_that_can_be_stays(%m: memref<?x4xf32>) -> memref<6x?xf32> {
  %a = memref.cast %m : memref<?x4xf32> to memref<6x?xf32>
  return %a : memref<6x?xf32>
}

// -----

// Casts to and from an unranked memref become one between different ranks, which MLIR refuses.
// CHECK-LABEL: func.func @cast_to_another_rank
// CHECK-COUNT-2: arith.constant 0 : index
// CHECK-NEXT: %[[R:.*]] = memref.reinterpret_cast %{{.*}} to offset: [0], sizes: [2, %{{.*}}], strides: [%{{.*}}, 1] : memref<6xf32> to memref<2x?xf32, strided<[?, 1]>>
// CHECK-NEXT: return %[[R]]
func.func @cast_to_another_rank(%m: memref<6xf32>) -> memref<2x?xf32, strided<[?, 1]>> {
  %u = memref.cast %m : memref<6xf32> to memref<*xf32>
  %r = memref.cast %u : memref<*xf32> to memref<2x?xf32, strided<[?, 1]>>
  return %r : memref<2x?xf32, strided<[?, 1]>>
}

// -----

// The second shared tensor is inserted into itself, and its result is not used: upstream's pass would erase that
// insertion twice, and end the process.
// CHECK-LABEL: func.func @inserted_into_itself
// CHECK: %[[R:.*]] = scf.forall (%[[I:.*]]) in (4) shared_outs(%[[O:.*]] = %arg0) -> (tensor<4xf32>) {
// CHECK: scf.forall.in_parallel {
// CHECK-NEXT: tensor.parallel_insert_slice %{{.*}} into %[[O]][%[[I]]] [1] [1]
// CHECK-NEXT: }
// CHECK: return %[[R]]
func.func @inserted_into_itself(%t: tensor<4xf32>, %u: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %r:2 = scf.forall (%i) in (4) shared_outs(%o = %t, %p = %u) -> (tensor<4xf32>, tensor<4xf32>) {
    %s = tensor.extract_slice %p[%i] [1] [1] : tensor<4xf32> to tensor<1xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %s into %o[%i] [1] [1] : tensor<1xf32> into tensor<4xf32>
      tensor.parallel_insert_slice %p into %p[%c0] [4] [1] : tensor<4xf32> into tensor<4xf32>
    }
  }
  return %r#0 : tensor<4xf32>
}

// -----

// Nothing was changed by it, so the result is the tensor itself.
// CHECK-LABEL: func.func @used_after_it_was_inserted_into_itself
// CHECK: return %arg0 : tensor<4xf32>
func.func @used_after_it_was_inserted_into_itself(%t: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %r = scf.forall (%i) in (4) shared_outs(%o = %t) -> (tensor<4xf32>) {
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %o into %o[%c0] [4] [1] : tensor<4xf32> into tensor<4xf32>
    }
  }
  return %r : tensor<4xf32>
}
