// RUN: inplace-opt %s --inplace-plan-bufferize --canonicalize --cse | filecheck %s
// RUN: inplace-opt %s --inplace-one-shot-bufferize --canonicalize --cse | filecheck %s
// The reshaped input is a view; copying it is the only thing to do.

// CHECK-LABEL: func.func @reshape_simple(
// CHECK:         %[[A:.*]] = dispatch.binding set(0) binding(0) : memref<12xi32>
// CHECK-NEXT:    %[[R:.*]] = dispatch.binding set(0) binding(1) : memref<3x4xi32>
// CHECK-NEXT:    %[[A_VIEW:.*]] = memref.expand_shape %[[A]] {{\[\[}}0, 1{{\]\]}} output_shape [3, 4] :
// CHECK-NEXT:    memref.copy %[[A_VIEW]], %[[R]] :
// CHECK-NEXT:    return

func.func @reshape_simple() {
  %a = dispatch.binding set(0) binding(0) : !dispatch.readonly<tensor<12xi32>>
  %r = dispatch.binding set(0) binding(1) : !dispatch.writeonly<tensor<3x4xi32>>
  %v = dispatch.load %a : !dispatch.readonly<tensor<12xi32>> -> tensor<12xi32>
  %m = tensor.expand_shape %v [[0, 1]] output_shape [3, 4] : tensor<12xi32> into tensor<3x4xi32>
  dispatch.store %m, %r : tensor<3x4xi32> -> !dispatch.writeonly<tensor<3x4xi32>>
  return
}
