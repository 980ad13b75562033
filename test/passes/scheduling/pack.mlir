// RUN: inplace-opt %s --inplace-pack --canonicalize --cse | filecheck %s

// Every step of the outer loop reads the same slices of %b: they are copied in front of it, eight rows of all of them at
// a time.
// CHECK-LABEL: func.func @read_again
//       CHECK:   %[[EMPTY:.*]] = tensor.empty() : tensor<4x32x16xf32>
//       CHECK:   %[[PACKED:.*]] = scf.for %[[K:.*]] = %c0 to %c32 step %c8 iter_args(%[[Q:.*]] = %[[EMPTY]])
//       CHECK:     scf.for %[[J:.*]] = %c0 to %c64 step %c16 iter_args(%[[P:.*]] = %[[Q]])
//       CHECK:       %[[NUMBER:.*]] = arith.divui %[[J]], %c16
//       CHECK:       %[[SLICE:.*]] = tensor.extract_slice %arg1[0, %[[J]]] [32, 16] [1, 1]
//       CHECK:       %[[ROWS:.*]] = tensor.extract_slice %[[SLICE]][%[[K]], 0] [8, 16] [1, 1]
//       CHECK:       %[[PANEL:.*]] = tensor.extract_slice %[[P]][%[[NUMBER]], %[[K]], 0] [1, 8, 16] [1, 1, 1]
//       CHECK:       %[[COPY:.*]] = linalg.copy ins(%[[ROWS]] {{.*}} outs(%[[PANEL]]
//       CHECK:       tensor.insert_slice %[[COPY]] into %[[P]][%[[NUMBER]], %[[K]], 0] [1, 8, 16] [1, 1, 1]
//       CHECK:   scf.for %[[I:.*]] = %c0 to %c24 step %c8
//       CHECK:     scf.for %[[J:.*]] = %c0 to %c64 step %c16
//       CHECK:       tensor.extract_slice %arg0[%[[I]], 0] [8, 32] [1, 1]
//       CHECK:       %[[NUMBER:.*]] = arith.divui %[[J]], %c16
//       CHECK:       %[[PANEL:.*]] = tensor.extract_slice %[[PACKED]][%[[NUMBER]], 0, 0] [1, 32, 16] [1, 1, 1]
//       CHECK:       linalg.matmul ins(%{{.*}}, %[[PANEL]]
func.func @read_again(%a: tensor<24x32xf32>, %b: tensor<32x64xf32>, %c: tensor<24x64xf32>) -> tensor<24x64xf32> {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %c24 = arith.constant 24 : index
  %c64 = arith.constant 64 : index
  %r = scf.for %i = %c0 to %c24 step %c8 iter_args(%t = %c) -> tensor<24x64xf32> {
    %s = scf.for %j = %c0 to %c64 step %c16 iter_args(%u = %t) -> tensor<24x64xf32> {
      %x = tensor.extract_slice %a[%i, 0] [8, 32] [1, 1] : tensor<24x32xf32> to tensor<8x32xf32>
      %y = tensor.extract_slice %b[0, %j] [32, 16] [1, 1] : tensor<32x64xf32> to tensor<32x16xf32>
      %z = tensor.extract_slice %u[%i, %j] [8, 16] [1, 1] : tensor<24x64xf32> to tensor<8x16xf32>
      %p = linalg.matmul ins(%x, %y : tensor<8x32xf32>, tensor<32x16xf32>) outs(%z : tensor<8x16xf32>)
          -> tensor<8x16xf32>
      %v = tensor.insert_slice %p into %u[%i, %j] [8, 16] [1, 1] : tensor<8x16xf32> into tensor<24x64xf32>
      scf.yield %v : tensor<24x64xf32>
    }
    scf.yield %s : tensor<24x64xf32>
  }
  return %r : tensor<24x64xf32>
}

// The source changes in each iteration, and where the slice lies depends on both loops: nothing is read again.
// CHECK-LABEL: func.func @read_once
//   CHECK-NOT:   tensor.empty
func.func @read_once(%a: tensor<64xf32>, %c: tensor<8xf32>) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %r = scf.for %i = %c0 to %c8 step %c1 iter_args(%t = %c) -> tensor<8xf32> {
    %s = scf.for %j = %c0 to %c8 step %c1 iter_args(%u = %t) -> tensor<8xf32> {
      %k = affine.apply affine_map<(i, j) -> (i * 7 + j)>(%i, %j)
      %x = tensor.extract_slice %a[%k] [8] [1] : tensor<64xf32> to tensor<8xf32>
      %v = linalg.copy ins(%x : tensor<8xf32>) outs(%u : tensor<8xf32>) -> tensor<8xf32>
      scf.yield %v : tensor<8xf32>
    }
    scf.yield %s : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}

