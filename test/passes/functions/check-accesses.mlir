// RUN: inplace-opt %s --inplace-check-accesses | filecheck %s
// RUN: inplace-opt %s --generate-runtime-verification --inplace-check-accesses | filecheck %s --check-prefix=BOTH

// CHECK-LABEL: func.func @insertion(
//  CHECK-SAME:   %[[S:.*]]: tensor<?xf32>, %[[T:.*]]: tensor<8xf32>, %[[N:.*]]: index)
//       CHECK:   %[[C0:.*]] = arith.constant 0 : index
//       CHECK:   %[[SIGN:.*]] = arith.cmpi sle, %[[C0]], %[[N]] : index
//  CHECK-NEXT:   cf.assert %[[SIGN]], "'tensor.insert_slice': size 0 is negative"
//       CHECK:   %[[C6:.*]] = arith.constant 6 : index
//       CHECK:   %[[END:.*]] = arith.cmpi sle, %[[N]], %[[C6]] : index
//  CHECK-NEXT:   cf.assert %[[END]], "'tensor.insert_slice': the slice ends outside of dimension 0"
//       CHECK:   %[[DIM:.*]] = tensor.dim %[[S]]
//       CHECK:   %[[SAME:.*]] = arith.cmpi eq, %[[DIM]], %[[N]] : index
//  CHECK-NEXT:   cf.assert %[[SAME]], "'tensor.insert_slice': dimension 0 of the source is not size 0 of the slice"
//  CHECK-NEXT:   tensor.insert_slice
func.func @insertion(%s: tensor<?xf32>, %t: tensor<8xf32>, %n: index) -> tensor<8xf32> {
  %r = tensor.insert_slice %s into %t[2] [%n] [1] : tensor<?xf32> into tensor<8xf32>
  return %r : tensor<8xf32>
}

// What is known needs no check.
// CHECK-LABEL: func.func @static
//   CHECK-NOT:   cf.assert
//       CHECK:   return
func.func @static(%s: tensor<2xf32>, %t: tensor<8xf32>) -> (tensor<8xf32>, tensor<4x2xf32>) {
  %r = tensor.insert_slice %s into %t[6] [2] [1] : tensor<2xf32> into tensor<8xf32>
  %e = tensor.expand_shape %r [[0, 1]] output_shape [4, 2] : tensor<8xf32> into tensor<4x2xf32>
  return %r, %e : tensor<8xf32>, tensor<4x2xf32>
}

// A source without unit dimensions may not say which size is which.
// CHECK-LABEL: func.func @rank
//   CHECK-NOT:   of the source
//       CHECK:   return
func.func @rank(%s: tensor<?xf32>, %t: tensor<?x?xf32>, %i: index, %n: index) -> tensor<?x?xf32> {
  %r = tensor.insert_slice %s into %t[%i, 0] [1, %n] [1, 1] : tensor<?xf32> into tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// Upstream's messages have four lines; those of the program stay as they are.
// BOTH-LABEL: func.func @messages
//       BOTH:   cf.assert %{{.*}}, "'tensor.extract': out-of-bounds access"
//       BOTH:   cf.assert %{{.*}}, "two\0Alines"
func.func @messages(%t: tensor<8xf32>, %i: index, %p: i1) -> f32 {
  %x = tensor.extract %t[%i] : tensor<8xf32>
  cf.assert %p, "two\nlines"
  return %x : f32
}
