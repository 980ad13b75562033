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

// What the sum starts from is filled tile by tile where a tile is finished at once; here the loop that reduces is whole.
// CHECK-LABEL: func.func @filled
//   CHECK-NOT:   linalg.fill
//       CHECK:   scf.for
//       CHECK:     linalg.copy
//       CHECK:   scf.for
//       CHECK:     scf.for
//       CHECK:       %[[TILE:.*]] = linalg.fill ins(%{{.*}} : f32) outs(%{{.*}} : tensor<?x16xf32>)
//       CHECK:       linalg.matmul {{.*}} outs(%[[TILE]]
// expected-remark @+1 {{scheduled for a machine with}}
func.func @filled(%a: tensor<256x256xf32>, %b: tensor<256x128xf32>, %x: f32) -> tensor<256x128xf32> {
  %e = tensor.empty() : tensor<256x128xf32>
  %f = linalg.fill ins(%x : f32) outs(%e : tensor<256x128xf32>) -> tensor<256x128xf32>
  // expected-remark @+1 {{'linalg.matmul' is tiled, outermost first: loop d0 by 30, loop d1 by 16}}
  %r = linalg.matmul ins(%a, %b : tensor<256x256xf32>, tensor<256x128xf32>) outs(%f : tensor<256x128xf32>)
      -> tensor<256x128xf32>
  return %r : tensor<256x128xf32>
}

// -----

// Parts of a sum start from one fill.
// CHECK-LABEL: func.func @filled_once
//       CHECK:   linalg.fill
//       CHECK:   scf.for
//   CHECK-NOT:   linalg.fill
// expected-remark @+1 {{scheduled for a machine with}}
func.func @filled_once(%a: tensor<256x512xf32>, %b: tensor<512x64xf32>, %x: f32) -> tensor<256x64xf32> {
  %e = tensor.empty() : tensor<256x64xf32>
  %f = linalg.fill ins(%x : f32) outs(%e : tensor<256x64xf32>) -> tensor<256x64xf32>
  // expected-remark @+1 {{'linalg.matmul' is tiled, outermost first: loop d2 by 256, loop d0 by 30, loop d1 by 16}}
  %r = linalg.matmul ins(%a, %b : tensor<256x512xf32>, tensor<512x64xf32>) outs(%f : tensor<256x64xf32>)
      -> tensor<256x64xf32>
  return %r : tensor<256x64xf32>
}

// -----

// All panels together would take half of the last cache: they are packed in parts of an eighth, and what is transposed for
// them is transposed on the way.
// CHECK-LABEL: func.func @parts
//   CHECK-NOT:   linalg.transpose
//       CHECK:   scf.for {{.*}} %c128
//       CHECK:     tensor.empty({{.*}}) : tensor<?x256x16xf32>
//       CHECK:     linalg.transpose {{.*}} tensor<16x256xf32>
//   CHECK-NOT:   linalg.transpose
//       CHECK:     linalg.matmul {{.*}} tensor<256x16xf32>
// expected-remark @+1 {{scheduled for a machine with}}
func.func @parts(%a: tensor<60x256xf32>, %b: tensor<512x256xf32>, %c: tensor<60x512xf32>) -> tensor<60x512xf32> {
  %e = tensor.empty() : tensor<256x512xf32>
  %t = linalg.transpose ins(%b : tensor<512x256xf32>) outs(%e : tensor<256x512xf32>) permutation = [1, 0]
  // expected-remark @+2 {{'linalg.matmul' is tiled, outermost first: loop d1 by 128}}
  // expected-remark @+1 {{'linalg.matmul' is tiled, outermost first: loop d0 by 30, loop d1 by 16}}
  %r = linalg.matmul ins(%a, %t : tensor<60x256xf32>, tensor<256x512xf32>) outs(%c : tensor<60x512xf32>)
      -> tensor<60x512xf32>
  return %r : tensor<60x512xf32>
}

// -----

