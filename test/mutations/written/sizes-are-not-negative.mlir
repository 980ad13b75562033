// passes:
// after: inplace-hoist-allocations
// protects: no
// runs: [[["int64", null, 1], ["f", null, 100.5], ["float32", [8], 201]], [["int64", null, 0], ["f", null, 100.5], ["float32", [8], 201]], [["int64", null, 2], ["f", null, 100.5], ["float32", [8], 201]]]
func.func @main(%n: index, %f: f32, %out: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %size = arith.subi %n, %c1 : index
    %b = memref.alloc(%size) : memref<?xf32>
    linalg.fill ins(%f : f32) outs(%b : memref<?xf32>)
    memref.dealloc %b : memref<?xf32>
  }
  return
}
