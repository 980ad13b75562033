// The one copy that is left, and why: two elements of a tensor are set, and one of the old ones is read afterwards. The
// first insertion would overwrite what is read, so it gets a copy; the second one works in that copy. With the
// extraction in front of the insertions, the pass would copy nothing.
//
//   inplace-opt examples/old_value.mlir --inplace-one-shot-bufferize='bufferize-function-boundaries print-conflicts'
//   inplace-run examples/old_value.mlir --arg iota --arg 9.0 --print-result --memory-stats

func.func @main(%t: tensor<8xf32>, %x: f32) -> (tensor<8xf32>, f32) {
  %c0 = arith.constant 0 : index
  %c7 = arith.constant 7 : index
  %first = tensor.insert %x into %t[%c0] : tensor<8xf32>
  %both = tensor.insert %x into %first[%c7] : tensor<8xf32>
  %old = tensor.extract %t[%c0] : tensor<8xf32>
  return %both, %old : tensor<8xf32>, f32
}

// RUN: inplace-run %s --arg 8xf32:iota --arg 9.0 --memory-stats | filecheck %s --check-prefix=TRAFFIC
// TRAFFIC: allocations: 1 (1 for results)
// TRAFFIC-SAME: copies: 1 (32 bytes)

// RUN: inplace-opt %s --inplace-one-shot-bufferize='bufferize-function-boundaries' | filecheck %s
// CHECK-LABEL: func.func @main
// CHECK-SAME: %[[T:.*]]: memref<8xf32
// CHECK: %[[COPY:.*]] = memref.alloc()
// CHECK-NEXT: memref.copy %[[T]], %[[COPY]]
// CHECK-NOT: memref.copy
// CHECK: memref.store %{{.*}}, %[[COPY]][
// CHECK: memref.store %{{.*}}, %[[COPY]][
// CHECK: memref.load %[[T]][
// CHECK: return %[[COPY]]
