// passes: inplace-one-shot-bufferize{bufferize-function-boundaries=true warn-written-arguments=false}
// after: inplace-deallocate
// runs: [[["int64", null, 4], ["f", null, 2.5], ["bool", null, true], ["bool", null, true]], [["int64", null, 4], ["f", null, 2.5], ["bool", null, true], ["bool", null, false]], [["int64", null, 4], ["f", null, 2.5], ["bool", null, false], ["bool", null, true]], [["int64", null, 4], ["f", null, 2.5], ["bool", null, false], ["bool", null, false]]]
func.func @main(%n: index, %f: f32, %p: i1, %c: i1) -> f32 {
  %g = arith.addf %f, %f : f32
  %v0 = tensor.empty(%n) : tensor<?xf32>
  %v = linalg.fill ins(%f : f32) outs(%v0 : tensor<?xf32>) -> tensor<?xf32>
  %w0 = tensor.empty(%n) : tensor<?xf32>
  %w = linalg.fill ins(%g : f32) outs(%w0 : tensor<?xf32>) -> tensor<?xf32>
  %x0 = tensor.empty(%n) : tensor<?xf32>
  %x = linalg.fill ins(%g : f32) outs(%x0 : tensor<?xf32>) -> tensor<?xf32>
  %y0 = tensor.empty(%n) : tensor<?xf32>
  %y = linalg.fill ins(%f : f32) outs(%y0 : tensor<?xf32>) -> tensor<?xf32>
  cf.cond_br %p, ^one, ^two
^one:
  %s = arith.select %c, %v, %w : tensor<?xf32>
  cf.br ^last(%s, %v : tensor<?xf32>, tensor<?xf32>)
^two:
  cf.br ^last(%x, %y : tensor<?xf32>, tensor<?xf32>)
^last(%a: tensor<?xf32>, %b: tensor<?xf32>):
  %k = tensor.from_elements %f : tensor<f32>
  %d = linalg.dot ins(%a, %b : tensor<?xf32>, tensor<?xf32>) outs(%k : tensor<f32>) -> tensor<f32>
  %z = tensor.extract %d[] : tensor<f32>
  return %z : f32
}
