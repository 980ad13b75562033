// RUN: inplace-opt %s --inplace-outline-groups='repeats=2 machine="l1=8192 l2=65536"' --split-input-file | filecheck %s
// RUN: inplace-opt %s --inplace-outline-groups='repeats=3 machine="l1=8192 l2=65536"' --split-input-file | filecheck %s --check-prefix=FEW
// RUN: inplace-opt %s --inplace-outline-groups='repeats=2 machine="l1=8192 l2=65536"' --inplace-one-shot-bufferize='bufferize-function-boundaries' --split-input-file | filecheck %s --check-prefix=COPIES

// Two groups on other tensors share a function; empty tensors are made inside, but for that of the root. What is no
// init is not written, so nothing is copied, although %a and the first result are read later.
// FEW-LABEL: func.func @repeated
//   FEW-NOT:   call @
//       FEW:   return
//  COPIES-NOT: memref.copy
//      COPIES: func.func @different
// CHECK-LABEL: func.func @repeated(
//  CHECK-SAME:   %[[A:[^:]*]]: tensor<64x64xf32>)
//       CHECK:   %[[U:.*]] = tensor.empty() : tensor<64x64xf32>
//   CHECK-NOT:   linalg
//       CHECK:   %[[Y:.*]] = call @inplace_group(%[[A]], %[[U]])
//   CHECK-NOT:   linalg
//       CHECK:   %[[Z:.*]] = call @inplace_group(%[[Y]], %[[U]])
//   CHECK-NOT:   linalg
//       CHECK:   return %[[A]], %[[Y]], %[[Z]]
// CHECK-LABEL: func.func private @inplace_group(
//  CHECK-SAME:   %[[T:[^:]*]]: tensor<64x64xf32> {bufferization.writable = false}, %[[OUT:[^:]*]]: tensor<64x64xf32>) -> tensor<64x64xf32>
//   CHECK-DAG:   tensor.empty() : tensor<64xf32>
//   CHECK-DAG:   tensor.empty() : tensor<64x64xf32>
//   CHECK-DAG:   arith.constant 0.000000e+00 : f32
//       CHECK:   linalg.fill
//       CHECK:   linalg.exp ins(%[[T]]
//       CHECK:   arith.addf
//       CHECK:   outs(%[[OUT]] : tensor<64x64xf32>)
//       CHECK:   return
#row = affine_map<(i, j) -> (i)>
#all = affine_map<(i, j) -> (i, j)>
func.func @repeated(%a: tensor<64x64xf32>) -> (tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>) {
  %u = tensor.empty() : tensor<64x64xf32>
  %z = arith.constant 0.0 : f32
  %r0 = tensor.empty() : tensor<64xf32>
  %e0 = tensor.empty() : tensor<64x64xf32>
  %f0 = linalg.fill ins(%z : f32) outs(%r0 : tensor<64xf32>) -> tensor<64xf32>
  %x0 = linalg.exp ins(%a : tensor<64x64xf32>) outs(%e0 : tensor<64x64xf32>) -> tensor<64x64xf32>
  %s0 = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x0 : tensor<64x64xf32>) outs(%f0 : tensor<64xf32>) {
  ^bb0(%i: f32, %o: f32):
    %t = arith.addf %i, %o : f32
    linalg.yield %t : f32
  } -> tensor<64xf32>
  %y0 = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x0, %s0 : tensor<64x64xf32>, tensor<64xf32>) outs(%u : tensor<64x64xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %t = arith.mulf %i, %j : f32
    linalg.yield %t : f32
  } -> tensor<64x64xf32>
  %r1 = tensor.empty() : tensor<64xf32>
  %e1 = tensor.empty() : tensor<64x64xf32>
  %f1 = linalg.fill ins(%z : f32) outs(%r1 : tensor<64xf32>) -> tensor<64xf32>
  %x1 = linalg.exp ins(%y0 : tensor<64x64xf32>) outs(%e1 : tensor<64x64xf32>) -> tensor<64x64xf32>
  %s1 = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x1 : tensor<64x64xf32>) outs(%f1 : tensor<64xf32>) {
  ^bb0(%i: f32, %o: f32):
    %t = arith.addf %i, %o : f32
    linalg.yield %t : f32
  } -> tensor<64xf32>
  %y1 = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x1, %s1 : tensor<64x64xf32>, tensor<64xf32>) outs(%u : tensor<64x64xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %t = arith.mulf %i, %j : f32
    linalg.yield %t : f32
  } -> tensor<64x64xf32>
  return %a, %y0, %y1 : tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>
}

