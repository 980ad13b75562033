// RUN: inplace-opt %s --split-input-file --inplace-print-destructive-updates='annotate' | filecheck %s

// All about one update: where it comes from, what hands it on, what updates and reads it, and what is proven.
// CHECK-LABEL: func.func @nest
// CHECK:             tensor.extract {{.*}} {__destructive_roles_attr__ = ["reads 0"]}
// CHECK-NEXT:        tensor.insert {{.*}} {__destructive_roles_attr__ = ["updates 0"]}
// CHECK-NEXT:        scf.yield
// CHECK-NEXT:      } {__destructive_roles_attr__ = ["forwards 0"]}
// CHECK-NEXT:      scf.yield
// CHECK-NEXT:    } {__destructive_roles_attr__ = ["forwards 0"], __destructive_updates_attr__ = [{covers = "yes", covers_with_grid = "yes", reads_first = "no", reads_source = "yes", result = 0 : i64, source = "block argument #0", update = 0 : i64, write_only = false, writes_once = "yes"}]}
func.func @nest(%t: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%a = %t) -> (tensor<4x8xf32>) {
    %q = scf.for %j = %c0 to %c8 step %c1 iter_args(%b = %a) -> (tensor<4x8xf32>) {
      %e = tensor.extract %b[%i, %j] : tensor<4x8xf32>
      %u = tensor.insert %e into %b[%i, %j] : tensor<4x8xf32>
      scf.yield %u : tensor<4x8xf32>
    }
    scf.yield %q : tensor<4x8xf32>
  }
  return %r : tensor<4x8xf32>
}

// -----

// CHECK-LABEL: func.func @condition
// CHECK:             tensor.insert {{.*}} {__destructive_roles_attr__ = ["updates 0 on a condition"]}
// CHECK:           } {__destructive_roles_attr__ = ["forwards 0"]}
// CHECK-NEXT:      scf.yield
// CHECK-NEXT:    } {__destructive_roles_attr__ = ["forwards 0"], __destructive_updates_attr__ = [{covers = "unknown", covers_with_grid = "unknown", reads_first = "yes", reads_source = "yes", result = 0 : i64, source = "block argument #0", update = 0 : i64, write_only = true, writes_once = "yes"}]}
func.func @condition(%t: tensor<8xf32>, %f: f32, %p: i1) -> tensor<8xf32> {
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %r = scf.for %i = %c1 to %c8 step %c1 iter_args(%a = %t) -> (tensor<8xf32>) {
    %q = scf.if %p -> (tensor<8xf32>) {
      %u = tensor.insert %f into %a[%i] : tensor<8xf32>
      scf.yield %u : tensor<8xf32>
    } else {
      scf.yield %a : tensor<8xf32>
    }
    scf.yield %q : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}

// -----

// Two tensors that change places, and an insertion that is an update by itself.
// CHECK-LABEL: func.func @ping_pong
// CHECK:           tensor.insert {{.*}} {__destructive_roles_attr__ = ["updates 0"], __destructive_updates_attr__ = [{covers = "no", {{.*}}source = "block argument #1", update = 0 : i64, write_only = true, writes_once = "yes"}]}
// CHECK-NEXT:      scf.yield {__destructive_roles_attr__ = ["breaks ping-pong", "breaks ping-pong"]}
// CHECK-NEXT:    } {__destructive_updates_attr__ = [{refused = "ping-pong", result = 1 : i64}, {refused = "ping-pong", result = 0 : i64}]}
func.func @ping_pong(%t: tensor<8xf32>, %s: tensor<8xf32>, %f: f32) -> (tensor<8xf32>, tensor<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %r:2 = scf.for %i = %c0 to %c8 step %c1 iter_args(%a = %t, %b = %s) -> (tensor<8xf32>, tensor<8xf32>) {
    %u = tensor.insert %f into %a[%i] : tensor<8xf32>
    scf.yield %b, %u : tensor<8xf32>, tensor<8xf32>
  }
  return %r#0, %r#1 : tensor<8xf32>, tensor<8xf32>
}

// -----

// What was there before is read after the update; the op that does is marked.
// CHECK-LABEL: func.func @late_read
// CHECK:           tensor.insert {{.*}} {__destructive_roles_attr__ = ["updates 0"], __destructive_updates_attr__ = [{covers = "no"
// CHECK-NEXT:      tensor.extract {{.*}} {__destructive_roles_attr__ = ["breaks late-read"]}
// CHECK-NEXT:      scf.yield
// CHECK-NEXT:    } {__destructive_updates_attr__ = [{refused = "late-read", result = 0 : i64}]}
func.func @late_read(%t: tensor<8xf32>, %f: f32) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %r = scf.for %i = %c0 to %c8 step %c1 iter_args(%a = %t) -> (tensor<8xf32>) {
    %u = tensor.insert %f into %a[%i] : tensor<8xf32>
    %e = tensor.extract %a[%i] : tensor<8xf32>
    scf.yield %u : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}
