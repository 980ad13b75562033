// passes: inplace-one-shot-bufferize{bufferize-function-boundaries=true warn-written-arguments=false  analysis-heuristic=top-down}
// after: canonicalize,cse,inplace-deallocate
// protects: yes
// runs: [[["float64", [24], 1], ["int64", null, 0]], [["float64", [24], 1], ["int64", null, 1]], [["float64", [24], 1], ["int64", null, 4]]]
!t = tensor<24xf64>
#id = affine_map<(d0) -> (d0)>
func.func @main(%t: !t {bufferization.writable = true}, %n: index) -> (!t) {
%k0 = arith.constant 0 : index
%k1 = arith.constant 1 : index
%k2 = arith.constant 2 : index
%two = arith.constant 2.0 : f64
%one = arith.constant 1.0 : f64
%r0 = scf.for %i = %k1 to %n step %k1 iter_args(%x0 = %t) -> !t {
%r1 = scf.for %j = %k0 to %n step %k2 iter_args(%x1 = %x0) -> !t {
%a0 = affine.apply affine_map<(i, j) -> (i * 1 + j * 1 + 0)>(%i, %j)
%b0 = affine.apply affine_map<(i, j) -> (i * 1 + j * 1 + 4)>(%i, %j)
%e0 = tensor.extract_slice %t[%a0] [1] [1] : !t to tensor<1xf64>
%g0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%e0 : tensor<1xf64>) outs(%e0 : tensor<1xf64>) {
^bb0(%p: f64, %q: f64):
%s = arith.mulf %p, %two : f64
%u = arith.addf %s, %one : f64
linalg.yield %u : f64
} -> tensor<1xf64>
%w0 = tensor.insert_slice %g0 into %x1[%b0] [1] [1] : tensor<1xf64> into !t
scf.yield %w0 : !t
}
scf.yield %r1 : !t
}
return %r0 : !t
}
