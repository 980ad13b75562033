// RUN: inplace-opt %s --inplace-pack-weights='machine="vector-bits=512 registers=32 l1=32768 l3=786432"' | filecheck %s
// RUN: inplace-opt %s --inplace-pack-weights='machine="vector-bits=512 registers=32 l1=32768 l3=131072"' | filecheck %s --check-prefix=FAR

// One row, and none at all, read weights in blocks, too; also those that come from memory.
// CHECK-LABEL: func.func @few
//  CHECK-SAME:   %{{.*}}: tensor<4x256x64xf32> {inplace.held, inplace.rearranged
//  CHECK-SAME:   %{{.*}}: tensor<8x256x64xf32> {inplace.held, inplace.rearranged
//       CHECK:   linalg.generic {{.*}} ins(%{{.*}} : tensor<1x256xf32>, tensor<4x256x64xf32>) outs(%{{.*}} : tensor<1x4x64xf32>)
//       CHECK:   linalg.generic {{.*}} ins(%{{.*}} : tensor<256xf32>, tensor<8x256x64xf32>) outs(%{{.*}} : tensor<8x64xf32>)
// One row reads them where they are, if all together are far larger than the last cache; two rows do not.
// FAR-LABEL: func.func @few
//  FAR-SAME:   %{{.*}}: tensor<256x256xf32> {inplace.held},
//  FAR-SAME:   %{{.*}}: tensor<256x512xf32> {inplace.held},
// FAR-LABEL: func.func @two
//  FAR-SAME:   %{{.*}}: tensor<8x256x64xf32> {inplace.held, inplace.rearranged
//  FAR-SAME:   %{{.*}}: tensor<256x512xf32> {inplace.held},
func.func @few(%x: tensor<1x256xf32>, %y: tensor<256xf32>, %v: tensor<256x256xf32> {inplace.held},
    %w: tensor<256x512xf32> {inplace.held}, %c: tensor<1x256xf32>, %d: tensor<512xf32>)
    -> (tensor<1x256xf32>, tensor<512xf32>) {
  %0 = linalg.matmul ins(%x, %v : tensor<1x256xf32>, tensor<256x256xf32>) outs(%c : tensor<1x256xf32>) -> tensor<1x256xf32>
  %1 = linalg.vecmat ins(%y, %w : tensor<256xf32>, tensor<256x512xf32>) outs(%d : tensor<512xf32>) -> tensor<512xf32>
  return %0, %1 : tensor<1x256xf32>, tensor<512xf32>
}

func.func @two(%x: tensor<2x256xf32>, %y: tensor<256xf32>, %v: tensor<256x512xf32> {inplace.held},
    %w: tensor<256x512xf32> {inplace.held}, %c: tensor<2x512xf32>, %d: tensor<512xf32>)
    -> (tensor<2x512xf32>, tensor<512xf32>) {
  %0 = linalg.matmul ins(%x, %v : tensor<2x256xf32>, tensor<256x512xf32>) outs(%c : tensor<2x512xf32>) -> tensor<2x512xf32>
  %1 = linalg.vecmat ins(%y, %w : tensor<256xf32>, tensor<256x512xf32>) outs(%d : tensor<512xf32>) -> tensor<512xf32>
  return %0, %1 : tensor<2x512xf32>, tensor<512xf32>
}
