// RUN: inplace-opt %s --inplace-keep-loops=vectors=2 --split-input-file | filecheck %s
// RUN: inplace-opt %s --inplace-keep-loops --split-input-file | filecheck %s --check-prefix=DEFAULT

// A loop of two vectors, and the loop around it; the branch to the first iteration ends none.
// CHECK: #loop_unroll = #llvm.loop_unroll<disable = true>
// CHECK: #loop_annotation = #llvm.loop_annotation<unroll = #loop_unroll>
// CHECK-LABEL: llvm.func @nest
//       CHECK:   llvm.br ^[[OUTER:bb[0-9]+]](%{{.*}} : i64){{$}}
//       CHECK:   llvm.br ^[[INNER:bb[0-9]+]](%{{.*}} : i64) {loop_annotation = #loop_annotation}
//       CHECK:   llvm.br ^[[OUTER]](%{{.*}} : i64) {loop_annotation = #loop_annotation}
// DEFAULT-LABEL: llvm.func @nest
//   DEFAULT-NOT:   llvm.br{{.*}}loop_annotation
// DEFAULT-LABEL: llvm.func @scalars
llvm.func @nest(%p: !llvm.ptr, %n: i64) {
  %c0 = llvm.mlir.constant(0 : i64) : i64
  %c1 = llvm.mlir.constant(1 : i64) : i64
  llvm.br ^outer(%c0 : i64)
^outer(%i: i64):
  %a = llvm.icmp "slt" %i, %n : i64
  llvm.cond_br %a, ^inner(%c0 : i64), ^end
^inner(%j: i64):
  %b = llvm.icmp "slt" %j, %n : i64
  llvm.cond_br %b, ^body, ^next
^body:
  %v = llvm.load %p : !llvm.ptr -> vector<4xf32>
  llvm.store %v, %p : vector<4xf32>, !llvm.ptr
  %k = llvm.add %j, %c1 : i64
  llvm.br ^inner(%k : i64)
^next:
  %l = llvm.add %i, %c1 : i64
  llvm.br ^outer(%l : i64)
^end:
  llvm.return
}

// -----

// Neither a loop of scalars nor the loop around it: LLVM vectorizes the one, and then may unroll the other.
// CHECK-LABEL: llvm.func @scalars
//   CHECK-NOT:   llvm.br{{.*}}loop_annotation
llvm.func @scalars(%p: !llvm.ptr, %n: i64) {
  %c0 = llvm.mlir.constant(0 : i64) : i64
  %c1 = llvm.mlir.constant(1 : i64) : i64
  llvm.br ^outer(%c0 : i64)
^outer(%i: i64):
  %a = llvm.icmp "slt" %i, %n : i64
  llvm.cond_br %a, ^inner(%c0 : i64), ^end
^inner(%j: i64):
  %b = llvm.icmp "slt" %j, %n : i64
  llvm.cond_br %b, ^body, ^next
^body:
  %v = llvm.load %p : !llvm.ptr -> f32
  llvm.store %v, %p : f32, !llvm.ptr
  %k = llvm.add %j, %c1 : i64
  llvm.br ^inner(%k : i64)
^next:
  %l = llvm.add %i, %c1 : i64
  llvm.br ^outer(%l : i64)
^end:
  llvm.return
}

// -----

