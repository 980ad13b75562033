// inplace-vectorize began the loop with what the fill wrote over, although elements of the fill are read (optimize=True).
// ARGUMENTS: 3
func.func @main(%m: index) -> (tensor<?x1x3xi64>, tensor<?x1x3xi64>) {
  %v6 = arith.constant 72 : i64
  %v9 = tensor.empty(%m) : tensor<?x1x3xi64>
  %v10 = linalg.fill ins(%v6 : i64) outs(%v9 : tensor<?x1x3xi64>) -> tensor<?x1x3xi64>
  %v12 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
     outs(%v10 : tensor<?x1x3xi64>) {
  ^bb0(%e13: i64):
  %v14 = arith.constant 4 : i64
  %v15 = arith.muli %e13, %v14 : i64
  linalg.yield %v15 : i64
  } -> tensor<?x1x3xi64>
  %v16 = math.absi %v10 : tensor<?x1x3xi64>
  return %v12, %v16 : tensor<?x1x3xi64>, tensor<?x1x3xi64>
}
