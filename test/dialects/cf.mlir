// RUN: inplace-opt %s --split-input-file --inplace-one-shot-bufferize=bufferize-function-boundaries | filecheck %s

// What is one buffer on every way needs no argument.
// CHECK-LABEL: func.func @diamond(
// CHECK-SAME:    %[[T:.*]]: memref<8xf32, strided<[?], offset: ?>>, %[[P:.*]]: i1
// CHECK-NEXT:    cf.cond_br %[[P]], ^[[A:.*]], ^[[B:.*]] {kept}
// CHECK-NEXT:  ^[[A]]:
// CHECK-NEXT:    memref.store %{{.*}}, %[[T]][
// CHECK-NEXT:    cf.br ^[[B]]
// CHECK-NEXT:  ^[[B]]:
// CHECK-NEXT:    return %[[T]]
func.func @diamond(%t: tensor<8xf32>, %p: i1, %i: index, %f: f32) -> tensor<8xf32> {
  cf.cond_br %p, ^a, ^b(%t : tensor<8xf32>) {kept}
^a:
  %w = tensor.insert %f into %t[%i] : tensor<8xf32>
  cf.br ^b(%w : tensor<8xf32>)
^b(%x: tensor<8xf32>):
  return %x : tensor<8xf32>
}

// -----

// One of two buffers is an argument; the order of the arguments stays.
// CHECK-LABEL: func.func @choice(
// CHECK-SAME:    %[[T:.*]]: memref<8xf32, {{.*}}, %[[U:.*]]: memref<8xf32, {{.*}}, %[[P:.*]]: i1, %[[I:.*]]: index
// CHECK-NEXT:    cf.cond_br %[[P]], ^[[C:.*]](%[[I]], %[[T]], %[[P]] : index, memref<8xf32, {{.*}}>, i1), ^[[C]](%[[I]], %[[U]], %[[P]]
// CHECK-NEXT:  ^[[C]](%[[J:.*]]: index, %[[X:.*]]: memref<8xf32, strided<[?], offset: ?>>, %[[Q:.*]]: i1):
// CHECK-NEXT:    memref.store %{{.*}}, %[[X]][%[[J]]]
// CHECK-NEXT:    return %[[X]], %[[Q]]
func.func @choice(%t: tensor<8xf32>, %u: tensor<8xf32>, %p: i1, %i: index, %f: f32) -> (tensor<8xf32>, i1) {
  cf.cond_br %p, ^c(%i, %t, %p : index, tensor<8xf32>, i1), ^c(%i, %u, %p : index, tensor<8xf32>, i1)
^c(%j: index, %x: tensor<8xf32>, %q: i1):
  %w = tensor.insert %f into %x[%j] : tensor<8xf32>
  return %w, %q : tensor<8xf32>, i1
}

// -----

// A loop updates the buffer that it was given; the counter stays an argument.
// CHECK-LABEL: func.func @loop(
// CHECK-SAME:    %[[T:.*]]: memref<
// CHECK:         cf.br ^[[HEAD:.*]](%c0 : index)
// CHECK-NEXT:  ^[[HEAD]](%[[K:.*]]: index):
// CHECK-NEXT:    arith.cmpi
// CHECK-NEXT:    cf.cond_br %{{.*}}, ^[[BODY:.*]], ^[[END:.*]]
// CHECK-NEXT:  ^[[BODY]]:
// CHECK-NEXT:    memref.store %{{.*}}, %[[T]][%[[K]]]
// CHECK-NEXT:    %[[NEXT:.*]] = arith.addi
// CHECK-NEXT:    cf.br ^[[HEAD]](%[[NEXT]] : index)
// CHECK-NEXT:  ^[[END]]:
// CHECK-NEXT:    return %[[T]]
func.func @loop(%t: tensor<8xf32>, %f: f32, %n: index) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  cf.br ^head(%c0, %t : index, tensor<8xf32>)
^head(%k: index, %a: tensor<8xf32>):
  %more = arith.cmpi slt, %k, %n : index
  cf.cond_br %more, ^body, ^end
^body:
  %w = tensor.insert %f into %a[%k] : tensor<8xf32>
  %next = arith.addi %k, %c1 : index
  cf.br ^head(%next, %w : index, tensor<8xf32>)
^end:
  return %a : tensor<8xf32>
}

// -----

