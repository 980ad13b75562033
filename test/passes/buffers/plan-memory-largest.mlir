// RUN: inplace-opt %s --inplace-plan-memory="largest=64 print-kept" --verify-diagnostics | filecheck %s

// The arena is freed when its last buffer is, so what is allocated afterwards may have its memory.
// CHECK-LABEL: func.func @main
func.func @main(%a: memref<16xf32>, %n: index) {
  // CHECK: %[[A:.*]] = memref.alloc() {alignment = 64 : i64} : memref<128xi8>
  // CHECK: memref.copy
  // CHECK-NEXT: memref.dealloc %[[A]]
  // CHECK-NEXT: memref.alloc() : memref<17xf32>
  // CHECK: memref.alloc(%{{.*}}) : memref<?xf32>
  %0 = memref.alloc() : memref<16xf32>
  %1 = memref.alloc() : memref<16xf32>
  linalg.exp ins(%a : memref<16xf32>) outs(%0 : memref<16xf32>)
  linalg.exp ins(%0 : memref<16xf32>) outs(%1 : memref<16xf32>)
  memref.copy %1, %a : memref<16xf32> to memref<16xf32>
  memref.dealloc %0 : memref<16xf32>
  memref.dealloc %1 : memref<16xf32>
  // expected-remark @+1 {{the allocation does not move into the arena: it may have more than 64 bytes}}
  %2 = memref.alloc() : memref<17xf32>
  memref.dealloc %2 : memref<17xf32>
  // expected-remark @+1 {{it may have more than 64 bytes}}
  %3 = memref.alloc(%n) : memref<?xf32>
  memref.dealloc %3 : memref<?xf32>
  return
}
