// RUN: inplace-opt %s --inplace-distribute='threads=2 machine="vector-bits=512 registers=32"' --canonicalize --cse | filecheck %s

// Rows are given away; each thread fills what it starts from.
// CHECK-LABEL: func.func @rows
//       CHECK:   scf.forall (%[[T:.*]]) in (2) shared_outs(%[[OUT:.*]] = %arg1) -> (tensor<4096x64xf32>)
//       CHECK:     %[[FIRST:.*]] = arith.muli %[[T]], %c2048
//       CHECK:     tensor.extract_slice %arg0[%[[FIRST]], 0] [2048, 64] [1, 1]
//       CHECK:     %[[R:.*]] = linalg.exp {{.*}} -> tensor<2048x64xf32>
//       CHECK:     tensor.parallel_insert_slice %[[R]] into %[[OUT]][%[[FIRST]], 0] [2048, 64] [1, 1]
func.func @rows(%a: tensor<4096x64xf32>, %b: tensor<4096x64xf32>) -> tensor<4096x64xf32> {
  %r = linalg.exp ins(%a : tensor<4096x64xf32>) outs(%b : tensor<4096x64xf32>) -> tensor<4096x64xf32>
  return %r : tensor<4096x64xf32>
}

// What an op reads and writes in place is one slice of each thread's.
// CHECK-LABEL: func.func @in_place
//       CHECK:   scf.forall (%{{.*}}) in (2) shared_outs(%[[OUT:.*]] = %arg0) -> (tensor<4096x64xf32>)
//       CHECK:     %[[PART:.*]] = tensor.extract_slice %[[OUT]]
//  CHECK-NEXT:     linalg.exp ins(%[[PART]] : {{.*}}) outs(%[[PART]] :
func.func @in_place(%a: tensor<4096x64xf32>) -> tensor<4096x64xf32> {
  %r = linalg.exp ins(%a : tensor<4096x64xf32>) outs(%a : tensor<4096x64xf32>) -> tensor<4096x64xf32>
  return %r : tensor<4096x64xf32>
}

// Of other elements than the thread writes, the init is read as it was.
// CHECK-LABEL: func.func @transposed_in_place
//       CHECK:   scf.forall (%{{.*}}) in (2) shared_outs(%[[OUT:.*]] = %arg0) -> (tensor<512x512xf32>)
//       CHECK:     %[[READ:.*]] = tensor.extract_slice %arg0[0, %
//       CHECK:     %[[PART:.*]] = tensor.extract_slice %[[OUT]][%{{.*}}, 0]
//       CHECK:     linalg.transpose ins(%[[READ]] : {{.*}}) outs(%[[PART]] :
func.func @transposed_in_place(%a: tensor<512x512xf32>) -> tensor<512x512xf32> {
  %r = linalg.transpose ins(%a : tensor<512x512xf32>) outs(%a : tensor<512x512xf32>) permutation = [1, 0]
  return %r : tensor<512x512xf32>
}

// The columns of a product, 64 of them at a time.
// CHECK-LABEL: func.func @columns
//       CHECK:   scf.forall (%[[T:.*]]) in (2)
//       CHECK:     affine.min
//       CHECK:     linalg.fill {{.*}} -> tensor<256x?xf32>
//       CHECK:     linalg.matmul {{.*}} -> tensor<256x?xf32>
func.func @columns(%a: tensor<256x64xf32>, %b: tensor<64x620xf32>, %e: tensor<256x620xf32>) -> tensor<256x620xf32> {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<256x620xf32>) -> tensor<256x620xf32>
  %r = linalg.matmul ins(%a, %b : tensor<256x64xf32>, tensor<64x620xf32>) outs(%f : tensor<256x620xf32>)
      -> tensor<256x620xf32>
  return %r : tensor<256x620xf32>
}

// Each thread has four parts where these are long: one that is delayed takes fewer.
// CHECK-LABEL: func.func @several
//       CHECK:   scf.forall (%{{.*}}) in (8)
//       CHECK:     linalg.exp {{.*}} -> tensor<512x1024xf32>
func.func @several(%a: tensor<4096x1024xf32>, %b: tensor<4096x1024xf32>) -> tensor<4096x1024xf32> {
  %r = linalg.exp ins(%a : tensor<4096x1024xf32>) outs(%b : tensor<4096x1024xf32>) -> tensor<4096x1024xf32>
  return %r : tensor<4096x1024xf32>
}

// A part of a product has two register tiles of columns at least: here four parts in all.
// CHECK-LABEL: func.func @several_columns
//       CHECK:   scf.forall (%{{.*}}) in (4)
//       CHECK:     linalg.matmul {{.*}} -> tensor<1024x128xf32>
func.func @several_columns(%a: tensor<1024x512xf32>, %b: tensor<512x512xf32>, %e: tensor<1024x512xf32>) -> tensor<1024x512xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<1024x512xf32>, tensor<512x512xf32>) outs(%e : tensor<1024x512xf32>)
      -> tensor<1024x512xf32>
  return %r : tensor<1024x512xf32>
}

// Of five times 64 columns one thread would get three: the rows are given away.
// CHECK-LABEL: func.func @uneven
//       CHECK:   scf.forall (%[[T:.*]]) in (2)
//       CHECK:     linalg.matmul {{.*}} -> tensor<120x320xf32>
func.func @uneven(%a: tensor<240x64xf32>, %b: tensor<64x320xf32>, %e: tensor<240x320xf32>) -> tensor<240x320xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<240x64xf32>, tensor<64x320xf32>) outs(%e : tensor<240x320xf32>)
      -> tensor<240x320xf32>
  return %r : tensor<240x320xf32>
}