// The old value is read after the loop: one copy in front of it.
// CHECK-LABEL: func.func @loop_on_a_copy(
// CHECK-SAME:    %[[T:.*]]: memref<
// CHECK-NEXT:    %[[A:.*]] = memref.alloc() {{.*}} : memref<8xf32>
// CHECK-NEXT:    memref.copy %[[T]], %[[A]]
// CHECK-NEXT:    cf.br ^[[HEAD:.*]]
// CHECK-NEXT:  ^[[HEAD]]:
// CHECK-NEXT:    memref.store %{{.*}}, %[[A]][
// CHECK-NEXT:    cf.cond_br %{{.*}}, ^[[HEAD]], ^[[END:.*]]
// CHECK-NEXT:  ^[[END]]:
// CHECK-NEXT:    return %[[A]], %[[T]] : memref<8xf32>, memref<8xf32, strided<[?], offset: ?>>
func.func @loop_on_a_copy(%t: tensor<8xf32>, %f: f32, %i: index, %p: i1) -> (tensor<8xf32>, tensor<8xf32>) {
  cf.br ^head(%t : tensor<8xf32>)
^head(%a: tensor<8xf32>):
  %w = tensor.insert %f into %a[%i] : tensor<8xf32>
  cf.cond_br %p, ^head(%w : tensor<8xf32>), ^end
^end:
  return %w, %t : tensor<8xf32>, tensor<8xf32>
}

// -----

