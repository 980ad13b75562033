// Sizes that are known only when the program runs: a matrix times its own transpose, less the mean of each row. The
// buffers are as large as tensor.dim says, and the same code takes any size, zero included.
//
//   inplace-run examples/dynamic.mlir --arg 5x7xf64:random --print-result \
//     --check '(a0 - np.mean(a0, 1, keepdims=True)) @ (a0 - np.mean(a0, 1, keepdims=True)).T'

#all = affine_map<(i, j) -> (i, j)>
#rows = affine_map<(i, j) -> (i)>

func.func @main(%a: tensor<?x?xf64>) -> tensor<?x?xf64> {
  %zero = arith.constant 0.0 : f64
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %a, %c0 : tensor<?x?xf64>
  %n = tensor.dim %a, %c1 : tensor<?x?xf64>

  %e0 = tensor.empty(%m) : tensor<?xf64>
  %z0 = linalg.fill ins(%zero : f64) outs(%e0 : tensor<?xf64>) -> tensor<?xf64>
  %sums = linalg.reduce { arith.addf } ins(%a : tensor<?x?xf64>) outs(%z0 : tensor<?xf64>) dimensions = [1]
  %count_int = arith.index_cast %n : index to i64
  %count = arith.sitofp %count_int : i64 to f64
  %centred = linalg.generic {indexing_maps = [#rows, #all], iterator_types = ["parallel", "parallel"]}
      ins(%sums : tensor<?xf64>) outs(%a : tensor<?x?xf64>) {
  ^bb0(%sum: f64, %x: f64):
    %mean = arith.divf %sum, %count : f64
    %0 = arith.subf %x, %mean : f64
    linalg.yield %0 : f64
  } -> tensor<?x?xf64>

  %e1 = tensor.empty(%n, %m) : tensor<?x?xf64>
  %transposed = linalg.transpose ins(%centred : tensor<?x?xf64>) outs(%e1 : tensor<?x?xf64>) permutation = [1, 0]
  %e2 = tensor.empty(%m, %m) : tensor<?x?xf64>
  %z2 = linalg.fill ins(%zero : f64) outs(%e2 : tensor<?x?xf64>) -> tensor<?x?xf64>
  %gram = linalg.matmul ins(%centred, %transposed : tensor<?x?xf64>, tensor<?x?xf64>) outs(%z2 : tensor<?x?xf64>)
      -> tensor<?x?xf64>
  return %gram : tensor<?x?xf64>
}

// RUN: inplace-run %s --arg 5x7xf64:random \
// RUN:   --check '(a0 - np.mean(a0, 1, keepdims=True)) @ (a0 - np.mean(a0, 1, keepdims=True)).T'
// RUN: inplace-opt %s --inplace-one-shot-bufferize='bufferize-function-boundaries' | filecheck %s
// CHECK-LABEL: func.func @main
// CHECK-SAME: %[[A:.*]]: memref<?x?xf64
// CHECK-NOT: tensor
// CHECK-NOT: memref.copy
// CHECK: memref.alloc(%{{.*}}) {{.*}} : memref<?xf64>
// CHECK: linalg.generic {{.*}} outs(%[[A]] :
// CHECK: %[[GRAM:.*]] = memref.alloc(%[[M:.*]], %[[M]])
// CHECK: linalg.matmul {{.*}} outs(%[[GRAM]] :
// CHECK: return %[[GRAM]]
