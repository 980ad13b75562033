// RUN: inplace-opt %s --verify-diagnostics --split-input-file --inplace-expand-clones

func.func @unranked(%a: memref<*xf32>) -> memref<*xf32> {
  // expected-error @+1 {{cannot clone a memref<*xf32>: it needs a rank; cast it to a ranked memref first}}
  %0 = bufferization.clone %a : memref<*xf32> to memref<*xf32>
  return %0 : memref<*xf32>
}

// -----

!huge = memref<4611686018427387904x4611686018427387904xf32, strided<[?, 2], offset: ?>>

func.func @too_long(%a: !huge) -> !huge {
  // expected-error @+1 {{it spans more elements than an index can count}}
  %0 = bufferization.clone %a : !huge to !huge
  return %0 : !huge
}

// -----

func.func @too_long_in_part(%a: memref<9223372036854775807x?xf32, strided<[2, 1]>>) -> memref<9223372036854775807x?xf32, strided<[2, 1]>> {
  // expected-error @+1 {{it spans more elements than an index can count}}
  %0 = bufferization.clone %a : memref<9223372036854775807x?xf32, strided<[2, 1]>> to memref<9223372036854775807x?xf32, strided<[2, 1]>>
  return %0 : memref<9223372036854775807x?xf32, strided<[2, 1]>>
}

// -----

func.func @in_front(%a: memref<3xf32, strided<[-2], offset: 3>>) -> memref<3xf32, strided<[-2], offset: 3>> {
  // expected-error @+1 {{cannot clone a memref<3xf32, strided<[-2], offset: 3>>: negative strides lead in front of its memory; cast it to a memref of dynamic offset first}}
  %0 = bufferization.clone %a : memref<3xf32, strided<[-2], offset: 3>> to memref<3xf32, strided<[-2], offset: 3>>
  return %0 : memref<3xf32, strided<[-2], offset: 3>>
}