// The second loop is behind the first one, not around it.
// CHECK: #loop_unroll = #llvm.loop_unroll<disable = true>
// CHECK: #loop_annotation = #llvm.loop_annotation<unroll = #loop_unroll>
// CHECK-LABEL: llvm.func @one_behind_the_other
//       CHECK:   llvm.br ^[[FIRST:bb[0-9]+]](%{{.*}} : i64){{$}}
//       CHECK:   llvm.br ^[[FIRST]](%{{.*}} : i64) {loop_annotation = #loop_annotation}
//   CHECK-NOT:   llvm.br{{.*}}loop_annotation
llvm.func @one_behind_the_other(%p: !llvm.ptr, %n: i64) {
  %c0 = llvm.mlir.constant(0 : i64) : i64
  %c1 = llvm.mlir.constant(1 : i64) : i64
  llvm.br ^first(%c0 : i64)
^first(%i: i64):
  %a = llvm.icmp "slt" %i, %n : i64
  llvm.cond_br %a, ^vectors, ^second(%c0 : i64)
^vectors:
  %v = llvm.load %p : !llvm.ptr -> vector<4xf32>
  %w = llvm.fadd %v, %v : vector<4xf32>
  llvm.store %w, %p : vector<4xf32>, !llvm.ptr
  %k = llvm.add %i, %c1 : i64
  llvm.br ^first(%k : i64)
^second(%j: i64):
  %b = llvm.icmp "slt" %j, %n : i64
  llvm.cond_br %b, ^scalars, ^end
^scalars:
  %x = llvm.load %p : !llvm.ptr -> f32
  llvm.store %x, %p : f32, !llvm.ptr
  %l = llvm.add %j, %c1 : i64
  llvm.br ^second(%l : i64)
^end:
  llvm.return
}

// -----

