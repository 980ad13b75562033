// RUN: inplace-opt %s --allow-unregistered-dialect | filecheck %s
// RUN: inplace-opt %s -allow-unregistered-dialect --mlir-print-op-generic | filecheck %s --check-prefix=GENERIC
// RUN: inplace-opt %s --allow-unregistered-dialect --mlir-print-debuginfo | filecheck %s --check-prefix=DEBUG
// RUN: inplace-opt %s --allow-unregistered-dialect --mlir-elide-elementsattrs-if-larger=2 | filecheck %s --check-prefix=ELIDE
// RUN: not inplace-opt %s 2>&1 | filecheck %s --check-prefix=UNREGISTERED

// CHECK: dense<[1, 2, 3]>
// GENERIC: "func.func"() <{
// DEBUG: loc("{{.*}}printing-flags.mlir":[[# @LINE + 6]]:8)
// ELIDE: dense_resource<__elided__>
// UNREGISTERED: error: operation being parsed with an unregistered dialect
// UNREGISTERED-NEXT: "nobody.knows"
// UNREGISTERED-NEXT: ^
func.func @f() {
  %0 = arith.constant dense<[1, 2, 3]> : tensor<3xi32>
  "nobody.knows"(%0) : (tensor<3xi32>) -> ()
  return
}
