// passes: cse
// after: inplace-hoist-allocations
// protects: yes
// runs: [[["int64", null, 4]]]
func.func @main(%n: index) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0.0 : f32
  %cell = memref.alloca() : memref<1xmemref<4xf32>>
  %first = memref.alloca() : memref<4xf32>
  memref.store %z, %first[%c0] : memref<4xf32>
  memref.store %first, %cell[%c0] : memref<1xmemref<4xf32>>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z) -> (f32) {
    %k = arith.index_cast %i : index to i32
    %f = arith.sitofp %k : i32 to f32
    %a = memref.alloc() : memref<4xf32>
    memref.store %f, %a[%c0] : memref<4xf32>
    %old = memref.load %cell[%c0] : memref<1xmemref<4xf32>>
    %x = memref.load %old[%c0] : memref<4xf32>
    memref.store %a, %cell[%c0] : memref<1xmemref<4xf32>>
    %t = arith.addf %s, %s : f32
    %u = arith.addf %t, %x : f32
    scf.yield %u : f32
  }
  return %r : f32
}
