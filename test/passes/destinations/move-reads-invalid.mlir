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

func.func @slices(%t: tensor<64xf32>)
    -> (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<64xf32>) {
  %a = tensor.extract_slice %t[0] [1] [1] : tensor<64xf32> to tensor<1xf32>
  %r = tensor.insert_slice %a into %t[0] [1] [1] : tensor<1xf32> into tensor<64xf32>
  %s = tensor.extract_slice %t[0] [1] [1] : tensor<64xf32> to tensor<1xf32>
  %o = tensor.extract_slice %t[2] [1] [1] : tensor<64xf32> to tensor<1xf32>
  %m = tensor.extract_slice %t[4] [1] [1] : tensor<64xf32> to tensor<1xf32>
  %n = tensor.extract_slice %t[6] [1] [1] : tensor<64xf32> to tensor<1xf32>
  // No remark: the decisions alone copy the four slices instead of the whole tensor.
  %u = linalg.generic {
      indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]
    } ins(%r : tensor<64xf32>) outs(%t : tensor<64xf32>) {
  ^bb0(%p: f32, %q: f32):
    %z = arith.addf %p, %q : f32
    linalg.yield %z : f32
  } -> tensor<64xf32>
  return %s, %o, %m, %n, %u : tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<64xf32>
}
