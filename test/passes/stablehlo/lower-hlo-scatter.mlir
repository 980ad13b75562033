// RUN: inplace-opt %s --inplace-lower-hlo-scatter --canonicalize | filecheck %s

// CHECK-LABEL: func.func @elements
//       CHECK:   scf.for %[[K:.*]] = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%[[A:.*]] = %arg0) -> (tensor<8xf32>)
//       CHECK:     %[[START:.*]] = tensor.extract %arg1[%[[K]], %{{.*}}] : tensor<4x1xi32>
//       CHECK:     %[[INDEX:.*]] = arith.index_cast %[[START]] : i32 to index
//       CHECK:     %[[INSIDE:.*]] = arith.cmpi ult, %[[INDEX]], %{{.*}} : index
//       CHECK:     scf.if %[[INSIDE]] -> (tensor<8xf32>) {
//       CHECK:       tensor.extract %[[A]][%[[INDEX]]]
//       CHECK:       tensor.extract %arg2[%[[K]]]
//       CHECK:       stablehlo.add
//       CHECK:       tensor.insert %{{.*}} into %[[A]][%[[INDEX]]]
//       CHECK:     } else {
//  CHECK-NEXT:       scf.yield %[[A]]
func.func @elements(%x: tensor<8xf32>, %i: tensor<4x1xi32>, %u: tensor<4xf32>) -> tensor<8xf32> {
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<
      inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<8xf32>, tensor<4x1xi32>, tensor<4xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// A window that is replaced: a slice, which must begin at 6 at most.
// CHECK-LABEL: func.func @window
//       CHECK:   %[[C7:.*]] = arith.constant 7 : index
//   CHECK-NOT:   scf.for
//       CHECK:   %[[INDEX:.*]] = arith.index_castui
//       CHECK:   arith.cmpi ult, %[[INDEX]], %[[C7]]
//       CHECK:   tensor.insert_slice %arg2 into %arg0[%[[INDEX]]] [2] [1] : tensor<2xf32> into tensor<8xf32>
func.func @window(%x: tensor<8xf32>, %i: tensor<1xui32>, %u: tensor<2xf32>) -> tensor<8xf32> {
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<
      update_window_dims = [0], scatter_dims_to_operand_dims = [0]>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }) : (tensor<8xf32>, tensor<1xui32>, tensor<2xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// Sizes that are not known: the last start is computed, and is not negative.
// CHECK-LABEL: func.func @dynamic
//       CHECK:   %[[WINDOW:.*]] = tensor.dim %arg2
//       CHECK:   %[[SIZE:.*]] = tensor.dim %arg0
//       CHECK:   %[[LAST:.*]] = arith.subi %[[SIZE]], %[[WINDOW]]
//       CHECK:   %[[PLACES:.*]] = arith.addi %[[LAST]], %c1
//       CHECK:   arith.maxsi %[[PLACES]], %c0
func.func @dynamic(%x: tensor<?xf32>, %i: tensor<1xi32>, %u: tensor<?xf32>) -> tensor<?xf32> {
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<
      update_window_dims = [0], scatter_dims_to_operand_dims = [0]>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }) : (tensor<?xf32>, tensor<1xi32>, tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
