// RUN: not inplace-check %s 2>&1 | filecheck %s --check-prefix=FORBIDDEN
// RUN: not inplace-check %s -e other 2>&1 | filecheck %s --check-prefix=ENTRY
// RUN: not inplace-check %s -e main --arg 3xf32:ones 2>&1 | filecheck %s --check-prefix=SHAPE
// RUN: not inplace-check %s --arg ones 2>&1 | filecheck %s --check-prefix=NAMELESS
// RUN: not inplace-check %s --rounds 0 2>&1 | filecheck %s --check-prefix=ROUNDS
// RUN: not inplace-check %s --engine magic 2>&1 | filecheck %s --check-prefix=ENGINE
// RUN: not inplace-check %s --pass-pipeline='builtin.module(cse)' 2>&1 | filecheck %s --check-prefix=ROUTE

// FORBIDDEN: 'main': not checked: the program takes none of the inputs tried ({{.*}}); give inputs that it takes
// ENTRY:     inplace-check: error: the program has no entry point 'other'; it has: main
// SHAPE:     inplace-check: error: argument 1 of 'main' (index) is missing; give it with --arg 1
// NAMELESS:  inplace-check: error: --arg needs the function that it is for; name it with -e
// ROUNDS:    inplace-check: error: --rounds must be at least 1, got 0
// ENGINE:    inplace-check: error: argument --engine: invalid choice: 'magic'
// ROUTE:     inplace-check: error: the pipeline left argument 0 of 'main' a tensor<4xf32>; it must bufferize function boundaries
func.func @main(%a: tensor<4xf32>, %i: index) -> f32 {
  %c1000 = arith.constant 1000 : index
  %0 = arith.addi %i, %c1000 : index
  %1 = tensor.extract %a[%0] : tensor<4xf32>
  return %1 : f32
}
