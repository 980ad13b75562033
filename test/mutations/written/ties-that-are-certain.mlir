// passes: inplace-remove-outs-dependency,inplace-one-shot-bufferize{bufferize-function-boundaries=true warn-written-arguments=false}
// after:
// runs: [[["float32", [4], 1], ["f", null, 9.5], ["int64", null, 6]], [["float32", [8], 1], ["f", null, 9.5], ["int64", null, 6]]]
#id = affine_map<(d0) -> (d0)>
func.func @main(%t: tensor<?xf32>, %f: f32, %i: index) -> f32 {
  %u = "others.longer"(%t) : (tensor<?xf32>) -> tensor<?xf32>
  %g = linalg.fill ins(%f : f32) outs(%u : tensor<?xf32>) -> tensor<?xf32>
  %x = tensor.extract %g[%i] : tensor<?xf32>
  return %x : f32
}