// An annotation that is there stays; a declaration, a function of one block and a loop in one block are no problem.
// CHECK: #loop_annotation = #llvm.loop_annotation<mustProgress = true>
// CHECK: #loop_annotation1 = #llvm.loop_annotation<unroll = #loop_unroll>
// CHECK-LABEL: llvm.func @declared()
// CHECK-LABEL: llvm.func @one_block
// CHECK-LABEL: llvm.func @annotated
//       CHECK:   llvm.br ^{{.*}} {loop_annotation = #loop_annotation}
//       CHECK:   llvm.br ^{{.*}} {loop_annotation = #loop_annotation1}
llvm.func @declared()
llvm.func @one_block() {
  llvm.return
}
llvm.func @annotated(%p: !llvm.ptr, %c: i1) {
  llvm.br ^loop
^loop:
  %v = llvm.load %p : !llvm.ptr -> vector<4xf32>
  llvm.store %v, %p : vector<4xf32>, !llvm.ptr
  llvm.cond_br %c, ^again, ^end
^again:
  %w = llvm.load %p : !llvm.ptr -> vector<4xf32>
  llvm.store %w, %p : vector<4xf32>, !llvm.ptr
  llvm.br ^loop {loop_annotation = #llvm.loop_annotation<mustProgress = true>}
^end:
  llvm.br ^forever
^forever:
  %u = llvm.load %p : !llvm.ptr -> vector<4xf32>
  llvm.store %u, %p : vector<4xf32>, !llvm.ptr
  llvm.br ^forever
}

// -----

// A loop that carries a vector: eight of `vectors=2`, more than eight iterations.
// CHECK-LABEL: llvm.func @carried
//       CHECK:   llvm.br ^{{.*}} {loop_annotation = #loop_annotation}
llvm.func @carried(%p: !llvm.ptr, %z: vector<4xf32>) -> vector<4xf32> {
  %c0 = llvm.mlir.constant(0 : i64) : i64
  %c1 = llvm.mlir.constant(1 : i64) : i64
  %n = llvm.mlir.constant(9 : i64) : i64
  llvm.br ^loop(%c0, %z : i64, vector<4xf32>)
^loop(%i: i64, %s: vector<4xf32>):
  %a = llvm.icmp "slt" %i, %n : i64
  llvm.cond_br %a, ^body, ^end
^body:
  %v = llvm.load %p : !llvm.ptr -> vector<4xf32>
  %0 = llvm.fadd %v, %s : vector<4xf32>
  %1 = llvm.fadd %v, %0 : vector<4xf32>
  %2 = llvm.fadd %v, %1 : vector<4xf32>
  %3 = llvm.fadd %v, %2 : vector<4xf32>
  %4 = llvm.fadd %v, %3 : vector<4xf32>
  %5 = llvm.fadd %v, %4 : vector<4xf32>
  %6 = llvm.fadd %v, %5 : vector<4xf32>
  %k = llvm.add %i, %c1 : i64
  llvm.br ^loop(%k, %6 : i64, vector<4xf32>)
^end:
  llvm.return %s : vector<4xf32>
}

// -----

// Eight iterations: LLVM unrolls them wholly.
// CHECK-LABEL: llvm.func @few_iterations
//   CHECK-NOT:   llvm.br{{.*}}loop_annotation
llvm.func @few_iterations(%p: !llvm.ptr, %z: vector<4xf32>) -> vector<4xf32> {
  %c0 = llvm.mlir.constant(0 : i64) : i64
  %c2 = llvm.mlir.constant(2 : i64) : i64
  %n = llvm.mlir.constant(16 : i64) : i64
  llvm.br ^loop(%c0, %z : i64, vector<4xf32>)
^loop(%i: i64, %s: vector<4xf32>):
  %a = llvm.icmp "slt" %i, %n : i64
  llvm.cond_br %a, ^body, ^end
^body:
  %v = llvm.load %p : !llvm.ptr -> vector<4xf32>
  %0 = llvm.fadd %v, %s : vector<4xf32>
  %1 = llvm.fadd %v, %0 : vector<4xf32>
  %2 = llvm.fadd %v, %1 : vector<4xf32>
  %3 = llvm.fadd %v, %2 : vector<4xf32>
  %4 = llvm.fadd %v, %3 : vector<4xf32>
  %5 = llvm.fadd %v, %4 : vector<4xf32>
  %6 = llvm.fadd %v, %5 : vector<4xf32>
  %k = llvm.add %i, %c2 : i64
  llvm.br ^loop(%k, %6 : i64, vector<4xf32>)
^end:
  llvm.return %s : vector<4xf32>
}

// -----

// Seven vectors, carried.
// CHECK-LABEL: llvm.func @few_carried
//   CHECK-NOT:   llvm.br{{.*}}loop_annotation
llvm.func @few_carried(%p: !llvm.ptr, %z: vector<4xf32>, %n: i64) -> vector<4xf32> {
  %c0 = llvm.mlir.constant(0 : i64) : i64
  %c1 = llvm.mlir.constant(1 : i64) : i64
  llvm.br ^loop(%c0, %z : i64, vector<4xf32>)
^loop(%i: i64, %s: vector<4xf32>):
  %a = llvm.icmp "slt" %i, %n : i64
  llvm.cond_br %a, ^body, ^end
^body:
  %v = llvm.load %p : !llvm.ptr -> vector<4xf32>
  %0 = llvm.fadd %v, %s : vector<4xf32>
  %1 = llvm.fadd %v, %0 : vector<4xf32>
  %2 = llvm.fadd %v, %1 : vector<4xf32>
  %3 = llvm.fadd %v, %2 : vector<4xf32>
  %4 = llvm.fadd %v, %3 : vector<4xf32>
  %5 = llvm.fadd %v, %4 : vector<4xf32>
  %k = llvm.add %i, %c1 : i64
  llvm.br ^loop(%k, %5 : i64, vector<4xf32>)
^end:
  llvm.return %s : vector<4xf32>
}

// -----

// A loop without a condition, which carries a vector: it ends nowhere, so nothing tells how often it runs.
// CHECK-LABEL: llvm.func @endless
//   CHECK-NOT:   llvm.br{{.*}}loop_annotation
llvm.func @endless(%p: !llvm.ptr, %z: vector<4xf32>) {
  llvm.br ^head(%z : vector<4xf32>)
^head(%s: vector<4xf32>):
  llvm.br ^body
^body:
  llvm.store %s, %p : vector<4xf32>, !llvm.ptr
  llvm.br ^head(%s : vector<4xf32>)
}
