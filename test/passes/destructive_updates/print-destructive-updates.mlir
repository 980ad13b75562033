// RUN: inplace-opt %s --split-input-file --verify-diagnostics --inplace-print-destructive-updates

// The tiles of all workgroups together cover the tensor, those of one of them need not.
func.func @grid() {
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %in = dispatch.binding set(0) binding(0) : !dispatch.readonly<tensor<2x4xf32>>
  %out = dispatch.binding set(0) binding(1) : !dispatch.writeonly<tensor<2x4xf32>>
  %t = dispatch.load %in : !dispatch.readonly<tensor<2x4xf32>> -> tensor<2x4xf32>
  %x = dispatch.workgroup_id 0 : index
  %y = dispatch.workgroup_id 1 : index
  %nx = dispatch.workgroup_count 0 : index
  %ny = dispatch.workgroup_count 1 : index
  // expected-remark @+3 {{result #0 of 'scf.for' is a destructive update of result #0 of 'dispatch.load': 2 loops and branches, 1 update, 1 read; every element is updated by one workgroup or another; no element is updated twice; no element is read after its update; some elements are updated after they were read}}
  // expected-note @+2 {{forwarded by 'scf.for'}}
  // expected-note @+2 {{forwarded by 'scf.for'}}
  %r = scf.for %i = %y to %c2 step %ny iter_args(%a = %t) -> (tensor<2x4xf32>) {
    %q = scf.for %j = %x to %c4 step %nx iter_args(%b = %a) -> (tensor<2x4xf32>) {
      // expected-note @+1 {{read by 'tensor.extract_slice'}}
      %s = tensor.extract_slice %b[%i, %j] [1, 1] [1, 1] : tensor<2x4xf32> to tensor<1x1xf32>
      %e = linalg.exp ins(%s : tensor<1x1xf32>) outs(%s : tensor<1x1xf32>) -> tensor<1x1xf32>
      // expected-note @+1 {{updated by 'tensor.insert_slice'}}
      %u = tensor.insert_slice %e into %b[%i, %j] [1, 1] [1, 1] : tensor<1x1xf32> into tensor<2x4xf32>
      scf.yield %u : tensor<2x4xf32>
    }
    scf.yield %q : tensor<2x4xf32>
  }
  dispatch.store %r, %out : tensor<2x4xf32> -> !dispatch.writeonly<tensor<2x4xf32>>
  return
}

// -----

// An update on a condition leaves elements as they were, and later iterations read what earlier ones wrote.
func.func @sweep(%t: tensor<8xf32>, %p: i1) -> tensor<8xf32> {
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  // expected-remark @+2 {{2 loops and branches, 1 update, 1 read; some elements may keep what the source held; no element is updated twice; some elements are read after their update; no element is updated after it was read}}
  // expected-note @+1 {{forwarded by 'scf.for'}}
  %r = scf.for %i = %c1 to %c8 step %c1 iter_args(%a = %t) -> (tensor<8xf32>) {
    // expected-note @+1 {{forwarded by 'scf.if'}}
    %q = scf.if %p -> (tensor<8xf32>) {
      %before = arith.subi %i, %c1 : index
      // expected-note @+1 {{read by 'tensor.extract' on a condition}}
      %e = tensor.extract %a[%before] : tensor<8xf32>
      // expected-note @+1 {{updated by 'tensor.insert' on a condition}}
      %u = tensor.insert %e into %a[%i] : tensor<8xf32>
      scf.yield %u : tensor<8xf32>
    } else {
      scf.yield %a : tensor<8xf32>
    }
    scf.yield %q : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}

// -----

// What was in the tensor before the update is needed after it.
func.func @late_read(%t: tensor<8xf32>, %f: f32) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  // expected-remark @+1 {{result #0 of 'scf.for' is no destructive update: the old version is read after the update}}
  %r = scf.for %i = %c0 to %c8 step %c1 iter_args(%a = %t) -> (tensor<8xf32>) {
    // expected-remark @+2 {{result #0 of 'tensor.insert' is a destructive update of block argument #1: 0 loops and branches, 1 update, 0 reads; some elements keep what the source held; no element is updated twice}}
    // expected-note @+1 {{updated by 'tensor.insert'}}
    %u = tensor.insert %f into %a[%i] : tensor<8xf32>
    // expected-note @+1 {{because of this 'tensor.extract'}}
    %e = tensor.extract %a[%i] : tensor<8xf32>
    scf.yield %u : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}

// -----

// expected-remark @+1 {{the function is left out: 'func.func' has a block that cannot be reached}}
func.func @left_out(%t: tensor<8xf32>) {
  return
^never:
  return
}
