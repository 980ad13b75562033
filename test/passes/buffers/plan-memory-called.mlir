// RUN: inplace-opt %s --inplace-plan-memory='called-functions largest=512' | filecheck %s
// RUN: inplace-opt %s --inplace-plan-memory='called-functions largest=127' | filecheck %s --check-prefix=SMALL

// Its calls bring its arena, which is as large as two buffers; for the limit of the second run that is too much.
// CHECK: func.func private @pair(%{{.*}}: memref<16xf32>, %[[A:.*]]: memref<128xi8> {inplace.arena = 64 : i64}) {
// CHECK-COUNT-2: memref.view %[[A]]
// CHECK-NOT: memref.{{alloc|dealloc}}
// CHECK: return
// SMALL: func.func private @pair(%{{.*}}: memref<16xf32>) {
// SMALL: memref.alloc() {alignment = 64 : i64} : memref<128xi8>
func.func private @pair(%a: memref<16xf32>) {
  %0 = memref.alloc() : memref<16xf32>
  %1 = memref.alloc() : memref<16xf32>
  linalg.exp ins(%a : memref<16xf32>) outs(%0 : memref<16xf32>)
  linalg.exp ins(%0 : memref<16xf32>) outs(%1 : memref<16xf32>)
  memref.copy %1, %a : memref<16xf32> to memref<16xf32>
  memref.dealloc %0 : memref<16xf32>
  memref.dealloc %1 : memref<16xf32>
  return
}

// One buffer is enough here. What its call of @pair brings lies behind that; their lives meet.
// CHECK: func.func private @caller(%[[X:.*]]: memref<16xf32>, %[[A:.*]]: memref<192xi8> {inplace.arena = 64 : i64})
// CHECK: %[[OWN:.*]] = memref.view %[[A]][%c0][] : memref<192xi8> to memref<16xf32>
// CHECK: %[[BROUGHT:.*]] = memref.view %[[A]][%c64][] : memref<192xi8> to memref<128xi8>
// CHECK: call @pair(%[[X]], %[[BROUGHT]])
// CHECK: return
// SMALL: func.func private @caller(%{{.*}}: memref<16xf32>, %{{.*}}: memref<64xi8> {inplace.arena = 64 : i64}) {
func.func private @caller(%a: memref<16xf32>) {
  %0 = memref.alloc() : memref<16xf32>
  linalg.exp ins(%a : memref<16xf32>) outs(%0 : memref<16xf32>)
  call @pair(%a) : (memref<16xf32>) -> ()
  linalg.add ins(%a, %0 : memref<16xf32>, memref<16xf32>) outs(%a : memref<16xf32>)
  memref.dealloc %0 : memref<16xf32>
  return
}

// An entry allocates once, for calls in loops and branches too.
// CHECK: func.func @entry
// CHECK: %[[A:.*]] = memref.alloc() {alignment = 64 : i64} : memref<192xi8>
// CHECK-NOT: memref.alloc
// CHECK: call @caller(%{{.*}}, %[[V:[^)]*]])
// CHECK: scf.for
// CHECK: func.call @caller(%{{.*}}, %[[V]])
// CHECK: memref.dealloc %[[A]]
func.func @entry(%a: memref<16xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  func.call @caller(%a) : (memref<16xf32>) -> ()
  scf.for %i = %c0 to %n step %c1 {
    func.call @caller(%a) : (memref<16xf32>) -> ()
  }
  return
}

// Threads have an arena each.
// CHECK: func.func @parallel
// CHECK: scf.forall
// CHECK: %[[A:.*]] = memref.alloc() {alignment = 64 : i64} : memref<128xi8>
// CHECK-NEXT: func.call @pair(%{{.*}}, %[[A]])
// CHECK-NEXT: memref.dealloc %[[A]]
func.func @parallel(%a: memref<4x16xf32>) {
  scf.forall (%i) in (4) {
    %s = memref.subview %a[%i, 0] [1, 16] [1, 1] : memref<4x16xf32> to memref<16xf32, strided<[1], offset: ?>>
    %c = memref.alloc() : memref<16xf32>
    memref.copy %s, %c : memref<16xf32, strided<[1], offset: ?>> to memref<16xf32>
    func.call @pair(%c) : (memref<16xf32>) -> ()
    memref.copy %c, %s : memref<16xf32> to memref<16xf32, strided<[1], offset: ?>>
    memref.dealloc %c : memref<16xf32>
  }
  return
}

