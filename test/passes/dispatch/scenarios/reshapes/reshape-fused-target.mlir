// RUN: inplace-opt %s --inplace-plan-bufferize --canonicalize --cse | filecheck %s
// RUN: inplace-opt %s --inplace-one-shot-bufferize --canonicalize --cse | filecheck %s
// The result is computed in a view of the output, whose shape it does not have.

// CHECK-LABEL: func.func @reshape_fused_target(
// CHECK:         %[[A:.*]] = dispatch.binding set(0) binding(0) : memref<3x4xi32>
// CHECK-NEXT:    %[[R:.*]] = dispatch.binding set(0) binding(1) : memref<12xi32>
// CHECK-NEXT:    %[[R_VIEW:.*]] = memref.expand_shape %[[R]] {{\[\[}}0, 1{{\]\]}} output_shape [3, 4] :
// CHECK-NEXT:    linalg.generic {{.*}}ins(%[[A]] : {{.*}}) outs(%[[R_VIEW]] :
// CHECK-NEXT:    ^bb0
// CHECK-NEXT:    %{{.*}} = arith.addi
// CHECK-NEXT:    linalg.yield
// CHECK-NEXT:    }
// CHECK-NEXT:    return

#id = affine_map<(d0, d1) -> (d0, d1)>
func.func @reshape_fused_target() {
  %a = dispatch.binding set(0) binding(0) : !dispatch.readonly<tensor<3x4xi32>>
  %r = dispatch.binding set(0) binding(1) : !dispatch.writeonly<tensor<12xi32>>
  %v = dispatch.load %a : !dispatch.readonly<tensor<3x4xi32>> -> tensor<3x4xi32>
  %e = tensor.empty() : tensor<3x4xi32>
  %t = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%v : tensor<3x4xi32>) outs(%e : tensor<3x4xi32>) {
  ^bb0(%s: i32, %o: i32):
    %d = arith.addi %s, %s : i32
    linalg.yield %d : i32
  } -> tensor<3x4xi32>
  %f = tensor.collapse_shape %t [[0, 1]] : tensor<3x4xi32> into tensor<12xi32>
  dispatch.store %f, %r : tensor<12xi32> -> !dispatch.writeonly<tensor<12xi32>>
  return
}
