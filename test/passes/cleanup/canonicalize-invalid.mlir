// RUN: inplace-opt %s --inplace-canonicalize --verify-diagnostics

// An element out of bounds is not a view of nothing: it is refused as before.
func.func @element_of_nothing() -> memref<1xf32, strided<[1], offset: 2>> {
  %c0 = arith.constant 0 : index
  %m = memref.alloc(%c0) : memref<?xf32>
  // expected-error @+1 {{offset 0 is out-of-bounds: 2 >= 0}}
  %a = memref.subview %m[2] [1] [1] : memref<?xf32> to memref<1xf32, strided<[1], offset: 2>>
  return %a : memref<1xf32, strided<[1], offset: 2>>
}
