// RUN: inplace-opt %s --inplace-plan-bufferize --canonicalize --cse | filecheck %s
// RUN: inplace-opt %s --inplace-one-shot-bufferize --canonicalize --cse | filecheck %s
// The reshaped input is a view: it is read to compute one output, and copied to the other.

// CHECK-LABEL: func.func @reshape_fused_source_and_copyout(
// CHECK:         %[[A:.*]] = dispatch.binding set(0) binding(0) : memref<12xi32>
// CHECK-NEXT:    %[[R:.*]] = dispatch.binding set(0) binding(1) : memref<3x4xi32>
// CHECK-NEXT:    %[[Q:.*]] = dispatch.binding set(0) binding(2) : memref<3x4xi32>
// CHECK-NEXT:    %[[A_VIEW:.*]] = memref.expand_shape %[[A]] {{\[\[}}0, 1{{\]\]}} output_shape [3, 4] :
// CHECK-NEXT:    linalg.generic {{.*}}ins(%[[A_VIEW]] : {{.*}}) outs(%[[R]] :
// CHECK-NEXT:    ^bb0
// CHECK-NEXT:    %{{.*}} = arith.addi
// CHECK-NEXT:    linalg.yield
// CHECK-NEXT:    }
// CHECK-NEXT:    memref.copy %[[A_VIEW]], %[[Q]] :
// CHECK-NEXT:    return

#id = affine_map<(d0, d1) -> (d0, d1)>
func.func @reshape_fused_source_and_copyout() {
  %a = dispatch.binding set(0) binding(0) : !dispatch.readonly<tensor<12xi32>>
  %r = dispatch.binding set(0) binding(1) : !dispatch.writeonly<tensor<3x4xi32>>
  %q = dispatch.binding set(0) binding(2) : !dispatch.writeonly<tensor<3x4xi32>>
  %v = dispatch.load %a : !dispatch.readonly<tensor<12xi32>> -> tensor<12xi32>
  %m = tensor.expand_shape %v [[0, 1]] output_shape [3, 4] : tensor<12xi32> into tensor<3x4xi32>
  %e = tensor.empty() : tensor<3x4xi32>
  %t = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%m : tensor<3x4xi32>) outs(%e : tensor<3x4xi32>) {
  ^bb0(%s: i32, %o: i32):
    %d = arith.addi %s, %s : i32
    linalg.yield %d : i32
  } -> tensor<3x4xi32>
  dispatch.store %t, %r : tensor<3x4xi32> -> !dispatch.writeonly<tensor<3x4xi32>>
  dispatch.store %m, %q : tensor<3x4xi32> -> !dispatch.writeonly<tensor<3x4xi32>>
  return
}
