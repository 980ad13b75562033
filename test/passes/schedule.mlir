// RUN: inplace-opt %s --inplace-schedule='machine="vector-bits=256 registers=16 l1=32768 l2=65536 l3=1048576 cores=1" print-schedule' --split-input-file --verify-diagnostics | filecheck %s

// The second operand is larger than the second cache, and all rows read it: a panel of 16 columns is 256 deep.
// CHECK-LABEL: func.func @large
//       CHECK:   linalg.copy
//       CHECK:   linalg.matmul
// expected-remark @+1 {{scheduled for a machine with vector-bits=256 registers=16 l1=32768 l2=65536 l3=1048576 cores=1}}
func.func @large(%a: tensor<256x512xf32>, %b: tensor<512x64xf32>, %c: tensor<256x64xf32>) -> tensor<256x64xf32> {
  // expected-remark @+1 {{'linalg.matmul' is tiled, outermost first: loop d2 by 256, loop d0 by 30, loop d1 by 16}}
  %r = linalg.matmul ins(%a, %b : tensor<256x512xf32>, tensor<512x64xf32>) outs(%c : tensor<256x64xf32>)
      -> tensor<256x64xf32>
  return %r : tensor<256x64xf32>
}

// -----

// One tile has all rows: they go through each panel one after the other, which is as deep as the cache has room for.
// CHECK-LABEL: func.func @few_rows
//   CHECK-NOT:   linalg.copy
//       CHECK:   scf.for
//   CHECK-NOT:     scf.for
//       CHECK:     linalg.matmul
// expected-remark @+1 {{scheduled for a machine with}}
func.func @few_rows(%a: tensor<24x512xf32>, %b: tensor<512x64xf32>, %c: tensor<24x64xf32>) -> tensor<24x64xf32> {
  // expected-remark @+1 {{'linalg.matmul' is tiled, outermost first: loop d2 by 256}}
  %r = linalg.matmul ins(%a, %b : tensor<24x512xf32>, tensor<512x64xf32>) outs(%c : tensor<24x64xf32>)
      -> tensor<24x64xf32>
  return %r : tensor<24x64xf32>
}

// -----

// All rows are in registers at a time: nothing is read again.
// CHECK-LABEL: func.func @one_tile
//   CHECK-NOT:   scf.for
// expected-remark @+1 {{scheduled for a machine with}}
func.func @one_tile(%a: tensor<4x512xf32>, %b: tensor<512x64xf32>, %c: tensor<4x64xf32>) -> tensor<4x64xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<4x512xf32>, tensor<512x64xf32>) outs(%c : tensor<4x64xf32>)
      -> tensor<4x64xf32>
  return %r : tensor<4x64xf32>
}

// -----

// It fits into the cache, or nothing is read again.
// CHECK-LABEL: func.func @small
//   CHECK-NOT:   scf.for
// expected-remark @+1 {{scheduled for a machine with}}
func.func @small(%a: tensor<256x64xf32>, %b: tensor<64x64xf32>, %c: tensor<256x64xf32>) -> tensor<256x64xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<256x64xf32>, tensor<64x64xf32>) outs(%c : tensor<256x64xf32>)
      -> tensor<256x64xf32>
  %s = linalg.exp ins(%r : tensor<256x64xf32>) outs(%r : tensor<256x64xf32>) -> tensor<256x64xf32>
  return %s : tensor<256x64xf32>
}
