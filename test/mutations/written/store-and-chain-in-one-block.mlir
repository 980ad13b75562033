// passes: inplace-rewrite-destructive-updates{print-rewritten=false print-kept=false},inplace-plan-bufferize,inplace-lower-dispatch
// after: canonicalize,cse,inplace-deallocate
// protects: no
// runs: [[["float32", [8], 1], ["float32", [8], 101]], [["float32", [8], 1], ["float32", [8], 101]], [["float32", [8], 1], ["float32", [8], 101]]]
func.func @main() {
  %in = dispatch.binding set(0) binding(0) : !dispatch.readonly<tensor<8xf32>>
  %out = dispatch.binding set(0) binding(1) : !dispatch.writeonly<tensor<8xf32>>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %f = arith.constant 3.0 : f32
  %t = dispatch.load %in : !dispatch.readonly<tensor<8xf32>> -> tensor<8xf32>
  %r = scf.for %i = %c0 to %c8 step %c1 iter_args(%a = %t) -> (tensor<8xf32>) {
    %n = tensor.insert %f into %a[%i] : tensor<8xf32>
    scf.yield %n : tensor<8xf32>
  }
  %e = tensor.extract %t[%c0] : tensor<8xf32>
  %p = arith.cmpf ogt, %e, %f : f32
  scf.if %p {
    dispatch.store %r, %out : tensor<8xf32> -> !dispatch.writeonly<tensor<8xf32>>
  }
  return
}
