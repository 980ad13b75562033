// RUN: inplace-opt %s --inplace-plan-bufferize=function-boundaries | filecheck %s

// One view for one piece of memory.

// CHECK-LABEL: func.func @one_view(
// CHECK-SAME:  %[[T:.*]]: memref<32xf32
// CHECK:       %[[V:.*]] = memref.subview %[[T]]
// CHECK-NEXT:  linalg.fill {{.*}} outs(%[[V]] :
// CHECK-NEXT:  linalg.exp ins(%[[V]] : {{.*}} outs(%[[V]] :
// CHECK-NEXT:  return
func.func @one_view(%t: tensor<32xf32>, %i: index, %f: f32) -> tensor<32xf32> {
  %s = tensor.extract_slice %t[%i] [8] [1] : tensor<32xf32> to tensor<8xf32>
  %w = linalg.fill ins(%f : f32) outs(%s : tensor<8xf32>) -> tensor<8xf32>
  %u = tensor.insert_slice %w into %t[%i] [8] [1] : tensor<8xf32> into tensor<32xf32>
  %p = tensor.extract_slice %u[%i] [8] [1] : tensor<32xf32> to tensor<8xf32>
  %e = linalg.exp ins(%p : tensor<8xf32>) outs(%p : tensor<8xf32>) -> tensor<8xf32>
  %v = tensor.insert_slice %e into %u[%i] [8] [1] : tensor<8xf32> into tensor<32xf32>
  return %v : tensor<32xf32>
}

// A view of everything is no view.

// CHECK-LABEL: func.func @whole(
// CHECK-SAME:  %[[A:[^:]*]]: memref<3x4xf32{{.*}}, %[[B:[^:]*]]: memref<?x?xf32
// CHECK-NEXT:  linalg.fill {{.*}} outs(%[[A]] :
// CHECK-NEXT:  linalg.fill {{.*}} outs(%[[B]] :
// CHECK-NEXT:  return %[[A]], %[[B]]
func.func @whole(%a: tensor<3x4xf32>, %b: tensor<?x?xf32>, %f: f32) -> (tensor<3x4xf32>, tensor<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = tensor.extract_slice %a[0, 0] [3, 4] [1, 1] : tensor<3x4xf32> to tensor<3x4xf32>
  %1 = linalg.fill ins(%f : f32) outs(%0 : tensor<3x4xf32>) -> tensor<3x4xf32>
  %2 = tensor.insert_slice %1 into %a[0, 0] [3, 4] [1, 1] : tensor<3x4xf32> into tensor<3x4xf32>
  %m = tensor.dim %b, %c0 : tensor<?x?xf32>
  %n = tensor.dim %b, %c1 : tensor<?x?xf32>
  %3 = tensor.extract_slice %b[0, 0] [%m, %n] [1, 1] : tensor<?x?xf32> to tensor<?x?xf32>
  %4 = linalg.fill ins(%f : f32) outs(%3 : tensor<?x?xf32>) -> tensor<?x?xf32>
  %5 = tensor.insert_slice %4 into %b[0, 0] [%m, %n] [1, 1] : tensor<?x?xf32> into tensor<?x?xf32>
  return %2, %5 : tensor<3x4xf32>, tensor<?x?xf32>
}

// A part that has the size of nothing it is compared with stays a part; so does one with its sizes exchanged.

// CHECK-LABEL: func.func @not_whole(
// CHECK-SAME:  %[[B:[^:]*]]: memref<?x?xf32
// CHECK:       %[[V:.*]] = memref.subview %[[B]]
// CHECK-NEXT:  linalg.fill {{.*}} outs(%[[V]] :
func.func @not_whole(%b: tensor<?x?xf32>, %f: f32) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %b, %c0 : tensor<?x?xf32>
  %n = tensor.dim %b, %c1 : tensor<?x?xf32>
  %3 = tensor.extract_slice %b[0, 0] [%n, %m] [1, 1] : tensor<?x?xf32> to tensor<?x?xf32>
  %4 = linalg.fill ins(%f : f32) outs(%3 : tensor<?x?xf32>) -> tensor<?x?xf32>
  %5 = tensor.insert_slice %4 into %b[0, 0] [%n, %m] [1, 1] : tensor<?x?xf32> into tensor<?x?xf32>
  return %5 : tensor<?x?xf32>
}

// Views in two branches are not each other's.

