// %a was copied for the elements that the first op leaves, although the second one overwrites them.
// COUNTS: 1 0
// ARGUMENTS: 3x4xi64:iota
#row = affine_map<(d0) -> (d0)>
#column = affine_map<(d0) -> (d0, 0)>
func.func @main(%a: tensor<3x4xi64>) -> (tensor<3x4xi64>, tensor<3x4xi64>) {
  %c1 = arith.constant 1 : i64
  %k = arith.constant dense<[2, 3, 4]> : tensor<3xi64>
  %x = linalg.generic {indexing_maps = [#row, #column], iterator_types = ["parallel"]}
    ins(%k : tensor<3xi64>) outs(%a : tensor<3x4xi64>) {
  ^bb0(%in: i64, %out: i64):
    linalg.yield %in : i64
  } -> tensor<3x4xi64>
  %y = linalg.fill ins(%c1 : i64) outs(%x : tensor<3x4xi64>) -> tensor<3x4xi64>
  return %y, %a : tensor<3x4xi64>, tensor<3x4xi64>
}
