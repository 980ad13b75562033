// passes: inplace-remove-outs-dependency,inplace-one-shot-bufferize{bufferize-function-boundaries=true warn-written-arguments=false}
// after:
// protects: yes
// runs: [[["float32", [8], 1], ["int64", null, 2], ["bool", null, true], ["f", null, 102.5]], [["float32", [4], 1], ["int64", null, 1], ["bool", null, false], ["f", null, 102.5]], [["float32", [2], 1], ["int64", null, 0], ["bool", null, true], ["f", null, 102.5]]]
func.func @main(%t: tensor<?xf32>, %n: index, %p: i1, %f: f32) -> tensor<?xf32> {
  %g = arith.addf %f, %f : f32
  %r = scf.execute_region -> tensor<?xf32> {
    %u = tensor.empty(%n) : tensor<?xf32>
    %b = linalg.fill ins(%g : f32) outs(%u : tensor<?xf32>) -> tensor<?xf32>
    scf.yield %b : tensor<?xf32>
  }
  %x = linalg.fill ins(%f : f32) outs(%r : tensor<?xf32>) -> tensor<?xf32>
  return %x : tensor<?xf32>
}
