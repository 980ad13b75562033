// RUN: inplace-opt %s --inplace-tabulate-calls='fewest=4 of-kind=2' | filecheck %s

// Two steps of each kind, in any order.
// CHECK-LABEL: func.func @two_kinds
// CHECK: scf.for
func.func private @f()
func.func private @g()
func.func private @h()
func.func @two_kinds() {
  call @f() : () -> ()
  call @g() : () -> ()
  call @g() : () -> ()
  call @f() : () -> ()
  return
}

// A value from outside that is no address makes another kind of a call.
// CHECK-LABEL: func.func @three_kinds
// CHECK-NOT: scf.for
func.func private @k(f32)
func.func @three_kinds(%x: f32, %y: f32) {
  call @f() : () -> ()
  call @k(%x) : (f32) -> ()
  call @k(%y) : (f32) -> ()
  call @f() : () -> ()
  return
}
