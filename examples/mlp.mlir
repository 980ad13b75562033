// Three dense layers: a matmul into zeros, a bias for each column, and relu between the layers. The bias and the relu
// are one op that reads and writes the same tensor, so each layer lives in one buffer; the last one is the result.
//
//   inplace-run examples/mlp.mlir --arg random --arg random --arg random --arg random --arg random --arg random \
//     --arg random --check 'np.maximum(np.maximum(a0 @ a1 + a2, 0) @ a3 + a4, 0) @ a5 + a6' --print-result

#row = affine_map<(i, j) -> (j)>
#all = affine_map<(i, j) -> (i, j)>

func.func @main(%x: tensor<8x32xf32>, %w0: tensor<32x64xf32>, %b0: tensor<64xf32>, %w1: tensor<64x64xf32>,
                %b1: tensor<64xf32>, %w2: tensor<64x10xf32>, %b2: tensor<10xf32>) -> tensor<8x10xf32> {
  %zero = arith.constant 0.0 : f32

  %e0 = tensor.empty() : tensor<8x64xf32>
  %z0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<8x64xf32>) -> tensor<8x64xf32>
  %m0 = linalg.matmul ins(%x, %w0 : tensor<8x32xf32>, tensor<32x64xf32>) outs(%z0 : tensor<8x64xf32>)
      -> tensor<8x64xf32>
  %h0 = linalg.generic {indexing_maps = [#row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%b0 : tensor<64xf32>) outs(%m0 : tensor<8x64xf32>) {
  ^bb0(%bias: f32, %sum: f32):
    %0 = arith.addf %sum, %bias : f32
    %1 = arith.maximumf %0, %zero : f32
    linalg.yield %1 : f32
  } -> tensor<8x64xf32>

  %e1 = tensor.empty() : tensor<8x64xf32>
  %z1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<8x64xf32>) -> tensor<8x64xf32>
  %m1 = linalg.matmul ins(%h0, %w1 : tensor<8x64xf32>, tensor<64x64xf32>) outs(%z1 : tensor<8x64xf32>)
      -> tensor<8x64xf32>
  %h1 = linalg.generic {indexing_maps = [#row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%b1 : tensor<64xf32>) outs(%m1 : tensor<8x64xf32>) {
  ^bb0(%bias: f32, %sum: f32):
    %0 = arith.addf %sum, %bias : f32
    %1 = arith.maximumf %0, %zero : f32
    linalg.yield %1 : f32
  } -> tensor<8x64xf32>

  %e2 = tensor.empty() : tensor<8x10xf32>
  %z2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<8x10xf32>) -> tensor<8x10xf32>
  %m2 = linalg.matmul ins(%h1, %w2 : tensor<8x64xf32>, tensor<64x10xf32>) outs(%z2 : tensor<8x10xf32>)
      -> tensor<8x10xf32>
  %y = linalg.generic {indexing_maps = [#row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%b2 : tensor<10xf32>) outs(%m2 : tensor<8x10xf32>) {
  ^bb0(%bias: f32, %sum: f32):
    %0 = arith.addf %sum, %bias : f32
    linalg.yield %0 : f32
  } -> tensor<8x10xf32>
  return %y : tensor<8x10xf32>
}

// RUN: inplace-run %s --arg random --arg random --arg random --arg random --arg random --arg random --arg random \
// RUN:   --check 'np.maximum(np.maximum(a0 @ a1 + a2, 0) @ a3 + a4, 0) @ a5 + a6'
// RUN: inplace-opt %s --inplace-one-shot-bufferize='bufferize-function-boundaries' | filecheck %s
// CHECK-LABEL: func.func @main
// CHECK-NOT: tensor
// CHECK-NOT: memref.copy
// CHECK: %[[H0:.*]] = memref.alloc()
// CHECK: linalg.matmul {{.*}} outs(%[[H0]] :
// CHECK: linalg.generic {{.*}} outs(%[[H0]] :
// CHECK: %[[H1:.*]] = memref.alloc()
// CHECK: linalg.matmul ins(%[[H0]], {{.*}} outs(%[[H1]] :
// CHECK: linalg.generic {{.*}} outs(%[[H1]] :
// CHECK: %[[Y:.*]] = memref.alloc()
// CHECK: linalg.matmul ins(%[[H1]], {{.*}} outs(%[[Y]] :
// CHECK: linalg.generic {{.*}} outs(%[[Y]] :
// CHECK-NOT: memref.alloc
// CHECK: return %[[Y]]
