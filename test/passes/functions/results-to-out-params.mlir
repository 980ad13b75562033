// RUN: inplace-opt %s --split-input-file --inplace-results-to-out-params | filecheck %s
// RUN: inplace-opt %s --split-input-file --inplace-results-to-out-params='modify-called-functions hoist-dynamic-allocs add-result-attr' | filecheck %s --check-prefix=CALLED
// RUN: inplace-opt %s --split-input-file --inplace-results-to-out-params='modify-called-functions copy-results' | filecheck %s --check-prefix=COPY
// RUN: inplace-opt %s --split-input-file --inplace-results-to-out-params='modify-called-functions modify-public-functions=false' | filecheck %s --check-prefix=PRIVATE
// RUN: inplace-opt %s --split-input-file --inplace-results-to-out-params='entry-sizes' | filecheck %s --check-prefix=SIZES

// CHECK-LABEL: func.func @fresh
// CHECK-SAME:    (%[[F:.*]]: f32, %[[OUT:.*]]: memref<4xf32> {inplace.alignment = 64 : i64, inplace.out_result = 0 : i64})
// CHECK-SAME:    inplace.result_arguments = array<i64: 1>
func.func @fresh(%f: f32) -> memref<4xf32> {
  // CHECK-NOT: memref.alloc
  // CHECK: linalg.fill ins(%[[F]] : f32) outs(%[[OUT]] : memref<4xf32>)
  // CHECK: return
  %0 = memref.alloc() {alignment = 64 : i64} : memref<4xf32>
  linalg.fill ins(%f : f32) outs(%0 : memref<4xf32>)
  return %0 : memref<4xf32>
}

// -----

// Through a cast; other results stay, in order.
// CHECK-LABEL: func.func @several
// CHECK-SAME:    (%{{.*}}: index, %{{.*}}: memref<i8> {inplace.out_result = 1 : i64}, %{{.*}}: memref<4xf32> {inplace.out_result = 3 : i64})
// CHECK-SAME:    -> (index, memref<?xf32>)
// CHECK-SAME:    inplace.result_arguments = array<i64: -1, 1, -1, 2>
func.func @several(%n: index) -> (index, memref<i8>, memref<?xf32>, memref<?xf32>) {
  %0 = memref.alloc() : memref<i8>
  %1 = memref.alloc(%n) : memref<?xf32>
  %2 = memref.alloc() : memref<4xf32>
  %3 = memref.cast %2 : memref<4xf32> to memref<?xf32>
  // CHECK: return %{{.*}}, %{{.*}} : index, memref<?xf32>
  return %n, %0, %1, %3 : index, memref<i8>, memref<?xf32>, memref<?xf32>
}

// -----

// One buffer returned twice can be provided once; the second result still has to be made.
// CHECK-LABEL: func.func @twice
// CHECK-SAME:    (%[[OUT:.*]]: memref<4xf32> {inplace.out_result = 0 : i64}) -> memref<4xf32>
func.func @twice() -> (memref<4xf32>, memref<4xf32>) {
  // CHECK: return %[[OUT]]
  %0 = memref.alloc() : memref<4xf32>
  return %0, %0 : memref<4xf32>, memref<4xf32>
}

// -----

// Works on top of a result that has already left.
// CHECK-LABEL: func.func @composed
// CHECK-SAME:    inplace.out_result = 2 : i64
// CHECK-SAME:    inplace.result_arguments = array<i64: 0, -1, 1>
func.func @composed(%a: memref<4xf32>) -> (f32, memref<4xf32>)
    attributes {inplace.result_arguments = array<i64: 0, -1, -1>} {
  %f = arith.constant 1.0 : f32
  %0 = memref.alloc() : memref<4xf32>
  return %f, %0 : f32, memref<4xf32>
}

// -----

// What the caller cannot compute from sizes: it depends on a number.
// SIZES-LABEL: func.func @dynamic_size
// SIZES-SAME:    -> memref<?xf32> {
// CHECK-LABEL: func.func @dynamic_size
// CHECK-SAME:    -> memref<?xf32> {
func.func @dynamic_size(%n: index) -> memref<?xf32> {
  %0 = memref.alloc(%n) : memref<?xf32>
  return %0 : memref<?xf32>
}

// -----

// CHECK-LABEL: func.func @a_view
// CHECK-SAME:    -> memref<2xf32
func.func @a_view() -> memref<2xf32, strided<[1], offset: 1>> {
  %0 = memref.alloc() : memref<4xf32>
  %1 = memref.subview %0[1] [2] [1] : memref<4xf32> to memref<2xf32, strided<[1], offset: 1>>
  return %1 : memref<2xf32, strided<[1], offset: 1>>
}

