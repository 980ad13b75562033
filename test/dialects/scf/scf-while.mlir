// RUN: inplace-opt %s --inplace-one-shot-bufferize=bufferize-function-boundaries | filecheck %s

// CHECK-LABEL: func.func @one_buffer(
// CHECK-SAME:    %[[T:.*]]: memref<{{.*}}, %[[N:.*]]: index, %[[F:.*]]: f32
// CHECK:         %[[R:.*]] = scf.while (%[[I:.*]] = %c0) : (index) -> index {
// CHECK-NEXT:    arith.cmpi slt, %[[I]], %[[N]]
// CHECK-NEXT:    scf.condition(%{{.*}}) %[[I]] : index
// CHECK-NEXT:    } do {
// CHECK-NEXT:    ^bb0(%[[J:.*]]: index):
// CHECK-NEXT:    memref.store %[[F]], %[[T]][%[[J]]]
// CHECK-NEXT:    %[[K:.*]] = arith.addi
// CHECK-NEXT:    scf.yield %[[K]] : index
// CHECK-NEXT:    } attributes {kept}
// CHECK-NEXT:    return %[[T]], %[[R]]
func.func @one_buffer(%t: tensor<8xf32>, %n: index, %f: f32) -> (tensor<8xf32>, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0:2 = scf.while (%a = %t, %i = %c0) : (tensor<8xf32>, index) -> (tensor<8xf32>, index) {
    %go = arith.cmpi slt, %i, %n : index
    scf.condition(%go) %a, %i : tensor<8xf32>, index
  } do {
  ^bb0(%b: tensor<8xf32>, %j: index):
    %x = tensor.insert %f into %b[%j] : tensor<8xf32>
    %k = arith.addi %j, %c1 : index
    scf.yield %x, %k : tensor<8xf32>, index
  } attributes {kept}
  return %0#0, %0#1 : tensor<8xf32>, index
}

// CHECK-LABEL: func.func @copied_in_front(
// CHECK-SAME:    %[[T:.*]]: memref<
// CHECK:         %[[A:.*]] = memref.alloc()
// CHECK-NEXT:    memref.copy %[[T]], %[[A]]
// CHECK-NEXT:    scf.while : () -> () {
// CHECK-NEXT:    %[[P:.*]] = memref.load %[[A]][%c0]
// CHECK-NEXT:    scf.condition(%[[P]])
// CHECK-NEXT:    } do {
// CHECK-NEXT:    memref.store %false, %[[A]][%c0]
// CHECK-NEXT:    scf.yield
// CHECK-NEXT:    }
// CHECK-NEXT:    return %[[A]], %[[T]]
func.func @copied_in_front(%t: tensor<8xi1>) -> (tensor<8xi1>, tensor<8xi1>) {
  %c0 = arith.constant 0 : index
  %false = arith.constant false
  %0 = scf.while (%a = %t) : (tensor<8xi1>) -> tensor<8xi1> {
    %p = tensor.extract %a[%c0] : tensor<8xi1>
    scf.condition(%p) %a : tensor<8xi1>
  } do {
  ^bb0(%b: tensor<8xi1>):
    %x = tensor.insert %false into %b[%c0] : tensor<8xi1>
    scf.yield %x : tensor<8xi1>
  }
  return %0, %t : tensor<8xi1>, tensor<8xi1>
}

// CHECK-LABEL: func.func @swap(
// CHECK-SAME:    %[[T:.*]]: memref<{{.*}}, %[[U:.*]]: memref<
// CHECK-NOT:     memref.alloc
// CHECK:         %[[R:.*]]:2 = scf.while (%[[A:.*]] = %[[T]], %[[B:.*]] = %[[U]])
// CHECK-NEXT:    scf.condition(%{{.*}}) %[[A]], %[[B]]
// CHECK:         ^bb0(%[[C:.*]]: memref<{{.*}}, %[[D:.*]]: memref<
// CHECK-NEXT:    linalg.exp ins(%[[C]] : {{.*}}) outs(%[[D]] :
// CHECK-NEXT:    scf.yield %[[D]], %[[C]]
// CHECK:         return %[[R]]#0
func.func @swap(%t: tensor<8xf32>, %u: tensor<8xf32>, %p: i1) -> tensor<8xf32> {
  %0:2 = scf.while (%a = %t, %b = %u) : (tensor<8xf32>, tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
    scf.condition(%p) %a, %b : tensor<8xf32>, tensor<8xf32>
  } do {
  ^bb0(%c: tensor<8xf32>, %d: tensor<8xf32>):
    %x = linalg.exp ins(%c : tensor<8xf32>) outs(%d : tensor<8xf32>) -> tensor<8xf32>
    scf.yield %x, %c : tensor<8xf32>, tensor<8xf32>
  }
  return %0#0 : tensor<8xf32>
}

// What the first region passes need not be what it takes, and nothing keeps it in one buffer.
// CHECK-LABEL: func.func @other_types(
// CHECK:         %[[R:.*]] = scf.while : () -> memref<?xf32> {
// CHECK:         %[[A:.*]] = memref.alloc(%{{.*}})
// CHECK-NEXT:    linalg.fill ins(%{{.*}}) outs(%[[A]] :
// CHECK-NEXT:    scf.condition(%{{.*}}) %[[A]] : memref<?xf32>
// CHECK-NEXT:    } do {
// CHECK-NEXT:    ^bb0(%{{.*}}: memref<?xf32>):
// CHECK-NEXT:    scf.yield
// CHECK-NEXT:    }
// CHECK-NEXT:    return %[[R]]
func.func @other_types(%n: index, %p: i1, %f: f32) -> tensor<?xf32> {
  %0 = scf.while : () -> tensor<?xf32> {
    %e = tensor.empty(%n) : tensor<?xf32>
    %x = linalg.fill ins(%f : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
    scf.condition(%p) %x : tensor<?xf32>
  } do {
  ^bb0(%b: tensor<?xf32>):
    scf.yield
  }
  return %0 : tensor<?xf32>
}

// CHECK-LABEL: func.func @new_buffer_passed_on(
// CHECK-SAME:    %[[T:.*]]: memref<
// CHECK:         %[[R:.*]] = scf.while (%{{.*}} = %[[T]])
// CHECK:         } do {
// CHECK:         %[[A:.*]] = memref.alloc()
// CHECK-NEXT:    linalg.fill {{.*}} outs(%[[A]] :
// CHECK-NEXT:    %[[C:.*]] = memref.cast %[[A]]
// CHECK-NEXT:    scf.yield %[[C]]
// CHECK:         return %[[R]]
func.func @new_buffer_passed_on(%t: tensor<8xf32>, %p: i1, %f: f32) -> tensor<8xf32> {
  %0 = scf.while (%a = %t) : (tensor<8xf32>) -> tensor<8xf32> {
    scf.condition(%p) %a : tensor<8xf32>
  } do {
  ^bb0(%b: tensor<8xf32>):
    %x = tensor.splat %f : tensor<8xf32>
    scf.yield %x : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}
