// passes: inplace-one-shot-bufferize{bufferize-function-boundaries=true warn-written-arguments=false}
// after: canonicalize,cse,inplace-deallocate
// protects: no
// runs: [[["int32", [4], 1], ["int32", [4], 101], ["int32", [2], 201], ["bool", null, true]], [["int32", [4], 1], ["int32", [4], 101], ["int32", [2], 201], ["bool", null, false]]]
func.func @main(%a: tensor<4xi32>, %b: tensor<4xi32>, %q: tensor<2xi32>, %c: i1) -> (tensor<4xi32>, i32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %k = arith.constant 9 : i32
  %v = arith.select %c, %a, %b : tensor<4xi32>
  %padv0 = tensor.extract_slice %v[3] [1] [1] : tensor<4xi32> to tensor<1xi32>
  %padxv0 = tensor.extract %padv0[%c0] : tensor<1xi32>
  %padv1 = tensor.extract_slice %v[3] [1] [1] : tensor<4xi32> to tensor<1xi32>
  %padxv1 = tensor.extract %padv1[%c0] : tensor<1xi32>
  %padv2 = tensor.extract_slice %v[3] [1] [1] : tensor<4xi32> to tensor<1xi32>
  %padxv2 = tensor.extract %padv2[%c0] : tensor<1xi32>
  %padv3 = tensor.extract_slice %v[3] [1] [1] : tensor<4xi32> to tensor<1xi32>
  %padxv3 = tensor.extract %padv3[%c0] : tensor<1xi32>
  %padv4 = tensor.extract_slice %v[3] [1] [1] : tensor<4xi32> to tensor<1xi32>
  %padxv4 = tensor.extract %padv4[%c0] : tensor<1xi32>
  %padv5 = tensor.extract_slice %v[3] [1] [1] : tensor<4xi32> to tensor<1xi32>
  %padxv5 = tensor.extract %padv5[%c0] : tensor<1xi32>
  %padv6 = tensor.extract_slice %v[3] [1] [1] : tensor<4xi32> to tensor<1xi32>
  %padxv6 = tensor.extract %padv6[%c0] : tensor<1xi32>
  %padv7 = tensor.extract_slice %v[3] [1] [1] : tensor<4xi32> to tensor<1xi32>
  %padxv7 = tensor.extract %padv7[%c0] : tensor<1xi32>
  %padv8 = tensor.extract_slice %v[3] [1] [1] : tensor<4xi32> to tensor<1xi32>
  %padxv8 = tensor.extract %padv8[%c0] : tensor<1xi32>
  %padv9 = tensor.extract_slice %v[3] [1] [1] : tensor<4xi32> to tensor<1xi32>
  %padxv9 = tensor.extract %padv9[%c0] : tensor<1xi32>
  %padv10 = tensor.extract_slice %v[3] [1] [1] : tensor<4xi32> to tensor<1xi32>
  %padxv10 = tensor.extract %padv10[%c0] : tensor<1xi32>
  %padv11 = tensor.extract_slice %v[3] [1] [1] : tensor<4xi32> to tensor<1xi32>
  %padxv11 = tensor.extract %padv11[%c0] : tensor<1xi32>
  %padv12 = tensor.extract_slice %v[3] [1] [1] : tensor<4xi32> to tensor<1xi32>
  %padxv12 = tensor.extract %padv12[%c0] : tensor<1xi32>
  %padv13 = tensor.extract_slice %v[3] [1] [1] : tensor<4xi32> to tensor<1xi32>
  %padxv13 = tensor.extract %padv13[%c0] : tensor<1xi32>
  %padv14 = tensor.extract_slice %v[3] [1] [1] : tensor<4xi32> to tensor<1xi32>
  %padxv14 = tensor.extract %padv14[%c0] : tensor<1xi32>
  %padv15 = tensor.extract_slice %v[3] [1] [1] : tensor<4xi32> to tensor<1xi32>
  %padxv15 = tensor.extract %padv15[%c0] : tensor<1xi32>
  %padv16 = tensor.extract_slice %v[3] [1] [1] : tensor<4xi32> to tensor<1xi32>
  %padxv16 = tensor.extract %padv16[%c0] : tensor<1xi32>
  %padv17 = tensor.extract_slice %v[3] [1] [1] : tensor<4xi32> to tensor<1xi32>
  %padxv17 = tensor.extract %padv17[%c0] : tensor<1xi32>
  %padv18 = tensor.extract_slice %v[3] [1] [1] : tensor<4xi32> to tensor<1xi32>
  %padxv18 = tensor.extract %padv18[%c0] : tensor<1xi32>
  %padv19 = tensor.extract_slice %v[3] [1] [1] : tensor<4xi32> to tensor<1xi32>
  %padxv19 = tensor.extract %padv19[%c0] : tensor<1xi32>
  %p = tensor.extract_slice %v[0] [2] [1] : tensor<4xi32> to tensor<2xi32>
  %w = tensor.insert_slice %q into %a[0] [2] [1] : tensor<2xi32> into tensor<4xi32>
  %e = tensor.extract %p[%c1] : tensor<2xi32>
  return %w, %e : tensor<4xi32>, i32
}
