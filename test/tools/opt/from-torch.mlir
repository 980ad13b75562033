// `--from=torch`: the input is lowered to linalg before any pass; inplace-run recognises it. ONNX operators, as
// torch-mlir's importer writes them, are lowered too.

// RUN: inplace-opt %s --from=torch | filecheck %s
// RUN: inplace-run %s -e main --arg iota --check 'np.maximum(a0, 2)'

// CHECK-NOT: torch
// CHECK: linalg.generic
func.func @main(%a: !torch.vtensor<[2,3],f32>) -> !torch.vtensor<[2,3],f32>
    attributes {torch.onnx_meta.opset_version = 21 : si64} {
  %two = torch.vtensor.literal(dense<2.0> : tensor<f32>) : !torch.vtensor<[],f32>
  %0 = torch.operator "onnx.Max"(%a, %two) : (!torch.vtensor<[2,3],f32>, !torch.vtensor<[],f32>) -> !torch.vtensor<[2,3],f32>
  return %0 : !torch.vtensor<[2,3],f32>
}
