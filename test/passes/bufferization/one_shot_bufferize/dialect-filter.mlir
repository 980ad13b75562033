// RUN: inplace-opt %s --inplace-one-shot-bufferize='dialect-filter=tensor,bufferization' | filecheck %s --check-prefixes=ALL,TENSOR
// RUN: inplace-opt %s --inplace-one-shot-bufferize='bufferize-function-boundaries dialect-filter={tensor,bufferization}' | filecheck %s --check-prefixes=ALL,TENSOR
// RUN: inplace-opt %s --inplace-one-shot-bufferize='dialect-filter=scf' | filecheck %s --check-prefixes=ALL,SCF
// RUN: inplace-opt %s --inplace-one-shot-bufferize='dialect-filter=func bufferize-function-boundaries' | filecheck %s --check-prefix=FUNC
// RUN: inplace-opt %s --inplace-one-shot-bufferize='dialect-filter=tensor unknown-type-conversion=identity-layout-map' | filecheck %s --check-prefix=IDENTITY
// RUN: inplace-opt %s --inplace-one-shot-bufferize='bufferize-function-boundaries no-analysis-func-filter=filtered,other' | filecheck %s --check-prefix=COPIES

// Ops of the other dialects keep their tensors, the function with them.
// ALL-LABEL:      func.func @filtered(
// ALL-SAME:         %[[T:.*]]: tensor<8xf32>, %[[F:.*]]: f32, %[[I:.*]]: index, %[[P:.*]]: i1) -> tensor<8xf32> {
// TENSOR-NEXT:      %[[M:.*]] = bufferization.to_buffer %[[T]] read_only : tensor<8xf32> to memref<8xf32, strided<[?], offset: ?>>
// TENSOR-NEXT:      %[[A:.*]] = memref.alloc()
// TENSOR-NEXT:      memref.copy %[[M]], %[[A]]
// TENSOR-NEXT:      memref.store %[[F]], %[[A]][%[[I]]]
// TENSOR-NEXT:      %[[R:.*]] = scf.if %[[P]] -> (tensor<8xf32>) {
// TENSOR-NEXT:        %[[X:.*]] = bufferization.to_tensor %[[A]]
// TENSOR-NEXT:        %[[Y:.*]] = linalg.fill ins(%[[F]] : f32) outs(%[[X]] : tensor<8xf32>) -> tensor<8xf32>
// TENSOR-NEXT:        scf.yield %[[Y]]
// TENSOR-NEXT:      } else {
// TENSOR-NEXT:        %[[X:.*]] = bufferization.to_tensor %[[A]]
// TENSOR-NEXT:        scf.yield %[[X]]
// TENSOR-NEXT:      }
// TENSOR-NEXT:      return %[[R]]
// SCF-NEXT:         %[[X:.*]] = tensor.insert %[[F]] into %[[T]][%[[I]]] : tensor<8xf32>
// SCF-NEXT:         %[[M:.*]] = bufferization.to_buffer %[[X]] read_only
// SCF-NEXT:         %[[R:.*]] = scf.if %[[P]] -> (memref<8xf32, strided<[?], offset: ?>>) {
// SCF-NEXT:           %[[Y:.*]] = linalg.fill ins(%[[F]] : f32) outs(%[[X]] : tensor<8xf32>) -> tensor<8xf32>
// SCF-NEXT:           %[[N:.*]] = bufferization.to_buffer %[[Y]] read_only
// SCF-NEXT:           scf.yield %[[N]]
// SCF-NEXT:         } else {
// SCF-NEXT:           scf.yield %[[M]]
// SCF-NEXT:         }
// SCF-NEXT:         %[[Z:.*]] = bufferization.to_tensor %[[R]]
// SCF-NEXT:         return %[[Z]]
// FUNC-LABEL:     func.func @filtered(
// FUNC-SAME:        %[[T:.*]]: memref<8xf32, strided<[?], offset: ?>>
// FUNC-NEXT:        %[[X:.*]] = bufferization.to_tensor %[[T]]
// FUNC-NEXT:        tensor.insert %{{.*}} into %[[X]]
// FUNC-NEXT:        scf.if %{{.*}} -> (tensor<8xf32>) {
// IDENTITY-LABEL: func.func @filtered(
// IDENTITY-NEXT:    bufferization.to_buffer %{{.*}} read_only : tensor<8xf32> to memref<8xf32>
// COPIES-LABEL:   func.func @filtered(
// COPIES-SAME:      %[[T:.*]]: memref<8xf32, strided<[?], offset: ?>>
// COPIES-NEXT:      %[[A:.*]] = memref.alloc()
// COPIES-NEXT:      memref.copy %[[T]], %[[A]]
// COPIES-NEXT:      memref.store %{{.*}}, %[[A]]
func.func @filtered(%t: tensor<8xf32>, %f: f32, %i: index, %p: i1) -> tensor<8xf32> {
  %0 = tensor.insert %f into %t[%i] : tensor<8xf32>
  %1 = scf.if %p -> tensor<8xf32> {
    %2 = linalg.fill ins(%f : f32) outs(%0 : tensor<8xf32>) -> tensor<8xf32>
    scf.yield %2 : tensor<8xf32>
  } else {
    scf.yield %0 : tensor<8xf32>
  }
  return %1 : tensor<8xf32>
}

// ALL-LABEL:    func.func @call(
// ALL-SAME:       %[[T:.*]]: tensor<8xf32>
// ALL-NEXT:       %[[R:.*]] = call @filtered(%[[T]]
// ALL-NEXT:       return %[[R]] : tensor<8xf32>
// FUNC-LABEL:   func.func @call(
// FUNC-NEXT:      %[[R:.*]] = call @filtered({{.*}}) : (memref<8xf32, strided<[?], offset: ?>>
// FUNC-NEXT:      return %[[R]]
// Only the functions that are named do without an analysis.
// COPIES-LABEL: func.func @in_place(
// COPIES-NEXT:    memref.store
func.func @call(%t: tensor<8xf32>, %f: f32, %i: index, %p: i1) -> tensor<8xf32> {
  %0 = call @filtered(%t, %f, %i, %p) : (tensor<8xf32>, f32, index, i1) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

func.func @in_place(%t: tensor<8xf32>, %f: f32, %i: index) -> tensor<8xf32> {
  %0 = tensor.insert %f into %t[%i] : tensor<8xf32>
  return %0 : tensor<8xf32>
}
