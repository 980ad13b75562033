// Passes as flags run in the order they are written, ours and upstream's mixed, each nested where it belongs.
// RUN: inplace-opt %s --canonicalize --inplace-one-shot-bufferize='bufferize-function-boundaries' --affine-loop-tile=tile-size=4 -cse --dump-pass-pipeline 2>&1 | filecheck %s

// CHECK:      Pass Manager with 4 passes:
// CHECK-NEXT: builtin.module(
// CHECK-NEXT:   canonicalize,
// CHECK-NEXT:   inplace-one-shot-bufferize{bufferize-function-boundaries=true},
// CHECK-NEXT:   func.func(
// CHECK-NEXT:     affine-loop-tile{tile-size=4}
// CHECK-NEXT:   ),
// CHECK-NEXT:   cse
// CHECK-NEXT: )

// CHECK-LABEL: func.func @update
// CHECK-SAME:  memref<4xf32
// CHECK-NOT:   arith.constant 7
// CHECK:       memref.store
func.func @update(%t: tensor<4xf32> {bufferization.writable = true}, %x: f32, %i: index) -> tensor<4xf32> {
  %unused = arith.constant 7 : index
  %r = tensor.insert %x into %t[%i] : tensor<4xf32>
  return %r : tensor<4xf32>
}
