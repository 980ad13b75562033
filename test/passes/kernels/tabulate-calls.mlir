// RUN: inplace-opt %s --split-input-file --inplace-tabulate-calls='fewest=4 of-kind=1' | filecheck %s

// Each row: the kind of a step, then places in the frame, numbers and bytes. What is allocated has two places, which
// the next allocation takes over: the address of the elements, and the one to be freed. So has %a, which is used and not
// freed, one, and %b, which is freed and not used, the other one.
// CHECK: memref.global "private" constant @inplace_steps : memref<8x6xi32> = dense<[
// CHECK-SAME: [0, 0, 128, 0, 0, 0], [1, 0, 2, 0, 0, 0], [2, 0, 0, 2, 64, 64], [3, 1, 0, 0, 0, 0],
// CHECK-SAME: [0, 0, 64, 0, 0, 0], [4, 0, 7, 0, 0, 0], [3, 3, 0, 0, 0, 0], [3, 1, 0, 0, 0, 0]]>
// CHECK: func.func @steps(%[[A:.*]]: memref<32xf32>, %[[B:.*]]: memref<8xf32>, %[[S:.*]]: f32)
// CHECK: %[[FRAME:.*]] = memref.alloca() : memref<4xi64>
// CHECK-NOT: memref.alloc()
// CHECK: memref.subview %[[A]][16]
// CHECK: %[[INDEX:.*]] = memref.extract_aligned_pointer_as_index %[[A]]
// CHECK-NEXT: %[[PA:.*]] = arith.index_cast %[[INDEX]] : index to i64
// CHECK-NEXT: %[[C2:.*]] = arith.constant 2 : index
// CHECK-NEXT: memref.store %[[PA]], %[[FRAME]][%[[C2]]]
// CHECK: %[[DESCRIPTOR:.*]] = builtin.unrealized_conversion_cast %[[B]]
// CHECK-NEXT: %[[POINTER:.*]] = llvm.extractvalue %[[DESCRIPTOR]][0]
// CHECK-NEXT: %[[PB:.*]] = llvm.ptrtoint %[[POINTER]]
// CHECK-NEXT: %[[C3:.*]] = arith.constant 3 : index
// CHECK-NEXT: memref.store %[[PB]], %[[FRAME]][%[[C3]]]
// CHECK: %[[TABLE:.*]] = memref.get_global @inplace_steps
// CHECK: %[[C8:.*]] = arith.constant 8 : index
// CHECK: scf.for %[[I:.*]] = %{{.*}} to %[[C8]]
// CHECK: %[[WORD:.*]] = memref.load %[[TABLE]][%[[I]], %{{.*}}]
// CHECK-NEXT: %[[KIND:.*]] = arith.index_cast %[[WORD]] : i32 to index
// CHECK-NEXT: scf.index_switch %[[KIND]]
// CHECK-NEXT: case 0
// CHECK: memref.alloc(%{{.*}}) {alignment = 64 : i64} : memref<?xi8>
// CHECK: case 1
// CHECK: func.call @two(%{{.*}}, %{{.*}}, %[[S]]) : (!llvm.ptr, !llvm.ptr, f32) -> ()
// CHECK: case 2
// CHECK: memref.copy %{{.*}}, %{{.*}} : memref<?xi8> to memref<?xi8>
// CHECK: case 3
// CHECK: memref.dealloc %{{.*}} : memref<?xi8>
// CHECK: case 4
// CHECK: func.call @number(%{{.*}}, %{{.*}}) : (!llvm.ptr, i64) -> ()
// CHECK: default
// CHECK-NOT: call
// CHECK: return
func.func private @two(!llvm.ptr, !llvm.ptr, f32)
func.func private @number(!llvm.ptr, i64)
func.func @steps(%a: memref<32xf32>, %b: memref<8xf32>, %s: f32) {
  %i = memref.extract_aligned_pointer_as_index %a : memref<32xf32> -> index
  %j = arith.index_cast %i : index to i64
  %pa = llvm.inttoptr %j : i64 to !llvm.ptr
  %x = memref.alloc() {alignment = 64 : i64} : memref<32xf32>
  %k = memref.extract_aligned_pointer_as_index %x : memref<32xf32> -> index
  %l = arith.index_cast %k : index to i64
  %px = llvm.inttoptr %l : i64 to !llvm.ptr
  call @two(%px, %pa, %s) : (!llvm.ptr, !llvm.ptr, f32) -> ()
  %from = memref.subview %x[0] [16] [1] : memref<32xf32> to memref<16xf32, strided<[1]>>
  %to = memref.subview %a[16] [16] [1] : memref<32xf32> to memref<16xf32, strided<[1], offset: 16>>
  memref.copy %from, %to : memref<16xf32, strided<[1]>> to memref<16xf32, strided<[1], offset: 16>>
  memref.dealloc %x : memref<32xf32>
  %y = memref.alloc() {alignment = 64 : i64} : memref<8x8xi8>
  %m = memref.extract_aligned_pointer_as_index %y : memref<8x8xi8> -> index
  %n = arith.index_cast %m : index to i64
  %py = llvm.inttoptr %n : i64 to !llvm.ptr
  %seven = llvm.mlir.constant(7 : i64) : i64
  call @number(%py, %seven) : (!llvm.ptr, i64) -> ()
  memref.dealloc %b : memref<8xf32>
  memref.dealloc %y : memref<8x8xi8>
  return
}

