// RUN: inplace-opt %s --inplace-lower-hlo-factorizations --canonicalize | filecheck %s

// CHECK-LABEL: func.func @cholesky
//       CHECK:   scf.for %[[J:.*]] = %c0 to %c5 step %c1 iter_args(%[[A:.*]] = %arg0, %{{.*}}) -> (tensor<5x5xf32>, i32)
//       CHECK:     %[[PIVOT:.*]] = tensor.extract %[[A]][%[[J]], %[[J]]]
//       CHECK:     scf.for %{{.*}} = %c0 to %[[J]] {{.*}} -> (f32)
//       CHECK:     math.sqrt
//       CHECK:     tensor.insert
//       CHECK:     arith.divf
func.func @cholesky(%a: tensor<5x5xf32>) -> tensor<5x5xf32> {
  %0 = stablehlo.cholesky %a, lower = true : tensor<5x5xf32>
  return %0 : tensor<5x5xf32>
}

// Calls of other functions, complex numbers, and sizes that are not known.
// CHECK-LABEL: func.func @others
//  CHECK-NEXT:   stablehlo.custom_call @lapack_sgesdd_ffi
//  CHECK-NEXT:   stablehlo.cholesky %arg1
//  CHECK-NEXT:   stablehlo.cholesky %arg2
func.func @others(%a: tensor<5x5xf32>, %b: tensor<5x5xcomplex<f32>>, %c: tensor<?x?xf32>)
    -> (tensor<5x5xf32>, tensor<5x5xcomplex<f32>>, tensor<?x?xf32>) {
  %0 = stablehlo.custom_call @lapack_sgesdd_ffi(%a) : (tensor<5x5xf32>) -> tensor<5x5xf32>
  %1 = stablehlo.cholesky %b : tensor<5x5xcomplex<f32>>
  %2 = stablehlo.cholesky %c : tensor<?x?xf32>
  return %0, %1, %2 : tensor<5x5xf32>, tensor<5x5xcomplex<f32>>, tensor<?x?xf32>
}