// One tile would have room for all rows; there are two, so that a loop reads panels which were packed before it again.
// CHECK-LABEL: func.func @few_rows
//       CHECK:   scf.for
//       CHECK:     linalg.copy
//       CHECK:     linalg.matmul {{.*}} tensor<12x256xf32>, tensor<256x16xf32>
// expected-remark @+1 {{scheduled for a machine with}}
func.func @few_rows(%a: tensor<24x512xf32>, %b: tensor<512x64xf32>, %c: tensor<24x64xf32>) -> tensor<24x64xf32> {
  // expected-remark @+1 {{'linalg.matmul' is tiled, outermost first: loop d2 by 256, loop d0 by 12, loop d1 by 16}}
  %r = linalg.matmul ins(%a, %b : tensor<24x512xf32>, tensor<512x64xf32>) outs(%c : tensor<24x64xf32>)
      -> tensor<24x64xf32>
  return %r : tensor<24x64xf32>
}

// -----

// All rows are in registers at a time, so nothing is read again: rows of the second operand are streams side by side.
// CHECK-LABEL: func.func @one_tile
//   CHECK-NOT:   linalg.copy
//       CHECK:   scf.for
//       CHECK:     linalg.matmul
// expected-remark @+1 {{scheduled for a machine with}}
func.func @one_tile(%a: tensor<4x512xf32>, %b: tensor<512x64xf32>, %c: tensor<4x64xf32>) -> tensor<4x64xf32> {
  // expected-remark @+1 {{'linalg.matmul' is tiled, outermost first: loop d2 by 16}}
  %r = linalg.matmul ins(%a, %b : tensor<4x512xf32>, tensor<512x64xf32>) outs(%c : tensor<4x64xf32>)
      -> tensor<4x64xf32>
  return %r : tensor<4x64xf32>
}

// -----

// Blocks of columns that a register tile spans are read from one end to the other: one stream, not one for each row.
// CHECK-LABEL: func.func @blocks_of_columns
//   CHECK-NOT:   scf.for
//       CHECK:   linalg.generic
// expected-remark @+1 {{scheduled for a machine with}}
func.func @blocks_of_columns(%a: tensor<4x512xf32>, %b: tensor<8x512x16xf32>, %c: tensor<4x8x16xf32>) -> tensor<4x8x16xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(q, m, n, k) -> (m, k)>, affine_map<(q, m, n, k) -> (q, k, n)>,
      affine_map<(q, m, n, k) -> (m, q, n)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<4x512xf32>, tensor<8x512x16xf32>) outs(%c : tensor<4x8x16xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<4x8x16xf32>
  return %r : tensor<4x8x16xf32>
}

// -----

