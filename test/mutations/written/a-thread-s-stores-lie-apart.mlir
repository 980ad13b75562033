// passes: inplace-promote-bindings
// after:
// refused: yes
// runs: [[["f", null, 2.5], ["float32", [8], 1]]]
func.func @main(%f: f32) {
  %out = dispatch.binding set(0) binding(0) : !dispatch.readwrite<tensor<8xf32>>
  %g = arith.addf %f, %f : f32
  scf.forall (%k) in (2) {
    %at = affine.apply affine_map<(d0) -> (d0 * 4)>(%k)
    %behind = affine.apply affine_map<(d0) -> (d0 * 4 + 1)>(%k)
    %e = tensor.empty() : tensor<2xf32>
    %a = linalg.fill ins(%f : f32) outs(%e : tensor<2xf32>) -> tensor<2xf32>
    %b = linalg.fill ins(%g : f32) outs(%e : tensor<2xf32>) -> tensor<2xf32>
    dispatch.store %a, %out[%at] [2] [1] : tensor<2xf32> -> !dispatch.readwrite<tensor<8xf32>>
    dispatch.store %b, %out[%behind] [2] [1] : tensor<2xf32> -> !dispatch.readwrite<tensor<8xf32>>
  }
  return
}
