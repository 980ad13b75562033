// RUN: inplace-opt %s --split-input-file --inplace-expand-poison | filecheck %s

// One place for each type, where everything sees it.
// CHECK-LABEL: func.func @branch
func.func @branch(%c: i1, %a: memref<4xf32>) -> memref<4xf32> {
  // CHECK-NEXT: %[[PLACE:.*]] = memref.alloca() : memref<1xf32>
  // CHECK-NEXT: %[[VIEW:.*]] = memref.reinterpret_cast %[[PLACE]] to offset: [0], sizes: [4], strides: [1] : memref<1xf32> to memref<4xf32>
  // CHECK-NEXT: %[[IF:.*]]:2 = scf.if
  // CHECK-NEXT:   scf.yield %{{.*}}, %[[VIEW]]
  // CHECK:        scf.yield %[[VIEW]],
  %0:2 = scf.if %c -> (memref<4xf32>, memref<4xf32>) {
    %1 = ub.poison : memref<4xf32>
    scf.yield %a, %1 : memref<4xf32>, memref<4xf32>
  } else {
    %2 = ub.poison : memref<4xf32>
    scf.yield %2, %a : memref<4xf32>, memref<4xf32>
  }
  return %0#0 : memref<4xf32>
}

// -----

// CHECK-LABEL: func.func @dynamic
func.func @dynamic() -> memref<?x4xi8, strided<[?, 1], offset: ?>, 1> {
  // CHECK: %[[PLACE:.*]] = memref.alloca() : memref<1xi8, 1>
  // CHECK: memref.reinterpret_cast %[[PLACE]] to offset: [%{{.*}}], sizes: [%{{.*}}, 4], strides: [%{{.*}}, 1]
  %0 = ub.poison : memref<?x4xi8, strided<[?, 1], offset: ?>, 1>
  return %0 : memref<?x4xi8, strided<[?, 1], offset: ?>, 1>
}

// -----

// CHECK-LABEL: func.func @unranked
func.func @unranked() -> memref<*xf32> {
  // CHECK-NEXT: %[[PLACE:.*]] = memref.alloca() : memref<1xf32>
  // CHECK-NEXT: memref.cast %[[PLACE]] : memref<1xf32> to memref<*xf32>
  %0 = ub.poison : memref<*xf32>
  return %0 : memref<*xf32>
}

// -----

// CHECK-LABEL: func.func @left_alone
func.func @left_alone() -> (index, memref<4xf32, affine_map<(d0) -> (d0 mod 2)>>) {
  // CHECK-NEXT: ub.poison : index
  // CHECK-NEXT: ub.poison : memref<4xf32
  // CHECK-NEXT: return
  %0 = ub.poison : index
  %1 = ub.poison : memref<4xf32, affine_map<(d0) -> (d0 mod 2)>>
  return %0, %1 : index, memref<4xf32, affine_map<(d0) -> (d0 mod 2)>>
}
