// A branch on tensors: one side scales the tensor, the other passes it on. Only one side runs, so neither can overwrite
// what the other reads, and both results live in one buffer.
//
//   inplace-run examples/branch.mlir --arg iota --arg 20.0 --check 'a0 * np.minimum(20 / np.sum(a0), 1)' --print-result

#id = affine_map<(i) -> (i)>
#none = affine_map<(i) -> ()>

func.func @main(%t: tensor<8xf32>, %limit: f32) -> tensor<8xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<f32>
  %start = linalg.fill ins(%zero : f32) outs(%e : tensor<f32>) -> tensor<f32>
  %sum = linalg.reduce { arith.addf } ins(%t : tensor<8xf32>) outs(%start : tensor<f32>) dimensions = [0]
  %total = tensor.extract %sum[] : tensor<f32>
  %large = arith.cmpf ogt, %total, %limit : f32
  %scaled = scf.if %large -> tensor<8xf32> {
    %factor = arith.divf %limit, %total : f32
    %0 = linalg.generic {indexing_maps = [#none, #id], iterator_types = ["parallel"]}
        ins(%factor : f32) outs(%t : tensor<8xf32>) {
    ^bb0(%f: f32, %x: f32):
      %1 = arith.mulf %f, %x : f32
      linalg.yield %1 : f32
    } -> tensor<8xf32>
    scf.yield %0 : tensor<8xf32>
  } else {
    scf.yield %t : tensor<8xf32>
  }
  return %scaled : tensor<8xf32>
}

// RUN: inplace-run %s --arg iota --arg 20.0 --check 'a0 * np.minimum(20 / np.sum(a0), 1)'
// RUN: inplace-opt %s --inplace-one-shot-bufferize='bufferize-function-boundaries' | filecheck %s
// CHECK-LABEL: func.func @main
// CHECK-SAME: %[[T:.*]]: memref<8xf32
// CHECK-NOT: tensor
// CHECK: memref.alloc() {{.*}} : memref<f32>
// CHECK-NOT: memref.alloc
// CHECK-NOT: memref.copy
// CHECK: scf.if
// CHECK: linalg.generic {{.*}} outs(%[[T]] :
// CHECK-NOT: memref.copy
// CHECK: return %[[T]]
