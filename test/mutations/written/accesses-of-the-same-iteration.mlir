// passes: inplace-rewrite-destructive-updates{print-rewritten=false print-kept=false},inplace-plan-bufferize,inplace-lower-dispatch
// after: canonicalize,cse,inplace-deallocate
// protects: no
// runs: [[["float32", [8], 1], ["float32", [8], 101], ["float32", [8], 201]]]
func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %f = arith.constant 50.0 : f32
  %g = arith.constant 60.0 : f32
  %in = dispatch.binding set(0) binding(0) : !dispatch.readonly<tensor<8xf32>>
  %out = dispatch.binding set(0) binding(1) : !dispatch.readwrite<tensor<8xf32>>
  %other = dispatch.binding set(0) binding(2) : !dispatch.readwrite<tensor<8xf32>>
  %t = dispatch.load %in : !dispatch.readonly<tensor<8xf32>> -> tensor<8xf32>

  %r = scf.for %i = %c1 to %c8 step %c1 iter_args(%a = %t) -> (tensor<8xf32>) {
    %j = arith.subi %i, %c1 : index
    %n = tensor.insert %f into %a[%i] : tensor<8xf32>
    %e = tensor.extract %n[%i] : tensor<8xf32>
    %m = tensor.insert %e into %n[%j] : tensor<8xf32>
    scf.yield %m : tensor<8xf32>
  }
  dispatch.store %r, %out : tensor<8xf32> -> !dispatch.readwrite<tensor<8xf32>>
  return
}