// -----

// A loop between two runs. The second frees what the first allocates; what is returned has the memory that it had.
// CHECK: func.func @two_runs
// CHECK-SAME: attributes {other}
// CHECK: scf.for
// CHECK: memref.alloc(
// CHECK: %[[ELEMENTS:.*]] = llvm.inttoptr %{{.*}} : i64 to !llvm.ptr
// CHECK-NEXT: %[[FREED:.*]] = llvm.inttoptr %{{.*}} : i64 to !llvm.ptr
// CHECK: %[[V:.*]] = llvm.insertvalue %[[FREED]], %{{.*}}[0]
// CHECK-NEXT: llvm.insertvalue %[[ELEMENTS]], %[[V]][1]
// CHECK: %[[X:.*]] = builtin.unrealized_conversion_cast %{{.*}} to memref<4xf32>
// CHECK: %[[Y:.*]] = builtin.unrealized_conversion_cast %{{.*}} to memref<4xf32>
// CHECK: memref.store %{{.*}}, %[[X]]
// CHECK: builtin.unrealized_conversion_cast %[[X]] : memref<4xf32> to
// CHECK: scf.for
// CHECK: memref.dealloc
// CHECK: return %[[Y]] : memref<4xf32>
func.func private @none()
func.func @two_runs(%i: index, %s: f32) -> memref<4xf32> attributes {llvm.optimize_none, llvm.no_inline, other} {
  call @none() : () -> ()
  %x = memref.alloc() : memref<4xf32>
  %y = memref.alloc() : memref<4xf32>
  call @none() : () -> ()
  memref.store %s, %x[%i] : memref<4xf32>
  call @none() : () -> ()
  memref.copy %x, %y : memref<4xf32> to memref<4xf32>
  memref.dealloc %x : memref<4xf32>
  call @none() : () -> ()
  return %y : memref<4xf32>
}

// -----

