// passes: cse
// after: inplace-deallocate
// protects: yes
// refused: yes
// runs: [[["float32", [4], 1], ["bool", null, true], ["bool", null, true], ["int64", null, 1]], [["float32", [4], 1], ["bool", null, true], ["bool", null, false], ["int64", null, 1]], [["float32", [4], 1], ["bool", null, false], ["bool", null, true], ["int64", null, 1]], [["float32", [4], 1], ["bool", null, false], ["bool", null, false], ["int64", null, 1]]]
func.func @main(%m: memref<4xf32>, %c: i1, %d: i1, %i: index) -> f32 {
  cf.cond_br %c, ^a, ^b(%m : memref<4xf32>)
^a:
  %0 = memref.alloc() : memref<4xf32>
  memref.copy %m, %0 : memref<4xf32> to memref<4xf32>
  %1 = arith.select %d, %0, %m : memref<4xf32>
  cf.br ^b(%1 : memref<4xf32>)
^b(%x: memref<4xf32>):
  %y = memref.load %x[%i] : memref<4xf32>
  return %y : f32
}
