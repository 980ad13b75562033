// passes:
// after: inplace-deallocate
// runs: [[["bool", null, true], ["f", null, 100.5]], [["bool", null, false], ["f", null, 100.5]]]
func.func private @fresh(%f: f32) -> memref<4xf32> {
  %0 = memref.alloc() : memref<4xf32>
  linalg.fill ins(%f : f32) outs(%0 : memref<4xf32>)
  return %0 : memref<4xf32>
}
func.func private @pair(%c: i1, %f: f32) -> (memref<4xf32>, memref<4xf32>) {
  %g = arith.negf %f : f32
  %0 = func.call @fresh(%f) : (f32) -> memref<4xf32>
  %1 = func.call @fresh(%g) : (f32) -> memref<4xf32>
  %2 = arith.select %c, %0, %1 : memref<4xf32>
  return %0, %2 : memref<4xf32>, memref<4xf32>
}
func.func @main(%c: i1, %f: f32) -> (f32, f32) {
  %c1 = arith.constant 1 : index
  %r:2 = call @pair(%c, %f) : (i1, f32) -> (memref<4xf32>, memref<4xf32>)
  %x = memref.load %r#0[%c1] : memref<4xf32>
  %y = memref.load %r#1[%c1] : memref<4xf32>
  return %x, %y : f32, f32
}
