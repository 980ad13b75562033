// passes: inplace-one-shot-bufferize{bufferize-function-boundaries=true warn-written-arguments=false}
// after: canonicalize,cse,inplace-deallocate
// protects: no
// runs: [[["int32", [4], 1], ["int32", [4], 101], ["int32", [2], 201], ["bool", null, true]], [["int32", [4], 1], ["int32", [4], 101], ["int32", [2], 201], ["bool", null, false]]]
func.func @main(%a: tensor<4xi32>, %b: tensor<4xi32>, %q: tensor<2xi32>, %c: i1) -> (tensor<4xi32>, i32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %k = arith.constant 9 : i32
  %pada0 = tensor.extract %a[%c3] : tensor<4xi32>
  %pada1 = tensor.extract %a[%c3] : tensor<4xi32>
  %pada2 = tensor.extract %a[%c3] : tensor<4xi32>
  %pada3 = tensor.extract %a[%c3] : tensor<4xi32>
  %pada4 = tensor.extract %a[%c3] : tensor<4xi32>
  %pada5 = tensor.extract %a[%c3] : tensor<4xi32>
  %pada6 = tensor.extract %a[%c3] : tensor<4xi32>
  %pada7 = tensor.extract %a[%c3] : tensor<4xi32>
  %pada8 = tensor.extract %a[%c3] : tensor<4xi32>
  %pada9 = tensor.extract %a[%c3] : tensor<4xi32>
  %pada10 = tensor.extract %a[%c3] : tensor<4xi32>
  %pada11 = tensor.extract %a[%c3] : tensor<4xi32>
  %pada12 = tensor.extract %a[%c3] : tensor<4xi32>
  %pada13 = tensor.extract %a[%c3] : tensor<4xi32>
  %pada14 = tensor.extract %a[%c3] : tensor<4xi32>
  %pada15 = tensor.extract %a[%c3] : tensor<4xi32>
  %pada16 = tensor.extract %a[%c3] : tensor<4xi32>
  %pada17 = tensor.extract %a[%c3] : tensor<4xi32>
  %pada18 = tensor.extract %a[%c3] : tensor<4xi32>
  %pada19 = tensor.extract %a[%c3] : tensor<4xi32>
  %s = tensor.extract_slice %a[0] [2] [1] : tensor<4xi32> to tensor<2xi32>
  %w = tensor.insert_slice %q into %a[1] [2] [1] : tensor<2xi32> into tensor<4xi32>
  %e = tensor.extract %s[%c1] : tensor<2xi32>
  return %w, %e : tensor<4xi32>, i32
}
