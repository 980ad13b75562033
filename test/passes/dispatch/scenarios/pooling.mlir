// RUN: inplace-opt %s --inplace-plan-bufferize --canonicalize --cse | filecheck %s
// RUN: inplace-opt %s --inplace-one-shot-bufferize --canonicalize --cse | filecheck %s
// The window, of which no element is read, is some other memory seen in its shape: nothing is allocated.

// CHECK-LABEL: func.func @pooling(
// CHECK:         %[[Z:.*]] = dispatch.binding set(0) binding(0) : memref<f32>
// CHECK-NEXT:    %[[A:.*]] = dispatch.binding set(0) binding(1) : memref<1x4x6x1xf32>
// CHECK-NEXT:    %[[R:.*]] = dispatch.binding set(0) binding(2) : memref<1x2x2x1xf32>
// CHECK-NEXT:    %[[VALUE:.*]] = memref.load %[[Z]][]
// CHECK-NEXT:    linalg.fill ins(%[[VALUE]] : {{.*}}) outs(%[[R]] :
// CHECK-NEXT:    %[[WINDOW:.*]] = memref.reinterpret_cast %[[R]] to offset: [0], sizes: [2, 3], strides: [0, 0] :
// CHECK-NEXT:    linalg.pooling_nhwc_sum {{.*}}ins(%[[A]], %[[WINDOW]] : {{.*}}) outs(%[[R]] :
// CHECK-NEXT:    return

func.func @pooling() {
  %z = dispatch.binding set(0) binding(0) : !dispatch.readonly<tensor<f32>>
  %a = dispatch.binding set(0) binding(1) : !dispatch.readonly<tensor<1x4x6x1xf32>>
  %r = dispatch.binding set(0) binding(2) : !dispatch.writeonly<tensor<1x2x2x1xf32>>
  %zt = dispatch.load %z : !dispatch.readonly<tensor<f32>> -> tensor<f32>
  %v = dispatch.load %a : !dispatch.readonly<tensor<1x4x6x1xf32>> -> tensor<1x4x6x1xf32>
  %zero = tensor.extract %zt[] : tensor<f32>
  %e = tensor.empty() : tensor<1x2x2x1xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x2x2x1xf32>) -> tensor<1x2x2x1xf32>
  %window = tensor.empty() : tensor<2x3xf32>
  %t = linalg.pooling_nhwc_sum {dilations = dense<1> : tensor<2xi64>, strides = dense<[2, 3]> : tensor<2xi64>}
      ins(%v, %window : tensor<1x4x6x1xf32>, tensor<2x3xf32>) outs(%f : tensor<1x2x2x1xf32>) -> tensor<1x2x2x1xf32>
  dispatch.store %t, %r : tensor<1x2x2x1xf32> -> !dispatch.writeonly<tensor<1x2x2x1xf32>>
  return
}
