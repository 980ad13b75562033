// passes: inplace-rewrite-destructive-updates{print-rewritten=false print-kept=false},inplace-plan-bufferize,inplace-lower-dispatch
// after: canonicalize,cse,inplace-deallocate
// protects: no
// runs: [[["float32", [8], 1], ["float32", [8], 101], ["float32", [8], 201], ["int64", null, 1]], [["float32", [8], 1], ["float32", [8], 101], ["float32", [8], 201], ["int64", null, 1]], [["float32", [8], 1], ["float32", [8], 101], ["float32", [8], 201], ["int64", null, 1]]]
func.func @main() {
  %out = dispatch.binding set(0) binding(0) : !dispatch.readwrite<tensor<8xf32>>
  %other = dispatch.binding set(0) binding(1) : !dispatch.readwrite<tensor<8xf32>>
  %last = dispatch.binding set(0) binding(2) : !dispatch.readwrite<tensor<8xf32>>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %f = arith.constant 3.0 : f32
  %e = tensor.empty() : tensor<8xf32>
  %r = scf.for %i = %c0 to %c8 step %c1 iter_args(%a = %e) -> (tensor<8xf32>) {
    %n = tensor.insert %f into %a[%i] : tensor<8xf32>
    scf.yield %n : tensor<8xf32>
  }
  dispatch.store %r, %out : tensor<8xf32> -> !dispatch.readwrite<tensor<8xf32>>
  dispatch.store %r, %other : tensor<8xf32> -> !dispatch.readwrite<tensor<8xf32>>
  %id = dispatch.workgroup_id 0 : index
  %count = dispatch.workgroup_count 0 : index
  %step = arith.addi %count, %count : index
  %q = scf.for %i = %id to %c8 step %step iter_args(%a = %r) -> (tensor<8xf32>) {
    %n = tensor.insert %f into %a[%i] : tensor<8xf32>
    scf.yield %n : tensor<8xf32>
  }
  dispatch.store %q, %last : tensor<8xf32> -> !dispatch.readwrite<tensor<8xf32>>
  return
}