// -----

// CHECK-LABEL: func.func @different_buffers
// CHECK-SAME:    -> memref<4xf32> {
func.func @different_buffers(%c: i1) -> memref<4xf32> {
  %0 = memref.alloc() : memref<4xf32>
  cf.cond_br %c, ^one, ^two
^one:
  return %0 : memref<4xf32>
^two:
  %1 = memref.alloc() : memref<4xf32>
  return %1 : memref<4xf32>
}

// -----

// An allocation in another block might run more than once, or not at all.
// CHECK-LABEL: func.func @not_in_the_entry_block
// CHECK-SAME:    -> memref<4xf32> {
func.func @not_in_the_entry_block() -> memref<4xf32> {
  cf.br ^next
^next:
  %0 = memref.alloc() : memref<4xf32>
  return %0 : memref<4xf32>
}

// -----

// Its callers inside the module would have to be changed.
// CHECK-LABEL: func.func @called
// CHECK-SAME:    -> memref<4xf32> {
func.func @called() -> memref<4xf32> {
  %0 = memref.alloc() : memref<4xf32>
  return %0 : memref<4xf32>
}

// CHECK-LABEL: func.func @caller
// CHECK-SAME:    -> memref<4xf32> {
func.func @caller() -> memref<4xf32> {
  %0 = call @called() : () -> memref<4xf32>
  return %0 : memref<4xf32>
}

// -----

// CHECK-LABEL: func.func private @not_an_entry
// CHECK-SAME:    -> memref<4xf32> {
func.func private @not_an_entry() -> memref<4xf32> {
  %0 = memref.alloc() : memref<4xf32>
  return %0 : memref<4xf32>
}

// -----

// CHECK-LABEL: func.func @freed
// CHECK-SAME:    -> memref<4xf32> {
func.func @freed() -> memref<4xf32> {
  %0 = memref.alloc() : memref<4xf32>
  memref.dealloc %0 : memref<4xf32>
  return %0 : memref<4xf32>
}

// -----

// CHECK-LABEL: func.func @other_memory_space
// CHECK-SAME:    -> memref<4xf32, 3> {
func.func @other_memory_space() -> memref<4xf32, 3> {
  %0 = memref.alloc() : memref<4xf32, 3>
  return %0 : memref<4xf32, 3>
}

// -----

// A new tensor that goes up a chain of calls is allocated at its top, by the caller outside.
// CHECK-LABEL:   func.func private @bottom
// CHECK-SAME:      -> memref<4xf32> {
// CALLED-LABEL:  func.func private @bottom
// CALLED-SAME:     (%{{.*}}: f32, %[[OUT:.*]]: memref<4xf32> {bufferize.result, inplace.alignment = 64 : i64, inplace.out_result = 0 : i64})
// CALLED:          linalg.fill {{.*}} outs(%[[OUT]] : memref<4xf32>)
// CALLED-NEXT:     return
// CALLED-LABEL:  func.func private @middle
// CALLED-SAME:     (%[[F:.*]]: f32, %[[OUT:.*]]: memref<4xf32> {bufferize.result, inplace.alignment = 64 : i64, inplace.out_result = 0 : i64})
// CALLED-NEXT:     call @bottom(%[[F]], %[[OUT]]) : (f32, memref<4xf32>) -> ()
// CALLED-NEXT:     return
// CALLED-LABEL:  func.func @top
// CALLED-SAME:     (%[[F:.*]]: f32, %[[OUT:.*]]: memref<4xf32> {bufferize.result, inplace.alignment = 64 : i64, inplace.out_result = 1 : i64}) -> f32
// CALLED-NEXT:     call @middle(%[[F]], %[[OUT]]) : (f32, memref<4xf32>) -> ()
// CALLED-NEXT:     return %[[F]]
// PRIVATE-LABEL: func.func @top
// PRIVATE-SAME:    (%[[F:.*]]: f32) -> (f32, memref<4xf32>) {
// PRIVATE-NEXT:    %[[A:.*]] = memref.alloc() {alignment = 64 : i64} : memref<4xf32>
// PRIVATE-NEXT:    call @middle(%[[F]], %[[A]]) : (f32, memref<4xf32>) -> ()
// PRIVATE-NEXT:    return %[[F]], %[[A]]
func.func private @bottom(%f: f32) -> memref<4xf32> {
  %0 = memref.alloc() {alignment = 64 : i64} : memref<4xf32>
  linalg.fill ins(%f : f32) outs(%0 : memref<4xf32>)
  return %0 : memref<4xf32>
}

