// RUN: inplace-opt %s --inplace-one-shot-bufferize=bufferize-function-boundaries | filecheck %s --check-prefixes=ALL,INFER
// RUN: inplace-opt %s --inplace-one-shot-bufferize='function-boundaries function-boundary-type-conversion=fully-dynamic-layout-map' | filecheck %s --check-prefixes=ALL,DYNAMIC
// RUN: inplace-opt %s --inplace-one-shot-bufferize='function-boundaries function-boundary-type-conversion=identity-layout-map' | filecheck %s --check-prefixes=ALL,IDENTITY
// RUN: inplace-opt %s --inplace-one-shot-bufferize | filecheck %s --check-prefix=TENSORS
// RUN: inplace-opt %s --inplace-one-shot-bufferize='bufferize-function-boundaries copy-before-write' | filecheck %s --check-prefix=COPY
// RUN: inplace-opt %s --inplace-one-shot-bufferize='bufferize-function-boundaries buffer-alignment=0' | filecheck %s --check-prefix=UNALIGNED
// RUN: inplace-opt %s --inplace-one-shot-bufferize='bufferize-function-boundaries buffer-alignment=128' | filecheck %s --check-prefix=ALIGNED
// RUN: inplace-opt %s --inplace-one-shot-bufferize='bufferize-function-boundaries test-analysis-only' | filecheck %s --check-prefix=ANALYSIS

// UNALIGNED: memref.global "private" constant @__constant_4xf32 : memref<4xf32> = dense<1.000000e+00>
// ALIGNED: memref.global "private" constant {{.*}} {alignment = 128 : i64}

