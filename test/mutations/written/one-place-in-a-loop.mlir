// passes: inplace-rewrite-destructive-updates{print-rewritten=false print-kept=false},inplace-plan-bufferize,inplace-lower-dispatch
// after: canonicalize,cse,inplace-deallocate
// protects: no
// runs: [[["float64", [8], 1], ["float64", [8], 101], ["float64", [8], 201], ["float64", [8], 301]], [["float64", [8], 1], ["float64", [8], 101], ["float64", [8], 201], ["float64", [8], 301]], [["float64", [8], 1], ["float64", [8], 101], ["float64", [8], 201], ["float64", [8], 301]]]
func.func @main() {
      %c0 = arith.constant 0 : index
%c1 = arith.constant 1 : index
%c2 = arith.constant 2 : index
%c3 = arith.constant 3 : index
%c4 = arith.constant 4 : index
%c5 = arith.constant 5 : index
%c6 = arith.constant 6 : index
%c7 = arith.constant 7 : index
%c8 = arith.constant 8 : index
      %f = arith.constant 50.0 : f64
      %g = arith.constant 60.0 : f64
      %zero = arith.constant 0.0 : f64
      %in = dispatch.binding set(0) binding(0) : !dispatch.readonly<tensor<8xf64>>
      %second = dispatch.binding set(0) binding(1) : !dispatch.readonly<tensor<8xf64>>
      %out = dispatch.binding set(0) binding(2) : !dispatch.readwrite<tensor<8xf64>>
      %other = dispatch.binding set(0) binding(3) : !dispatch.readwrite<tensor<8xf64>>
      %t = dispatch.load %in : !dispatch.readonly<tensor<8xf64>> -> tensor<8xf64>
      %u = dispatch.load %second : !dispatch.readonly<tensor<8xf64>> -> tensor<8xf64>
        %r:2 = scf.for %i = %c0 to %c8 step %c1 iter_args(%a = %t, %b = %u) -> (tensor<8xf64>, tensor<8xf64>) {
          %n = tensor.insert %f into %a[%i] : tensor<8xf64>
          %m = tensor.insert %g into %b[%i] : tensor<8xf64>
          scf.yield %m, %n : tensor<8xf64>, tensor<8xf64>
        }
        dispatch.store %r#0, %out : tensor<8xf64> -> !dispatch.readwrite<tensor<8xf64>>
      return
    }
