// RUN: inplace-opt %s --inplace-lower-hlo-windows --canonicalize | filecheck %s

// CHECK-LABEL: func.func @f
//   CHECK-DAG:   %[[C2:.*]] = arith.constant 2 : index
//   CHECK-DAG:   %[[CM1:.*]] = arith.constant -1 : index
//       CHECK:   %[[FILLED:.*]] = scf.for {{.*}} -> (tensor<9xf32>)
//       CHECK:   scf.for %[[I:.*]] = %c0 to {{.*}} iter_args(%[[OLD:.*]] = %[[FILLED]]) -> (tensor<9xf32>)
//       CHECK:     %[[SCALED:.*]] = arith.muli %[[I]], %[[C2]]
//       CHECK:     %[[START:.*]] = arith.addi %[[SCALED]], %[[CM1]]
//       CHECK:     %[[FOUND:.*]]:3 = scf.for %[[J:.*]] = %c0 to {{.*}} -> (i1, f32, index)
//       CHECK:       %[[PLACE:.*]] = arith.addi %[[START]], %[[J]]
//       CHECK:       arith.cmpi ult, %[[PLACE]]
//       CHECK:       stablehlo.compare GE
//       CHECK:     scf.if %[[FOUND]]#0 -> (tensor<9xf32>)
//       CHECK:       stablehlo.add
//       CHECK:       tensor.insert %{{.*}} into %[[OLD]][%[[FOUND]]#2]
func.func @f(%x: tensor<9xf32>, %s: tensor<5xf32>, %init: tensor<f32>) -> tensor<9xf32> {
  %0 = "stablehlo.select_and_scatter"(%x, %s, %init) <{window_dimensions = array<i64: 3>,
      window_strides = array<i64: 2>, padding = dense<[[1, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<9xf32>, tensor<5xf32>, tensor<f32>) -> tensor<9xf32>
  return %0 : tensor<9xf32>
}

// Windows that reach from one end to each element: an element is computed of the one before, three rows at a time.
// CHECK-LABEL: func.func @cumulative_rows
//   CHECK-NOT:   stablehlo.reduce_window
//       CHECK:   scf.for %[[J:.*]] = %c0 to %c7 step %c1 iter_args(%{{.*}}, %[[A:.*]] = %{{.*}}, %[[B:.*]] = %{{.*}}, %[[C:.*]] = %{{.*}}) -> (tensor<3x7xf32>, f32, f32, f32)
// CHECK-COUNT-3:   tensor.insert
//       CHECK:     scf.yield
func.func @cumulative_rows(%x: tensor<3x7xf32>) -> tensor<3x7xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = "stablehlo.reduce_window"(%x, %zero) <{window_dimensions = array<i64: 1, 7>,
      padding = dense<[[0, 0], [6, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<3x7xf32>, tensor<f32>) -> tensor<3x7xf32>
  return %0 : tensor<3x7xf32>
}

// Eight rows: squares of eight rows and columns, two for each step; element 32 comes alone.
// CHECK-LABEL: func.func @cumulative_squares
//       CHECK:   %[[ALL:.*]]:2 = scf.for %{{.*}} = %c0 to %c2 step %c1 iter_args(%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}) -> (tensor<8x33xf32>, vector<8xf32>)
// CHECK-COUNT-8:   vector.transfer_read {{.*}} {in_bounds = [true]} : tensor<8x33xf32>, vector<8xf32>
// CHECK-COUNT-24:  vector.shuffle
// CHECK-COUNT-8:   arith.addf {{.*}} : vector<8xf32>
// CHECK-COUNT-24:  vector.shuffle
// CHECK-COUNT-8:   vector.transfer_write
// CHECK-COUNT-8: vector.extract %[[ALL]]#1
// CHECK-COUNT-8: tensor.insert %
func.func @cumulative_squares(%x: tensor<8x33xf32>) -> tensor<8x33xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = "stablehlo.reduce_window"(%x, %zero) <{window_dimensions = array<i64: 1, 33>,
      padding = dense<[[0, 0], [32, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<8x33xf32>, tensor<f32>) -> tensor<8x33xf32>
  return %0 : tensor<8x33xf32>
}

// Columns: rows are added to each other. From the end, row 4 is the first.
// CHECK-LABEL: func.func @cumulative_columns
//       CHECK:   %[[FIRST:.*]] = tensor.insert_slice %{{.*}} into %{{.*}}[4, 0] [1, 6] [1, 1]
//       CHECK:   scf.for %{{.*}} = %c1 to %c5 step %c1 iter_args(%[[OLD:.*]] = %[[FIRST]]) -> (tensor<5x6xf32>)
//       CHECK:     %[[BEFORE:.*]] = tensor.extract_slice %[[OLD]]
//       CHECK:     %[[NEW:.*]] = stablehlo.maximum %[[BEFORE]], %{{.*}} : tensor<6xf32>
//       CHECK:     tensor.insert_slice %[[NEW]] into %[[OLD]]
func.func @cumulative_columns(%x: tensor<5x6xf32>, %low: tensor<f32>) -> tensor<5x6xf32> {
  %0 = "stablehlo.reduce_window"(%x, %low) <{window_dimensions = array<i64: 5, 1>,
      padding = dense<[[0, 4], [0, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.maximum %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<5x6xf32>, tensor<f32>) -> tensor<5x6xf32>
  return %0 : tensor<5x6xf32>
}

// The init is not known to leave sums as they are; a window that is shorter than the dimension is not cumulative.
// CHECK-LABEL: func.func @kept
// CHECK-COUNT-2: stablehlo.reduce_window
func.func @kept(%x: tensor<5xf32>, %init: tensor<f32>) -> (tensor<5xf32>, tensor<5xf32>) {
  %0 = "stablehlo.reduce_window"(%x, %init) <{window_dimensions = array<i64: 5>,
      padding = dense<[[4, 0]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<5xf32>, tensor<f32>) -> tensor<5xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %2 = "stablehlo.reduce_window"(%x, %zero) <{window_dimensions = array<i64: 3>,
      padding = dense<[[2, 0]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<5xf32>, tensor<f32>) -> tensor<5xf32>
  return %0, %2 : tensor<5xf32>, tensor<5xf32>
}
