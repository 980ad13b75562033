// RUN: inplace-opt %s --inplace-nontemporal-stores='machine="l2=1024 l3=134217728"' | filecheck %s
// RUN: inplace-opt %s --inplace-nontemporal-stores='machine="l2=1024 l3=100663296"' | filecheck %s --check-prefix=NEAR

// A last cache of many cores is far away: what has 8 times the size of the second one goes past both.
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
