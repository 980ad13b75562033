// RUN: inplace-opt %s --inplace-erase-signedness | filecheck %s

// CHECK-LABEL: func.func @f(
//  CHECK-SAME:     %arg0: tensor<4xi8>, %arg1: index) -> (tensor<4xi8>, i32)
//  CHECK-NEXT:   %[[QUOTIENT:.*]] = arith.divui %arg0, %arg0 : tensor<4xi8>
//  CHECK-NEXT:   %[[NUMBER:.*]] = call @g(%[[QUOTIENT]]) : (tensor<4xi8>) -> i32
//  CHECK-NEXT:   return %[[QUOTIENT]], %[[NUMBER]] : tensor<4xi8>, i32
func.func @f(%x: tensor<4xui8>, %i: index) -> (tensor<4xui8>, ui32) {
  %0 = builtin.unrealized_conversion_cast %x : tensor<4xui8> to tensor<4xi8>
  %1 = arith.divui %0, %0 : tensor<4xi8>
  %2 = builtin.unrealized_conversion_cast %1 : tensor<4xi8> to tensor<4xui8>
  %3 = func.call @g(%2) : (tensor<4xui8>) -> ui32
  return %2, %3 : tensor<4xui8>, ui32
}

// CHECK-LABEL: func.func private @g(tensor<4xi8>) -> i32
func.func private @g(tensor<4xui8>) -> ui32

// A loop that carries an unsigned number.
// CHECK-LABEL: func.func @loop
//       CHECK:   scf.for {{.*}} -> (i16)
func.func @loop(%n: index, %x: ui16) -> ui16 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> (ui16) {
    scf.yield %a : ui16
  }
  return %0 : ui16
}
