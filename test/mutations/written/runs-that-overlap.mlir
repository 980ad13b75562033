// passes: cse
// after: inplace-hoist-allocations
// protects: yes
// runs: [[["int64", null, 4], ["float32", [4], 100]]]
func.func @main(%n: index, %acc: memref<4xf32>) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %k = arith.index_cast %i : index to i32
    %f = arith.sitofp %k : i32 to f32
    %a = memref.alloc() : memref<4xf32>
    memref.store %f, %a[%c0] : memref<4xf32>
    "test.later"() ({
      %x = memref.load %a[%c0] : memref<4xf32>
      memref.store %x, %acc[%i] : memref<4xf32>
      "test.yield"() : () -> ()
    }) : () -> ()
  }
  "test.run"() : () -> ()
  %r = memref.load %acc[%c1] : memref<4xf32>
  return %r : f32
}
