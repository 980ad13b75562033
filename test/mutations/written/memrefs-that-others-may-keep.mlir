// passes: inplace-one-shot-bufferize{bufferize-function-boundaries=true warn-written-arguments=false allow-unknown-ops=true}
// after: 
// protects: yes
// runs: [[["float32", [8], 1], ["f", null, 7.5]]]
func.func @main(%t: tensor<8xf32>, %f: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8xf32>
  %a = linalg.fill ins(%z : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %q0 = tensor.extract_slice %a[0] [1] [1] : tensor<8xf32> to tensor<1xf32>
  %m0 = bufferization.to_buffer %q0 read_only : tensor<1xf32> to memref<1xf32, strided<[?], offset: ?>>
  "test.keep"(%m0) : (memref<1xf32, strided<[?], offset: ?>>) -> ()
  %r:2 = scf.for %i = %c0 to %c7 step %c1 iter_args(%x = %a, %s = %z) -> (tensor<8xf32>, f32) {
    %y = tensor.insert %f into %x[%i] : tensor<8xf32>
    %v = "test.kept"() : () -> f32
    %u = arith.addf %s, %v : f32
    %j = arith.addi %i, %c1 : index
    %q = tensor.extract_slice %y[%j] [1] [1] : tensor<8xf32> to tensor<1xf32>
    %m = bufferization.to_buffer %q read_only : tensor<1xf32> to memref<1xf32, strided<[?], offset: ?>>
    "test.keep"(%m) : (memref<1xf32, strided<[?], offset: ?>>) -> ()
    scf.yield %y, %u : tensor<8xf32>, f32
  }
  return %r#1 : f32
}
