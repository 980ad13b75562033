// RUN: not inplace-opt %s --inplace-keep-loops=vectors=0 2>&1 | filecheck %s

// CHECK: error: vectors must be at least 1, got 0
llvm.func @f() {
  llvm.return
}
