// A writable argument is updated where it is; a strided copy runs without a library.
// RUN: inplace-run %s -e scale --arg iota --print-result --memory-stats | filecheck %s --check-prefix=SCALE
// RUN: inplace-run %s -e columns --arg iota --print-result --memory-stats | filecheck %s --check-prefix=COLUMNS

// SCALE:      [0., 2., 4., 6.]
// SCALE-NEXT: allocations: 0 {{.*}} copies: 0 (0 bytes)
#id = affine_map<(i) -> (i)>
func.func @scale(%a: tensor<4xf64> {bufferization.writable = true}) -> tensor<4xf64> {
  %0 = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%a : tensor<4xf64>) {
  ^bb0(%x: f64):
    %1 = arith.addf %x, %x : f64
    linalg.yield %1 : f64
  } -> tensor<4xf64>
  return %0 : tensor<4xf64>
}

// COLUMNS:      {{\[\[}} 1,  3],
// COLUMNS-NEXT: [ 5,  7],
// COLUMNS-NEXT: [ 9, 11]]
// COLUMNS-NEXT: allocations: 1 (1 for results), {{.*}} copies: 1 (24 bytes)
func.func @columns(%a: tensor<3x4xi32>) -> tensor<3x2xi32> {
  %0 = tensor.extract_slice %a[0, 1] [3, 2] [1, 2] : tensor<3x4xi32> to tensor<3x2xi32>
  return %0 : tensor<3x2xi32>
}
