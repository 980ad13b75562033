// An IRDL file defines a dialect for the input, and its constraints are verified.
// RUN: inplace-opt %s --irdl-file=%S/Inputs/cmath.irdl --split-input-file --verify-diagnostics | filecheck %s
// RUN: not inplace-opt %s --split-input-file 2>&1 | filecheck %s --check-prefix=UNKNOWN
// RUN: not inplace-opt %s --irdl-file=%s 2>&1 | filecheck %s --check-prefix=BROKEN
// RUN: not inplace-opt %s --irdl-file=%t.none 2>&1 | filecheck %s --check-prefix=MISSING
// RUN: echo 'module {}' > %t.empty && not inplace-opt %s --irdl-file=%t.empty 2>&1 | filecheck %s --check-prefix=EMPTY
// RUN: echo 'irdl.dialect @arith {}' > %t.taken && not inplace-opt %s --irdl-file=%t.taken 2>&1 | filecheck %s --check-prefix=TAKEN
// RUN: echo 'irdl.dialect @dispatch {}' > %t.taken && not inplace-opt %s --irdl-file=%t.taken 2>&1 | filecheck %s --check-prefix=TAKEN

// TAKEN: inplace-opt: error: '{{.*}}.taken' defines the dialect '{{arith|dispatch}}', which there is already; rename it
// UNKNOWN: error: operation being parsed with an unregistered dialect
// BROKEN: irdl.mlir:[[# @LINE + 8]]:{{[0-9]+}}: error: operation being parsed with an unregistered dialect
// BROKEN: inplace-opt: error: cannot load the dialects of '{{.*}}irdl.mlir'
// MISSING: inplace-opt: error: cannot open input file '{{.*}}.none': No such file or directory
// EMPTY: inplace-opt: error: '{{.*}}.empty' defines no IRDL dialect; expected an irdl.dialect operation

// CHECK: func.func @norm
// CHECK-NEXT: "cmath.norm"(%arg0) : (f32) -> f32
func.func @norm(%x: f32) -> f32 {
  %0 = "cmath.norm"(%x) : (f32) -> f32
  return %0 : f32
}

// -----

func.func @wrong(%x: f64) {
  // expected-error @below {{expected 'f32' but got 'f64'}}
  %0 = "cmath.norm"(%x) : (f64) -> f32
  return
}
