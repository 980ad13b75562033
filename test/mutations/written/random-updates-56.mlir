// passes: inplace-rewrite-destructive-updates{print-rewritten=false print-kept=false},inplace-plan-bufferize,inplace-lower-dispatch
// after: canonicalize,cse,inplace-deallocate
// protects: yes
// runs: [[["float64", [24], 1], ["float64", [24], [0.0, 100.0, 200.0, 300.0, 400.0, 500.0, 600.0, 700.0, 800.0, 900.0, 1000.0, 1100.0, 1200.0, 1300.0, 1400.0, 1500.0, 1600.0, 1700.0, 1800.0, 1900.0, 2000.0, 2100.0, 2200.0, 2300.0]], ["float64", [24], [-0.0, -7.0, -14.0, -21.0, -28.0, -35.0, -42.0, -49.0, -56.0, -63.0, -70.0, -77.0, -84.0, -91.0, -98.0, -105.0, -112.0, -119.0, -126.0, -133.0, -140.0, -147.0, -154.0, -161.0]], ["float64", [24], [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]]]]
func.func @main() {
%k0 = arith.constant 0 : index
%k1 = arith.constant 1 : index
%k2 = arith.constant 2 : index
%k3 = arith.constant 3 : index
%k4 = arith.constant 4 : index
%k5 = arith.constant 5 : index
%k6 = arith.constant 6 : index
%k7 = arith.constant 7 : index
%k8 = arith.constant 8 : index
%k9 = arith.constant 9 : index
%k10 = arith.constant 10 : index
%k11 = arith.constant 11 : index
%k12 = arith.constant 12 : index
%k13 = arith.constant 13 : index
%k14 = arith.constant 14 : index
%k15 = arith.constant 15 : index
%k16 = arith.constant 16 : index
%k17 = arith.constant 17 : index
%k18 = arith.constant 18 : index
%k19 = arith.constant 19 : index
%k20 = arith.constant 20 : index
%k21 = arith.constant 21 : index
%k22 = arith.constant 22 : index
%k23 = arith.constant 23 : index
%k24 = arith.constant 24 : index
%in = dispatch.binding set(0) binding(0) : !dispatch.readonly<tensor<24xf64>>
%add = dispatch.binding set(0) binding(1) : !dispatch.readonly<tensor<24xf64>>
%out = dispatch.binding set(0) binding(2) : !dispatch.readwrite<tensor<24xf64>>
%other = dispatch.binding set(0) binding(3) : !dispatch.writeonly<tensor<24xf64>>
%a = dispatch.load %add : !dispatch.readonly<tensor<24xf64>> -> tensor<24xf64>
%g = dispatch.load %in : !dispatch.readonly<tensor<24xf64>> -> tensor<24xf64>
%e = tensor.empty() : tensor<24xf64>
%t = linalg.add ins(%g, %g : tensor<24xf64>, tensor<24xf64>) outs(%e : tensor<24xf64>) -> tensor<24xf64>
%r0 = scf.for %i = %k0 to %k4 step %k1 iter_args(%x0 = %t) -> (tensor<24xf64>) {
%r1 = scf.for %j = %k0 to %k6 step %k1 iter_args(%x1 = %x0) -> (tensor<24xf64>) {
%m0 = arith.remui %i, %k2 : index
%p0 = arith.cmpi eq, %m0, %k1 : index
%u0 = scf.if %p0 -> (tensor<24xf64>) {
%w0 = affine.apply affine_map<(i, j) -> (6 * i + 1 * j + 0)>(%i, %j)
%s0 = tensor.extract_slice %a[%w0] [1] [1] : tensor<24xf64> to tensor<1xf64>
%q0 = affine.apply affine_map<(i, j) -> (6 * i + 1 * j + 0)>(%i, %j)
%c0 = tensor.extract_slice %x1[%q0] [1] [1] : tensor<24xf64> to tensor<1xf64>
%h0 = tensor.empty() : tensor<1xf64>
%n0 = linalg.add ins(%s0, %c0 : tensor<1xf64>, tensor<1xf64>) outs(%h0 : tensor<1xf64>) -> tensor<1xf64>
%v0 = tensor.insert_slice %n0 into %x1[%w0] [1] [1] : tensor<1xf64> into tensor<24xf64>
scf.yield %v0 : tensor<24xf64>
} else {
scf.yield %x1 : tensor<24xf64>
}
scf.yield %u0 : tensor<24xf64>
}
scf.yield %r1 : tensor<24xf64>
}
dispatch.store %r0, %out : tensor<24xf64> -> !dispatch.readwrite<tensor<24xf64>>
dispatch.store %a, %other : tensor<24xf64> -> !dispatch.writeonly<tensor<24xf64>>
return
}
