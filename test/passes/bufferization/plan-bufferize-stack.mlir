// RUN: inplace-opt %s --split-input-file --verify-diagnostics --inplace-plan-bufferize='function-boundaries allocation=stack'

func.func @size_of_an_iteration(%t: tensor<8xf32>, %n: index) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %f = arith.constant 1.0 : f32
  // expected-note @+1 {{this is 'scf.for'}}
  %r = scf.for %k = %c1 to %n step %c1 iter_args(%a = %t) -> tensor<8xf32> {
    // expected-remark @+1 {{the buffer stays on the heap: it is made in each run of 'scf.for', and the stack would grow with every one}}
    %e = tensor.empty(%k) : tensor<?xf32>
    %w = linalg.fill ins(%f : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
    %x = tensor.extract %w[%c0] : tensor<?xf32>
    %u = tensor.insert %x into %a[%k] : tensor<8xf32>
    scf.yield %u : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}

// -----

func.func @returned(%f: f32) -> tensor<8xf32> {
  // expected-remark @+1 {{the buffer stays on the heap: 'func.return' may keep it for longer than its block runs}}
  %e = tensor.empty() : tensor<8xf32>
  %a = linalg.fill ins(%f : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  // expected-note @+1 {{this is 'func.return'}}
  return %a : tensor<8xf32>
}