func.func private @middle(%f: f32) -> memref<4xf32> {
  %0 = call @bottom(%f) : (f32) -> memref<4xf32>
  return %0 : memref<4xf32>
}

func.func @top(%f: f32) -> (f32, memref<4xf32>) {
  %0 = call @middle(%f) : (f32) -> memref<4xf32>
  return %f, %0 : f32, memref<4xf32>
}

// -----

// Sizes that follow from the arguments are computed at the call.
// CALLED-LABEL: func.func private @sized
// CALLED-SAME:    %{{.*}}: memref<?x4xf32>, %{{.*}}: index, %[[OUT:.*]]: memref<?x?xf32> {bufferize.result, inplace.out_result = 0 : i64})
// CALLED-NOT:     memref.alloc
// CALLED:         return
// CALLED-LABEL: func.func @calls_sized
// CALLED-SAME:    %[[A:.*]]: memref<?x4xf32>, %[[N:.*]]: index)
// CALLED:         %[[D:.*]] = memref.dim %[[A]], %{{.*}}
// CALLED:         %[[S:.*]] = arith.addi %[[D]], %[[N]]
// CALLED:         %[[NEW:.*]] = memref.alloc(%[[S]], %[[N]]) : memref<?x?xf32>
// CALLED-NEXT:    call @sized(%[[A]], %[[N]], %[[NEW]]) : (memref<?x4xf32>, index, memref<?x?xf32>) -> ()
// CALLED-NEXT:    %[[C:.*]] = memref.cast %[[NEW]] : memref<?x?xf32> to memref<?x?xf32, strided<[?, ?], offset: ?>>
// CALLED-NEXT:    return %[[C]]
// COPY-LABEL:   func.func private @sized
// COPY-SAME:      %{{.*}}: memref<?x4xf32>, %{{.*}}: index) -> memref<?x?xf32, strided<[?, ?], offset: ?>>
func.func private @sized(%a: memref<?x4xf32>, %n: index) -> memref<?x?xf32, strided<[?, ?], offset: ?>> {
  %c0 = arith.constant 0 : index
  %d = memref.dim %a, %c0 : memref<?x4xf32>
  %s = arith.addi %d, %n : index
  %0 = memref.alloc(%s, %n) : memref<?x?xf32>
  %1 = memref.cast %0 : memref<?x?xf32> to memref<?x?xf32, strided<[?, ?], offset: ?>>
  return %1 : memref<?x?xf32, strided<[?, ?], offset: ?>>
}

func.func @calls_sized(%a: memref<?x4xf32>, %n: index) -> memref<?x?xf32, strided<[?, ?], offset: ?>> {
  %0 = call @sized(%a, %n) : (memref<?x4xf32>, index) -> memref<?x?xf32, strided<[?, ?], offset: ?>>
  return %0 : memref<?x?xf32, strided<[?, ?], offset: ?>>
}

// -----

// A size that only the callee knows.
// CALLED-LABEL: func.func private @loads_its_size
// CALLED-SAME:    (%{{.*}}: memref<index>) -> memref<?xf32> {
func.func private @loads_its_size(%a: memref<index>) -> memref<?xf32> {
  %n = memref.load %a[] : memref<index>
  %0 = memref.alloc(%n) : memref<?xf32>
  return %0 : memref<?xf32>
}

func.func @calls_it(%a: memref<index>) {
  %0 = call @loads_its_size(%a) : (memref<index>) -> memref<?xf32>
  return
}

// -----

// What is no allocation can be copied: an argument, a global, a view, the second result that is one buffer.
// CALLED-LABEL: func.func @others
// CALLED-SAME:    -> (memref<4xf32>, memref<4xf32>, memref<2xf32, strided<[1], offset: 1>>, memref<4xf32>) attributes
// COPY-LABEL:   func.func @others
// COPY-SAME:      (%[[A:.*]]: memref<4xf32>,
// COPY-SAME:      %[[O0:.*]]: memref<4xf32> {inplace.out_result = 0 : i64}, %[[O1:.*]]: memref<4xf32> {inplace.out_result = 1 : i64},
// COPY-SAME:      %[[O3:.*]]: memref<4xf32> {inplace.out_result = 3 : i64}, %[[O4:.*]]: memref<4xf32> {inplace.out_result = 4 : i64})
// COPY-SAME:      -> memref<2xf32, strided<[1], offset: 1>> attributes {inplace.result_arguments = array<i64: 1, 2, -1, 3, 4>} {
// COPY:           %[[G:.*]] = memref.get_global @g
// COPY:           memref.copy %[[A]], %[[O0]]
// COPY-NEXT:      memref.copy %[[G]], %[[O1]]
// COPY-NEXT:      memref.copy %[[O3]], %[[O4]]
// COPY-NEXT:      return
memref.global "private" constant @g : memref<4xf32> = dense<1.0>