// One of three pieces is more than an equal share, but the rows are too few: the only loop that has parts is taken.
// CHECK-LABEL: func.func @only_one
//       CHECK:   scf.forall (%[[T:.*]]) in (2)
//       CHECK:     linalg.matmul {{.*}} -> tensor<5x?xf32>
func.func @only_one(%a: tensor<5x256xf32>, %b: tensor<256x192xf32>, %e: tensor<5x192xf32>) -> tensor<5x192xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<5x256xf32>, tensor<256x192xf32>) outs(%e : tensor<5x192xf32>)
      -> tensor<5x192xf32>
  return %r : tensor<5x192xf32>
}

// Too little to do.
// CHECK-LABEL: func.func @small
//   CHECK-NOT:   scf.forall
func.func @small(%a: tensor<64x64xf32>, %b: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %r = linalg.exp ins(%a : tensor<64x64xf32>) outs(%b : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %r : tensor<64x64xf32>
}

// Each iteration of a sequential loop gives its rows away.
// CHECK-LABEL: func.func @sweeps
//       CHECK:   scf.for
//       CHECK:     scf.forall (%{{.*}}) in (2)
func.func @sweeps(%a: tensor<4096x64xf32>, %n: index) -> tensor<4096x64xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%t = %a) -> (tensor<4096x64xf32>) {
    %r = linalg.exp ins(%t : tensor<4096x64xf32>) outs(%t : tensor<4096x64xf32>) -> tensor<4096x64xf32>
    scf.yield %r : tensor<4096x64xf32>
  }
  return %s : tensor<4096x64xf32>
}

// Rows that a loop of the program takes one after the other are tiles already.
// CHECK-LABEL: func.func @tiles
//   CHECK-NOT:   scf.forall
func.func @tiles(%a: tensor<4096x4096xf32>, %b: tensor<4096x4096xf32>) -> tensor<4096x4096xf32> {
  %c0 = arith.constant 0 : index
  %c512 = arith.constant 512 : index
  %c4096 = arith.constant 4096 : index
  %s = scf.for %i = %c0 to %c4096 step %c512 iter_args(%t = %b) -> (tensor<4096x4096xf32>) {
    %x = tensor.extract_slice %a[%i, 0] [512, 4096] [1, 1] : tensor<4096x4096xf32> to tensor<512x4096xf32>
    %y = tensor.extract_slice %t[%i, 0] [512, 4096] [1, 1] : tensor<4096x4096xf32> to tensor<512x4096xf32>
    %r = linalg.exp ins(%x : tensor<512x4096xf32>) outs(%y : tensor<512x4096xf32>) -> tensor<512x4096xf32>
    %z = tensor.insert_slice %r into %t[%i, 0] [512, 4096] [1, 1] : tensor<512x4096xf32> into tensor<4096x4096xf32>
    scf.yield %z : tensor<4096x4096xf32>
  }
  return %s : tensor<4096x4096xf32>
}

#ik = affine_map<(i, j, k) -> (i, k)>
#kj = affine_map<(i, j, k) -> (k, j)>
#ij = affine_map<(i, j, k) -> (i, j)>

// Columns are given away, and each thread transposes what it needs of the second operand; all need all of the first.
// CHECK-LABEL: func.func @transposed
//       CHECK:   %[[WHOLE:.*]] = linalg.transpose ins(%arg0
//       CHECK:   scf.forall (%[[T:.*]]) in (2)
//       CHECK:     %[[FIRST:.*]] = arith.muli %[[T]], %c256
//       CHECK:     %[[ROWS:.*]] = tensor.extract_slice %arg1[%[[FIRST]], 0] [256, 64] [1, 1]
//       CHECK:     %[[OWN:.*]] = linalg.transpose ins(%[[ROWS]] : tensor<256x64xf32>)
//       CHECK:     linalg.generic {{.*}} ins(%[[WHOLE]], %[[OWN]] :
//   CHECK-NOT:   scf.forall (
func.func @transposed(%a: tensor<64x64xf32>, %b: tensor<512x64xf32>, %c: tensor<64x512xf32>) -> tensor<64x512xf32> {
  %d = tensor.empty() : tensor<64x64xf32>
  %s = linalg.transpose ins(%a : tensor<64x64xf32>) outs(%d : tensor<64x64xf32>) permutation = [1, 0]
  %e = tensor.empty() : tensor<64x512xf32>
  %t = linalg.transpose ins(%b : tensor<512x64xf32>) outs(%e : tensor<64x512xf32>) permutation = [1, 0]
  %r = linalg.generic {indexing_maps = [#ik, #kj, #ij], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%s, %t : tensor<64x64xf32>, tensor<64x512xf32>) outs(%c : tensor<64x512xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %p = arith.mulf %x, %y : f32
    %q = arith.addf %z, %p : f32
    linalg.yield %q : f32
  } -> tensor<64x512xf32>
  return %r : tensor<64x512xf32>
}

// Windows are distributed in parts of one size, along columns where rows have none that are multiples of the tile.
// CHECK-LABEL: func.func @windows
//       CHECK:   scf.forall (%{{.*}}) in (4)
//       CHECK:     linalg.conv_2d_nhwc_hwcf {{.*}} -> tensor<1x64x16x16xf32>
func.func @windows(%x: tensor<1x66x66x48xf32>, %w: tensor<3x3x48x16xf32>, %o: tensor<1x64x64x16xf32>) -> tensor<1x64x64x16xf32> {
  %r = linalg.conv_2d_nhwc_hwcf ins(%x, %w : tensor<1x66x66x48xf32>, tensor<3x3x48x16xf32>)
      outs(%o : tensor<1x64x64x16xf32>) -> tensor<1x64x64x16xf32>
  return %r : tensor<1x64x64x16xf32>
}
