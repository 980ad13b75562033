// passes: canonicalize
// after: inplace-results-to-out-params{modify-called-functions=true},inplace-hoist-allocations
// protects: no
// runs: [[["float32", null, 3]]]
func.func private @make(%n: f32) -> (memref<4xf32>, f32) {
  %a = memref.alloc() : memref<4xf32>
  %c0 = arith.constant 0 : index
  memref.store %n, %a[%c0] : memref<4xf32>
  %x = memref.load %a[%c0] : memref<4xf32>
  memref.dealloc %a : memref<4xf32>
  return %a, %x : memref<4xf32>, f32
}
func.func @main(%n: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%s = %n) -> f32 {
    %a, %x = func.call @make(%s) : (f32) -> (memref<4xf32>, f32)
    %t = arith.addf %x, %n : f32
    scf.yield %t : f32
  }
  return %r : f32
}
