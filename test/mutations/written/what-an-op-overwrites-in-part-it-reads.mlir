// passes: inplace-one-shot-bufferize{bufferize-function-boundaries=true warn-written-arguments=false analysis-heuristic=fuzzer analysis-fuzzer-seed=1}
// after: canonicalize,cse,inplace-deallocate
// protects: no
// runs: [[["int32", [4], 1], ["int32", [4], 101], ["int32", [2], 201], ["bool", null, true]], [["int32", [4], 1], ["int32", [4], 101], ["int32", [2], 201], ["bool", null, false]]]
func.func @main(%a: tensor<4xi32>, %b: tensor<4xi32>, %q: tensor<2xi32>, %c: i1) -> (tensor<4xi32>, tensor<4xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %k = arith.constant 9 : i32
  %pada0 = tensor.extract_slice %a[3] [1] [1] : tensor<4xi32> to tensor<1xi32>
  %padxa0 = tensor.extract %pada0[%c0] : tensor<1xi32>
  %pada1 = tensor.extract_slice %a[3] [1] [1] : tensor<4xi32> to tensor<1xi32>
  %padxa1 = tensor.extract %pada1[%c0] : tensor<1xi32>
  %pada2 = tensor.extract_slice %a[3] [1] [1] : tensor<4xi32> to tensor<1xi32>
  %padxa2 = tensor.extract %pada2[%c0] : tensor<1xi32>
  %pada3 = tensor.extract_slice %a[3] [1] [1] : tensor<4xi32> to tensor<1xi32>
  %padxa3 = tensor.extract %pada3[%c0] : tensor<1xi32>
  %pada4 = tensor.extract_slice %a[3] [1] [1] : tensor<4xi32> to tensor<1xi32>
  %padxa4 = tensor.extract %pada4[%c0] : tensor<1xi32>
  %pada5 = tensor.extract_slice %a[3] [1] [1] : tensor<4xi32> to tensor<1xi32>
  %padxa5 = tensor.extract %pada5[%c0] : tensor<1xi32>
  %pada6 = tensor.extract_slice %a[3] [1] [1] : tensor<4xi32> to tensor<1xi32>
  %padxa6 = tensor.extract %pada6[%c0] : tensor<1xi32>
  %pada7 = tensor.extract_slice %a[3] [1] [1] : tensor<4xi32> to tensor<1xi32>
  %padxa7 = tensor.extract %pada7[%c0] : tensor<1xi32>
  %pada8 = tensor.extract_slice %a[3] [1] [1] : tensor<4xi32> to tensor<1xi32>
  %padxa8 = tensor.extract %pada8[%c0] : tensor<1xi32>
  %pada9 = tensor.extract_slice %a[3] [1] [1] : tensor<4xi32> to tensor<1xi32>
  %padxa9 = tensor.extract %pada9[%c0] : tensor<1xi32>
  %pada10 = tensor.extract_slice %a[3] [1] [1] : tensor<4xi32> to tensor<1xi32>
  %padxa10 = tensor.extract %pada10[%c0] : tensor<1xi32>
  %pada11 = tensor.extract_slice %a[3] [1] [1] : tensor<4xi32> to tensor<1xi32>
  %padxa11 = tensor.extract %pada11[%c0] : tensor<1xi32>
  %pada12 = tensor.extract_slice %a[3] [1] [1] : tensor<4xi32> to tensor<1xi32>
  %padxa12 = tensor.extract %pada12[%c0] : tensor<1xi32>
  %pada13 = tensor.extract_slice %a[3] [1] [1] : tensor<4xi32> to tensor<1xi32>
  %padxa13 = tensor.extract %pada13[%c0] : tensor<1xi32>
  %pada14 = tensor.extract_slice %a[3] [1] [1] : tensor<4xi32> to tensor<1xi32>
  %padxa14 = tensor.extract %pada14[%c0] : tensor<1xi32>
  %pada15 = tensor.extract_slice %a[3] [1] [1] : tensor<4xi32> to tensor<1xi32>
  %padxa15 = tensor.extract %pada15[%c0] : tensor<1xi32>
  %pada16 = tensor.extract_slice %a[3] [1] [1] : tensor<4xi32> to tensor<1xi32>
  %padxa16 = tensor.extract %pada16[%c0] : tensor<1xi32>
  %pada17 = tensor.extract_slice %a[3] [1] [1] : tensor<4xi32> to tensor<1xi32>
  %padxa17 = tensor.extract %pada17[%c0] : tensor<1xi32>
  %pada18 = tensor.extract_slice %a[3] [1] [1] : tensor<4xi32> to tensor<1xi32>
  %padxa18 = tensor.extract %pada18[%c0] : tensor<1xi32>
  %pada19 = tensor.extract_slice %a[3] [1] [1] : tensor<4xi32> to tensor<1xi32>
  %padxa19 = tensor.extract %pada19[%c0] : tensor<1xi32>
  %x = tensor.insert %k into %a[%c0] : tensor<4xi32>
  %y = tensor.insert %k into %a[%c1] : tensor<4xi32>
  return %x, %y : tensor<4xi32>, tensor<4xi32>
}
