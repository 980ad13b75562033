// passes: inplace-one-shot-bufferize{bufferize-function-boundaries=true warn-written-arguments=false }
// after:
// protects: no
// runs: [[["float32", [8], 1], ["f", null, 100.5], ["int64", null, 3]], [["float32", [8], 1], ["f", null, 100.5], ["int64", null, 2]], [["float32", [8], 1], ["f", null, 100.5], ["int64", null, 1]]]
func.func @main(%t: tensor<8xf32>, %f: f32, %n: index) -> (f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %r:2 = scf.while (%a = %zero, %k = %c0) : (f32, index) -> (f32, index) {
    %e = tensor.extract %t[%c0] : tensor<8xf32>
    %s = arith.addf %a, %e : f32
    %p = arith.cmpi slt, %k, %n : index
    scf.condition(%p) %s, %k : f32, index
  } do {
  ^bb0(%b: f32, %j: index):
    %x = tensor.insert %b into %t[%c0] : tensor<8xf32>
    %e = tensor.extract %x[%c0] : tensor<8xf32>
    %s = arith.addf %b, %e : f32
    %m = arith.addi %j, %c1 : index
    scf.yield %s, %m : f32, index
  }
  return %r#0 : f32
}
