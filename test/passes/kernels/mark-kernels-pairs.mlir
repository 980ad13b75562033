// RUN: inplace-opt %s --inplace-mark-kernels='saved=1 machine="l1=32768 l2=1048576"' | filecheck %s

// Sums of 255 products for an element are one kernel with what reads them.
// CHECK-LABEL: func.func @few_products
//       CHECK:   linalg.matmul {inplace.kernel}
//  CHECK-NEXT:   linalg.add {inplace.kernel = "epilogue"}
//       CHECK:   linalg.matmul {inplace.kernel}
//  CHECK-NEXT:   linalg.add {inplace.kernel = "epilogue"}
func.func @few_products(%a: tensor<80x255xf32>, %b: tensor<255x80xf32>, %c: tensor<80x80xf32>, %d: tensor<255x80xf32>)
    -> (tensor<80x80xf32>, tensor<80x80xf32>) {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<80x80xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<80x80xf32>) -> tensor<80x80xf32>
  %m = linalg.matmul ins(%a, %b : tensor<80x255xf32>, tensor<255x80xf32>) outs(%f : tensor<80x80xf32>) -> tensor<80x80xf32>
  %s = linalg.add ins(%m, %c : tensor<80x80xf32>, tensor<80x80xf32>) outs(%e : tensor<80x80xf32>) -> tensor<80x80xf32>
  %n = linalg.matmul ins(%a, %d : tensor<80x255xf32>, tensor<255x80xf32>) outs(%f : tensor<80x80xf32>) -> tensor<80x80xf32>
  %t = linalg.add ins(%n, %s : tensor<80x80xf32>, tensor<80x80xf32>) outs(%e : tensor<80x80xf32>) -> tensor<80x80xf32>
  return %s, %t : tensor<80x80xf32>, tensor<80x80xf32>
}

// With 256 they are kernels by themselves: little is saved, and the product may occur elsewhere.
// CHECK-LABEL: func.func @many_products
//   CHECK-NOT:   "epilogue"
//       CHECK:   linalg.add {inplace.kernel}
//   CHECK-NOT:   "epilogue"
//       CHECK:   return
func.func @many_products(%a: tensor<80x256xf32>, %b: tensor<256x80xf32>, %c: tensor<80x80xf32>, %d: tensor<256x80xf32>)
    -> (tensor<80x80xf32>, tensor<80x80xf32>) {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<80x80xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<80x80xf32>) -> tensor<80x80xf32>
  %m = linalg.matmul ins(%a, %b : tensor<80x256xf32>, tensor<256x80xf32>) outs(%f : tensor<80x80xf32>) -> tensor<80x80xf32>
  %s = linalg.add ins(%m, %c : tensor<80x80xf32>, tensor<80x80xf32>) outs(%e : tensor<80x80xf32>) -> tensor<80x80xf32>
  %n = linalg.matmul ins(%a, %d : tensor<80x256xf32>, tensor<256x80xf32>) outs(%f : tensor<80x80xf32>) -> tensor<80x80xf32>
  %t = linalg.add ins(%n, %s : tensor<80x80xf32>, tensor<80x80xf32>) outs(%e : tensor<80x80xf32>) -> tensor<80x80xf32>
  return %s, %t : tensor<80x80xf32>, tensor<80x80xf32>
}
