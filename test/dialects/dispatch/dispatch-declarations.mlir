// RUN: inplace-opt %s --inplace-one-shot-bufferize | filecheck %s

// What nobody accesses is declared all the same, as callers have to give it.
// CHECK-LABEL: func.func @unused
// CHECK:       %[[A:.*]] = dispatch.binding {{.*}} : memref<?xf32>
// CHECK-NEXT:  %{{.*}} = dispatch.tie_shape %[[A]], [%{{.*}}] : memref<?xf32>
// CHECK-NEXT:  return
func.func @unused(%m: index) {
  %a = dispatch.binding set(0) binding(0) : !dispatch.readonly<tensor<?xf32>>
  %t = dispatch.tie_shape %a, [%m] : !dispatch.readonly<tensor<?xf32>>
  return
}

// Blocks may be in any order.
// CHECK-LABEL: func.func @tied_in_an_earlier_block
// CHECK:       dispatch.tie_shape %[[A:.*]], [%{{.*}}] : memref<?xf32>
// CHECK:       %[[A]] = dispatch.binding {{.*}} : memref<?xf32>
func.func @tied_in_an_earlier_block(%n: index) {
  cf.br ^second
^first:
  %t = dispatch.tie_shape %b, [%n] : !dispatch.readonly<tensor<?xf32>>
  return
^second:
  %b = dispatch.binding set(0) binding(0) : !dispatch.readonly<tensor<?xf32>>
  cf.br ^first
}

// What no declaration here makes stays as it is.
// CHECK-LABEL: func.func @tied_argument
// CHECK:       dispatch.tie_shape %{{.*}}, [%{{.*}}] : !dispatch.readonly<tensor<?xf32>>
func.func @tied_argument(%n: index, %b: !dispatch.readonly<tensor<?xf32>>) {
  %t = dispatch.tie_shape %b, [%n] : !dispatch.readonly<tensor<?xf32>>
  return
}

// A binding that goes elsewhere keeps its type; others do not depend on it.
// CHECK-LABEL: func.func @handed_on
// CHECK:       %[[A:.*]] = dispatch.binding {{.*}} : !dispatch.readonly<tensor<4xf32>>
// CHECK-NEXT:  call @elsewhere(%[[A]])
// CHECK-NEXT:  dispatch.binding set(0) binding(1) : memref<4xf32>
func.func private @elsewhere(!dispatch.readonly<tensor<4xf32>>)
func.func @handed_on() {
  %a = dispatch.binding set(0) binding(0) : !dispatch.readonly<tensor<4xf32>>
  func.call @elsewhere(%a) : (!dispatch.readonly<tensor<4xf32>>) -> ()
  %b = dispatch.binding set(0) binding(1) : !dispatch.readonly<tensor<4xf32>>
  return
}