// The slices lie one below the other, with something in between: each is copied as a whole.
// CHECK-LABEL: func.func @parts_of_rows
//       CHECK:   %[[PACKED:.*]] = scf.for %[[J:.*]] = %c0 to %c64 step %c16
//       CHECK:     %[[SLICE:.*]] = tensor.extract_slice %arg0[%[[J]], 0] [16, 24] [1, 1]
//       CHECK:     linalg.copy ins(%[[SLICE]] : tensor<16x24xf32>)
//       CHECK:   scf.for
func.func @parts_of_rows(%a: tensor<64x32xf32>, %c: tensor<16x24xf32>) -> tensor<16x24xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %r = scf.for %i = %c0 to %c8 step %c1 iter_args(%t = %c) -> tensor<16x24xf32> {
    %s = scf.for %j = %c0 to %c64 step %c16 iter_args(%u = %t) -> tensor<16x24xf32> {
      %x = tensor.extract_slice %a[%j, 0] [16, 24] [1, 1] : tensor<64x32xf32> to tensor<16x24xf32>
      %v = linalg.add ins(%x, %u : tensor<16x24xf32>, tensor<16x24xf32>) outs(%u : tensor<16x24xf32>)
          -> tensor<16x24xf32>
      scf.yield %v : tensor<16x24xf32>
    }
    scf.yield %s : tensor<16x24xf32>
  }
  return %r : tensor<16x24xf32>
}

// Whole rows one below the other are next to each other as they are.
// CHECK-LABEL: func.func @one_below_the_other
//   CHECK-NOT:   linalg.copy
func.func @one_below_the_other(%a: tensor<64x32xf32>, %c: tensor<16x32xf32>) -> tensor<16x32xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %r = scf.for %i = %c0 to %c8 step %c1 iter_args(%t = %c) -> tensor<16x32xf32> {
    %s = scf.for %j = %c0 to %c64 step %c16 iter_args(%u = %t) -> tensor<16x32xf32> {
      %x = tensor.extract_slice %a[%j, 0] [16, 32] [1, 1] : tensor<64x32xf32> to tensor<16x32xf32>
      %v = linalg.add ins(%x, %u : tensor<16x32xf32>, tensor<16x32xf32>) outs(%u : tensor<16x32xf32>)
          -> tensor<16x32xf32>
      scf.yield %v : tensor<16x32xf32>
    }
    scf.yield %s : tensor<16x32xf32>
  }
  return %r : tensor<16x32xf32>
}

// So are they if their number is that of an argument; where another one is taken, nothing is known.
// CHECK-LABEL: func.func @dynamic_rows
//   CHECK-NOT:   linalg.copy
//       CHECK:   linalg.add
// CHECK-LABEL: func.func @other_rows
//       CHECK:   linalg.copy
//       CHECK:   linalg.add
func.func @dynamic_rows(%a: tensor<64x?xf32>, %o: tensor<?xf32>, %c: tensor<16x?xf32>) -> tensor<16x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %n = tensor.dim %a, %c1 : tensor<64x?xf32>
  %r = scf.for %i = %c0 to %c8 step %c1 iter_args(%t = %c) -> tensor<16x?xf32> {
    %s = scf.for %j = %c0 to %c64 step %c16 iter_args(%u = %t) -> tensor<16x?xf32> {
      %x = tensor.extract_slice %a[%j, 0] [16, %n] [1, 1] : tensor<64x?xf32> to tensor<16x?xf32>
      %v = linalg.add ins(%x, %u : tensor<16x?xf32>, tensor<16x?xf32>) outs(%u : tensor<16x?xf32>) -> tensor<16x?xf32>
      scf.yield %v : tensor<16x?xf32>
    }
    scf.yield %s : tensor<16x?xf32>
  }
  return %r : tensor<16x?xf32>
}

func.func @other_rows(%a: tensor<64x?xf32>, %o: tensor<?xf32>, %c: tensor<16x?xf32>) -> tensor<16x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %n = tensor.dim %o, %c0 : tensor<?xf32>
  %r = scf.for %i = %c0 to %c8 step %c1 iter_args(%t = %c) -> tensor<16x?xf32> {
    %s = scf.for %j = %c0 to %c64 step %c16 iter_args(%u = %t) -> tensor<16x?xf32> {
      %x = tensor.extract_slice %a[%j, 0] [16, %n] [1, 1] : tensor<64x?xf32> to tensor<16x?xf32>
      %v = linalg.add ins(%x, %u : tensor<16x?xf32>, tensor<16x?xf32>) outs(%u : tensor<16x?xf32>) -> tensor<16x?xf32>
      scf.yield %v : tensor<16x?xf32>
    }
    scf.yield %s : tensor<16x?xf32>
  }
  return %r : tensor<16x?xf32>
}

