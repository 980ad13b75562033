// RUN: inplace-opt %s --inplace-lower-hlo-fft --canonicalize | filecheck %s

// A pass of loops for each of the factors 2, 2 and 3, between two pairs of lines.
// CHECK-LABEL: func.func @f
//   CHECK-DAG:   arith.constant dense<{{.*}}> : tensor<12xf32>
//   CHECK-DAG:   %[[A:.*]] = tensor.empty() : tensor<12xf32>
//       CHECK:   scf.for %{{.*}} = %c0 to %c5 {{.*}} -> (tensor<5x12xcomplex<f32>>)
//       CHECK:     complex.re
//       CHECK:     scf.for %{{.*}} = %c0 to %c6
//       CHECK:     scf.for %{{.*}} = %c0 to %c3
//       CHECK:     scf.for %{{.*}} = %c0 to %c3
//       CHECK:     complex.create
//       CHECK:     tensor.insert
//   CHECK-NOT:   stablehlo.fft
func.func @f(%x: tensor<5x12xcomplex<f32>>) -> tensor<5x12xcomplex<f32>> {
  %0 = stablehlo.fft %x, type = FFT, length = [12] : (tensor<5x12xcomplex<f32>>) -> tensor<5x12xcomplex<f32>>
  return %0 : tensor<5x12xcomplex<f32>>
}

// CHECK-LABEL: func.func @unknown_size
//       CHECK:   stablehlo.fft
func.func @unknown_size(%x: tensor<?x12xcomplex<f32>>) -> tensor<?x12xcomplex<f32>> {
  %0 = stablehlo.fft %x, type = FFT, length = [12] : (tensor<?x12xcomplex<f32>>) -> tensor<?x12xcomplex<f32>>
  return %0 : tensor<?x12xcomplex<f32>>
}
