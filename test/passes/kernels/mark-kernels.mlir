// RUN: inplace-opt %s --inplace-mark-kernels='saved=1 elements=64 machine="l1=32768 l2=131072"' --split-input-file | filecheck %s
// RUN: inplace-opt %s --inplace-mark-kernels='many=3 elements=64 machine="l1=32768 l2=131072"' --split-input-file | filecheck %s --check-prefix=MANY
// RUN: inplace-opt %s --inplace-mark-kernels='saved=1 elements=64 machine="l1=32768 l2=131072"' --inplace-vectorize --split-input-file | filecheck %s --check-prefix=KEPT
// RUN: inplace-opt %s --inplace-mark-kernels='saved=2 elements=64 machine="l1=32768 l2=131072"' --split-input-file | filecheck %s --check-prefix=FEW
// RUN: inplace-opt %s --inplace-mark-kernels='saved=1 elements=64 crowd=2 machine="l1=32768 l2=131072"' --split-input-file | filecheck %s --check-prefix=CROWD

// Two matmuls are the same on other tensors, each with a fill of its own; the subtraction occurs once.
// CHECK-LABEL: func.func @chain
//       CHECK:   tensor.empty
//  CHECK-NEXT:   linalg.sub ins
//       CHECK:   %[[F:.*]] = linalg.fill {inplace.kernel = {{.*}}}
//  CHECK-NEXT:   linalg.matmul {inplace.kernel} {{.*}} outs(%[[F]]
//       CHECK:   %[[G:.*]] = linalg.fill {inplace.kernel = {{.*}}}
//  CHECK-NEXT:   linalg.matmul {inplace.kernel} {{.*}} outs(%[[G]]
// MANY-LABEL: func.func @chain
//       MANY:   linalg.sub {inplace.kernel}
// Two equal ops save one, which does not pay where it takes two.
// FEW-LABEL: func.func @chain
//   FEW-NOT:   inplace.kernel
//       FEW:   return
// KEPT-LABEL: func.func @chain
//       KEPT:   vector.transfer_read
//       KEPT:   linalg.matmul {inplace.kernel}
//       KEPT:   linalg.matmul {inplace.kernel}
func.func @chain(%a: tensor<8x8xf32>, %b: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x8xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
  %d = linalg.sub ins(%a, %b : tensor<8x8xf32>, tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
  %x = linalg.matmul ins(%d, %b : tensor<8x8xf32>, tensor<8x8xf32>) outs(%f : tensor<8x8xf32>) -> tensor<8x8xf32>
  %y = linalg.matmul ins(%x, %b : tensor<8x8xf32>, tensor<8x8xf32>) outs(%f : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %y : tensor<8x8xf32>
}

// -----

// Not marked: another type, other operands that are equal, what has few elements, what is larger than the second
// cache, dynamic sizes, what nobody uses, what a loop repeats, and what takes a tensor from outside into its payload.
// CHECK-LABEL: func.func @different
//   CHECK-NOT:   inplace.kernel
//       CHECK:   return
#id = affine_map<(i) -> (i)>
func.func @different(%a: tensor<64xf32>, %b: tensor<64xf32>, %c: tensor<64xf64>, %s: tensor<8xf32>,
                     %l: tensor<8192xf32>, %d: tensor<?xf32>, %n: index)
    -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf64>, tensor<8xf32>, tensor<8192xf32>, tensor<?xf32>, tensor<64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = linalg.add ins(%a, %b : tensor<64xf32>, tensor<64xf32>) outs(%a : tensor<64xf32>) -> tensor<64xf32>
  %1 = linalg.add ins(%a, %a : tensor<64xf32>, tensor<64xf32>) outs(%b : tensor<64xf32>) -> tensor<64xf32>
  %2 = linalg.add ins(%c, %c : tensor<64xf64>, tensor<64xf64>) outs(%c : tensor<64xf64>) -> tensor<64xf64>
  %3 = linalg.exp ins(%s : tensor<8xf32>) outs(%s : tensor<8xf32>) -> tensor<8xf32>
  %4 = linalg.exp ins(%3 : tensor<8xf32>) outs(%3 : tensor<8xf32>) -> tensor<8xf32>
  %5 = linalg.exp ins(%l : tensor<8192xf32>) outs(%l : tensor<8192xf32>) -> tensor<8192xf32>
  %6 = linalg.exp ins(%5 : tensor<8192xf32>) outs(%5 : tensor<8192xf32>) -> tensor<8192xf32>
  %7 = linalg.exp ins(%d : tensor<?xf32>) outs(%d : tensor<?xf32>) -> tensor<?xf32>
  %8 = linalg.exp ins(%7 : tensor<?xf32>) outs(%7 : tensor<?xf32>) -> tensor<?xf32>
  %unused = linalg.abs ins(%a : tensor<64xf32>) outs(%b : tensor<64xf32>) -> tensor<64xf32>
  %unused_too = linalg.abs ins(%unused : tensor<64xf32>) outs(%a : tensor<64xf32>) -> tensor<64xf32>
  %9 = scf.for %i = %c0 to %n step %c1 iter_args(%t = %0) -> (tensor<64xf32>) {
    %u = linalg.ceil ins(%t : tensor<64xf32>) outs(%t : tensor<64xf32>) -> tensor<64xf32>
    %v = linalg.ceil ins(%u : tensor<64xf32>) outs(%u : tensor<64xf32>) -> tensor<64xf32>
    scf.yield %v : tensor<64xf32>
  }
  %10 = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%9 : tensor<64xf32>) {
  ^bb0(%o: f32):
    %x = tensor.extract %a[%c0] : tensor<64xf32>
    linalg.yield %x : f32
  } -> tensor<64xf32>
  %11 = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%10 : tensor<64xf32>) {
  ^bb0(%o: f32):
    %x = tensor.extract %a[%c0] : tensor<64xf32>
    linalg.yield %x : f32
  } -> tensor<64xf32>
  return %11, %1, %2, %4, %6, %8, %0
      : tensor<64xf32>, tensor<64xf32>, tensor<64xf64>, tensor<8xf32>, tensor<8192xf32>, tensor<?xf32>, tensor<64xf32>
}

