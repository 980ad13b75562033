// RUN: inplace-opt %s --inplace-count-memory --verify-diagnostics --split-input-file

func.func @too_many_bytes(%a: memref<4611686018427387904xf32>, %b: memref<4611686018427387904xf32>) {
  // expected-error @+1 {{cannot count what this copies: 18446744073709551616 bytes do not fit into 64 bits}}
  memref.copy %a, %b : memref<4611686018427387904xf32> to memref<4611686018427387904xf32>
  return
}

// -----

func.func @unknown_element(%a: memref<2xmemref<2xf32>>, %b: memref<2xmemref<2xf32>>) {
  // expected-error @+1 {{cannot count what this copies: the size of memref<2xf32> is not known}}
  memref.copy %a, %b : memref<2xmemref<2xf32>> to memref<2xmemref<2xf32>>
  return
}