// ALL-LABEL: func.func @fill(
// INFER-SAME:    %[[T:.*]]: memref<4xf32, strided<[?], offset: ?>>, %{{.*}}: f32) -> memref<4xf32, strided<[?], offset: ?>> {
// DYNAMIC-SAME:  %[[T:.*]]: memref<4xf32, strided<[?], offset: ?>>, %{{.*}}: f32) -> memref<4xf32, strided<[?], offset: ?>> {
// IDENTITY-SAME: %[[T:.*]]: memref<4xf32>, %{{.*}}: f32) -> memref<4xf32> {
// ALL-NEXT:  linalg.fill {{.*}} outs(%[[T]] :
// ALL-NEXT:  return %[[T]]
// TENSORS-LABEL: func.func @fill(
// TENSORS-SAME: tensor<4xf32>, %{{.*}}: f32) -> tensor<4xf32> {
// TENSORS:      %[[A:.*]] = memref.alloc()
// TENSORS-NEXT: linalg.fill {{.*}} outs(%[[A]] :
// TENSORS-NEXT: %[[R:.*]] = bufferization.to_tensor %[[A]]
// TENSORS-NEXT: return %[[R]]
// COPY-LABEL: func.func @fill(
// COPY:         %[[A:.*]] = memref.alloc()
// COPY-NEXT:    linalg.fill {{.*}} outs(%[[A]] :
// ANALYSIS-LABEL: func.func @fill(
// ANALYSIS-SAME: tensor<4xf32>
// ANALYSIS-NEXT: linalg.fill {__inplace_operands_attr__ = ["none", "true"]}
// ANALYSIS-NEXT: return {__equivalent_func_args__ = [0], __inplace_operands_attr__ = ["true"]}
func.func @fill(%t: tensor<4xf32>, %f: f32) -> tensor<4xf32> {
  %0 = linalg.fill ins(%f : f32) outs(%t : tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// ALL-LABEL: func.func @call(
// ALL-SAME:      %[[T:.*]]: memref<8xf32
// INFER-NEXT:    %[[S:.*]] = memref.subview %[[T]][0] [4] [2]
// INFER-NEXT:    call @fill(%[[S]], %{{.*}})
// INFER-NEXT:    return %[[T]]
// DYNAMIC-NEXT:  %[[S:.*]] = memref.subview %[[T]][0] [4] [2]
// DYNAMIC-NEXT:  call @fill(%[[S]], %{{.*}})
// DYNAMIC-NEXT:  return %[[T]]
// The callee wants memory without gaps, so it works on a copy, which has to be brought back.
// IDENTITY-NEXT: %[[A:.*]] = memref.alloc() {{.*}} : memref<4xf32>
// IDENTITY-NEXT: %[[R:.*]] = call @fill(%[[A]], %{{.*}})
// IDENTITY-NEXT: %[[B:.*]] = memref.subview %[[T]][0] [4] [2]
// IDENTITY-NEXT: memref.copy %[[R]], %[[B]]
// IDENTITY-NEXT: return %[[T]]
// A call keeps its tensors, and what it is given must not be written.
// TENSORS-LABEL: func.func @call(
// TENSORS:      %[[T:.*]] = bufferization.to_buffer %{{.*}} read_only : tensor<8xf32> to memref<8xf32, strided<[?], offset: ?>>
// TENSORS-NEXT: %[[S:.*]] = memref.subview %[[T]]
// TENSORS-NEXT: %[[X:.*]] = bufferization.to_tensor %[[S]]
// TENSORS-NEXT: %[[R:.*]] = call @fill(%[[X]], %{{.*}}) : (tensor<4xf32>, f32) -> tensor<4xf32>
// TENSORS-NEXT: %[[M:.*]] = bufferization.to_buffer %[[R]] read_only
// TENSORS-NEXT: %[[A:.*]] = memref.alloc()
// TENSORS-NEXT: memref.copy %[[T]], %[[A]]
// TENSORS-NEXT: %[[B:.*]] = memref.subview %[[A]]
// TENSORS-NEXT: memref.copy %[[M]], %[[B]]
// COPY-LABEL: func.func @call(
// COPY-SAME:    %[[T:.*]]: memref<8xf32
// COPY:         %[[A:.*]] = memref.alloc()
// COPY-NEXT:    memref.copy %[[T]], %[[A]]
// COPY:         memref.copy
// COPY-NEXT:    return %[[A]]
// ANALYSIS-LABEL: func.func @call(
// ANALYSIS:      tensor.extract_slice {{.*}} {__inplace_operands_attr__ = ["true"]}
// ANALYSIS-NEXT: call @fill({{.*}}) {__inplace_operands_attr__ = ["true", "none"]}
// ANALYSIS-NEXT: tensor.insert_slice {{.*}} {__inplace_operands_attr__ = ["true", "true"]}
func.func @call(%t: tensor<8xf32>, %f: f32) -> tensor<8xf32> {
  %0 = tensor.extract_slice %t[0] [4] [2] : tensor<8xf32> to tensor<4xf32>
  %1 = func.call @fill(%0, %f) : (tensor<4xf32>, f32) -> tensor<4xf32>
  %2 = tensor.insert_slice %1 into %t[0] [4] [2] : tensor<4xf32> into tensor<8xf32>
  return %2 : tensor<8xf32>
}

// ALL-LABEL: func.func @new(
// INFER-SAME:    f32) -> memref<4xf32> {
// IDENTITY-SAME: f32) -> memref<4xf32> {
// DYNAMIC-SAME:  f32) -> memref<4xf32, strided<[?], offset: ?>> {
// ALL-NEXT:      %[[A:.*]] = memref.alloc()
// DYNAMIC:       %[[C:.*]] = memref.cast %[[A]] : memref<4xf32> to memref<4xf32, strided<[?], offset: ?>>
// DYNAMIC-NEXT:  return %[[C]]
// UNALIGNED-LABEL: func.func @new(
// UNALIGNED:     memref.alloc() : memref<4xf32>
// ALIGNED-LABEL: func.func @new(
// ALIGNED:       memref.alloc() {alignment = 128 : i64} : memref<4xf32>
func.func @new(%f: f32) -> tensor<4xf32> {
  %0 = tensor.splat %f : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// TENSORS-LABEL: func.func @constant(
// TENSORS:      %[[G:.*]] = memref.get_global @__constant_4xf32
// TENSORS-NEXT: bufferization.to_tensor %[[G]]
func.func @constant() -> tensor<4xf32> {
  %0 = arith.constant dense<1.0> : tensor<4xf32>
  return %0 : tensor<4xf32>
}
