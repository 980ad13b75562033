// passes:
// after: inplace-deallocate
// runs: [[["bool", null, true], ["f", null, 100.5]], [["bool", null, false], ["f", null, 100.5]]]
func.func private @fresh(%f: f32) -> memref<4xf32> {
  %0 = memref.alloc() : memref<4xf32>
  linalg.fill ins(%f : f32) outs(%0 : memref<4xf32>)
  return %0 : memref<4xf32>
}
func.func private @one_of(%c: i1, %x: memref<4xf32>, %y: memref<4xf32>) -> memref<4xf32> {
  %0 = arith.select %c, %x, %y : memref<4xf32>
  return %0 : memref<4xf32>
}
func.func @main(%c: i1, %f: f32) -> f32 {
  %c1 = arith.constant 1 : index
  %g = arith.negf %f : f32
  %a = call @fresh(%f) : (f32) -> memref<4xf32>
  %b = call @fresh(%g) : (f32) -> memref<4xf32>
  %r = call @one_of(%c, %a, %b) : (i1, memref<4xf32>, memref<4xf32>) -> memref<4xf32>
  %x = memref.load %r[%c1] : memref<4xf32>
  return %x : f32
}
