// passes:
// after: inplace-deallocate
// runs: [[["bool", null, true], ["f", null, 100.5]], [["bool", null, false], ["f", null, 100.5]]]
memref.global "private" constant @ones : memref<4xf32> = dense<1.0>
func.func private @one_of(%c: i1, %f: f32) -> memref<4xf32> {
  %0 = scf.if %c -> memref<4xf32> {
    %1 = memref.get_global @ones : memref<4xf32>
    scf.yield %1 : memref<4xf32>
  } else {
    %1 = memref.alloc() : memref<4xf32>
    linalg.fill ins(%f : f32) outs(%1 : memref<4xf32>)
    scf.yield %1 : memref<4xf32>
  }
  return %0 : memref<4xf32>
}
func.func @main(%c: i1, %f: f32) -> f32 {
  %c1 = arith.constant 1 : index
  %r = call @one_of(%c, %f) : (i1, f32) -> memref<4xf32>
  %x = memref.load %r[%c1] : memref<4xf32>
  return %x : f32
}
