// RUN: inplace-opt %s --inplace-fuse --cse | filecheck %s

// The sum never reaches memory; the result is still computed in %d.
// CHECK-LABEL: func.func @chain
//       CHECK:   %[[R:.*]] = linalg.generic {{.*}} ins(%arg0, %arg1 : tensor<?xf32>, tensor<?xf32>) outs(%arg2 : tensor<?xf32>)
//       CHECK:     %[[S:.*]] = arith.addf
//       CHECK:     %[[E:.*]] = math.exp %[[S]]
//       CHECK:     linalg.yield %[[E]]
//       CHECK:   return %[[R]]
func.func @chain(%a: tensor<?xf32>, %b: tensor<?xf32>, %d: tensor<?xf32>) -> tensor<?xf32> {
  %s = linalg.add ins(%a, %b : tensor<?xf32>, tensor<?xf32>) outs(%d : tensor<?xf32>) -> tensor<?xf32>
  %r = linalg.exp ins(%s : tensor<?xf32>) outs(%d : tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// Each element of the sum is wanted by all columns: it would be computed again and again. The fill may be.
// CHECK-LABEL: func.func @read_again
//   CHECK-NOT:   linalg.fill
//       CHECK:   %[[S:.*]] = linalg.exp
//       CHECK:   linalg.generic {{.*}} ins(%[[S]], %{{.*}} : tensor<4x5xf32>, f32) outs(%arg1 : tensor<4x6xf32>)
func.func @read_again(%a: tensor<4x5xf32>, %d: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %one = arith.constant 1.0 : f32
  %e = tensor.empty() : tensor<4x5xf32>
  %f = tensor.empty() : tensor<5x6xf32>
  %s = linalg.exp ins(%a : tensor<4x5xf32>) outs(%e : tensor<4x5xf32>) -> tensor<4x5xf32>
  %b = linalg.fill ins(%one : f32) outs(%f : tensor<5x6xf32>) -> tensor<5x6xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>,
                                        affine_map<(i, j, k) -> (i, j)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%s, %b : tensor<4x5xf32>, tensor<5x6xf32>) outs(%d : tensor<4x6xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %p = arith.mulf %x, %y : f32
    %q = arith.addf %p, %z : f32
    linalg.yield %q : f32
  } -> tensor<4x6xf32>
  return %r : tensor<4x6xf32>
}

// Two ops want it, or its value is where the next one starts.
// CHECK-LABEL: func.func @kept
// CHECK-COUNT-3: linalg.exp
func.func @kept(%a: tensor<?xf32>, %d: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) {
  %0 = linalg.exp ins(%a : tensor<?xf32>) outs(%d : tensor<?xf32>) -> tensor<?xf32>
  %1 = linalg.exp ins(%0 : tensor<?xf32>) outs(%d : tensor<?xf32>) -> tensor<?xf32>
  %2 = linalg.abs ins(%0 : tensor<?xf32>) outs(%d : tensor<?xf32>) -> tensor<?xf32>
  %3 = linalg.exp ins(%a : tensor<?xf32>) outs(%1 : tensor<?xf32>) -> tensor<?xf32>
  return %1, %2, %3 : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
}

// What has an effect stays where it is: the memory may be written in between.
// CHECK-LABEL: func.func @effect
//       CHECK:   linalg.generic
//       CHECK:     memref.load
//       CHECK:   memref.store
//       CHECK:   linalg.exp
func.func @effect(%a: tensor<?xf32>, %d: tensor<?xf32>, %m: memref<f32>, %c: f32) -> tensor<?xf32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%a : tensor<?xf32>) outs(%d : tensor<?xf32>) {
  ^bb0(%x: f32, %y: f32):
    %l = memref.load %m[] : memref<f32>
    %s = arith.addf %x, %l : f32
    linalg.yield %s : f32
  } -> tensor<?xf32>
  memref.store %c, %m[] : memref<f32>
  %1 = linalg.exp ins(%0 : tensor<?xf32>) outs(%d : tensor<?xf32>) -> tensor<?xf32>
  return %1 : tensor<?xf32>
}

// In a loop of blocks it would be computed again and again.
// CHECK-LABEL: func.func @other_block
//       CHECK:   linalg.exp
//       CHECK: ^bb1
//       CHECK:   linalg.abs
func.func @other_block(%a: tensor<?xf32>, %d: tensor<?xf32>, %more: i1) -> tensor<?xf32> {
  %0 = linalg.exp ins(%a : tensor<?xf32>) outs(%d : tensor<?xf32>) -> tensor<?xf32>
  cf.br ^bb1(%d : tensor<?xf32>)
^bb1(%t: tensor<?xf32>):
  %1 = linalg.abs ins(%0 : tensor<?xf32>) outs(%t : tensor<?xf32>) -> tensor<?xf32>
  cf.cond_br %more, ^bb1(%1 : tensor<?xf32>), ^bb2
^bb2:
  return %1 : tensor<?xf32>
}

