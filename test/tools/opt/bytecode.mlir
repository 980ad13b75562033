// Bytecode is written and read, by every program.
// RUN: inplace-opt %s --emit-bytecode -o %t.mlirbc
// RUN: inplace-opt %t.mlirbc --mlir-print-debuginfo | filecheck %s
// RUN: inplace-opt %s --emit-bytecode --emit-bytecode-version=5 | inplace-opt --split-input-file | filecheck %s
// RUN: inplace-run %t.mlirbc --arg '[1,2]' --print-result | filecheck %s --check-prefix=RESULT
// RUN: inplace-check %t.mlirbc | filecheck %s --check-prefix=EQUAL
// RUN: not inplace-opt %s --emit-bytecode --emit-bytecode-version=99 -o %t.none 2>&1 | filecheck %s --check-prefix=VERSION
// RUN: not inplace-opt %s --emit-bytecode-version=5 2>&1 | filecheck %s --check-prefix=ALONE
// RUN: head -c 40 %t.mlirbc > %t.broken && not inplace-opt %t.broken 2>&1 | filecheck %s --check-prefix=BROKEN
// RUN: not inplace-run %t.broken 2>&1 | filecheck %s --check-prefix=BROKEN

// CHECK: func.func @main(%arg0: tensor<2xf32>
// RESULT: [3., 4.]
// EQUAL: equal
// VERSION: error: unsupported version requested 99
// ALONE: inplace-opt: error: --emit-bytecode-version needs --emit-bytecode
// BROKEN: error:
func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  %two = arith.constant dense<2.0> : tensor<2xf32>
  %0 = arith.addf %a, %two : tensor<2xf32>
  return %0 : tensor<2xf32>
}
