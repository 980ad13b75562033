// RUN: inplace-opt %s --split-input-file --inplace-move-reads=print-decisions --verify-diagnostics

func.func @read(%t: tensor<64xf32>, %x: f32, %i: index) -> (tensor<64xf32>, f32) {
  // expected-remark @+1 {{operand #1 of 'tensor.insert' is not kept as a whole: 'tensor.extract' moves in front of it, and reads the old content there}}
  %r = tensor.insert %x into %t[%i] : tensor<64xf32>
  %o = tensor.extract %t[%i] : tensor<64xf32>
  return %r, %o : tensor<64xf32>, f32
}

// -----

func.func @write(%t: tensor<64xf32>, %x: f32, %i: index) -> tensor<64xf32> {
  // expected-remark @+1 {{operand #1 of 'tensor.insert' is not kept as a whole: it moves behind the last read of the old content}}
  %r = tensor.insert %x into %t[%i] : tensor<64xf32>
  call @show(%t) : (tensor<64xf32>) -> ()
  return %r : tensor<64xf32>
}
func.func private @show(tensor<64xf32> {bufferization.access = "read"})

// -----

func.func @slice(%t: tensor<64x64xf32>, %i: index, %j: index) -> tensor<64x64xf32> {
  %a = tensor.extract_slice %t[%i, 0] [1, 64] [1, 1] : tensor<64x64xf32> to tensor<64xf32>
  %b = tensor.extract_slice %t[%j, 0] [1, 64] [1, 1] : tensor<64x64xf32> to tensor<64xf32>
  // expected-remark @+1 {{operand #1 of 'tensor.insert_slice' is not kept as a whole: the result of 'tensor.extract_slice' is copied in front of it}}
  %u = tensor.insert_slice %a into %t[%j, 0] [1, 64] [1, 1] : tensor<64xf32> into tensor<64x64xf32>
  %v = tensor.insert_slice %b into %u[%i, 0] [1, 64] [1, 1] : tensor<64xf32> into tensor<64x64xf32>
  return %v : tensor<64x64xf32>
}
