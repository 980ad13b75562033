// passes: inplace-one-shot-bufferize{bufferize-function-boundaries=true warn-written-arguments=false}
// after: canonicalize,cse,inplace-deallocate
// protects: no
// runs: [[["float32", [8], 1], ["int64", null, 5]]]
func.func @main(%t: tensor<8xf32> {bufferization.writable = true}, %n: index) -> (f32, f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0.0 : f32
  %v9 = arith.constant 99.0 : f32
  %r:4 = scf.while (%i = %n, %acc = %z, %acc2 = %z) : (index, f32, f32) -> (tensor<1xf32>, index, f32, f32) {
    %j = arith.addi %i, %c1 : index
    %x = tensor.extract %t[%j] : tensor<8xf32>
    %s = arith.addf %acc, %x : f32
    %v = tensor.extract_slice %t[%i] [1] [1] : tensor<8xf32> to tensor<1xf32>
    %go = arith.cmpi sgt, %i, %c0 : index
    scf.condition(%go) %v, %i, %s, %acc2 : tensor<1xf32>, index, f32, f32
  } do {
  ^bb0(%w: tensor<1xf32>, %k: index, %s: f32, %a2: f32):
    %f = tensor.insert %v9 into %w[%c0] : tensor<1xf32>
    %y = tensor.extract %f[%c0] : tensor<1xf32>
    %b = arith.addf %a2, %y : f32
    %k2 = arith.subi %k, %c1 : index
    scf.yield %k2, %s, %b : index, f32, f32
  }
  return %r#2, %r#3 : f32, f32
}
