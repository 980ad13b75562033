// The output file appears only when everything went well; a file that cannot be written is refused before any work.
// RUN: rm -rf %t && mkdir -p %t
// RUN: inplace-opt %s -o %t/good.mlir && filecheck %s --input-file=%t/good.mlir
// RUN: not inplace-opt %s --transform-interpreter -o %t/bad.mlir
// RUN: not ls %t/bad.mlir
// RUN: not inplace-opt %s -o %t/nowhere/out.mlir 2>&1 | filecheck %s --check-prefix=UNWRITABLE

// UNWRITABLE: inplace-opt: error: cannot open output file '{{.*}}nowhere/out.mlir': No such file or directory
// CHECK: func.func @f()
func.func @f() { return }
