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
