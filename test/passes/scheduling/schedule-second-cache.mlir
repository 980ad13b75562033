// RUN: inplace-opt %s --inplace-schedule='machine="vector-bits=256 registers=16 l1=32768 l2=131072 l3=1048576 cores=1" print-schedule' --split-input-file --verify-diagnostics | filecheck %s

// What all rows read is larger than the first cache here, and fits into half of the second one.

// Rows of 512 bytes compete for places in the first cache: there are 64 for the 65 of a panel.
// CHECK-LABEL: func.func @rows_that_compete
//       CHECK:   linalg.copy
// expected-remark @+1 {{scheduled for a machine with}}
func.func @rows_that_compete(%a: tensor<48x65xf32>, %b: tensor<65x128xf32>, %c: tensor<48x128xf32>)
    -> tensor<48x128xf32> {
  // expected-remark @+1 {{'linalg.matmul' is tiled, outermost first: loop d0 by 24, loop d1 by 16}}
  %r = linalg.matmul ins(%a, %b : tensor<48x65xf32>, tensor<65x128xf32>) outs(%c : tensor<48x128xf32>)
      -> tensor<48x128xf32>
  return %r : tensor<48x128xf32>
}

// -----

// Rows of 544 bytes have places of their own.
// CHECK-LABEL: func.func @rows_with_places
//   CHECK-NOT:   linalg.copy
//       CHECK:   return
// expected-remark @+1 {{scheduled for a machine with}}
func.func @rows_with_places(%a: tensor<48x65xf32>, %b: tensor<65x136xf32>, %c: tensor<48x136xf32>)
    -> tensor<48x136xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<48x65xf32>, tensor<65x136xf32>) outs(%c : tensor<48x136xf32>)
      -> tensor<48x136xf32>
  return %r : tensor<48x136xf32>
}

// -----

// Seven tiles of rows are too few to pack for.
// CHECK-LABEL: func.func @few_tiles
//   CHECK-NOT:   linalg.copy
//       CHECK:   return
// expected-remark @+1 {{scheduled for a machine with}}
func.func @few_tiles(%a: tensor<42x65xf32>, %b: tensor<65x128xf32>, %c: tensor<42x128xf32>) -> tensor<42x128xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<42x65xf32>, tensor<65x128xf32>) outs(%c : tensor<42x128xf32>)
      -> tensor<42x128xf32>
  return %r : tensor<42x128xf32>
}
