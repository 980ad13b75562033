// A dispatch function runs: an array for each binding, then push constants, workgroup sizes and counts. What it writes
// is the result.
// RUN: inplace-run %s --arg 6xf64:iota --arg 6xf64:zeros --arg 6 --arg 2 --arg 3 --print-result --check 'a0 * 2' \
// RUN:   | filecheck %s
// RUN: inplace-run %s --arg 6xf64:iota --arg 6xf64:zeros --arg 6 --arg 2 --arg 3 --repeat 2 --check 'a0 * 2' \
// RUN:   --save-result %t.npy
// RUN: inplace-run %s --arg %t.npy --arg 6xf64:zeros --arg 6 --arg 2 --arg 3 --print-result | filecheck %s --check-prefix=AGAIN
// RUN: not inplace-run %s --arg 6xf64:iota --arg 5xf64:zeros --arg 6 --arg 2 --arg 3 2>&1 \
// RUN:   | filecheck %s --check-prefix=SIZE
// RUN: not inplace-run %s --arg 6xf64:iota 2>&1 | filecheck %s --check-prefix=MISSING

// CHECK: set 0 binding 1: memref<?xf64>
// CHECK-NEXT: [ 0.,  2.,  4.,  6.,  8., 10.]
// CHECK-NEXT: matches NumPy: max abs error 0 against a0 * 2

// AGAIN: [ 0.,  4.,  8., 12., 16., 20.]

// SIZE: error: argument 1 ('set 0 binding 1'): dimension 0 has size 5, but the program says 6; make them agree

// MISSING: error: argument 1 ('set 0 binding 1') of 'main' (memref<?xf64>) is missing; give it with --arg 8xf64:random

func.func @main() {
  %n = dispatch.push_constant 0 : index
  %in = dispatch.binding set(0) binding(0) sizes(%n) : memref<?xf64>
  %out = dispatch.binding set(0) binding(1) sizes(%n) : memref<?xf64>
  %size = dispatch.workgroup_size 0 : index
  %x = dispatch.workgroup_id 0 : index
  %start = arith.muli %x, %size : index
  %from = memref.subview %in[%start] [%size] [1] : memref<?xf64> to memref<?xf64, strided<[1], offset: ?>>
  %to = memref.subview %out[%start] [%size] [1] : memref<?xf64> to memref<?xf64, strided<[1], offset: ?>>
  linalg.add ins(%from, %from : memref<?xf64, strided<[1], offset: ?>>, memref<?xf64, strided<[1], offset: ?>>)
      outs(%to : memref<?xf64, strided<[1], offset: ?>>)
  return
}
