// RUN: inplace-opt %s --inplace-nontemporal-stores='machine="l2=1024 l3=134217728"' | filecheck %s
// RUN: inplace-opt %s --inplace-nontemporal-stores='machine="l2=1024 l3=100663296"' | filecheck %s --check-prefix=NEAR

// A last cache of many cores is far away: what has 8 times the size of the second one goes past both, by whole lines.
// CHECK-LABEL: func.func @large
// CHECK: nontemporal = true
// CHECK-LABEL: func.func @small
// CHECK-NOT: nontemporal
// NEAR-NOT: nontemporal
func.func @large(%v: vector<16xf32>, %result: memref<2048xf32>) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %n = arith.constant 2048 : index
  scf.for %i = %c0 to %n step %c16 {
    vector.transfer_write %v, %result[%i] {in_bounds = [true]} : vector<16xf32>, memref<2048xf32>
  }
  return
}

func.func @small(%v: vector<16xf32>, %result: memref<2032xf32>) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %n = arith.constant 2032 : index
  scf.for %i = %c0 to %n step %c16 {
    vector.transfer_write %v, %result[%i] {in_bounds = [true]} : vector<16xf32>, memref<2032xf32>
  }
  return
}

// Half a line is not sent alone.
// CHECK-LABEL: func.func @half_lines
// CHECK-NOT: nontemporal
func.func @half_lines(%v: vector<8xf32>, %result: memref<2048xf32>) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %n = arith.constant 2048 : index
  scf.for %i = %c0 to %n step %c8 {
    vector.transfer_write %v, %result[%i] {in_bounds = [true]} : vector<8xf32>, memref<2048xf32>
  }
  return
}

// Of a dynamic buffer the program looks at the size that all its writes need.
// NEAR-LABEL: func.func @both
// NEAR: arith.constant 12582912 : index
// CHECK-LABEL: func.func @both
// CHECK: %[[LEAST:.*]] = arith.constant 16777216 : index
// CHECK-NEXT: arith.cmpi uge, %{{.*}}, %[[LEAST]]
// CHECK: nontemporal = true
// CHECK: nontemporal = true
// CHECK-NOT: nontemporal
func.func @both(%v: vector<16xf32>, %w: vector<8xf32>, %n: index, %result: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  scf.for %i = %c0 to %n step %c16 {
    vector.transfer_write %v, %result[%i] {in_bounds = [true]} : vector<16xf32>, memref<?xf32>
    vector.transfer_write %w, %result[%i] {in_bounds = [true]} : vector<8xf32>, memref<?xf32>
  }
  return
}
