// RUN: inplace-opt %s --inplace-pack-weights='machine="vector-bits=512 registers=32 l1=32768 l3=786432"' | filecheck %s

// A few rows read the weights once: in blocks, as all that is held fits into half of the last cache.
// CHECK-LABEL: func.func @near
//  CHECK-SAME:   %{{.*}}: tensor<2x256x64xf32> {inplace.held, inplace.rearranged
//       CHECK:   linalg.generic
func.func @near(%x: tensor<4x256xf32>, %w: tensor<256x128xf32> {inplace.held}, %c: tensor<4x128xf32>) -> tensor<4x128xf32> {
  %0 = linalg.matmul ins(%x, %w : tensor<4x256xf32>, tensor<256x128xf32>) outs(%c : tensor<4x128xf32>) -> tensor<4x128xf32>
  return %0 : tensor<4x128xf32>
}

// Where they are, as both together come from memory in each call; of five rows in blocks.
// CHECK-LABEL: func.func @far
//  CHECK-SAME:   %{{.*}}: tensor<256x256xf32> {inplace.held},
//  CHECK-SAME:   %{{.*}}: tensor<4x256x64xf32> {inplace.held, inplace.rearranged
//       CHECK:   linalg.matmul
//       CHECK:   linalg.generic
func.func @far(%x: tensor<4x256xf32>, %y: tensor<5x256xf32>, %v: tensor<256x256xf32> {inplace.held},
    %w: tensor<256x256xf32> {inplace.held}, %c: tensor<4x256xf32>, %d: tensor<5x256xf32>)
    -> (tensor<4x256xf32>, tensor<5x256xf32>) {
  %0 = linalg.matmul ins(%x, %v : tensor<4x256xf32>, tensor<256x256xf32>) outs(%c : tensor<4x256xf32>) -> tensor<4x256xf32>
  %1 = linalg.matmul ins(%y, %w : tensor<5x256xf32>, tensor<256x256xf32>) outs(%d : tensor<5x256xf32>) -> tensor<5x256xf32>
  return %0, %1 : tensor<4x256xf32>, tensor<5x256xf32>
}
