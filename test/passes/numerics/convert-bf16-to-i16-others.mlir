// RUN: inplace-opt %s --inplace-convert-bf16-to-i16 | filecheck %s

// Nothing changes while an op is left that is not of the LLVM dialect.
// CHECK-LABEL: llvm.func @half_way(
//  CHECK-SAME:     %[[X:.*]]: bf16) -> bf16
//       CHECK:   %[[Y:.*]] = arith.negf %[[X]] : bf16
//       CHECK:   llvm.return %[[Y]] : bf16
llvm.func @half_way(%x: bf16) -> bf16 {
  %y = arith.negf %x : bf16
  llvm.return %y : bf16
}
