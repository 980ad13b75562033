// A diagnostic that is missing, unexpected, or on the wrong line makes --verify-diagnostics fail.
// RUN: not inplace-opt %s --split-input-file --verify-diagnostics 2>&1 | filecheck %s

// CHECK: fails.mlir:[[# @LINE + 1]]:36: error: expected error "nothing of the kind" was not produced
func.func @missing() { return } // expected-error {{nothing of the kind}}

// -----

// CHECK: fails.mlir:[[# @LINE + 2]]:3: error: unexpected error: custom op 'retrun' is unknown
func.func @unexpected() {
  retrun
}

// -----

// CHECK: fails.mlir:[[# @LINE + 4]]:3: error: unexpected error: custom op 'retrun' is unknown
// CHECK: fails.mlir:[[# @LINE + 1]]:4: error: expected error "custom op" was not produced
// expected-error @+1 {{custom op}}
func.func @wrong_line() {
  retrun
}
