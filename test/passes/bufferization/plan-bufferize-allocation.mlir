// RUN: inplace-opt %s --inplace-plan-bufferize='function-boundaries' | filecheck %s --check-prefixes=ALL,HEAP
// RUN: inplace-opt %s --inplace-plan-bufferize='function-boundaries allocation=stack buffer-alignment=0' | filecheck %s --check-prefixes=ALL,STACK
// RUN: inplace-opt %s --inplace-plan-bufferize='function-boundaries allocation=workgroup' | filecheck %s --check-prefixes=ALL,WORKGROUP
// RUN: inplace-opt %s --inplace-plan-bufferize='function-boundaries allocation=workgroup workgroup-memory-space=3' | filecheck %s --check-prefixes=ALL,NUMBER

// A static and a dynamic buffer.

// ALL-LABEL: func.func @buffers(
// ALL-SAME:  %{{.*}}: index, %[[N:.*]]: index
// HEAP-DAG:      %[[A:.*]] = memref.alloc() {alignment = 64 : i64} : memref<8xf32>
// HEAP-DAG:      %[[B:.*]] = memref.alloc(%[[N]]) {alignment = 64 : i64} : memref<?xf32>
// STACK-DAG:     %[[A:.*]] = memref.alloca() : memref<8xf32>
// STACK-DAG:     %[[B:.*]] = memref.alloca(%[[N]]) : memref<?xf32>
// WORKGROUP-DAG: %[[A:.*]] = memref.alloc() {alignment = 64 : i64} : memref<8xf32, #gpu.address_space<workgroup>>
// WORKGROUP-DAG: %[[B:.*]] = memref.alloc(%[[N]]) {alignment = 64 : i64} : memref<?xf32, #gpu.address_space<workgroup>>
// NUMBER-DAG:    %[[A:.*]] = memref.alloc() {alignment = 64 : i64} : memref<8xf32, 3>
// NUMBER-DAG:    %[[B:.*]] = memref.alloc(%[[N]]) {alignment = 64 : i64} : memref<?xf32, 3>
// ALL-DAG:       linalg.fill {{.*}} outs(%[[A]] :
// ALL-DAG:       linalg.fill {{.*}} outs(%[[B]] :
// ALL-DAG:       memref.load %[[A]]
// ALL-DAG:       memref.load %[[B]]
// ALL:           return
func.func @buffers(%i: index, %n: index, %f: f32) -> (f32, f32) {
  %a = tensor.empty() : tensor<8xf32>
  %b = tensor.empty(%n) : tensor<?xf32>
  %c = linalg.fill ins(%f : f32) outs(%a : tensor<8xf32>) -> tensor<8xf32>
  %d = linalg.fill ins(%f : f32) outs(%b : tensor<?xf32>) -> tensor<?xf32>
  %x = tensor.extract %c[%i] : tensor<8xf32>
  %y = tensor.extract %d[%i] : tensor<?xf32>
  return %x, %y : f32, f32
}

// The space goes on to views; a buffer that leaves the function stays on the heap, in the space that it is promised in.

// ALL-LABEL: func.func @views_and_results(
// WORKGROUP:      %[[A:.*]] = memref.alloc() {{.*}} : memref<8xf32, #gpu.address_space<workgroup>>
// WORKGROUP-DAG:  %[[CAST:.*]] = memref.memory_space_cast %[[A]] : memref<8xf32, #gpu.address_space<workgroup>> to memref<8xf32>
// WORKGROUP-DAG:  %[[V:.*]] = memref.subview %[[A]][2] [4] [1] : memref<8xf32, #gpu.address_space<workgroup>> to memref<4xf32, strided<[1], offset: 2>, #gpu.address_space<workgroup>>
// WORKGROUP:      linalg.fill {{.*}} outs(%[[V]] :
// WORKGROUP:      return %[[CAST]]
// STACK:          %[[A:.*]] = memref.alloc() : memref<8xf32>
// STACK-NOT:      alloca
// STACK:          return %[[A]]
func.func @views_and_results(%f: f32) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %a = linalg.fill ins(%f : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %s = tensor.extract_slice %a[2] [4] [1] : tensor<8xf32> to tensor<4xf32>
  %w = linalg.fill ins(%f : f32) outs(%s : tensor<4xf32>) -> tensor<4xf32>
  %r = tensor.insert_slice %w into %a[2] [4] [1] : tensor<4xf32> into tensor<8xf32>
  return %r : tensor<8xf32>
}

// On the stack, never in a loop: a buffer of known size moves in front of it.

// ALL-LABEL: func.func @in_a_loop(
// STACK:       %[[A:.*]] = memref.alloca() : memref<4xf32>
// STACK-NEXT:  scf.for
// STACK-NOT:     memref.alloc
// STACK:         linalg.fill {{.*}} outs(%[[A]] :
// HEAP:        scf.for
// HEAP:          memref.alloc()
// ALL:         return
func.func @in_a_loop(%t: tensor<8xf32>, %n: index, %i: index) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %f = arith.constant 1.0 : f32
  %r = scf.for %k = %c0 to %n step %c1 iter_args(%a = %t) -> tensor<8xf32> {
    %e = tensor.empty() : tensor<4xf32>
    %w = linalg.fill ins(%f : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    %x = tensor.extract %w[%i] : tensor<4xf32>
    %u = tensor.insert %x into %a[%k] : tensor<8xf32>
    scf.yield %u : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}