// What is inside of regions of the payload goes along.
// CHECK-LABEL: func.func @regions
//       CHECK:   linalg.generic {{.*}} ins(%arg0, %arg1 : tensor<?xf32>, tensor<?xi1>) outs(%arg2 : tensor<?xf32>)
//  CHECK-NEXT:   ^bb0(%[[X:.*]]: f32, %[[B:.*]]: i1, %{{.*}}: f32):
//       CHECK:     %[[H:.*]] = arith.mulf %[[X]], %[[X]]
//       CHECK:     %[[R:.*]] = scf.if %[[B]] -> (f32) {
//       CHECK:       %[[N:.*]] = arith.addf %[[X]], %[[H]]
//       CHECK:       scf.yield %[[N]]
//       CHECK:       scf.yield %[[H]]
//       CHECK:     math.exp %[[R]]
func.func @regions(%a: tensor<?xf32>, %b: tensor<?xi1>, %d: tensor<?xf32>) -> tensor<?xf32> {
  %0 = linalg.map ins(%a, %b : tensor<?xf32>, tensor<?xi1>) outs(%d : tensor<?xf32>) (%x: f32, %c: i1, %y: f32) {
    %h = arith.mulf %x, %x : f32
    %r = scf.if %c -> (f32) {
      %n = arith.addf %x, %h : f32
      scf.yield %n : f32
    } else {
      scf.yield %h : f32
    }
    linalg.yield %r : f32
  }
  %1 = linalg.exp ins(%0 : tensor<?xf32>) outs(%d : tensor<?xf32>) -> tensor<?xf32>
  return %1 : tensor<?xf32>
}

// An input whose elements are not used goes along if nothing else says how many iterations there are, and only then.
// CHECK-LABEL: func.func @sizes
//       CHECK:   %[[SUM:.*]] = linalg.generic {{.*}} iterator_types = ["reduction"]} ins(%arg0 : tensor<?xf32>)
//       CHECK:     tensor.extract %arg1
//       CHECK:   %[[MAX:.*]] = linalg.generic {{.*}} iterator_types = ["parallel"]} outs(%arg2 : tensor<?xf32>)
//       CHECK:     tensor.extract %arg1
//       CHECK:   return %[[SUM]], %[[MAX]]
func.func @sizes(%a: tensor<?xf32>, %b: tensor<?xf32>, %d: tensor<?xf32>, %s: tensor<f32>) -> (tensor<f32>, tensor<?xf32>) {
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%a : tensor<?xf32>) outs(%d : tensor<?xf32>) {
  ^bb0(%x: f32, %y: f32):
    %i = linalg.index 0 : index
    %r = tensor.extract %b[%i] : tensor<?xf32>
    linalg.yield %r : f32
  } -> tensor<?xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
      ins(%0 : tensor<?xf32>) outs(%s : tensor<f32>) {
  ^bb0(%x: f32, %y: f32):
    %r = arith.addf %x, %y : f32
    linalg.yield %r : f32
  } -> tensor<f32>
  %2 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%a : tensor<?xf32>) outs(%d : tensor<?xf32>) {
  ^bb0(%x: f32, %y: f32):
    %i = linalg.index 0 : index
    %r = tensor.extract %b[%i] : tensor<?xf32>
    linalg.yield %r : f32
  } -> tensor<?xf32>
  %3 = linalg.exp ins(%2 : tensor<?xf32>) outs(%d : tensor<?xf32>) -> tensor<?xf32>
  return %1, %3 : tensor<f32>, tensor<?xf32>
}

// Only its own output says how many iterations the first has, which would be gone.
// CHECK-LABEL: func.func @no_size
//       CHECK:   linalg.generic {{.*}} iterator_types = ["parallel"]} outs(%arg0 : tensor<?xf32>)
//       CHECK:   linalg.generic {{.*}} iterator_types = ["reduction"]} ins(%{{.*}} : tensor<?xf32>)
func.func @no_size(%d: tensor<?xf32>, %s: tensor<f32>) -> tensor<f32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%d : tensor<?xf32>) {
  ^bb0(%y: f32):
    %i = linalg.index 0 : index
    %n = arith.index_cast %i : index to i32
    %r = arith.sitofp %n : i32 to f32
    linalg.yield %r : f32
  } -> tensor<?xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
      ins(%0 : tensor<?xf32>) outs(%s : tensor<f32>) {
  ^bb0(%x: f32, %y: f32):
    %r = arith.addf %x, %y : f32
    linalg.yield %r : f32
  } -> tensor<f32>
  return %1 : tensor<f32>
}
