// RUN: env MALLOC_PERTURB_=255 GLIBC_TUNABLES=glibc.malloc.tcache_count=0 inplace-opt %s --inplace-schedule='machine="vector-bits=256 registers=16 l1=32768 l2=65536 l3=1048576 cores=1"' | filecheck %s

// The fill of a part is erased when that is tiled; whoever looks at it afterwards finds memory overwritten here.
// CHECK-LABEL: func.func @filled_parts
//   CHECK-NOT:   linalg.fill
//       CHECK:   scf.for
//       CHECK:     linalg.copy
//       CHECK:     scf.for
//       CHECK:       linalg.fill
//       CHECK:       linalg.batch_matmul
func.func @filled_parts(%a: tensor<4x60x256xf32>, %b: tensor<4x256x64xf32>) -> tensor<4x60x64xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x60x64xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4x60x64xf32>) -> tensor<4x60x64xf32>
  %r = linalg.batch_matmul ins(%a, %b : tensor<4x60x256xf32>, tensor<4x256x64xf32>) outs(%f : tensor<4x60x64xf32>)
      -> tensor<4x60x64xf32>
  return %r : tensor<4x60x64xf32>
}