// Only slices read what is transposed: each is transposed into its panel. Those of %x move with the outer loop, so each
// is transposed once for the inner one.
// CHECK-LABEL: func.func @transposed
//   CHECK-NOT:   linalg.transpose ins(%arg
//       CHECK:   scf.for %[[J:.*]] = %c0 to %c64 step %c16
//       CHECK:     %[[PART:.*]] = tensor.extract_slice %arg1[%[[J]], 0] [16, 32] [1, 1]
//       CHECK:     %[[PANEL:.*]] = tensor.extract_slice %{{.*}}[%{{.*}}, 0, 0] [1, 32, 16] [1, 1, 1]
//       CHECK:     linalg.transpose ins(%[[PART]] : tensor<16x32xf32>) outs(%[[PANEL]] : tensor<32x16xf32>) permutation = [1, 0]
//       CHECK:   scf.for %[[I:.*]] = %c0 to %c24 step %c8
//       CHECK:     %[[PART:.*]] = tensor.extract_slice %arg0[0, %[[I]]] [32, 8] [1, 1]
//       CHECK:     %[[ROWS:.*]] = linalg.transpose ins(%[[PART]] : tensor<32x8xf32>) outs(%{{.*}} : tensor<8x32xf32>) permutation = [1, 0]
//       CHECK:     scf.for
//       CHECK:       linalg.matmul ins(%[[ROWS]], %{{.*}} : tensor<8x32xf32>, tensor<32x16xf32>)
func.func @transposed(%a: tensor<32x24xf32>, %b: tensor<64x32xf32>, %c: tensor<24x64xf32>) -> tensor<24x64xf32> {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %c24 = arith.constant 24 : index
  %c64 = arith.constant 64 : index
  %d = tensor.empty() : tensor<24x32xf32>
  %e = tensor.empty() : tensor<32x64xf32>
  %at = linalg.transpose ins(%a : tensor<32x24xf32>) outs(%d : tensor<24x32xf32>) permutation = [1, 0]
  %bt = linalg.transpose ins(%b : tensor<64x32xf32>) outs(%e : tensor<32x64xf32>) permutation = [1, 0]
  %r = scf.for %i = %c0 to %c24 step %c8 iter_args(%t = %c) -> tensor<24x64xf32> {
    %s = scf.for %j = %c0 to %c64 step %c16 iter_args(%u = %t) -> tensor<24x64xf32> {
      %x = tensor.extract_slice %at[%i, 0] [8, 32] [1, 1] : tensor<24x32xf32> to tensor<8x32xf32>
      %y = tensor.extract_slice %bt[0, %j] [32, 16] [1, 1] : tensor<32x64xf32> to tensor<32x16xf32>
      %z = tensor.extract_slice %u[%i, %j] [8, 16] [1, 1] : tensor<24x64xf32> to tensor<8x16xf32>
      %p = linalg.matmul ins(%x, %y : tensor<8x32xf32>, tensor<32x16xf32>) outs(%z : tensor<8x16xf32>)
          -> tensor<8x16xf32>
      %v = tensor.insert_slice %p into %u[%i, %j] [8, 16] [1, 1] : tensor<8x16xf32> into tensor<24x64xf32>
      scf.yield %v : tensor<24x64xf32>
    }
    scf.yield %s : tensor<24x64xf32>
  }
  return %r : tensor<24x64xf32>
}

// Somebody else reads what is transposed, so it is there: slices of it are copied.
// CHECK-LABEL: func.func @transposed_for_others
//       CHECK:   %[[T:.*]] = linalg.transpose ins(%arg0
//       CHECK:   scf.for
//       CHECK:     tensor.extract_slice %[[T]]
//       CHECK:     linalg.copy
//   CHECK-NOT:   linalg.transpose
func.func @transposed_for_others(%a: tensor<64x16xf32>, %c: tensor<16x16xf32>)
    -> (tensor<16x16xf32>, tensor<16x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %e = tensor.empty() : tensor<16x64xf32>
  %at = linalg.transpose ins(%a : tensor<64x16xf32>) outs(%e : tensor<16x64xf32>) permutation = [1, 0]
  %r = scf.for %i = %c0 to %c8 step %c1 iter_args(%t = %c) -> tensor<16x16xf32> {
    %s = scf.for %j = %c0 to %c64 step %c16 iter_args(%u = %t) -> tensor<16x16xf32> {
      %x = tensor.extract_slice %at[0, %j] [16, 16] [1, 1] : tensor<16x64xf32> to tensor<16x16xf32>
      %v = linalg.add ins(%x, %u : tensor<16x16xf32>, tensor<16x16xf32>) outs(%u : tensor<16x16xf32>)
          -> tensor<16x16xf32>
      scf.yield %v : tensor<16x16xf32>
    }
    scf.yield %s : tensor<16x16xf32>
  }
  return %r, %at : tensor<16x16xf32>, tensor<16x64xf32>
}