// CHECK-LABEL: func.func @branches(
// CHECK:       scf.if
// CHECK:         %[[V:.*]] = memref.subview
// CHECK:         linalg.fill {{.*}} outs(%[[V]] :
// CHECK:       } else {
// CHECK:         %[[W:.*]] = memref.subview
// CHECK:         linalg.exp ins(%[[W]] : {{.*}} outs(%[[W]] :
func.func @branches(%t: tensor<32xf32>, %i: index, %f: f32, %p: i1) -> tensor<32xf32> {
  %r = scf.if %p -> tensor<32xf32> {
    %s = tensor.extract_slice %t[%i] [8] [1] : tensor<32xf32> to tensor<8xf32>
    %w = linalg.fill ins(%f : f32) outs(%s : tensor<8xf32>) -> tensor<8xf32>
    %u = tensor.insert_slice %w into %t[%i] [8] [1] : tensor<8xf32> into tensor<32xf32>
    scf.yield %u : tensor<32xf32>
  } else {
    %s = tensor.extract_slice %t[%i] [8] [1] : tensor<32xf32> to tensor<8xf32>
    %w = linalg.exp ins(%s : tensor<8xf32>) outs(%s : tensor<8xf32>) -> tensor<8xf32>
    %u = tensor.insert_slice %w into %t[%i] [8] [1] : tensor<8xf32> into tensor<32xf32>
    scf.yield %u : tensor<32xf32>
  }
  return %r : tensor<32xf32>
}


// The window of a pooling op is there for its shape: it takes no memory, but a view of another operand's.

// CHECK-LABEL: func.func @window(
// CHECK-SAME:  %[[T:[^:]*]]: memref<1x4x6x1xf32{{.*}}, %[[O:[^:]*]]: memref<1x2x2x1xf32
// CHECK-NEXT:  %[[W:.*]] = memref.reinterpret_cast %[[O]] to offset: [0], sizes: [2, 3], strides: [0, 0]
// CHECK-NEXT:  linalg.pooling_nhwc_sum {{.*}} ins(%[[T]], %[[W]] : {{.*}} outs(%[[O]] :
// CHECK-NEXT:  return
func.func @window(%t: tensor<1x4x6x1xf32>, %o: tensor<1x2x2x1xf32>) -> tensor<1x2x2x1xf32> {
  %w = tensor.empty() : tensor<2x3xf32>
  %r = linalg.pooling_nhwc_sum {dilations = dense<1> : vector<2xi64>, strides = dense<[2, 3]> : vector<2xi64>}
    ins(%t, %w : tensor<1x4x6x1xf32>, tensor<2x3xf32>) outs(%o : tensor<1x2x2x1xf32>) -> tensor<1x2x2x1xf32>
  return %r : tensor<1x2x2x1xf32>
}

// A buffer, never touched, where no other operand has such elements, and where something else needs the buffer.

// CHECK-LABEL: func.func @window_of_other_elements(
// CHECK:       %[[W:.*]] = memref.alloc() {{.*}} : memref<2x3xf16>
// CHECK-NEXT:  linalg.pooling_nhwc_sum {{.*}} ins(%{{.*}}, %[[W]] :
func.func @window_of_other_elements(%t: tensor<1x4x6x1xf32>, %o: tensor<1x2x2x1xf32>) -> tensor<1x2x2x1xf32> {
  %w = tensor.empty() : tensor<2x3xf16>
  %r = linalg.pooling_nhwc_sum {dilations = dense<1> : vector<2xi64>, strides = dense<[2, 3]> : vector<2xi64>}
    ins(%t, %w : tensor<1x4x6x1xf32>, tensor<2x3xf16>) outs(%o : tensor<1x2x2x1xf32>) -> tensor<1x2x2x1xf32>
  return %r : tensor<1x2x2x1xf32>
}

// CHECK-LABEL: func.func @window_is_read(
// CHECK-SAME:  %{{[^:]*}}: memref<1x4x6x1xf32{{.*}}, %{{[^:]*}}: memref<1x2x2x1xf32{{.*}}, %[[W:[^:]*]]: memref<2x3xf32
// CHECK:       linalg.pooling_nhwc_sum {{.*}} ins(%{{.*}}, %[[W]] :
// CHECK-NEXT:  memref.load %[[W]]
func.func @window_is_read(%t: tensor<1x4x6x1xf32>, %o: tensor<1x2x2x1xf32>, %w: tensor<2x3xf32>, %i: index)
    -> (tensor<1x2x2x1xf32>, f32) {
  %r = linalg.pooling_nhwc_sum {dilations = dense<1> : vector<2xi64>, strides = dense<[2, 3]> : vector<2xi64>}
    ins(%t, %w : tensor<1x4x6x1xf32>, tensor<2x3xf32>) outs(%o : tensor<1x2x2x1xf32>) -> tensor<1x2x2x1xf32>
  %x = tensor.extract %w[%i, %i] : tensor<2x3xf32>
  return %r, %x : tensor<1x2x2x1xf32>, f32
}

// CHECK-LABEL: func.func @input_of_the_payload(
// CHECK:       %[[E:.*]] = memref.alloc() {{.*}} : memref<8xf32>
// CHECK-NEXT:  linalg.exp ins(%[[E]] :
func.func @input_of_the_payload(%o: tensor<8xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %r = linalg.exp ins(%e : tensor<8xf32>) outs(%o : tensor<8xf32>) -> tensor<8xf32>
  return %r : tensor<8xf32>
}
