// passes: inplace-one-shot-bufferize{bufferize-function-boundaries=true warn-written-arguments=false erase-dead-ops=true }
// after: canonicalize,cse,inplace-deallocate
// protects: yes
// runs: [[["float32", [4], 1.0], ["f", null, 100.5], ["int64", null, 3]], [["float32", [4], 1.0], ["f", null, 100.5], ["int64", null, 0]]]
func.func @main(%t: tensor<4xf32>, %f: f32, %n: index) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %m = memref.alloc() : memref<4xf32>
  memref.store %zero, %m[%c1] : memref<4xf32>
  %l = scf.for %k = %c0 to %n step %c1 iter_args(%a = %t) -> (tensor<4xf32>) {
    memref.store %f, %m[%c1] : memref<4xf32>
    %w = tensor.insert %f into %a[%k] : tensor<4xf32>
    scf.yield %w : tensor<4xf32>
  }
  %r = memref.load %m[%c1] : memref<4xf32>
  return %r : f32
}