func.func @others(%a: memref<4xf32>)
    -> (memref<4xf32>, memref<4xf32>, memref<2xf32, strided<[1], offset: 1>>, memref<4xf32>, memref<4xf32>) {
  %0 = memref.get_global @g : memref<4xf32>
  %1 = memref.subview %a[1] [2] [1] : memref<4xf32> to memref<2xf32, strided<[1], offset: 1>>
  %2 = memref.alloc() : memref<4xf32>
  return %a, %0, %1, %2, %2
    : memref<4xf32>, memref<4xf32>, memref<2xf32, strided<[1], offset: 1>>, memref<4xf32>, memref<4xf32>
}

// -----

// Each call of a recursive function gets a buffer of its own.
// CALLED-LABEL: func.func private @deep
// CALLED-SAME:    (%{{.*}}: i1, %[[OUT:.*]]: memref<4xf32> {bufferize.result, inplace.out_result = 0 : i64})
// CALLED:         scf.if
// CALLED-NEXT:      %[[A:.*]] = memref.alloc() : memref<4xf32>
// CALLED-NEXT:      func.call @deep(%{{.*}}, %[[A]]) : (i1, memref<4xf32>) -> ()
// CALLED-NEXT:      memref.copy %[[A]], %[[OUT]]
func.func private @deep(%p: i1) -> memref<4xf32> {
  %0 = memref.alloc() : memref<4xf32>
  scf.if %p {
    %1 = func.call @deep(%p) : (i1) -> memref<4xf32>
    memref.copy %1, %0 : memref<4xf32> to memref<4xf32>
  }
  return %0 : memref<4xf32>
}

// -----

// A layout that is no strides and an offset can be cast to no other type.
// CHECK-LABEL: func.func @another_layout
//  CHECK-SAME:   -> memref<4xf32, #map>
//       CHECK:   return %{{.*}} : memref<4xf32, #map>
func.func @another_layout() -> memref<4xf32, affine_map<(d0) -> (d0 mod 2)>> {
  %0 = memref.alloc() : memref<4xf32, affine_map<(d0) -> (d0 mod 2)>>
  return %0 : memref<4xf32, affine_map<(d0) -> (d0 mod 2)>>
}

// -----

// Sizes that follow from those of arguments: a sum less 1, of at least 0, and one of an argument itself.
// SIZES-LABEL: func.func @sizes_of_arguments
// SIZES-SAME:    inplace.out_result = 0 : i64, inplace.out_sizes = ["0 1 a1.0 a0.1 addi subi maxsi", "a0.0"]
//   SIZES-NOT:   memref.alloc
//       SIZES:   return
// CHECK-LABEL: func.func @sizes_of_arguments
//       CHECK:   memref.alloc
func.func @sizes_of_arguments(%a: memref<?x?xf32>, %b: memref<?xf32>) -> memref<?x4x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.dim %a, %c0 : memref<?x?xf32>
  %n = memref.dim %a, %c1 : memref<?x?xf32>
  %k = memref.dim %b, %c0 : memref<?xf32>
  %sum = arith.addi %n, %k : index
  %less = arith.subi %sum, %c1 : index
  %size = arith.maxsi %less, %c0 : index
  %0 = memref.alloc(%size, %m) : memref<?x4x?xf32>
  return %0 : memref<?x4x?xf32>
}

// -----

// Not what memory holds, nor a quotient, which may fail; and not where one of two sizes is such.
// SIZES-LABEL: func.func @other_sizes
//       SIZES:   memref.alloc
//       SIZES:   memref.alloc
//       SIZES:   return
func.func @other_sizes(%a: memref<?xf32>, %p: memref<index>) -> (memref<?x?xf32>, memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %a, %c0 : memref<?xf32>
  %m = memref.load %p[] : memref<index>
  %q = arith.divsi %n, %n : index
  %0 = memref.alloc(%n, %m) : memref<?x?xf32>
  %1 = memref.alloc(%q) : memref<?xf32>
  return %0, %1 : memref<?x?xf32>, memref<?xf32>
}
