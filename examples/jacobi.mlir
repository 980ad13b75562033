// Jacobi's iteration for the heat equation: each inner point becomes the mean of its four neighbours, the border stays.
// The loop carries two tensors and yields them swapped. In place, it runs on two buffers and swaps pointers: no
// allocation and no copy in the loop. (Upstream refuses a loop that yields another buffer than it was given.)
//
//   inplace-run examples/jacobi.mlir --arg random --arg 50 --memory-stats

#id = affine_map<(i, j) -> (i, j)>

func.func @main(%start: tensor<34x34xf64>, %steps: index) -> tensor<34x34xf64> {
  %quarter = arith.constant 0.25 : f64
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index

  // The second buffer starts as a copy, for its border; so does the first, for the caller keeps his array.
  %other = bufferization.alloc_tensor() copy(%start) : tensor<34x34xf64>
  %result:2 = scf.for %step = %c0 to %steps step %c1 iter_args(%old = %start, %spare = %other)
      -> (tensor<34x34xf64>, tensor<34x34xf64>) {
    %north = tensor.extract_slice %old[0, 1] [32, 32] [1, 1] : tensor<34x34xf64> to tensor<32x32xf64>
    %south = tensor.extract_slice %old[2, 1] [32, 32] [1, 1] : tensor<34x34xf64> to tensor<32x32xf64>
    %west = tensor.extract_slice %old[1, 0] [32, 32] [1, 1] : tensor<34x34xf64> to tensor<32x32xf64>
    %east = tensor.extract_slice %old[1, 2] [32, 32] [1, 1] : tensor<34x34xf64> to tensor<32x32xf64>
    %inner = tensor.extract_slice %spare[1, 1] [32, 32] [1, 1] : tensor<34x34xf64> to tensor<32x32xf64>
    %mean = linalg.generic {indexing_maps = [#id, #id, #id, #id, #id], iterator_types = ["parallel", "parallel"]}
        ins(%north, %south, %west, %east
            : tensor<32x32xf64>, tensor<32x32xf64>, tensor<32x32xf64>, tensor<32x32xf64>)
        outs(%inner : tensor<32x32xf64>) {
    ^bb0(%n: f64, %s: f64, %w: f64, %e: f64, %unused: f64):
      %0 = arith.addf %n, %s : f64
      %1 = arith.addf %0, %w : f64
      %2 = arith.addf %1, %e : f64
      %3 = arith.mulf %2, %quarter : f64
      linalg.yield %3 : f64
    } -> tensor<32x32xf64>
    %new = tensor.insert_slice %mean into %spare[1, 1] [32, 32] [1, 1] : tensor<32x32xf64> into tensor<34x34xf64>
    scf.yield %new, %old : tensor<34x34xf64>, tensor<34x34xf64>
  }
  return %result#0 : tensor<34x34xf64>
}

// RUN: inplace-run %s --arg random --arg 0 --check a0
// RUN: inplace-run %s --arg random --arg 1 --check 'a0 + np.pad((a0[:-2, 1:-1] + a0[2:, 1:-1] + a0[1:-1, :-2] + \
// RUN:   a0[1:-1, 2:]) / 4 - a0[1:-1, 1:-1], 1)'
// RUN: inplace-opt %s --inplace-one-shot-bufferize='bufferize-function-boundaries' | filecheck %s
// CHECK-LABEL: func.func @main
// CHECK-NOT: tensor
// CHECK: memref.copy
// CHECK: scf.for {{.*}} iter_args(%[[OLD:.*]] = %{{.*}}, %[[SPARE:.*]] = %{{.*}})
// CHECK-NOT: memref.alloc
// CHECK-NOT: memref.copy
// CHECK: scf.yield %[[SPARE]], %[[OLD]]
// CHECK-NOT: memref.copy
// CHECK: return
