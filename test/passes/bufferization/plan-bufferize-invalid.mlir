// RUN: inplace-opt %s --allow-unregistered-dialect --split-input-file --verify-diagnostics --inplace-plan-bufferize=function-boundaries
// RUN: not inplace-opt %s --allow-unregistered-dialect --inplace-plan-bufferize=buffer-alignment=3 2>&1 | filecheck %s --check-prefix=ALIGNMENT
// RUN: not inplace-opt %s --allow-unregistered-dialect --inplace-plan-bufferize=allocation=cloud 2>&1 | filecheck %s --check-prefix=ALLOCATION
// RUN: not inplace-opt %s --allow-unregistered-dialect --inplace-plan-bufferize='allocation=workgroup workgroup-memory-space=nowhere' 2>&1 | filecheck %s --check-prefix=SPACE
// RUN: not inplace-opt %s --allow-unregistered-dialect --inplace-plan-bufferize='allocation=workgroup workgroup-memory-space=' 2>&1 | filecheck %s --check-prefix=EMPTY
// RUN: not inplace-opt %s --allow-unregistered-dialect --inplace-plan-bufferize='allocation=workgroup workgroup-memory-space=9223372036854775808' 2>&1 | filecheck %s --check-prefix=LARGE
// RUN: not inplace-opt %s --allow-unregistered-dialect --inplace-plan-bufferize='allocation=workgroup workgroup-memory-space=i32' 2>&1 | filecheck %s --check-prefix=TYPE

// ALIGNMENT: error: buffer-alignment is 3, but must be 0 or a power of two
// ALLOCATION: error: {{.*}}allocation{{.*}}heap, stack, workgroup
// SPACE: error: workgroup-memory-space is 'nowhere', which is no memory space that is known here; give an attribute like #gpu.address_space<workgroup>, or a number
// EMPTY: error: workgroup-memory-space is '', which is no memory space
// LARGE: error: workgroup-memory-space is '9223372036854775808', which is no memory space
// TYPE: error: workgroup-memory-space is 'i32', which is no memory space

func.func @unknown_ops(%t: tensor<4xf32>) {
  // expected-error @+1 {{op 'test.one' works on tensors but has no bufferization model}}
  "test.one"(%t) : (tensor<4xf32>) -> ()
  // expected-note @+1 {{op 'test.two' works on tensors but has no bufferization model}}
  "test.two"(%t) : (tensor<4xf32>) -> ()
  return
}
