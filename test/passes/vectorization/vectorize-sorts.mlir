// RUN: inplace-opt %s --inplace-vectorize-sorts=machine=vector-bits=512 | filecheck %s
// RUN: inplace-opt %s --inplace-vectorize-sorts=machine=vector-bits=256 | filecheck %s --check-prefix=NARROW

// More than 16 vectors: there is memory besides, for all lines. Attributes stay, but for what is not so any more.
// CHECK-LABEL: func.func private @rows(%arg0: memref<3x1000xf32>)
//  CHECK-SAME:   attributes {inplace.result_arguments = array<i64: 0>, llvm.linkage = #llvm.linkage<internal>}
//   CHECK-DAG:   arith.constant true
//   CHECK-DAG:   memref.alloc() {alignment = 64 : i64} : memref<1000xf32>
//       CHECK:   scf.for
//       CHECK:     func.call @inplace.sort_line_numbers_f32(
//       CHECK:   memref.dealloc
// NARROW-LABEL: func.func private @rows
//   NARROW-NOT:   call
//       NARROW: func.func private @few
func.func private @rows(%x: memref<3x1000xf32>) attributes {
    inplace.result_arguments = array<i64: 0>, inplace.sort = {descending = true, dim = 1 : i64, order = "numbers"}} {
  return
}

// CHECK-LABEL: func.func private @few(%arg0: memref<8x256xi32>)
//   CHECK-NOT:   memref.alloc
//       CHECK:   @inplace.sort_line_signed_i32
func.func private @few(%x: memref<8x256xi32>)
    attributes {inplace.sort = {descending = false, dim = 1 : i64, order = "signed"}} {
  return
}

// CHECK-LABEL: func.func private @unsigned
//       CHECK:   @inplace.sort_line_unsigned_ui64
func.func private @unsigned(%x: memref<2048xi64>)
    attributes {inplace.sort = {descending = false, dim = 0 : i64, order = "unsigned"}} {
  return
}

// Floats in their total order are sorted as integers with a sign.
// CHECK-LABEL: func.func private @total
//       CHECK:   @inplace.sort_line_total_i32
func.func private @total(%x: memref<2048xf32>)
    attributes {inplace.sort = {descending = false, dim = 0 : i64, order = "total"}} {
  return
}

// Two sorts of one kind have numbers enough together.
// CHECK-LABEL: func.func private @first
//       CHECK:   @inplace.sort_line_unsigned_ui32
// CHECK-LABEL: func.func private @second
//       CHECK:   @inplace.sort_line_unsigned_ui32
func.func private @first(%x: memref<1024xi32>)
    attributes {inplace.sort = {descending = false, dim = 0 : i64, order = "unsigned"}} {
  return
}
func.func private @second(%x: memref<4x256xi32>)
    attributes {inplace.sort = {descending = false, dim = 1 : i64, order = "unsigned"}} {
  return
}

// What stays: other elements, other dimensions, lines that are apart, a result or an argument more, no word of sorts.
// CHECK-LABEL: func.func private @halves
//   CHECK-NOT:   sort_line
//       CHECK: func.func private @inplace
func.func private @halves(%x: memref<2048xf16>)
    attributes {inplace.sort = {descending = false, dim = 0 : i64, order = "numbers"}} {
  return
}
func.func private @columns(%x: memref<100x100xi32>)
    attributes {inplace.sort = {descending = false, dim = 0 : i64, order = "signed"}} {
  return
}
func.func private @apart(%x: memref<2048xi32, strided<[2]>>)
    attributes {inplace.sort = {descending = false, dim = 0 : i64, order = "signed"}} {
  return
}
func.func private @result(%x: memref<2048xi32>) -> memref<2048xi32>
    attributes {inplace.sort = {descending = false, dim = 0 : i64, order = "signed"}} {
  return %x : memref<2048xi32>
}
func.func private @two(%x: memref<2048xi32>, %y: memref<2048xi32>)
    attributes {inplace.sort = {descending = false, dim = 0 : i64, order = "signed"}} {
  return
}
// Fewer than 2048 numbers of a kind in all are not worth the functions.
func.func private @fewer(%x: memref<2047xf64>)
    attributes {inplace.sort = {descending = false, dim = 0 : i64, order = "numbers"}} {
  return
}
func.func private @declared(memref<2048xi32>)
    attributes {inplace.sort = {descending = false, dim = 0 : i64, order = "signed"}}
func.func private @silent(%x: memref<2048xi32>) {
  return
}

// The functions of each kind of numbers are there once.
// CHECK-COUNT-4: func.func private @inplace.sort_by_parts_{{f32|i32|ui32|ui64}}
// CHECK-NOT: func.func private @inplace.sort_by_parts
