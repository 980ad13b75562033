// Parts do not know each other, errors have the line numbers of this file, and the other parts are still printed.
// RUN: not inplace-opt %s --split-input-file 2>&1 | filecheck %s

// CHECK: split-input-file.mlir:[[# @LINE + 13]]:3: error: custom op 'retrun' is unknown
// CHECK-NEXT:   retrun
// CHECK-NEXT:   ^
// CHECK: func.func @same()
// CHECK: // -----
// CHECK: // -----
// CHECK: func.func @same()

func.func @same() { return }

// -----

func.func @broken() {
  retrun
}

// -----

func.func @same() { return }