// Memrefs change places. A type that fits both: one is contiguous, the other one is not.
// CHECK-LABEL: func.func @swap(
// CHECK-SAME:    %[[T:.*]]: memref<8xf32, strided<[?], offset: ?>>
// CHECK:         %[[E:.*]] = memref.alloc() {{.*}} : memref<8xf32>
// CHECK:         %[[CAST:.*]] = memref.cast %[[E]] : memref<8xf32> to memref<8xf32, strided<[?], offset: ?>>
// CHECK-NEXT:    cf.br ^[[HEAD:.*]](%[[T]], %[[CAST]] : memref<8xf32, strided<[?], offset: ?>>, memref<8xf32, strided<[?], offset: ?>>)
// CHECK-NEXT:  ^[[HEAD]](%[[A:.*]]: memref<{{.*}}>, %[[B:.*]]: memref<{{.*}}>):
// CHECK-NEXT:    cf.cond_br %{{.*}}, ^[[HEAD]](%[[B]], %[[A]] : {{.*}}), ^[[END:.*]]
// CHECK-NEXT:  ^[[END]]:
// CHECK-NEXT:    return %[[A]], %[[B]]
func.func @swap(%t: tensor<8xf32>, %f: f32, %p: i1) -> (tensor<8xf32>, tensor<8xf32>) {
  %e = tensor.empty() : tensor<8xf32>
  %u = linalg.fill ins(%f : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  cf.br ^head(%t, %u : tensor<8xf32>, tensor<8xf32>)
^head(%a: tensor<8xf32>, %b: tensor<8xf32>):
  cf.cond_br %p, ^head(%b, %a : tensor<8xf32>, tensor<8xf32>), ^end
^end:
  return %a, %b : tensor<8xf32>, tensor<8xf32>
}

// -----

// Contiguous buffers stay so, around the loop as well.
// CHECK-LABEL: func.func @contiguous(
// CHECK:         cf.br ^[[HEAD:.*]](%{{.*}}, %{{.*}} : memref<8xf32>, memref<8xf32>)
// CHECK-NEXT:  ^[[HEAD]](%[[A:.*]]: memref<8xf32>, %[[B:.*]]: memref<8xf32>):
// CHECK-NEXT:    cf.cond_br %{{.*}}, ^[[HEAD]](%[[B]], %[[A]] : memref<8xf32>, memref<8xf32>), ^{{.*}}
func.func @contiguous(%f: f32, %g: f32, %p: i1) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %t = linalg.fill ins(%f : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %u = linalg.fill ins(%g : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  cf.br ^head(%t, %u : tensor<8xf32>, tensor<8xf32>)
^head(%a: tensor<8xf32>, %b: tensor<8xf32>):
  cf.cond_br %p, ^head(%b, %a : tensor<8xf32>, tensor<8xf32>), ^end
^end:
  return %a : tensor<8xf32>
}

// -----

// CHECK-LABEL: func.func @switch(
// CHECK-SAME:    %[[T:.*]]: memref<8xf32, {{.*}}, %[[U:.*]]: memref<8xf32, {{.*}}, %[[K:.*]]: i32
// CHECK:         cf.switch %[[K]] : i32, [
// CHECK-NEXT:      default: ^[[A:.*]](%[[T]] : memref<8xf32, strided<[?], offset: ?>>),
// CHECK-NEXT:      1: ^[[B:.*]](%[[K]] : i32),
// CHECK-NEXT:      7: ^[[A]](%[[U]] : memref<8xf32, strided<[?], offset: ?>>)
// CHECK-NEXT:    ]
// CHECK-NEXT:  ^[[A]](%[[X:.*]]: memref<8xf32, strided<[?], offset: ?>>):
// CHECK-NEXT:    return %[[X]]
// CHECK-NEXT:  ^[[B]](%{{.*}}: i32):
// CHECK-NEXT:    return %[[U]]
func.func @switch(%t: tensor<8xf32>, %u: tensor<8xf32>, %k: i32) -> tensor<8xf32> {
  cf.switch %k : i32, [
    default: ^a(%t : tensor<8xf32>),
    1: ^b(%u, %k : tensor<8xf32>, i32),
    7: ^a(%u : tensor<8xf32>)
  ]
^a(%x: tensor<8xf32>):
  return %x : tensor<8xf32>
^b(%y: tensor<8xf32>, %l: i32):
  return %y : tensor<8xf32>
}

// -----

// Returns agree on a type.
// CHECK-LABEL: func.func @returns(
// CHECK-SAME:    -> memref<8xf32, strided<[?], offset: ?>> {
// CHECK:         %[[A:.*]] = memref.alloc() {{.*}} : memref<8xf32>
// CHECK:         %[[R:.*]] = memref.cast %[[A]] : memref<8xf32> to memref<8xf32, strided<[?], offset: ?>>
// CHECK-NEXT:    return %[[R]]
func.func @returns(%t: tensor<8xf32>, %f: f32, %p: i1) -> tensor<8xf32> {
  cf.cond_br %p, ^a, ^b
^a:
  return %t : tensor<8xf32>
^b:
  %e = tensor.empty() : tensor<8xf32>
  %u = linalg.fill ins(%f : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  return %u : tensor<8xf32>
}

// -----

// CHECK-LABEL: func.func @assertion(
// CHECK-NEXT:    cf.assert %{{.*}}, "positive"
// CHECK-NEXT:    return
func.func @assertion(%t: tensor<8xf32>, %p: i1) -> tensor<8xf32> {
  cf.assert %p, "positive"
  return %t : tensor<8xf32>
}

// -----

// Several yields: the region hands out one buffer, or one of two.
// CHECK-LABEL: func.func @region(
// CHECK-SAME:    %[[T:.*]]: memref<8xf32, {{.*}}, %[[U:.*]]: memref<8xf32
// CHECK:         %[[X:.*]] = scf.execute_region -> memref<8xf32, strided<[?], offset: ?>> {
// CHECK-NEXT:      cf.cond_br
// CHECK:           scf.yield %[[T]]
// CHECK:           scf.yield %[[U]]
// CHECK:         return %[[T]], %[[X]]
func.func @region(%t: tensor<8xf32>, %u: tensor<8xf32>, %p: i1) -> (tensor<8xf32>, tensor<8xf32>) {
  %x:2 = scf.execute_region -> (tensor<8xf32>, tensor<8xf32>) {
    cf.cond_br %p, ^a, ^b
  ^a:
    scf.yield %t, %t : tensor<8xf32>, tensor<8xf32>
  ^b:
    scf.yield %t, %u : tensor<8xf32>, tensor<8xf32>
  }
  return %x#0, %x#1 : tensor<8xf32>, tensor<8xf32>
}

// -----

// A region that never ends.
// CHECK-LABEL: func.func @never(
// CHECK:         scf.execute_region -> memref<8xf32> {
// CHECK-NEXT:      cf.br ^[[A:.*]]
// CHECK-NEXT:    ^[[A]]:
// CHECK-NEXT:      cf.br ^[[A]]
func.func @never() -> tensor<8xf32> {
  %x = scf.execute_region -> tensor<8xf32> {
    cf.br ^a
  ^a:
    cf.br ^a
  }
  return %x : tensor<8xf32>
}