// Views of an arena are buffers of their own, one for each offset; the run begins behind them, and frees the arena. An
// address in it is not the arena's.
// CHECK: memref.global "private" constant @inplace_steps : memref<5x{{[0-9]+}}xi32> = dense<[
// CHECK-SAME: [0, 0, 1{{(, 0)*}}], [0, 1, 0{{(, 0)*}}], [1, 0, 32, 1, 0, 32], [0, 0, 2{{(, 0)*}}], [2, 3{{(, 0)*}}]]>
// CHECK: func.func @arena
// CHECK: call @two
// CHECK: %[[ARENA:.*]] = memref.alloc() {alignment = 64 : i64} : memref<128xi8>
// CHECK: %[[X:.*]] = memref.view %[[ARENA]][%c0][]
// CHECK: %[[Y:.*]] = memref.view %[[ARENA]][%c64][]
// CHECK: memref.extract_aligned_pointer_as_index %[[X]] : memref<16xf32>
// CHECK: memref.extract_aligned_pointer_as_index %[[Y]] : memref<16xf32>
// CHECK: memref.extract_aligned_pointer_as_index %[[ARENA]] : memref<128xi8>
// CHECK: builtin.unrealized_conversion_cast %[[ARENA]]
// CHECK: scf.for
func.func private @two(!llvm.ptr, !llvm.ptr)
func.func @arena(%p: !llvm.ptr) {
  call @two(%p, %p) : (!llvm.ptr, !llvm.ptr) -> ()
  %arena = memref.alloc() {alignment = 64 : i64} : memref<128xi8>
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %x = memref.view %arena[%c0][] : memref<128xi8> to memref<16xf32>
  %y = memref.view %arena[%c64][] : memref<128xi8> to memref<16xf32>
  %z = memref.view %arena[%c0][] : memref<128xi8> to memref<8xf64>
  %i = memref.extract_aligned_pointer_as_index %x : memref<16xf32> -> index
  %j = memref.extract_aligned_pointer_as_index %y : memref<16xf32> -> index
  %k = memref.extract_aligned_pointer_as_index %z : memref<8xf64> -> index
  %l = memref.extract_aligned_pointer_as_index %arena : memref<128xi8> -> index
  %wi = arith.index_cast %i : index to i64
  %wj = arith.index_cast %j : index to i64
  %wk = arith.index_cast %k : index to i64
  %wl = arith.index_cast %l : index to i64
  %px = llvm.inttoptr %wi : i64 to !llvm.ptr
  %py = llvm.inttoptr %wj : i64 to !llvm.ptr
  %pz = llvm.inttoptr %wk : i64 to !llvm.ptr
  %pl = llvm.inttoptr %wl : i64 to !llvm.ptr
  call @two(%px, %py) : (!llvm.ptr, !llvm.ptr) -> ()
  call @two(%py, %pz) : (!llvm.ptr, !llvm.ptr) -> ()
  %to = memref.subview %y[0] [8] [1] : memref<16xf32> to memref<8xf32, strided<[1]>>
  %half = memref.subview %x[8] [8] [1] : memref<16xf32> to memref<8xf32, strided<[1], offset: 8>>
  memref.copy %half, %to : memref<8xf32, strided<[1], offset: 8>> to memref<8xf32, strided<[1]>>
  call @two(%px, %pl) : (!llvm.ptr, !llvm.ptr) -> ()
  memref.dealloc %arena : memref<128xi8>
  return
}

// -----

// No runs: three steps; a call whose result is used; buffers of sizes that are not known, or of vectors, which have
// alignments of their own; copies between rows that are apart; an address that is used when it was freed; another
// memory.
// CHECK-NOT: scf.for
func.func private @none()
func.func private @given(memref<4xf32>)
func.func private @number() -> f32
func.func @three() {
  call @none() : () -> ()
  call @none() : () -> ()
  call @none() : () -> ()
  return
}
func.func @results() {
  call @none() : () -> ()
  call @none() : () -> ()
  %x = call @number() : () -> f32
  call @none() : () -> ()
  call @none() : () -> ()
  return
}
func.func @allocations(%n: index) {
  call @none() : () -> ()
  call @none() : () -> ()
  call @none() : () -> ()
  %a = memref.alloc(%n) : memref<?xf32>
  call @none() : () -> ()
  call @none() : () -> ()
  call @none() : () -> ()
  %b = memref.alloc() : memref<4xvector<4xf32>>
  call @none() : () -> ()
  call @none() : () -> ()
  %c = memref.alloc() : memref<4xf32>
  call @given(%c) : (memref<4xf32>) -> ()
  call @none() : () -> ()
  call @none() : () -> ()
  return
}
func.func @copies(%a: memref<2x4xf32>, %b: memref<4x2xf32, strided<[4, 1]>>, %c: memref<4x2xf32, strided<[2, 1]>>) {
  memref.copy %a, %a : memref<2x4xf32> to memref<2x4xf32>
  memref.copy %a, %a : memref<2x4xf32> to memref<2x4xf32>
  memref.copy %b, %c : memref<4x2xf32, strided<[4, 1]>> to memref<4x2xf32, strided<[2, 1]>>
  memref.copy %a, %a : memref<2x4xf32> to memref<2x4xf32>
  memref.copy %a, %a : memref<2x4xf32> to memref<2x4xf32>
  return
}
func.func @freed() -> index {
  %a = memref.alloc() : memref<4xf32>
  memref.dealloc %a : memref<4xf32>
  %b = memref.alloc() : memref<4xf32>
  memref.dealloc %b : memref<4xf32>
  %i = memref.extract_aligned_pointer_as_index %a : memref<4xf32> -> index
  return %i : index
}
func.func @elsewhere(%a: memref<4xf32, 1>) {
  memref.dealloc %a : memref<4xf32, 1>
  memref.dealloc %a : memref<4xf32, 1>
  memref.dealloc %a : memref<4xf32, 1>
  memref.dealloc %a : memref<4xf32, 1>
  return
}
