// RUN: inplace-opt %s --split-input-file --inplace-one-shot-bufferize=bufferize-function-boundaries | filecheck %s
// RUN: inplace-opt %s --split-input-file --inplace-one-shot-bufferize='bufferize-function-boundaries function-boundary-type-conversion=fully-dynamic-layout-map' | filecheck %s --check-prefix=DYNAMIC

// All calls pass contiguous buffers: an allocation, and what the function itself returned.
// CHECK-LABEL:   func.func private @update(
// CHECK-SAME:      %[[T:.*]]: memref<4x4xf32>, %{{.*}}: f32, %{{.*}}: index) -> memref<4x4xf32> {
// CHECK-NEXT:      memref.store %{{.*}}, %[[T]][
// CHECK-NEXT:      return %[[T]]
// CHECK-LABEL:   func.func @contiguous(
// CHECK-SAME:      -> memref<4x4xf32> {
// CHECK-NOT:       memref.c
// CHECK:           return
// DYNAMIC-LABEL: func.func private @update(
// DYNAMIC-SAME:    %{{.*}}: memref<4x4xf32, strided<[?, ?], offset: ?>>, {{.*}}) -> memref<4x4xf32, strided<[?, ?], offset: ?>> {
func.func private @update(%t: tensor<4x4xf32>, %f: f32, %i: index) -> tensor<4x4xf32> {
  %0 = tensor.insert %f into %t[%i, %i] : tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

func.func @contiguous(%f: f32, %i: index) -> tensor<4x4xf32> {
  %0 = tensor.splat %f : tensor<4x4xf32>
  %1 = call @update(%0, %f, %i) : (tensor<4x4xf32>, f32, index) -> tensor<4x4xf32>
  %2 = call @update(%1, %f, %i) : (tensor<4x4xf32>, f32, index) -> tensor<4x4xf32>
  return %2 : tensor<4x4xf32>
}

// -----

// Strides on which the calls agree stay static; the offset, on which they do not, becomes dynamic.
// CHECK-LABEL: func.func private @fill(
// CHECK-SAME:    %{{.*}}: memref<4x4xf32, strided<[8, 1], offset: ?>>, %{{.*}}: f32) -> memref<4x4xf32, strided<[8, 1], offset: ?>> {
// CHECK-LABEL: func.func @tiles(
// CHECK:         %[[A:.*]] = memref.alloc()
// CHECK-NOT:     memref.alloc
// CHECK-NOT:     memref.copy
// CHECK:         return %[[A]] : memref<8x8xf32>
func.func private @fill(%t: tensor<4x4xf32>, %f: f32) -> tensor<4x4xf32> {
  %0 = linalg.fill ins(%f : f32) outs(%t : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

func.func @tiles(%f: f32, %g: f32) -> tensor<8x8xf32> {
  %t = tensor.splat %f : tensor<8x8xf32>
  %0 = tensor.extract_slice %t[4, 0] [4, 4] [1, 1] : tensor<8x8xf32> to tensor<4x4xf32>
  %1 = call @fill(%0, %g) : (tensor<4x4xf32>, f32) -> tensor<4x4xf32>
  %2 = tensor.insert_slice %1 into %t[4, 0] [4, 4] [1, 1] : tensor<4x4xf32> into tensor<8x8xf32>
  %3 = tensor.extract_slice %2[0, 4] [4, 4] [1, 1] : tensor<8x8xf32> to tensor<4x4xf32>
  %4 = call @fill(%3, %f) : (tensor<4x4xf32>, f32) -> tensor<4x4xf32>
  %5 = tensor.insert_slice %4 into %2[0, 4] [4, 4] [1, 1] : tensor<4x4xf32> into tensor<8x8xf32>
  return %5 : tensor<8x8xf32>
}

// -----

// A public function may be called by others, with any strides; what they pass reaches private ones through it.
// CHECK-LABEL: func.func private @inner(
// CHECK-SAME:    memref<4xf32, strided<[?], offset: ?>>
// CHECK-LABEL: func.func @public(
// CHECK-SAME:    memref<4xf32, strided<[?], offset: ?>>
func.func private @inner(%t: tensor<4xf32>, %i: index) -> f32 {
  %0 = tensor.extract %t[%i] : tensor<4xf32>
  return %0 : f32
}

func.func @public(%t: tensor<4xf32>, %i: index) -> f32 {
  %0 = call @inner(%t, %i) : (tensor<4xf32>, index) -> f32
  return %0 : f32
}

func.func @also_contiguous(%f: f32, %i: index) -> f32 {
  %0 = tensor.splat %f : tensor<4xf32>
  %1 = call @inner(%0, %i) : (tensor<4xf32>, index) -> f32
  return %1 : f32
}

// -----

// A symbol in an attribute may be a call: that of an unknown caller.
// CHECK-LABEL: func.func private @named_elsewhere(
// CHECK-SAME:    memref<4xf32, strided<[?], offset: ?>>
// CHECK-LABEL: func.func private @never_called(
// CHECK-SAME:    memref<4xf32, strided<[?], offset: ?>>
func.func private @named_elsewhere(%t: tensor<4xf32>, %i: index) -> f32 {
  %0 = tensor.extract %t[%i] : tensor<4xf32>
  return %0 : f32
}

func.func private @never_called(%t: tensor<4xf32>, %i: index) -> f32 {
  %0 = tensor.extract %t[%i] : tensor<4xf32>
  return %0 : f32
}

func.func @one_known_call(%f: f32, %i: index) -> f32 attributes {test.table = [{test.entry = @named_elsewhere}]} {
  %0 = tensor.splat %f : tensor<4xf32>
  %1 = call @named_elsewhere(%0, %i) : (tensor<4xf32>, index) -> f32
  return %1 : f32
}

// -----

// Two functions that call each other: what both pass on is contiguous, if what comes in is.
// CHECK-LABEL: func.func private @even(
// CHECK-SAME:    %{{.*}}: memref<8xf32>, %{{.*}}) -> memref<8xf32> {
// CHECK:         scf.if %{{.*}} -> (memref<8xf32>) {
// CHECK-LABEL: func.func private @odd(
// CHECK-SAME:    %{{.*}}: memref<8xf32>, %{{.*}}) -> memref<8xf32> {
// CHECK-LABEL: func.func @starts(
// CHECK-SAME:    -> memref<8xf32> {
// CHECK-NOT:     memref.cast
func.func private @even(%t: tensor<8xf32>, %n: index, %f: f32) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %p = arith.cmpi eq, %n, %c0 : index
  %0 = scf.if %p -> tensor<8xf32> {
    scf.yield %t : tensor<8xf32>
  } else {
    %m = arith.subi %n, %c1 : index
    %1 = func.call @odd(%t, %m, %f) : (tensor<8xf32>, index, f32) -> tensor<8xf32>
    scf.yield %1 : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}

func.func private @odd(%t: tensor<8xf32>, %n: index, %f: f32) -> tensor<8xf32> {
  %0 = func.call @even(%t, %n, %f) : (tensor<8xf32>, index, f32) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

func.func @starts(%f: f32, %n: index) -> tensor<8xf32> {
  %0 = tensor.splat %f : tensor<8xf32>
  %1 = func.call @even(%0, %n, %f) : (tensor<8xf32>, index, f32) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}

// -----

// Functions that are called by nobody but themselves.
// CHECK-LABEL: func.func private @lonely(
// CHECK-SAME:    %{{.*}}: memref<8xf32, strided<[?], offset: ?>>
func.func private @lonely(%t: tensor<8xf32>) -> tensor<8xf32> {
  %0 = call @lonely(%t) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// A loop that swaps columns: the stride is known, the offset differs.
// CHECK-LABEL: func.func @swap(
// CHECK:         scf.for {{.*}} -> (memref<8xf32, strided<[8], offset: ?>>, memref<8xf32, strided<[8], offset: ?>>) {
// CHECK:           scf.yield
func.func @swap(%f: f32, %n: index) -> (tensor<8xf32>, tensor<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t = tensor.splat %f : tensor<8x8xf32>
  %u = tensor.splat %f : tensor<8x8xf32>
  %a = tensor.extract_slice %t[0, 0] [8, 1] [1, 1] : tensor<8x8xf32> to tensor<8xf32>
  %b = tensor.extract_slice %u[0, 1] [8, 1] [1, 1] : tensor<8x8xf32> to tensor<8xf32>
  %0:2 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %a, %y = %b) -> (tensor<8xf32>, tensor<8xf32>) {
    %1 = tensor.insert %f into %x[%i] : tensor<8xf32>
    scf.yield %y, %1 : tensor<8xf32>, tensor<8xf32>
  }
  return %0#0, %0#1 : tensor<8xf32>, tensor<8xf32>
}

// -----

// Two swaps in one loop keep to themselves: rows and columns.
// CHECK-LABEL: func.func @two_swaps(
// CHECK:         scf.for {{.*}} -> (memref<8xf32>, memref<8xf32>, memref<8xf32, strided<[8], offset: ?>>, memref<8xf32, strided<[8], offset: ?>>) {
func.func @two_swaps(%f: f32, %n: index) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %s = tensor.splat %f : tensor<8xf32>
  %r = tensor.splat %f : tensor<8xf32>
  %t = tensor.splat %f : tensor<8x8xf32>
  %u = tensor.splat %f : tensor<8x8xf32>
  %a = tensor.extract_slice %t[0, 0] [8, 1] [1, 1] : tensor<8x8xf32> to tensor<8xf32>
  %b = tensor.extract_slice %u[0, 1] [8, 1] [1, 1] : tensor<8x8xf32> to tensor<8xf32>
  %0:4 = scf.for %i = %c0 to %n step %c1 iter_args(%p = %s, %q = %r, %x = %a, %y = %b)
      -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
    %1 = tensor.insert %f into %x[%i] : tensor<8xf32>
    scf.yield %q, %p, %y, %1 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
  }
  return %0#0, %0#1, %0#2, %0#3 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}

// -----

// CHECK-LABEL: func.func @choice(
// CHECK:         arith.select %{{.*}}, %{{.*}}, %{{.*}} : memref<8xf32, strided<[1], offset: ?>>
// CHECK:         scf.if %{{.*}} -> (memref<8xf32, strided<[1], offset: ?>>) {
func.func @choice(%f: f32, %p: i1) -> (tensor<8xf32>, tensor<8xf32>) {
  %t = tensor.splat %f : tensor<8x8xf32>
  %u = tensor.splat %f : tensor<8x8xf32>
  %a = tensor.extract_slice %t[1, 0] [1, 8] [1, 1] : tensor<8x8xf32> to tensor<8xf32>
  %b = tensor.extract_slice %u[0, 0] [1, 8] [1, 1] : tensor<8x8xf32> to tensor<8xf32>
  %0 = arith.select %p, %a, %b : tensor<8xf32>
  %c = tensor.extract_slice %t[2, 0] [1, 8] [1, 1] : tensor<8x8xf32> to tensor<8xf32>
  %d = tensor.extract_slice %u[3, 0] [1, 8] [1, 1] : tensor<8x8xf32> to tensor<8xf32>
  %1 = scf.if %p -> tensor<8xf32> {
    scf.yield %c : tensor<8xf32>
  } else {
    scf.yield %d : tensor<8xf32>
  }
  return %0, %1 : tensor<8xf32>, tensor<8xf32>
}

// -----

// The program says itself which layout an argument has; who passes another one passes a copy.
// CHECK-LABEL:   func.func @declared(
// CHECK-SAME:      memref<8x8xf32, strided<[8, 1], offset: ?>>, %{{.*}}: index) -> f32 {
// CHECK-LABEL:   func.func @calls_declared(
// CHECK-SAME:      %[[T:.*]]: memref<8x8xf32, strided<[?, ?], offset: ?>>
// CHECK-NEXT:      %[[A:.*]] = memref.alloc() {{.*}} : memref<8x8xf32>
// CHECK-NEXT:      memref.copy %[[T]], %[[A]]
// CHECK-NEXT:      %[[C:.*]] = memref.cast %[[A]] : memref<8x8xf32> to memref<8x8xf32, strided<[8, 1], offset: ?>>
// CHECK-NEXT:      call @declared(%[[C]],
// CHECK-LABEL:   func.func private @external(memref<4xf32, #{{[a-z0-9]+}}>)
// DYNAMIC-LABEL: func.func @declared(
// DYNAMIC-SAME:    memref<8x8xf32, strided<[8, 1], offset: ?>>
func.func @declared(%t: tensor<8x8xf32> {bufferization.buffer_layout = strided<[8, 1], offset: ?>}, %i: index) -> f32 {
  %0 = tensor.extract %t[%i, %i] : tensor<8x8xf32>
  return %0 : f32
}

func.func @calls_declared(%t: tensor<8x8xf32>, %i: index) -> f32 {
  %0 = call @declared(%t, %i) : (tensor<8x8xf32>, index) -> f32
  return %0 : f32
}

func.func private @external(tensor<4xf32> {bufferization.buffer_layout = affine_map<(d0) -> (2 * d0)>})

// -----

// A collapse is a view where all calls pass contiguous buffers.
// CHECK-LABEL:   func.func private @flat(
// CHECK-SAME:      %[[T:.*]]: memref<?x4xf32>
// CHECK-NOT:       memref.copy
// CHECK:           memref.collapse_shape %[[T]]
// CHECK-LABEL:   func.func @calls_flat(
// DYNAMIC-LABEL: func.func private @flat(
// DYNAMIC:         memref.copy
func.func private @flat(%t: tensor<?x4xf32>, %i: index) -> f32 {
  %0 = tensor.collapse_shape %t [[0, 1]] : tensor<?x4xf32> into tensor<?xf32>
  %1 = tensor.extract %0[%i] : tensor<?xf32>
  return %1 : f32
}

func.func @calls_flat(%f: f32, %n: index, %i: index) -> f32 {
  %0 = tensor.splat %f[%n] : tensor<?x4xf32>
  %1 = call @flat(%0, %i) : (tensor<?x4xf32>, index) -> f32
  return %1 : f32
}