// Wider blocks are streams.
// CHECK-LABEL: func.func @wide_blocks
//       CHECK:   scf.for
//       CHECK:     linalg.generic
// expected-remark @+1 {{scheduled for a machine with}}
func.func @wide_blocks(%a: tensor<4x512xf32>, %b: tensor<4x512x32xf32>, %c: tensor<4x4x32xf32>) -> tensor<4x4x32xf32> {
  // expected-remark @+1 {{'linalg.generic' is tiled, outermost first: loop d3 by 16}}
  %r = linalg.generic {indexing_maps = [affine_map<(q, m, n, k) -> (m, k)>, affine_map<(q, m, n, k) -> (q, k, n)>,
      affine_map<(q, m, n, k) -> (m, q, n)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<4x512xf32>, tensor<4x512x32xf32>) outs(%c : tensor<4x4x32xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<4x4x32xf32>
  return %r : tensor<4x4x32xf32>
}

// -----

// Sums of columns have no rows at all; the last two of 1002 rows are on their own, and past the last cache there are
// fewer streams.
// CHECK-LABEL: func.func @columns
//       CHECK:   scf.for
//       CHECK:     linalg.reduce ins(%{{.*}} : tensor<8x1024xf32>)
//       CHECK:   linalg.reduce ins(%{{.*}} : tensor<2x1024xf32>)
// expected-remark @+1 {{scheduled for a machine with}}
func.func @columns(%a: tensor<1002x1024xf32>, %c: tensor<1024xf32>) -> tensor<1024xf32> {
  // expected-remark @+1 {{'linalg.reduce' is tiled, outermost first: loop d0 by 8}}
  %r = linalg.reduce ins(%a : tensor<1002x1024xf32>) outs(%c : tensor<1024xf32>) dimensions = [0]
    (%x: f32, %sum: f32) {
      %s = arith.addf %x, %sum : f32
      linalg.yield %s : f32
    }
  return %r : tensor<1024xf32>
}

// -----

// Rows of 4096 bytes are in each other's way: the first cache has places for the lines of eight, not of sixteen.
// CHECK-LABEL: func.func @streams_that_compete
//       CHECK:   scf.for
// expected-remark @+1 {{scheduled for a machine with}}
func.func @streams_that_compete(%a: tensor<128x1024xf32>, %c: tensor<1024xf32>) -> tensor<1024xf32> {
  // expected-remark @+1 {{'linalg.reduce' is tiled, outermost first: loop d0 by 8}}
  %r = linalg.reduce { arith.addf } ins(%a : tensor<128x1024xf32>) outs(%c : tensor<1024xf32>) dimensions = [0]
  return %r : tensor<1024xf32>
}

// -----

// Rows of 4160 bytes are not.
// CHECK-LABEL: func.func @streams_with_places
//       CHECK:   scf.for
// expected-remark @+1 {{scheduled for a machine with}}
func.func @streams_with_places(%a: tensor<128x1040xf32>, %c: tensor<1040xf32>) -> tensor<1040xf32> {
  // expected-remark @+1 {{'linalg.reduce' is tiled, outermost first: loop d0 by 16}}
  %r = linalg.reduce { arith.addf } ins(%a : tensor<128x1040xf32>) outs(%c : tensor<1040xf32>) dimensions = [0]
  return %r : tensor<1040xf32>
}

// -----

// A sum of rows is read along the lanes anyway.
// CHECK-LABEL: func.func @rows
//   CHECK-NOT:   scf.for
// expected-remark @+1 {{scheduled for a machine with}}
func.func @rows(%a: tensor<1002x1024xf32>, %c: tensor<1002xf32>) -> tensor<1002xf32> {
  %r = linalg.reduce ins(%a : tensor<1002x1024xf32>) outs(%c : tensor<1002xf32>) dimensions = [1]
    (%x: f32, %sum: f32) {
      %s = arith.addf %x, %sum : f32
      linalg.yield %s : f32
    }
  return %r : tensor<1002xf32>
}

// -----

// It fits into half of the cache; a row of it more does not.
// CHECK-LABEL: func.func @small
//   CHECK-NOT:   scf.for
// expected-remark @+1 {{scheduled for a machine with}}
func.func @small(%a: tensor<256x128xf32>, %b: tensor<128x64xf32>, %c: tensor<256x64xf32>) -> tensor<256x64xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<256x128xf32>, tensor<128x64xf32>) outs(%c : tensor<256x64xf32>)
      -> tensor<256x64xf32>
  %s = linalg.exp ins(%r : tensor<256x64xf32>) outs(%r : tensor<256x64xf32>) -> tensor<256x64xf32>
  return %s : tensor<256x64xf32>
}

// -----

// CHECK-LABEL: func.func @not_small
//       CHECK:   scf.for
// expected-remark @+1 {{scheduled for a machine with}}
func.func @not_small(%a: tensor<256x129xf32>, %b: tensor<129x64xf32>, %c: tensor<256x64xf32>) -> tensor<256x64xf32> {
  // expected-remark @+1 {{'linalg.matmul' is tiled, outermost first: loop d0 by 54, loop d1 by 16}}
  %r = linalg.matmul ins(%a, %b : tensor<256x129xf32>, tensor<129x64xf32>) outs(%c : tensor<256x64xf32>)
      -> tensor<256x64xf32>
  return %r : tensor<256x64xf32>
}

// -----

#ik = affine_map<(i, j, k) -> (i, k)>
#kj = affine_map<(i, j, k) -> (k, j)>
#ij = affine_map<(i, j, k) -> (i, j)>

