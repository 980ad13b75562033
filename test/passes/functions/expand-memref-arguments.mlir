// RUN: inplace-opt %s --inplace-expand-memref-arguments='least=2' | filecheck %s
// RUN: inplace-opt %s --inplace-expand-memref-arguments | filecheck %s --check-prefix=FEW

// A function of a few memrefs keeps them.
// FEW-LABEL: func.func private @words(
// FEW-SAME:    memref<2x3xf32> {llvm.noalias}, %{{.*}}: index {llvm.noundef}, %{{.*}}: memref<f32>)

// The words of each memref in the order of the descriptor; other arguments stay, with their attributes.
// CHECK-LABEL: func.func private @words(
// CHECK-SAME:    %[[P:[a-z0-9]+]]: !llvm.ptr, %[[Q:[a-z0-9]+]]: !llvm.ptr, %[[O:[a-z0-9]+]]: i64,
// CHECK-SAME:    %[[S0:[a-z0-9]+]]: i64, %[[S1:[a-z0-9]+]]: i64, %[[T0:[a-z0-9]+]]: i64, %[[T1:[a-z0-9]+]]: i64,
// CHECK-SAME:    %[[I:[a-z0-9]+]]: index {llvm.noundef},
// CHECK-SAME:    %[[P1:[a-z0-9]+]]: !llvm.ptr, %[[Q1:[a-z0-9]+]]: !llvm.ptr, %[[O1:[a-z0-9]+]]: i64) -> f32 {
// CHECK:         llvm.insertvalue %[[P]], %{{.*}}[0]
// CHECK-NEXT:    llvm.insertvalue %[[Q]], %{{.*}}[1]
// CHECK-NEXT:    llvm.insertvalue %[[O]], %{{.*}}[2]
// CHECK-NEXT:    llvm.insertvalue %[[S0]], %{{.*}}[3, 0]
// CHECK-NEXT:    llvm.insertvalue %[[S1]], %{{.*}}[3, 1]
// CHECK-NEXT:    llvm.insertvalue %[[T0]], %{{.*}}[4, 0]
// CHECK-NEXT:    %[[D:.*]] = llvm.insertvalue %[[T1]], %{{.*}}[4, 1]
// CHECK-NEXT:    %[[M:.*]] = builtin.unrealized_conversion_cast %[[D]] : {{.*}} to memref<2x3xf32>
// CHECK:         %[[N:.*]] = builtin.unrealized_conversion_cast %{{.*}} : !llvm.struct<(ptr, ptr, i64)> to memref<f32>
// CHECK:         memref.load %[[M]][%[[I]], %[[I]]]
// CHECK-NEXT:    memref.store %{{.*}}, %[[N]][]
func.func private @words(%m: memref<2x3xf32> {llvm.noalias}, %i: index {llvm.noundef}, %n: memref<f32>) -> f32 {
  %x = memref.load %m[%i, %i] : memref<2x3xf32>
  memref.store %x, %n[] : memref<f32>
  return %x : f32
}

// Calls pass words, also from a function that keeps its one memref, and of itself.
// CHECK-LABEL: func.func @caller(
// CHECK-SAME:    %[[A:.*]]: memref<2x3xf32>, %[[I:.*]]: index)
// CHECK:         %[[D:.*]] = builtin.unrealized_conversion_cast %[[A]] : memref<2x3xf32> to !llvm.struct
// CHECK-NEXT:    %[[P:.*]] = llvm.extractvalue %[[D]][0]
// CHECK-NEXT:    %[[Q:.*]] = llvm.extractvalue %[[D]][1]
// CHECK-NEXT:    %[[O:.*]] = llvm.extractvalue %[[D]][2]
// CHECK-NEXT:    %[[S0:.*]] = llvm.extractvalue %[[D]][3, 0]
// CHECK-NEXT:    %[[S1:.*]] = llvm.extractvalue %[[D]][3, 1]
// CHECK-NEXT:    %[[T0:.*]] = llvm.extractvalue %[[D]][4, 0]
// CHECK-NEXT:    %[[T1:.*]] = llvm.extractvalue %[[D]][4, 1]
// CHECK:         call @words(%[[P]], %[[Q]], %[[O]], %[[S0]], %[[S1]], %[[T0]], %[[T1]], %[[I]],
func.func @caller(%a: memref<2x3xf32>, %i: index) -> f32 {
  %b = memref.alloc() : memref<f32>
  %x = call @words(%a, %i, %b) : (memref<2x3xf32>, index, memref<f32>) -> f32
  return %x : f32
}

// Several blocks; the argument that is not used is not put together.
// CHECK-LABEL: func.func @blocks(
// CHECK-COUNT-1: builtin.unrealized_conversion_cast
// CHECK-NOT:     builtin.unrealized_conversion_cast
// CHECK:         cf.cond_br %{{.*}}, ^bb1, ^bb2
// CHECK:       ^bb1:
// CHECK:       ^bb2:
func.func @blocks(%m: memref<4xf32>, %unused: memref<4xf32>, %p: i1, %f: f32, %i: index) {
  cf.cond_br %p, ^store, ^end
^store:
  memref.store %f, %m[%i] : memref<4xf32>
  cf.br ^end
^end:
  return
}

// Who calls it is not known: the type stays.
// CHECK-LABEL: func.func private @named(
// CHECK-SAME:    memref<4xf32>, %{{.*}}: memref<4xf32>)
func.func private @named(%m: memref<4xf32>, %n: memref<4xf32>) {
  return
}

func.func @names() {
  %f = func.constant @named : (memref<4xf32>, memref<4xf32>) -> ()
  return
}

// Other conventions, unranked memrefs, and memory spaces.
// CHECK-LABEL: func.func @interface(
// CHECK-SAME:    memref<4xf32>, %{{.*}}: memref<4xf32>)
func.func @interface(%m: memref<4xf32>, %n: memref<4xf32>) attributes {llvm.emit_c_interface} {
  return
}

// CHECK-LABEL: func.func @others(
// CHECK-SAME:    memref<*xf32>, %{{.*}}: memref<4xf32, 1>, %{{.*}}: memref<4xf32>)
func.func @others(%m: memref<*xf32>, %n: memref<4xf32, 1>, %o: memref<4xf32>) {
  return
}

// CHECK-LABEL: func.func private @declared(memref<4xf32>, memref<4xf32>)
func.func private @declared(memref<4xf32>, memref<4xf32>)
