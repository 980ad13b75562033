// RUN: inplace-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(inplace-compact-slices))' | filecheck %s

// CHECK-DAG: #[[STEPS:.*]] = affine_map<(d0, d1) -> (d0, d1 * 2)>
// CHECK-DAG: #[[SAME:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-LABEL: func.func @returned
// CHECK-SAME: (%[[A:.*]]: tensor<8x12xf32>)
func.func @returned(%a: tensor<8x12xf32>) -> tensor<4x5xf32> {
  // CHECK-DAG: %[[ROWS:.*]] = tensor.extract_slice %[[A]][1, 3] [4, 9] [2, 1] : tensor<8x12xf32> to tensor<4x9xf32>
  // CHECK-DAG: %[[E:.*]] = tensor.empty() : tensor<4x5xf32>
  // CHECK: %[[R:.*]] = linalg.generic {indexing_maps = [#[[STEPS]], #[[SAME]]], iterator_types = ["parallel", "parallel"]}
  // CHECK-SAME: ins(%[[ROWS]] : tensor<4x9xf32>) outs(%[[E]] : tensor<4x5xf32>)
  // CHECK: return %[[R]]
  %s = tensor.extract_slice %a[1, 3] [4, 5] [2, 2] : tensor<8x12xf32> to tensor<4x5xf32>
  return %s : tensor<4x5xf32>
}

// -----

// Offsets and outer sizes may be dynamic.
// CHECK-LABEL: func.func @read
// CHECK-SAME: (%[[A:.*]]: tensor<?x40xi8>, %[[N:.*]]: index, %[[I:.*]]: index)
func.func @read(%a: tensor<?x40xi8>, %n: index, %i: index) -> tensor<?x7xi8> {
  // CHECK-DAG: tensor.extract_slice %[[A]][0, %[[I]]] [%[[N]], 19] [1, 1] : tensor<?x40xi8> to tensor<?x19xi8>
  // CHECK-DAG: tensor.empty(%[[N]]) : tensor<?x7xi8>
  // CHECK: %[[S:.*]] = linalg.generic
  // CHECK: linalg.add ins(%[[S]], %[[S]]
  %s = tensor.extract_slice %a[0, %i] [%n, 7] [1, 3] : tensor<?x40xi8> to tensor<?x7xi8>
  %e = tensor.empty(%n) : tensor<?x7xi8>
  %r = linalg.add ins(%s, %s : tensor<?x7xi8>, tensor<?x7xi8>) outs(%e : tensor<?x7xi8>) -> tensor<?x7xi8>
  return %r : tensor<?x7xi8>
}

// -----

// What may be updated in place: the slice, or what it is a slice of.
// CHECK-LABEL: func.func @updated
// CHECK-NOT: linalg.generic
func.func @updated(%a: tensor<40xf32>, %x: f32) -> (tensor<20xf32>, tensor<40xf32>) {
  %s = tensor.extract_slice %a[0] [20] [2] : tensor<40xf32> to tensor<20xf32>
  %f = linalg.fill ins(%x : f32) outs(%s : tensor<20xf32>) -> tensor<20xf32>
  %b = linalg.fill ins(%x : f32) outs(%a : tensor<40xf32>) -> tensor<40xf32>
  %t = tensor.extract_slice %b[1] [20] [2] : tensor<40xf32> to tensor<20xf32>
  %e = tensor.empty() : tensor<20xf32>
  %r = linalg.add ins(%f, %t : tensor<20xf32>, tensor<20xf32>) outs(%e : tensor<20xf32>) -> tensor<20xf32>
  %c = tensor.insert_slice %r into %b[1] [20] [2] : tensor<20xf32> into tensor<40xf32>
  return %r, %c : tensor<20xf32>, tensor<40xf32>
}

// -----

// Neighbours, elements too far apart, those of unknown steps or number, and fewer dimensions.
// CHECK-LABEL: func.func @others
// CHECK-NOT: linalg.generic
func.func @others(%a: tensor<4x40xf32>, %n: index)
    -> (tensor<4x20xf32>, tensor<4x8xf32>, tensor<4x2xf32>, tensor<4x?xf32>, tensor<20xf32>) {
  %0 = tensor.extract_slice %a[0, 0] [4, 20] [1, 1] : tensor<4x40xf32> to tensor<4x20xf32>
  %1 = tensor.extract_slice %a[0, 0] [4, 8] [1, 5] : tensor<4x40xf32> to tensor<4x8xf32>
  %2 = tensor.extract_slice %a[0, 0] [4, 2] [1, %n] : tensor<4x40xf32> to tensor<4x2xf32>
  %3 = tensor.extract_slice %a[0, 0] [4, %n] [1, 2] : tensor<4x40xf32> to tensor<4x?xf32>
  %4 = tensor.extract_slice %a[0, 0] [1, 20] [1, 2] : tensor<4x40xf32> to tensor<20xf32>
  return %0, %1, %2, %3, %4 : tensor<4x20xf32>, tensor<4x8xf32>, tensor<4x2xf32>, tensor<4x?xf32>, tensor<20xf32>
}
