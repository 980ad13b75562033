// RUN: inplace-opt %s --inplace-inline-scalar-generics | filecheck %s

#number = affine_map<() -> ()>
#row = affine_map<(d0) -> (d0)>

// CHECK-LABEL: func.func @sum
//       CHECK:   %[[A:.*]] = tensor.extract %arg0[] : tensor<i32>
//       CHECK:   %[[B:.*]] = tensor.extract %arg1[] : tensor<i32>
//       CHECK:   %[[OLD:.*]] = tensor.extract %arg2[] : tensor<i32>
//       CHECK:   %[[SUM:.*]] = arith.addi %[[A]], %[[B]] : i32
//       CHECK:   %[[ALL:.*]] = arith.addi %[[SUM]], %[[OLD]] : i32
//       CHECK:   tensor.from_elements %[[ALL]] : tensor<i32>
func.func @sum(%x: tensor<i32>, %y: tensor<i32>, %z: tensor<i32>) -> tensor<i32> {
  %0 = linalg.generic {indexing_maps = [#number, #number, #number], iterator_types = []}
      ins(%x, %y : tensor<i32>, tensor<i32>) outs(%z : tensor<i32>) {
  ^bb0(%a: i32, %b: i32, %out: i32):
    %1 = arith.addi %a, %b : i32
    %2 = arith.addi %1, %out : i32
    linalg.yield %2 : i32
  } -> tensor<i32>
  return %0 : tensor<i32>
}

// CHECK-LABEL: func.func @map
//       CHECK:   %[[A:.*]] = tensor.extract %arg0[] : tensor<f32>
//       CHECK:   math.sin %[[A]] : f32
//   CHECK-NOT:   linalg.map
func.func @map(%x: tensor<f32>) -> tensor<f32> {
  %0 = tensor.empty() : tensor<f32>
  %1 = linalg.map { math.sin } ins(%x : tensor<f32>) outs(%0 : tensor<f32>)
  return %1 : tensor<f32>
}

// An index that a gather or scatter takes.
// CHECK-LABEL: func.func @single_integer
//       CHECK:   %[[A:.*]] = tensor.extract %arg0[] : tensor<i32>
//       CHECK:   %[[B:.*]] = tensor.extract %arg1[%{{.*}}] : tensor<1xi32>
//       CHECK:   %[[SUM:.*]] = arith.addi %[[A]], %[[B]] : i32
//       CHECK:   tensor.from_elements %[[SUM]] : tensor<1xi32>
func.func @single_integer(%x: tensor<i32>, %y: tensor<1xi32>) -> tensor<1xi32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> ()>, #row, #row], iterator_types = ["parallel"]}
      ins(%x, %y : tensor<i32>, tensor<1xi32>) outs(%y : tensor<1xi32>) {
  ^bb0(%a: i32, %b: i32, %out: i32):
    %1 = arith.addi %a, %b : i32
    linalg.yield %1 : i32
  } -> tensor<1xi32>
  return %0 : tensor<1xi32>
}

// One number that may be computed in place, one that is an index, and a place in a loop.
// CHECK-LABEL: func.func @single_others
//       CHECK:   linalg.generic
//       CHECK:   linalg.generic
func.func @single_others(%x: tensor<1xf32>, %i: tensor<1xi32>) -> (tensor<1xf32>, tensor<1xi32>) {
  %0 = linalg.generic {indexing_maps = [#row, #row], iterator_types = ["parallel"]}
      ins(%x : tensor<1xf32>) outs(%x : tensor<1xf32>) {
  ^bb0(%a: f32, %out: f32):
    %1 = arith.negf %a : f32
    linalg.yield %1 : f32
  } -> tensor<1xf32>
  %2 = linalg.generic {indexing_maps = [#row], iterator_types = ["parallel"]} outs(%i : tensor<1xi32>) {
  ^bb0(%out: i32):
    %3 = linalg.index 0 : index
    %4 = arith.index_cast %3 : index to i32
    linalg.yield %4 : i32
  } -> tensor<1xi32>
  return %0, %2 : tensor<1xf32>, tensor<1xi32>
}

// With a loop, and on memrefs.
// CHECK-LABEL: func.func @others
//       CHECK:   linalg.generic
//       CHECK:   linalg.generic
func.func @others(%x: tensor<4xf32>, %m: memref<f32>) -> tensor<4xf32> {
  %0 = linalg.generic {indexing_maps = [#row, #row], iterator_types = ["parallel"]}
      ins(%x : tensor<4xf32>) outs(%x : tensor<4xf32>) {
  ^bb0(%a: f32, %out: f32):
    %1 = arith.negf %a : f32
    linalg.yield %1 : f32
  } -> tensor<4xf32>
  linalg.generic {indexing_maps = [#number], iterator_types = []} outs(%m : memref<f32>) {
  ^bb0(%out: f32):
    %1 = arith.negf %out : f32
    linalg.yield %1 : f32
  }
  return %0 : tensor<4xf32>
}
