// RUN: inplace-opt %s --canonicalize --inplace-expand-strided-copies=all --mlir-timing --mlir-pass-statistics -o /dev/null 2>&1 | filecheck %s

// CHECK: Pass statistics report
// CHECK: 'builtin.module' Pipeline
// CHECK-NEXT: CanonicalizerPass
// CHECK-NEXT: ExpandStridedCopiesPass
// CHECK-NEXT: (S) 1 expanded-copies

// CHECK: Execution time report
// CHECK: Total Execution Time:
// CHECK: ----Wall Time---- ----Name----
// CHECK-NEXT: Parser
// CHECK-NEXT: CanonicalizerPass
// CHECK-NEXT: ExpandStridedCopiesPass
// CHECK-NEXT: Output
// CHECK-NEXT: Context
// CHECK-NEXT: Load passes
// CHECK-NEXT: Rest
// CHECK-NEXT: (100.0%) Total
func.func @copy(%a: memref<4xf32>, %b: memref<4xf32>) {
  memref.copy %a, %b : memref<4xf32> to memref<4xf32>
  return
}