// -----

// Not equal: another payload of the root. Reading a slice: its layout would be that of the function. Too small for tiles.
// Writing over what is read later, or over an argument: calls would copy that.
// CHECK-LABEL: func.func @different
//   CHECK-NOT:   call
//       CHECK:   return
#row = affine_map<(i, j) -> (i)>
#all = affine_map<(i, j) -> (i, j)>
func.func @different(%a: tensor<64x64xf32>, %b: tensor<128x128xf32>, %c: tensor<8x8xf32>)
    -> (tensor<64x64xf32>, tensor<64x64xf32>, tensor<8x8xf32>, tensor<64x64xf32>, tensor<64x64xf32>) {
  %z = arith.constant 0.0 : f32
  %q = tensor.empty() : tensor<64x64xf32>
  %p = tensor.empty() : tensor<8x8xf32>
  %r0 = tensor.empty() : tensor<64xf32>
  %e0 = tensor.empty() : tensor<64x64xf32>
  %f0 = linalg.fill ins(%z : f32) outs(%r0 : tensor<64xf32>) -> tensor<64xf32>
  %x0 = linalg.exp ins(%a : tensor<64x64xf32>) outs(%e0 : tensor<64x64xf32>) -> tensor<64x64xf32>
  %s0 = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x0 : tensor<64x64xf32>) outs(%f0 : tensor<64xf32>) {
  ^bb0(%i: f32, %o: f32):
    %t = arith.addf %i, %o : f32
    linalg.yield %t : f32
  } -> tensor<64xf32>
  %y0 = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x0, %s0 : tensor<64x64xf32>, tensor<64xf32>) outs(%q : tensor<64x64xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %t = arith.mulf %i, %j : f32
    linalg.yield %t : f32
  } -> tensor<64x64xf32>
  %r1 = tensor.empty() : tensor<64xf32>
  %e1 = tensor.empty() : tensor<64x64xf32>
  %f1 = linalg.fill ins(%z : f32) outs(%r1 : tensor<64xf32>) -> tensor<64xf32>
  %x1 = linalg.exp ins(%y0 : tensor<64x64xf32>) outs(%e1 : tensor<64x64xf32>) -> tensor<64x64xf32>
  %s1 = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x1 : tensor<64x64xf32>) outs(%f1 : tensor<64xf32>) {
  ^bb0(%i: f32, %o: f32):
    %t = arith.addf %i, %o : f32
    linalg.yield %t : f32
  } -> tensor<64xf32>
  %y1 = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x1, %s1 : tensor<64x64xf32>, tensor<64xf32>) outs(%q : tensor<64x64xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %t = arith.divf %i, %j : f32
    linalg.yield %t : f32
  } -> tensor<64x64xf32>
  %left = tensor.extract_slice %b[0, 0] [64, 64] [1, 1] : tensor<128x128xf32> to tensor<64x64xf32>
  %right = tensor.extract_slice %b[64, 64] [64, 64] [1, 1] : tensor<128x128xf32> to tensor<64x64xf32>
  %r2 = tensor.empty() : tensor<64xf32>
  %e2 = tensor.empty() : tensor<64x64xf32>
  %f2 = linalg.fill ins(%z : f32) outs(%r2 : tensor<64xf32>) -> tensor<64xf32>
  %x2 = linalg.exp ins(%left : tensor<64x64xf32>) outs(%e2 : tensor<64x64xf32>) -> tensor<64x64xf32>
  %s2 = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x2 : tensor<64x64xf32>) outs(%f2 : tensor<64xf32>) {
  ^bb0(%i: f32, %o: f32):
    %t = arith.addf %i, %o : f32
    linalg.yield %t : f32
  } -> tensor<64xf32>
  %y2 = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x2, %s2 : tensor<64x64xf32>, tensor<64xf32>) outs(%y1 : tensor<64x64xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %t = arith.subf %i, %j : f32
    linalg.yield %t : f32
  } -> tensor<64x64xf32>
  %r3 = tensor.empty() : tensor<64xf32>
  %e3 = tensor.empty() : tensor<64x64xf32>
  %f3 = linalg.fill ins(%z : f32) outs(%r3 : tensor<64xf32>) -> tensor<64xf32>
  %x3 = linalg.exp ins(%right : tensor<64x64xf32>) outs(%e3 : tensor<64x64xf32>) -> tensor<64x64xf32>
  %s3 = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x3 : tensor<64x64xf32>) outs(%f3 : tensor<64xf32>) {
  ^bb0(%i: f32, %o: f32):
    %t = arith.addf %i, %o : f32
    linalg.yield %t : f32
  } -> tensor<64xf32>
  %y3 = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x3, %s3 : tensor<64x64xf32>, tensor<64xf32>) outs(%y2 : tensor<64x64xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %t = arith.subf %i, %j : f32
    linalg.yield %t : f32
  } -> tensor<64x64xf32>
  %r4 = tensor.empty() : tensor<8xf32>
  %e4 = tensor.empty() : tensor<8x8xf32>
  %f4 = linalg.fill ins(%z : f32) outs(%r4 : tensor<8xf32>) -> tensor<8xf32>
  %x4 = linalg.exp ins(%c : tensor<8x8xf32>) outs(%e4 : tensor<8x8xf32>) -> tensor<8x8xf32>
  %s4 = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x4 : tensor<8x8xf32>) outs(%f4 : tensor<8xf32>) {
  ^bb0(%i: f32, %o: f32):
    %t = arith.addf %i, %o : f32
    linalg.yield %t : f32
  } -> tensor<8xf32>
  %y4 = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x4, %s4 : tensor<8x8xf32>, tensor<8xf32>) outs(%p : tensor<8x8xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %t = arith.mulf %i, %j : f32
    linalg.yield %t : f32
  } -> tensor<8x8xf32>
  %r5 = tensor.empty() : tensor<8xf32>
  %e5 = tensor.empty() : tensor<8x8xf32>
  %f5 = linalg.fill ins(%z : f32) outs(%r5 : tensor<8xf32>) -> tensor<8xf32>
  %x5 = linalg.exp ins(%y4 : tensor<8x8xf32>) outs(%e5 : tensor<8x8xf32>) -> tensor<8x8xf32>
  %s5 = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x5 : tensor<8x8xf32>) outs(%f5 : tensor<8xf32>) {
  ^bb0(%i: f32, %o: f32):
    %t = arith.addf %i, %o : f32
    linalg.yield %t : f32
  } -> tensor<8xf32>
  %y5 = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x5, %s5 : tensor<8x8xf32>, tensor<8xf32>) outs(%p : tensor<8x8xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %t = arith.mulf %i, %j : f32
    linalg.yield %t : f32
  } -> tensor<8x8xf32>
  %r6 = tensor.empty() : tensor<64xf32>
  %e6 = tensor.empty() : tensor<64x64xf32>
  %f6 = linalg.fill ins(%z : f32) outs(%r6 : tensor<64xf32>) -> tensor<64xf32>
  %x6 = linalg.exp ins(%y3 : tensor<64x64xf32>) outs(%e6 : tensor<64x64xf32>) -> tensor<64x64xf32>
  %s6 = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x6 : tensor<64x64xf32>) outs(%f6 : tensor<64xf32>) {
  ^bb0(%i: f32, %o: f32):
    %t = arith.addf %i, %o : f32
    linalg.yield %t : f32
  } -> tensor<64xf32>
  %y6 = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x6, %s6 : tensor<64x64xf32>, tensor<64xf32>) outs(%y1 : tensor<64x64xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %t = arith.addf %i, %j : f32
    linalg.yield %t : f32
  } -> tensor<64x64xf32>
  %r7 = tensor.empty() : tensor<64xf32>
  %e7 = tensor.empty() : tensor<64x64xf32>
  %f7 = linalg.fill ins(%z : f32) outs(%r7 : tensor<64xf32>) -> tensor<64xf32>
  %x7 = linalg.exp ins(%y6 : tensor<64x64xf32>) outs(%e7 : tensor<64x64xf32>) -> tensor<64x64xf32>
  %s7 = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x7 : tensor<64x64xf32>) outs(%f7 : tensor<64xf32>) {
  ^bb0(%i: f32, %o: f32):
    %t = arith.addf %i, %o : f32
    linalg.yield %t : f32
  } -> tensor<64xf32>
  %y7 = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x7, %s7 : tensor<64x64xf32>, tensor<64xf32>) outs(%a : tensor<64x64xf32>) {
  ^bb0(%i: f32, %j: f32, %o: f32):
    %t = arith.addf %i, %j : f32
    linalg.yield %t : f32
  } -> tensor<64x64xf32>
  return %y1, %y3, %y5, %y6, %y7 : tensor<64x64xf32>, tensor<64x64xf32>, tensor<8x8xf32>, tensor<64x64xf32>, tensor<64x64xf32>
}