// An outlined function takes an address.
// CHECK: func.func private @outlined(%{{.*}}: !llvm.ptr, %[[P:.*]]: !llvm.ptr {llvm.noalias}) attributes {llvm.no_inline}
// CHECK: %[[M:.*]] = builtin.unrealized_conversion_cast %{{.*}} to memref<64xi8>
// CHECK: memref.view %[[M]]
func.func private @outlined(%a: !llvm.ptr) attributes {llvm.no_inline} {
  %0 = memref.alloc() : memref<16xf32>
  call @given(%a, %0) : (!llvm.ptr, memref<16xf32>) -> ()
  memref.dealloc %0 : memref<16xf32>
  return
}
func.func private @given(!llvm.ptr, memref<16xf32>)

// CHECK: func.func @outlines
// CHECK: %[[P:.*]] = llvm.inttoptr
// CHECK: call @outlined(%{{.*}}, %[[P]]) : (!llvm.ptr, !llvm.ptr) -> ()
func.func @outlines(%a: !llvm.ptr) {
  call @outlined(%a) : (!llvm.ptr) -> ()
  return
}

// Left alone: a function that others may call, one that calls itself, one whose callers are not all known, and one
// whose size is known at run time only.
// CHECK: func.func @public(%{{.*}}: memref<16xf32>) {
func.func @public(%a: memref<16xf32>) {
  %0 = memref.alloc() : memref<16xf32>
  linalg.exp ins(%a : memref<16xf32>) outs(%0 : memref<16xf32>)
  memref.copy %0, %a : memref<16xf32> to memref<16xf32>
  memref.dealloc %0 : memref<16xf32>
  return
}
// CHECK: func.func private @recursive(%{{.*}}: memref<16xf32>, %{{.*}}: i1) {
func.func private @recursive(%a: memref<16xf32>, %c: i1) {
  %0 = memref.alloc() : memref<16xf32>
  linalg.exp ins(%a : memref<16xf32>) outs(%0 : memref<16xf32>)
  %false = arith.constant false
  scf.if %c {
    func.call @recursive(%0, %false) : (memref<16xf32>, i1) -> ()
  }
  memref.copy %0, %a : memref<16xf32> to memref<16xf32>
  memref.dealloc %0 : memref<16xf32>
  return
}
// CHECK: func.func private @pointed(%{{.*}}: memref<16xf32>) {
func.func private @pointed(%a: memref<16xf32>) {
  %0 = memref.alloc() : memref<16xf32>
  linalg.exp ins(%a : memref<16xf32>) outs(%0 : memref<16xf32>)
  memref.copy %0, %a : memref<16xf32> to memref<16xf32>
  memref.dealloc %0 : memref<16xf32>
  return
}
// CHECK: func.func private @dynamic(%{{.*}}: memref<?xf32>) {
func.func private @dynamic(%a: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %d = memref.dim %a, %c0 : memref<?xf32>
  %0 = memref.alloc(%d) : memref<?xf32>
  linalg.exp ins(%a : memref<?xf32>) outs(%0 : memref<?xf32>)
  memref.copy %0, %a : memref<?xf32> to memref<?xf32>
  memref.dealloc %0 : memref<?xf32>
  return
}
func.func @all(%a: memref<16xf32>, %b: memref<?xf32>, %c: i1) -> ((memref<16xf32>) -> ()) {
  call @public(%a) : (memref<16xf32>) -> ()
  call @recursive(%a, %c) : (memref<16xf32>, i1) -> ()
  call @pointed(%a) : (memref<16xf32>) -> ()
  call @dynamic(%b) : (memref<?xf32>) -> ()
  %f = func.constant @pointed : (memref<16xf32>) -> ()
  return %f : (memref<16xf32>) -> ()
}
