// RUN: inplace-opt %s --inplace-plan-bufferize --canonicalize --cse | filecheck %s
// RUN: inplace-opt %s --inplace-one-shot-bufferize --canonicalize --cse | filecheck %s
// Whole rows of the input are a view, and are copied to the output.

// CHECK-LABEL: func.func @slice_whole_stride(
// CHECK:         %[[A:.*]] = dispatch.binding set(0) binding(0) : memref<4x6xi32>
// CHECK-NEXT:    %[[R:.*]] = dispatch.binding set(0) binding(1) : memref<1x6xi32>
// CHECK-NEXT:    %[[A_TILE:.*]] = memref.subview %[[A]][2, 0] [1, 6] [1, 1] :
// CHECK-NEXT:    memref.copy %[[A_TILE]], %[[R]] :
// CHECK-NEXT:    return

func.func @slice_whole_stride() {
  %a = dispatch.binding set(0) binding(0) : !dispatch.readonly<tensor<4x6xi32>>
  %r = dispatch.binding set(0) binding(1) : !dispatch.writeonly<tensor<1x6xi32>>
  %v = dispatch.load %a : !dispatch.readonly<tensor<4x6xi32>> -> tensor<4x6xi32>
  %s = tensor.extract_slice %v[2, 0] [1, 6] [1, 1] : tensor<4x6xi32> to tensor<1x6xi32>
  dispatch.store %s, %r : tensor<1x6xi32> -> !dispatch.writeonly<tensor<1x6xi32>>
  return
}
