// passes:
// after: inplace-hoist-allocations
// protects: no
// runs: [[["int64", [1], 1], ["float32", [8], 101], ["f", null, 101.5]], [["int64", [1], 1], ["float32", [8], 101], ["f", null, 101.5]], [["int64", [1], 1], ["float32", [8], 101], ["f", null, 101.5]]]
func.func @main(%m: memref<1xindex>, %out: memref<8xf32>, %f: f32) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  memref.store %c1, %m[%c0] : memref<1xindex>
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%x = %c0) -> index {
    %s = memref.load %m[%c0] : memref<1xindex>
    %b = memref.alloc(%s) : memref<?xf32>
    %d = memref.dim %b, %c0 : memref<?xf32>
    %j = arith.addi %x, %d : index
    %t = arith.addi %s, %c1 : index
    memref.store %t, %m[%c0] : memref<1xindex>
    memref.dealloc %b : memref<?xf32>
    scf.yield %j : index
  }
  return %r : index
}
