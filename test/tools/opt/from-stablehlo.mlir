// `--from=stablehlo`: the input is lowered to linalg before any pass; inplace-run recognises it.

// RUN: inplace-opt %s --from=stablehlo --inplace-one-shot-bufferize='bufferize-function-boundaries' | filecheck %s
// RUN: inplace-run %s --arg iota --arg ones --check 'a0 * a0 + a1'

// CHECK-NOT: stablehlo
// CHECK: func.func @main(%{{.*}}: memref<2x3xf32
// CHECK: linalg.generic
func.func @main(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = stablehlo.multiply %a, %a : tensor<2x3xf32>
  %1 = stablehlo.add %0, %b : tensor<2x3xf32>
  return %1 : tensor<2x3xf32>
}
