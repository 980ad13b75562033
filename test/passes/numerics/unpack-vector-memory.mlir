// RUN: inplace-opt %s --split-input-file --inplace-unpack-vector-memory | filecheck %s

// CHECK-LABEL: func.func @loads
// CHECK-SAME: (%[[M:.*]]: memref<?xi4, strided<[1], offset: ?>, 1>, %[[I:.*]]: index, %[[K:.*]]: vector<8xi1>, %[[P:.*]]: i4, %[[Q:.*]]: vector<8xi4>)
func.func @loads(%m: memref<?xi4, strided<[1], offset: ?>, 1>, %i: index, %k: vector<8xi1>, %p: i4, %q: vector<8xi4>)
    -> (vector<8xi4>, vector<8xi4>, vector<8xi4>, vector<8xi4>) {
  // CHECK: %[[W:.*]] = builtin.unrealized_conversion_cast %[[M]] : memref<?xi4, strided<[1], offset: ?>, 1> to memref<?xi8, strided<[1], offset: ?>, 1>
  // CHECK-NEXT: %[[A:.*]] = vector.load %[[W]][%[[I]]] {nontemporal = true} : {{.*}}, vector<8xi8>
  // CHECK-NEXT: arith.trunci %[[A]] : vector<8xi8> to vector<8xi4>
  %0 = vector.load %m[%i] {nontemporal = true} : memref<?xi4, strided<[1], offset: ?>, 1>, vector<8xi4>
  // CHECK: %[[R:.*]] = arith.extui %[[P]] : i4 to i8
  // CHECK-NEXT: %[[B:.*]] = vector.transfer_read %{{.*}}[%[[I]]], %[[R]], %[[K]] : {{.*}}, vector<8xi8>
  // CHECK-NEXT: arith.trunci %[[B]]
  %1 = vector.transfer_read %m[%i], %p, %k : memref<?xi4, strided<[1], offset: ?>, 1>, vector<8xi4>
  // CHECK: %[[S:.*]] = arith.extui %[[Q]] : vector<8xi4> to vector<8xi8>
  // CHECK-NEXT: %[[C:.*]] = vector.maskedload %{{.*}}[%[[I]]], %[[K]], %[[S]] : {{.*}} into vector<8xi8>
  // CHECK-NEXT: arith.trunci %[[C]]
  %2 = vector.maskedload %m[%i], %k, %q : memref<?xi4, strided<[1], offset: ?>, 1>, vector<8xi1>, vector<8xi4> into vector<8xi4>
  // CHECK: %[[D:.*]] = vector.expandload %{{.*}}[%[[I]]], %[[K]], %{{.*}} : {{.*}} into vector<8xi8>
  // CHECK-NEXT: arith.trunci %[[D]]
  %3 = vector.expandload %m[%i], %k, %q : memref<?xi4, strided<[1], offset: ?>, 1>, vector<8xi1>, vector<8xi4> into vector<8xi4>
  return %0, %1, %2, %3 : vector<8xi4>, vector<8xi4>, vector<8xi4>, vector<8xi4>
}

// -----

// Elements and masks are of one type: masks stay.
// CHECK-LABEL: func.func @stores
// CHECK-SAME: (%[[M:.*]]: memref<?xi1>, %[[I:.*]]: index, %[[K:.*]]: vector<8xi1>, %[[V:.*]]: vector<8xi1>)
func.func @stores(%m: memref<?xi1>, %i: index, %k: vector<8xi1>, %v: vector<8xi1>) {
  // CHECK: %[[A:.*]] = arith.extui %[[V]] : vector<8xi1> to vector<8xi8>
  // CHECK: vector.store %[[A]], %{{.*}}[%[[I]]] : memref<?xi8>, vector<8xi8>
  vector.store %v, %m[%i] : memref<?xi1>, vector<8xi1>
  // CHECK: vector.transfer_write %{{.*}}, %{{.*}}[%[[I]]], %[[K]] {in_bounds = [true]} : vector<8xi8>, memref<?xi8>
  vector.transfer_write %v, %m[%i], %k {in_bounds = [true]} : vector<8xi1>, memref<?xi1>
  // CHECK: vector.maskedstore %{{.*}}[%[[I]]], %[[K]], %{{.*}} : memref<?xi8>, vector<8xi1>, vector<8xi8>
  vector.maskedstore %m[%i], %k, %v : memref<?xi1>, vector<8xi1>, vector<8xi1>
  // CHECK: vector.compressstore %{{.*}}[%[[I]]], %[[K]], %{{.*}} : memref<?xi8>, vector<8xi1>, vector<8xi8>
  vector.compressstore %m[%i], %k, %v : memref<?xi1>, vector<8xi1>, vector<8xi1>
  return
}

// -----

// CHECK-LABEL: func.func @other_numbers
func.func @other_numbers(%a: memref<8xi12>, %b: memref<8xi48>, %d: memref<8xf4E2M1FN>, %e: memref<8xui4>, %i: index) {
  // CHECK: vector.load {{.*}} : memref<8xi16>, vector<8xi16>
  // CHECK-NEXT: arith.trunci {{.*}} to vector<8xi12>
  %0 = vector.load %a[%i] : memref<8xi12>, vector<8xi12>
  // CHECK: vector.load {{.*}} : memref<8xi64>, vector<8xi64>
  %1 = vector.load %b[%i] : memref<8xi48>, vector<8xi48>
  // CHECK: vector.load {{.*}} : memref<8xi8>, vector<8xi8>
  // CHECK: arith.bitcast {{.*}} : vector<8xi4> to vector<8xf4E2M1FN>
  %3 = vector.load %d[%i] : memref<8xf4E2M1FN>, vector<8xf4E2M1FN>
  // CHECK: builtin.unrealized_conversion_cast {{.*}} : vector<8xi4> to vector<8xui4>
  %4 = vector.load %e[%i] : memref<8xui4>, vector<8xui4>
  return
}

// -----

// CHECK-LABEL: func.func @left_alone
// CHECK-NOT: unrealized_conversion_cast
func.func @left_alone(%a: memref<8xi8>, %b: memref<8xf32>, %c: memref<2xvector<8xi4>>, %d: tensor<8xi4>, %i: index, %p: i4,
                      %e: memref<8xi4>, %v: vector<8xindex>, %k: vector<8xi1>, %q: vector<8xi4>) -> vector<8xi4> {
  %0 = vector.load %a[%i] : memref<8xi8>, vector<8xi8>
  %1 = vector.load %b[%i] : memref<8xf32>, vector<8xf32>
  %2 = vector.load %c[%i] : memref<2xvector<8xi4>>, vector<8xi4>
  %3 = vector.transfer_read %d[%i], %p : tensor<8xi4>, vector<8xi4>
  %4 = vector.gather %e[%i] [%v], %k, %q : memref<8xi4>, vector<8xindex>, vector<8xi1>, vector<8xi4> into vector<8xi4>
  return %4 : vector<8xi4>
}
