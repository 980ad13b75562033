// passes:
// after: inplace-deallocate
// runs: [[["f", null, 100.5]]]
func.func @main(%f: f32) -> f32 {
  %c1 = arith.constant 1 : index
  %m = memref.alloc() : memref<4xf32>
  linalg.fill ins(%f : f32) outs(%m : memref<4xf32>)
  "test.keep"(%m) : (memref<4xf32>) -> ()
  %x = "test.kept"() : () -> f32
  return %x : f32
}
