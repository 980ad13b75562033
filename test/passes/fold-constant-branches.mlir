// RUN: inplace-opt %s --split-input-file --inplace-fold-constant-branches | filecheck %s
// RUN: inplace-opt %s --split-input-file --pass-pipeline='builtin.module(inplace-fold-constant-branches,canonicalize)' | filecheck %s --check-prefix=END

// The loop is cut off: canonicalize, which would fold in it forever, finds nothing to fold there.
// CHECK-LABEL: func.func @past_a_loop
// CHECK: cf.br ^[[EXIT:.*]]
// CHECK-COUNT-2: ub.unreachable
// CHECK: ^[[EXIT]]:
// CHECK-NEXT: return %arg0
// END-LABEL: func.func @past_a_loop
// END-NEXT: return %arg0
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

// The case is taken with its own operands, of which there are as many as it wants.
// CHECK-LABEL: func.func @case
// CHECK-DAG: %[[ONE:.*]] = arith.constant 1 : i32
// CHECK-DAG: %[[TWO:.*]] = arith.constant 2 : i32
// CHECK: cf.br ^{{.*}}(%[[TWO]], %[[ONE]] : i32, i32)
// CHECK: ub.unreachable
// CHECK-NOT: ub.unreachable
func.func @case() -> (i32, i32) {
  %flag = arith.constant -7 : i32
  %a = arith.constant 1 : i32
  %b = arith.constant 2 : i32
  cf.switch %flag : i32, [
    default: ^one(%a : i32),
    3: ^two(%a, %b : i32, i32),
    -7: ^two(%b, %a : i32, i32)
  ]
^one(%x: i32):
  return %x, %x : i32, i32
^two(%y: i32, %z: i32):
  return %y, %z : i32, i32
}

// -----

// A block that is lost as one case and reached as another stays.
// CHECK-LABEL: func.func @default_case
// CHECK: %[[ONE:.*]] = arith.constant 1 : i32
// CHECK: cf.br ^{{.*}}(%[[ONE]] : i32)
// CHECK-NOT: ub.unreachable
func.func @default_case() -> i32 {
  %flag = arith.constant 5 : i32
  %a = arith.constant 1 : i32
  %b = arith.constant 2 : i32
  cf.switch %flag : i32, [
    default: ^one(%a : i32),
    3: ^one(%b : i32)
  ]
^one(%x: i32):
  return %x : i32
}

// -----

// What nobody knows stays.
// CHECK-LABEL: func.func @unknown
// CHECK-NEXT: cf.cond_br
func.func @unknown(%p: i1, %a: i32, %b: i32) -> i32 {
  cf.cond_br %p, ^one(%a : i32), ^one(%b : i32)
^one(%x: i32):
  return %x : i32
}
