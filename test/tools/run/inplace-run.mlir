// RUN: inplace-run %s --arg 2x3xf32:iota --arg '[[1, 1], [2, 2], [3, 3]]' --print-result | filecheck %s
// RUN: inplace-run %s --arg random --arg random --seed 3 --check 'a0 @ a1' --memory-stats --repeat 3 \
// RUN:   | filecheck %s --check-prefix=NUMBERS
// RUN: cat %s | inplace-run - -entry-point=main -arg=iota -arg=0 -print-result | filecheck %s --check-prefix=ZERO

// CHECK:      result: tensor<2x2xf32>
// CHECK-NEXT: {{\[\[}} 8.,  8.],
// CHECK-NEXT: [26., 26.]]

// NUMBERS:      time: median {{.*}} 3 calls
// NUMBERS-NEXT: allocations: 1 (1 for results), frees: 0, peak: 16 bytes, leaked: 0 bytes, copies: 0 (0 bytes)
// NUMBERS-NEXT: matches NumPy: max abs error {{.*}} against a0 @ a1

// ZERO: {{\[\[}}0., 0.],
func.func @main(%a: tensor<2x3xf32>, %b: tensor<3x2xf32>) -> tensor<2x2xf32> {
  %zero = arith.constant 0.0 : f32
  %0 = tensor.empty() : tensor<2x2xf32>
  %1 = linalg.fill ins(%zero : f32) outs(%0 : tensor<2x2xf32>) -> tensor<2x2xf32>
  %2 = linalg.matmul ins(%a, %b : tensor<2x3xf32>, tensor<3x2xf32>) outs(%1 : tensor<2x2xf32>) -> tensor<2x2xf32>
  return %2 : tensor<2x2xf32>
}