// -----

// The exponentials may be joined with the sums that read them, since the products want them too; so both stay.
// CHECK-LABEL: func.func @joined
//   CHECK-NOT:   linalg.generic {{.*}}inplace.kernel
//       CHECK:   linalg.mul {inplace.kernel}
//       CHECK:   linalg.mul {inplace.kernel}
#row = affine_map<(i, j) -> (i)>
#all = affine_map<(i, j) -> (i, j)>
func.func @joined(%a: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x8xf32>
  %r = tensor.empty() : tensor<8xf32>
  %x = linalg.exp ins(%a : tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
  %f = linalg.fill ins(%z : f32) outs(%r : tensor<8xf32>) -> tensor<8xf32>
  %s = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<8x8xf32>) outs(%f : tensor<8xf32>) {
  ^bb0(%i: f32, %o: f32):
    %t = arith.addf %i, %o : f32
    linalg.yield %t : f32
  } -> tensor<8xf32>
  %m = linalg.mul ins(%x, %a : tensor<8x8xf32>, tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
  %y = linalg.exp ins(%m : tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
  %g = linalg.fill ins(%z : f32) outs(%r : tensor<8xf32>) -> tensor<8xf32>
  %q = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%y : tensor<8x8xf32>) outs(%g : tensor<8xf32>) {
  ^bb0(%i: f32, %o: f32):
    %t = arith.addf %i, %o : f32
    linalg.yield %t : f32
  } -> tensor<8xf32>
  %n = linalg.mul ins(%y, %m : tensor<8x8xf32>, tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %n, %s, %q : tensor<8x8xf32>, tensor<8xf32>, tensor<8xf32>
}

// -----

// Products read elements more than once, so they are not joined with what they read, even if others read it, too.
// CHECK-LABEL: func.func @products
// CHECK-COUNT-2: linalg.exp {inplace.kernel}
//   CHECK-NEXT:   linalg.fill {inplace.kernel = {{.*}}}
//   CHECK-NEXT:   linalg.matmul {inplace.kernel}
//   CHECK-NEXT:   linalg.fill {inplace.kernel = {{.*}}}
//   CHECK-NEXT:   linalg.matmul {inplace.kernel}
//   CHECK-NEXT:   return
func.func @products(%a: tensor<8x8xf32>, %b: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x8xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
  %x = linalg.exp ins(%a : tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
  %y = linalg.exp ins(%x : tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
  %p = linalg.matmul ins(%x, %y : tensor<8x8xf32>, tensor<8x8xf32>) outs(%f : tensor<8x8xf32>) -> tensor<8x8xf32>
  %q = linalg.matmul ins(%y, %b : tensor<8x8xf32>, tensor<8x8xf32>) outs(%f : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %p, %q : tensor<8x8xf32>, tensor<8x8xf32>
}

// -----

// In a loop, and in a branch in it, where there is a crowd; not among the threads of a parallel loop, nor where an op is
// alone.
// CHECK-LABEL: func.func @loops
//   CHECK-NOT:   inplace.kernel
//       CHECK:   return
// CROWD-LABEL: func.func @loops
//       CROWD:   scf.for
//       CROWD:     linalg.ceil {inplace.kernel}
//       CROWD:     linalg.ceil {inplace.kernel}
//       CROWD:     scf.if
//       CROWD:       linalg.fill {inplace.kernel = {{.*}}}
//       CROWD:       linalg.matmul {inplace.kernel}
//       CROWD:       linalg.fill {inplace.kernel = {{.*}}}
//       CROWD:       linalg.matmul {inplace.kernel}
//       CROWD:     else
//   CROWD-NOT:       inplace.kernel
//       CROWD:   scf.forall
//   CROWD-NOT:     inplace.kernel
//       CROWD:   return
func.func @loops(%a: tensor<8x8xf32>, %b: tensor<8x8xf32>, %n: index, %c: i1) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x8xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
  %0 = scf.for %i = %c0 to %n step %c1 iter_args(%t = %a) -> (tensor<8x8xf32>) {
    %u = linalg.ceil ins(%t : tensor<8x8xf32>) outs(%t : tensor<8x8xf32>) -> tensor<8x8xf32>
    %v = linalg.ceil ins(%u : tensor<8x8xf32>) outs(%u : tensor<8x8xf32>) -> tensor<8x8xf32>
    %w = scf.if %c -> (tensor<8x8xf32>) {
      %x = linalg.matmul ins(%v, %b : tensor<8x8xf32>, tensor<8x8xf32>) outs(%f : tensor<8x8xf32>) -> tensor<8x8xf32>
      %y = linalg.matmul ins(%x, %b : tensor<8x8xf32>, tensor<8x8xf32>) outs(%f : tensor<8x8xf32>) -> tensor<8x8xf32>
      scf.yield %y : tensor<8x8xf32>
    } else {
      %x = linalg.ceil ins(%v : tensor<8x8xf32>) outs(%v : tensor<8x8xf32>) -> tensor<8x8xf32>
      scf.yield %x : tensor<8x8xf32>
    }
    scf.yield %w : tensor<8x8xf32>
  }
  %1 = scf.forall (%i) in (%n) shared_outs(%o = %0) -> (tensor<8x8xf32>) {
    %u = linalg.ceil ins(%a : tensor<8x8xf32>) outs(%b : tensor<8x8xf32>) -> tensor<8x8xf32>
    %v = linalg.ceil ins(%u : tensor<8x8xf32>) outs(%u : tensor<8x8xf32>) -> tensor<8x8xf32>
    %row = tensor.extract_slice %v[%i, 0] [1, 8] [1, 1] : tensor<8x8xf32> to tensor<1x8xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %row into %o[%i, 0] [1, 8] [1, 1] : tensor<1x8xf32> into tensor<8x8xf32>
    }
  }
  return %0, %1 : tensor<8x8xf32>, tensor<8x8xf32>
}

// -----

// Convolutions of which the second cache holds the result, but not the weights: each element is the sum of 288 products.
// CHECK-LABEL: func.func @many_weights
//       CHECK:   linalg.generic {{.*}} attrs = {inplace.kernel}
//       CHECK:   linalg.generic {{.*}} attrs = {inplace.kernel}
#image = affine_map<(n, f, h, w, g, i, j, c) -> (n, h + i, w + j, c)>
#window = affine_map<(n, f, h, w, g, i, j, c) -> (f, i, j, c, g)>
#result = affine_map<(n, f, h, w, g, i, j, c) -> (n, h, w, f, g)>
func.func @many_weights(%x: tensor<1x6x6x32xf32>, %y: tensor<1x6x6x32xf32>, %w: tensor<4x3x3x32x16xf32>)
    -> (tensor<1x4x4x4x16xf32>, tensor<1x4x4x4x16xf32>) {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x4x4x4x16xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x4x4x4x16xf32>) -> tensor<1x4x4x4x16xf32>
  %0 = linalg.generic {indexing_maps = [#image, #window, #result], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%x, %w : tensor<1x6x6x32xf32>, tensor<4x3x3x32x16xf32>) outs(%f : tensor<1x4x4x4x16xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %c, %p : f32
    linalg.yield %s : f32
  } -> tensor<1x4x4x4x16xf32>
  %1 = linalg.generic {indexing_maps = [#image, #window, #result], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%y, %w : tensor<1x6x6x32xf32>, tensor<4x3x3x32x16xf32>) outs(%f : tensor<1x4x4x4x16xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %c, %p : f32
    linalg.yield %s : f32
  } -> tensor<1x4x4x4x16xf32>
  return %0, %1 : tensor<1x4x4x4x16xf32>, tensor<1x4x4x4x16xf32>
}

// -----

// As many weights, but 64 products for an element: what is behind them is better computed in registers.
// CHECK-LABEL: func.func @little_work
//   CHECK-NOT:   inplace.kernel
//       CHECK:   return
#image = affine_map<(n, f, h, w, g, c) -> (n, h, w, c)>
#window = affine_map<(n, f, h, w, g, c) -> (f, c, g)>
#result = affine_map<(n, f, h, w, g, c) -> (n, h, w, f, g)>
func.func @little_work(%x: tensor<1x2x2x64xf32>, %y: tensor<1x2x2x64xf32>, %w: tensor<32x64x16xf32>)
    -> (tensor<1x2x2x32x16xf32>, tensor<1x2x2x32x16xf32>) {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x2x2x32x16xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x2x2x32x16xf32>) -> tensor<1x2x2x32x16xf32>
  %0 = linalg.generic {indexing_maps = [#image, #window, #result], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<1x2x2x64xf32>, tensor<32x64x16xf32>) outs(%f : tensor<1x2x2x32x16xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %c, %p : f32
    linalg.yield %s : f32
  } -> tensor<1x2x2x32x16xf32>
  %1 = linalg.generic {indexing_maps = [#image, #window, #result], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction"]}
      ins(%y, %w : tensor<1x2x2x64xf32>, tensor<32x64x16xf32>) outs(%f : tensor<1x2x2x32x16xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %c, %p : f32
    linalg.yield %s : f32
  } -> tensor<1x2x2x32x16xf32>
  return %0, %1 : tensor<1x2x2x32x16xf32>, tensor<1x2x2x32x16xf32>
}

// -----

// What alone reads a product of more than half of the first cache is one kernel with it, in its own buffer, or a part
// of one. Not where it is computed in what the product reads, or in what has a content, and not if another op reads the
// product, too.
// CHECK-LABEL: func.func @pairs
//       CHECK:   %[[E:.*]] = tensor.empty() : tensor<96x96xf32>
//       CHECK:   %[[S:.*]] = tensor.extract_slice %[[E]]
//       CHECK:   %[[F:.*]] = linalg.fill {inplace.kernel = {{.*}} outs(%[[S]]
//  CHECK-NEXT:   %[[M:.*]] = linalg.matmul {inplace.kernel} {{.*}} outs(%[[F]]
//  CHECK-NEXT:   linalg.add {inplace.kernel = "epilogue"} ins(%[[M]], {{.*}} outs(%[[M]]
// CHECK-LABEL: func.func @other_buffers
//   CHECK-NOT:   "epilogue"
//       CHECK:   return
// CHECK-LABEL: func.func @other_elements
//   CHECK-NOT:   "epilogue"
//       CHECK:   return
func.func @pairs(%a: tensor<80x80xf32>, %b: tensor<80x80xf32>) -> (tensor<96x96xf32>, tensor<96x96xf32>) {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<80x80xf32>
  %w = tensor.empty() : tensor<96x96xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<80x80xf32>) -> tensor<80x80xf32>
  %m = linalg.matmul ins(%a, %b : tensor<80x80xf32>, tensor<80x80xf32>) outs(%f : tensor<80x80xf32>) -> tensor<80x80xf32>
  %g = linalg.fill ins(%z : f32) outs(%w : tensor<96x96xf32>) -> tensor<96x96xf32>
  %p = tensor.extract_slice %w[8, 8] [80, 80] [1, 1] : tensor<96x96xf32> to tensor<80x80xf32>
  %s = linalg.add ins(%m, %a : tensor<80x80xf32>, tensor<80x80xf32>) outs(%p : tensor<80x80xf32>) -> tensor<80x80xf32>
  %u = tensor.insert_slice %s into %g[8, 8] [80, 80] [1, 1] : tensor<80x80xf32> into tensor<96x96xf32>
  %n = linalg.matmul ins(%b, %a : tensor<80x80xf32>, tensor<80x80xf32>) outs(%f : tensor<80x80xf32>) -> tensor<80x80xf32>
  %t = linalg.add ins(%n, %b : tensor<80x80xf32>, tensor<80x80xf32>) outs(%p : tensor<80x80xf32>) -> tensor<80x80xf32>
  %v = tensor.insert_slice %t into %g[8, 8] [80, 80] [1, 1] : tensor<80x80xf32> into tensor<96x96xf32>
  return %u, %v : tensor<96x96xf32>, tensor<96x96xf32>
}

func.func @other_buffers(%a: tensor<80x80xf32>, %b: tensor<80x80xf32>, %c: tensor<80x80xf32>)
    -> (tensor<80x80xf32>, tensor<80x80xf32>, tensor<80x80xf32>, tensor<80x80xf32>, tensor<80x80xf32>, tensor<80x80xf32>, tensor<80x80xf32>) {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<80x80xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<80x80xf32>) -> tensor<80x80xf32>
  %read = linalg.matmul ins(%a, %b : tensor<80x80xf32>, tensor<80x80xf32>) outs(%f : tensor<80x80xf32>) -> tensor<80x80xf32>
  %0 = linalg.add ins(%read, %c : tensor<80x80xf32>, tensor<80x80xf32>) outs(%a : tensor<80x80xf32>) -> tensor<80x80xf32>
  %read_too = linalg.matmul ins(%b, %a : tensor<80x80xf32>, tensor<80x80xf32>) outs(%f : tensor<80x80xf32>) -> tensor<80x80xf32>
  %1 = linalg.add ins(%read_too, %c : tensor<80x80xf32>, tensor<80x80xf32>) outs(%b : tensor<80x80xf32>) -> tensor<80x80xf32>
  %full = linalg.matmul ins(%a, %a : tensor<80x80xf32>, tensor<80x80xf32>) outs(%f : tensor<80x80xf32>) -> tensor<80x80xf32>
  %2 = linalg.add ins(%full, %a : tensor<80x80xf32>, tensor<80x80xf32>) outs(%c : tensor<80x80xf32>) -> tensor<80x80xf32>
  %full_too = linalg.matmul ins(%b, %b : tensor<80x80xf32>, tensor<80x80xf32>) outs(%f : tensor<80x80xf32>) -> tensor<80x80xf32>
  %3 = linalg.add ins(%full_too, %b : tensor<80x80xf32>, tensor<80x80xf32>) outs(%c : tensor<80x80xf32>) -> tensor<80x80xf32>
  %twice = linalg.matmul ins(%c, %b : tensor<80x80xf32>, tensor<80x80xf32>) outs(%f : tensor<80x80xf32>) -> tensor<80x80xf32>
  %4 = linalg.sub ins(%twice, %c : tensor<80x80xf32>, tensor<80x80xf32>) outs(%e : tensor<80x80xf32>) -> tensor<80x80xf32>
  %twice_too = linalg.matmul ins(%c, %a : tensor<80x80xf32>, tensor<80x80xf32>) outs(%f : tensor<80x80xf32>) -> tensor<80x80xf32>
  %5 = linalg.sub ins(%twice_too, %c : tensor<80x80xf32>, tensor<80x80xf32>) outs(%e : tensor<80x80xf32>) -> tensor<80x80xf32>
  %6 = linalg.sub ins(%twice, %twice_too : tensor<80x80xf32>, tensor<80x80xf32>) outs(%e : tensor<80x80xf32>) -> tensor<80x80xf32>
  return %0, %1, %2, %3, %4, %5, %6 : tensor<80x80xf32>, tensor<80x80xf32>, tensor<80x80xf32>, tensor<80x80xf32>, tensor<80x80xf32>, tensor<80x80xf32>, tensor<80x80xf32>
}

#same = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#turned = affine_map<(d0, d1, d2) -> (d1, d0, d2)>
func.func @other_elements(%a: tensor<20x20x20xf32>, %b: tensor<20x20x20xf32>) -> (tensor<20x20x20xf32>, tensor<20x20x20xf32>) {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<20x20x20xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<20x20x20xf32>) -> tensor<20x20x20xf32>
  %m = linalg.batch_matmul ins(%a, %b : tensor<20x20x20xf32>, tensor<20x20x20xf32>) outs(%f : tensor<20x20x20xf32>) -> tensor<20x20x20xf32>
  %0 = linalg.generic {indexing_maps = [#same, #same, #turned], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%m, %a : tensor<20x20x20xf32>, tensor<20x20x20xf32>) outs(%e : tensor<20x20x20xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %s = arith.subf %p, %q : f32
    linalg.yield %s : f32
  } -> tensor<20x20x20xf32>
  %n = linalg.batch_matmul ins(%b, %a : tensor<20x20x20xf32>, tensor<20x20x20xf32>) outs(%f : tensor<20x20x20xf32>) -> tensor<20x20x20xf32>
  %1 = linalg.generic {indexing_maps = [#same, #same, #turned], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%n, %b : tensor<20x20x20xf32>, tensor<20x20x20xf32>) outs(%e : tensor<20x20x20xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %s = arith.subf %p, %q : f32
    linalg.yield %s : f32
  } -> tensor<20x20x20xf32>
  return %0, %1 : tensor<20x20x20xf32>, tensor<20x20x20xf32>
}