// What is transposed for a product only is transposed panel by panel, the last one of four columns.
// CHECK-LABEL: func.func @transposed
//   CHECK-NOT:   linalg.transpose
//       CHECK:   scf.for
//       CHECK:     %[[ROWS:.*]] = tensor.extract_slice %arg1[%{{.*}}, 0] [16, 32] [1, 1]
//       CHECK:     %[[PANEL:.*]] = linalg.transpose ins(%[[ROWS]] : tensor<16x32xf32>) outs(%{{.*}} : tensor<32x16xf32>)
//       CHECK:     linalg.generic {{.*}} ins(%arg0, %[[PANEL]] :
//       CHECK:   linalg.transpose ins(%{{.*}} : tensor<4x32xf32>)
//       CHECK:   linalg.generic
// expected-remark @+1 {{scheduled for a machine with}}
func.func @transposed(%a: tensor<64x32xf32>, %b: tensor<36x32xf32>, %c: tensor<64x36xf32>) -> tensor<64x36xf32> {
  %e = tensor.empty() : tensor<32x36xf32>
  %t = linalg.transpose ins(%b : tensor<36x32xf32>) outs(%e : tensor<32x36xf32>) permutation = [1, 0]
  // expected-remark @+1 {{'linalg.generic' is tiled, outermost first: loop d1 by 16}}
  %r = linalg.generic {indexing_maps = [#ik, #kj, #ij], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %t : tensor<64x32xf32>, tensor<32x36xf32>) outs(%c : tensor<64x36xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %z, %p : f32
    linalg.yield %s : f32
  } -> tensor<64x36xf32>
  return %r : tensor<64x36xf32>
}

// -----

// Somebody else wants it as well: it is transposed as a whole.
// CHECK-LABEL: func.func @transposed_for_others
//       CHECK:   linalg.transpose
//   CHECK-NOT:   scf.for
// expected-remark @+1 {{scheduled for a machine with}}
func.func @transposed_for_others(%a: tensor<64x32xf32>, %b: tensor<36x32xf32>, %c: tensor<64x36xf32>)
    -> (tensor<64x36xf32>, tensor<32x36xf32>) {
  %e = tensor.empty() : tensor<32x36xf32>
  %t = linalg.transpose ins(%b : tensor<36x32xf32>) outs(%e : tensor<32x36xf32>) permutation = [1, 0]
  %r = linalg.matmul ins(%a, %t : tensor<64x32xf32>, tensor<32x36xf32>) outs(%c : tensor<64x36xf32>)
      -> tensor<64x36xf32>
  return %r, %t : tensor<64x36xf32>, tensor<32x36xf32>
}

// -----

// All matrices of a batch together would not fit, but each of them does.
// CHECK-LABEL: func.func @small_batch
//   CHECK-NOT:   scf.for
//       CHECK:   return
// expected-remark @+1 {{scheduled for a machine with}}
func.func @small_batch(%a: tensor<9x64x32xf32>, %b: tensor<9x32x64xf32>, %c: tensor<9x64x64xf32>)
    -> tensor<9x64x64xf32> {
  %r = linalg.batch_matmul ins(%a, %b : tensor<9x64x32xf32>, tensor<9x32x64xf32>) outs(%c : tensor<9x64x64xf32>)
      -> tensor<9x64x64xf32>
  return %r : tensor<9x64x64xf32>
}

// -----

// Each matrix of a batch of any size is packed when its turn comes.
// CHECK-LABEL: func.func @large_batch
//       CHECK:   scf.for
//       CHECK:     linalg.copy
//       CHECK:     linalg.batch_matmul {{.*}} tensor<1x256x16xf32>
// expected-remark @+1 {{scheduled for a machine with}}
func.func @large_batch(%a: tensor<?x60x256xf32>, %b: tensor<?x256x64xf32>, %c: tensor<?x60x64xf32>)
    -> tensor<?x60x64xf32> {
  // expected-remark @+2 {{'linalg.batch_matmul' is tiled, outermost first: loop d0 by 1}}
  // expected-remark @+1 {{'linalg.batch_matmul' is tiled, outermost first: loop d1 by 30, loop d2 by 16}}
  %r = linalg.batch_matmul ins(%a, %b : tensor<?x60x256xf32>, tensor<?x256x64xf32>) outs(%c : tensor<?x60x64xf32>)
      -> tensor<?x60x64xf32>
  return %r : tensor<?x60x64xf32>
}
