// What `--from` refuses: a format that is none, a program that is no ONNX model, an operation that is not lowered.

// RUN: not inplace-opt %s --from=onxx 2>&1 | filecheck %s --check-prefix=NONE
// NONE: inplace-opt: error: {{.*}}'onxx'{{.*}}onnx

// RUN: not inplace-opt %s --from=onnx 2>&1 | filecheck %s --check-prefix=MLIR
// MLIR: inplace-opt: error: '{{.*}}from-invalid.mlir' is no ONNX model: it is MLIR

// RUN: not inplace-opt %s --from=stablehlo 2>&1 | filecheck %s --check-prefix=LEFT
// LEFT: from-invalid.mlir:12:{{.*}}error: {{.*}}stablehlo.custom_call
func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.custom_call @elsewhere(%a) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
