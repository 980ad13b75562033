// RUN: inplace-opt %s --inplace-plan-memory=arena-argument=true | filecheck %s

// CHECK: func.func @entry(%{{.*}}: memref<16xf32>, %[[A:.*]]: memref<128xi8> {inplace.arena = 64 : i64})
// CHECK-NOT: memref.alloc
// CHECK-COUNT-2: memref.view %[[A]]
// CHECK-NOT: memref.dealloc
// CHECK: return
func.func @entry(%a: memref<16xf32>) {
  %0 = memref.alloc() : memref<16xf32>
  %1 = memref.alloc() : memref<16xf32>
  linalg.exp ins(%a : memref<16xf32>) outs(%0 : memref<16xf32>)
  linalg.exp ins(%0 : memref<16xf32>) outs(%1 : memref<16xf32>)
  memref.copy %1, %a : memref<16xf32> to memref<16xf32>
  memref.dealloc %0 : memref<16xf32>
  memref.dealloc %1 : memref<16xf32>
  call @called(%a) : (memref<16xf32>) -> ()
  return
}

// Its caller brings no arena.
// CHECK: func.func @called(%{{.*}}: memref<16xf32>) {
// CHECK: memref.alloc() {alignment = 64 : i64} : memref<128xi8>
func.func @called(%a: memref<16xf32>) {
  %0 = memref.alloc() : memref<16xf32>
  %1 = memref.alloc() : memref<16xf32>
  linalg.exp ins(%a : memref<16xf32>) outs(%0 : memref<16xf32>)
  linalg.exp ins(%0 : memref<16xf32>) outs(%1 : memref<16xf32>)
  memref.copy %1, %a : memref<16xf32> to memref<16xf32>
  memref.dealloc %0 : memref<16xf32>
  memref.dealloc %1 : memref<16xf32>
  return
}

// Nobody knows its size before it is called.
// CHECK: func.func @dynamic(%{{.*}}: memref<?xf32>) {
// CHECK: memref.alloc(%{{.*}}) {alignment = 64 : i64} : memref<?xi8>
func.func @dynamic(%a: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %d = memref.dim %a, %c0 : memref<?xf32>
  %0 = memref.alloc(%d) : memref<?xf32>
  %1 = memref.alloc(%d) : memref<?xf32>
  linalg.exp ins(%a : memref<?xf32>) outs(%0 : memref<?xf32>)
  linalg.exp ins(%0 : memref<?xf32>) outs(%1 : memref<?xf32>)
  memref.copy %1, %a : memref<?xf32> to memref<?xf32>
  memref.dealloc %0 : memref<?xf32>
  memref.dealloc %1 : memref<?xf32>
  return
}
