// RUN: inplace-opt %s --split-input-file --inplace-plan-memory=print-plan=true --canonicalize -o %t 2>&1 | filecheck %s --check-prefix=REMARK
// RUN: filecheck %s < %t
// RUN: inplace-opt %s --split-input-file --inplace-plan-memory=fewest=4 | filecheck %s --check-prefix=MANY

// The third buffer lies where the first one was, so it is the same view.
// REMARK: remark: the arena of 'chain' has 3 buffers: 3 in 128 bytes, of which at most 128 are live at once
// CHECK-LABEL: func.func @chain
// MANY-LABEL: func.func @chain
func.func @chain(%a: memref<16xf32>, %b: memref<16xf32>) {
  // CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
  // CHECK-DAG: %[[C64:.*]] = arith.constant 64 : index
  // CHECK: %[[A:.*]] = memref.alloc() {alignment = 64 : i64} : memref<128xi8>
  // CHECK: %[[V0:.*]] = memref.view %[[A]][%[[C0]]][] : memref<128xi8> to memref<16xf32>
  // CHECK: %[[V1:.*]] = memref.view %[[A]][%[[C64]]][] : memref<128xi8> to memref<16xf32>
  // CHECK-NOT: memref.view
  // CHECK: linalg.add ins(%{{.*}}, %[[V0]] : {{.*}}) outs(%[[V1]]
  // CHECK: linalg.mul ins(%{{.*}}, %[[V1]] : {{.*}}) outs(%[[V0]]
  // CHECK-NEXT: memref.copy %[[V0]]
  // CHECK-NEXT: memref.dealloc %[[A]] : memref<128xi8>
  // CHECK-NOT: memref.dealloc
  // CHECK: return
  // MANY-COUNT-3: memref.alloc() : memref<16xf32>
  %0 = memref.alloc() : memref<16xf32>
  linalg.exp ins(%a : memref<16xf32>) outs(%0 : memref<16xf32>)
  %1 = memref.alloc() : memref<16xf32>
  linalg.add ins(%a, %0 : memref<16xf32>, memref<16xf32>) outs(%1 : memref<16xf32>)
  memref.dealloc %0 : memref<16xf32>
  %2 = memref.alloc() : memref<16xf32>
  linalg.mul ins(%a, %1 : memref<16xf32>, memref<16xf32>) outs(%2 : memref<16xf32>)
  memref.dealloc %1 : memref<16xf32>
  memref.copy %2, %b : memref<16xf32> to memref<16xf32>
  memref.dealloc %2 : memref<16xf32>
  return
}

// -----

// Both branches share bytes, and so do iterations. 20 bytes take 256 where a buffer asks for that alignment.
// REMARK: remark: the arena of 'nested' has 3 buffers: 3 in 512 bytes, of which at most 512 are live at once
// CHECK-LABEL: func.func @nested
func.func @nested(%n: index, %c: i1, %f: f32, %out: memref<5xf32>) {
  // CHECK: %[[A:.*]] = memref.alloc() {alignment = 256 : i64} : memref<512xi8>
  // CHECK-NEXT: memref.view %[[A]][%c0][] : memref<512xi8> to memref<5xf32>
  // CHECK-NEXT: memref.view %[[A]][%c256][] : memref<512xi8> to memref<5xf32>
  // CHECK-NEXT: memref.view %[[A]][%c256][] : memref<512xi8> to memref<3xf64>
  // CHECK: scf.for
  // CHECK-NOT: memref.{{alloc|view}}
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = memref.alloc() {alignment = 256} : memref<5xf32>
  linalg.fill ins(%f : f32) outs(%0 : memref<5xf32>)
  scf.for %i = %c0 to %n step %c1 {
    scf.if %c {
      %1 = memref.alloc() : memref<5xf32>
      linalg.add ins(%0, %out : memref<5xf32>, memref<5xf32>) outs(%1 : memref<5xf32>)
      memref.copy %1, %out : memref<5xf32> to memref<5xf32>
      memref.dealloc %1 : memref<5xf32>
    } else {
      %2 = memref.alloc() : memref<3xf64>
      %x = memref.load %2[%c0] : memref<3xf64>
      %y = arith.truncf %x : f64 to f32
      memref.store %y, %out[%c0] : memref<5xf32>
      memref.dealloc %2 : memref<3xf64>
    }
  }
  memref.dealloc %0 : memref<5xf32>
  return
}

// -----

// A section for each size; the sizes are computed in front of the arena. Of one size times 16 and times 64, both live,
// 5 units of 16 bytes times the size are needed.
// REMARK: remark: the arena of 'dynamic' has 4 buffers: 3 in 80 bytes for each element of a dynamic size, of which at most 80 are live at once; 1 in 16 bytes for each element of a dynamic size, of which at most 16 are live at once
// CHECK-LABEL: func.func @dynamic
// CHECK-SAME: (%[[X:.*]]: memref<?x4xf32>, %[[Y:.*]]: memref<?x4xf32>, %{{.*}}: f64)
func.func @dynamic(%a: memref<?x4xf32>, %b: memref<?x4xf32>, %f: f64) {
  // CHECK-DAG: %[[M:.*]] = memref.dim %[[X]]
  // CHECK-DAG: %[[N:.*]] = memref.dim %[[Y]]
  // CHECK-DAG: %[[BYTES:.*]] = arith.muli %[[M]], %c16
  // CHECK-DAG: %[[MORE:.*]] = arith.addi %[[BYTES]], %c63
  // CHECK-DAG: %[[UNIT:.*]] = arith.andi %[[MORE]], %c-64
  // CHECK: %[[A:.*]] = memref.alloc(%{{.*}}) {alignment = 64 : i64} : memref<?xi8>
  // CHECK-NEXT: memref.view %[[A]][%c0][%[[M]]] : memref<?xi8> to memref<?x4xf32>
  // CHECK: memref.view %[[A]][%[[UNIT]]][%[[M]]] : memref<?xi8> to memref<?x8xf64>
  // CHECK: memref.view %[[A]][%{{.*}}][%[[N]]] : memref<?xi8> to memref<?x4xf32>
  // CHECK: memref.view %[[A]][%c0][%[[M]]] : memref<?xi8> to memref<?x4xf32>
  %c0 = arith.constant 0 : index
  %d = memref.dim %a, %c0 : memref<?x4xf32>
  %0 = memref.alloc(%d) : memref<?x4xf32>
  linalg.exp ins(%a : memref<?x4xf32>) outs(%0 : memref<?x4xf32>)
  %1 = memref.alloc(%d) : memref<?x8xf64>
  linalg.fill ins(%f : f64) outs(%1 : memref<?x8xf64>)
  %e = memref.dim %b, %c0 : memref<?x4xf32>
  %2 = memref.alloc(%e) : memref<?x4xf32>
  linalg.exp ins(%0 : memref<?x4xf32>) outs(%2 : memref<?x4xf32>)
  memref.dealloc %0 : memref<?x4xf32>
  %3 = memref.alloc(%d) : memref<?x4xf32>
  linalg.exp ins(%2 : memref<?x4xf32>) outs(%3 : memref<?x4xf32>)
  linalg.exp ins(%3 : memref<?x4xf32>) outs(%b : memref<?x4xf32>)
  memref.dealloc %1 : memref<?x8xf64>
  memref.dealloc %2 : memref<?x4xf32>
  memref.dealloc %3 : memref<?x4xf32>
  return
}
