// RUN: inplace-opt %s --split-input-file --inplace-remove-outs-dependency=print-kept=true --verify-diagnostics

// The payload uses the init.
func.func @read(%d: tensor<4x4xf32>, %x: tensor<4x4xf32>, %f: f32) -> tensor<4x4xf32> {
  %0 = linalg.fill ins(%f : f32) outs(%d : tensor<4x4xf32>) -> tensor<4x4xf32>
  // expected-remark @+1 {{operand #2 of 'linalg.matmul', an init, stays: its content is needed: the payload uses it}}
  %1 = linalg.matmul ins(%x, %x : tensor<4x4xf32>, tensor<4x4xf32>) outs(%0 : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %1 : tensor<4x4xf32>
}

// -----

// Without iterations of the loop that reduces, nothing is written.
#id2 = affine_map<(i, j) -> (i, j)>
func.func @may_not_run(%d: tensor<3xf32>, %x: tensor<3x?xf32>, %f: f32) -> tensor<3xf32> {
  %0 = linalg.fill ins(%f : f32) outs(%d : tensor<3xf32>) -> tensor<3xf32>
  // expected-remark @+1 {{stays: its content is needed: loop d1, which is none of the output's, may have no iteration: its size is dynamic}}
  %1 = linalg.generic {indexing_maps = [#id2, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<3x?xf32>) outs(%0 : tensor<3xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
  } -> tensor<3xf32>
  return %1 : tensor<3xf32>
}

// -----

#id2 = affine_map<(i, j) -> (i, j)>
func.func @does_not_run(%d: tensor<3xf32>, %x: tensor<3x0xf32>, %f: f32) -> tensor<3xf32> {
  %0 = linalg.fill ins(%f : f32) outs(%d : tensor<3xf32>) -> tensor<3xf32>
  // expected-remark @+1 {{stays: its content is needed: loop d1, which is none of the output's, has no iteration}}
  %1 = linalg.generic {indexing_maps = [#id2, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<3x0xf32>) outs(%0 : tensor<3xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
  } -> tensor<3xf32>
  return %1 : tensor<3xf32>
}

// -----

// The output map leaves elements out.
func.func @diagonal(%d: tensor<3x3xf32>, %x: tensor<3xf32>, %f: f32) -> tensor<3x3xf32> {
  %0 = linalg.fill ins(%f : f32) outs(%d : tensor<3x3xf32>) -> tensor<3x3xf32>
  // expected-remark @+1 {{stays: its content is needed: the output map reaches only some elements along dimensions 0, 1}}
  %1 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i, i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<3xf32>) outs(%0 : tensor<3x3xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
  } -> tensor<3x3xf32>
  return %1 : tensor<3x3xf32>
}

// -----

func.func @constant_row(%d: tensor<2x3xf32>, %x: tensor<3xf32>, %f: f32) -> tensor<2x3xf32> {
  %0 = linalg.fill ins(%f : f32) outs(%d : tensor<2x3xf32>) -> tensor<2x3xf32>
  // expected-remark @+1 {{stays: its content is needed: the output map reaches only some elements along dimension 0}}
  %1 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (1, i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<3xf32>) outs(%0 : tensor<2x3xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
  } -> tensor<2x3xf32>
  return %1 : tensor<2x3xf32>
}

// -----

#id2 = affine_map<(i, j) -> (i, j)>
func.func @gaps(%d: tensor<8xf32>, %x: tensor<3x2xf32>, %f: f32) -> tensor<8xf32> {
  %0 = linalg.fill ins(%f : f32) outs(%d : tensor<8xf32>) -> tensor<8xf32>
  // expected-remark @+1 {{stays: its content is needed: the output map reaches only some elements along dimension 0}}
  %1 = linalg.generic {indexing_maps = [#id2, affine_map<(i, j) -> (i * 3 + j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<3x2xf32>) outs(%0 : tensor<8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
  } -> tensor<8xf32>
  return %1 : tensor<8xf32>
}

// -----

#id2 = affine_map<(i, j) -> (i, j)>
func.func @dynamic_sum(%d: tensor<?xf32>, %x: tensor<?x2xf32>, %f: f32) -> tensor<?xf32> {
  %0 = linalg.fill ins(%f : f32) outs(%d : tensor<?xf32>) -> tensor<?xf32>
  // expected-remark @+1 {{stays: its content is needed: which elements the output map reaches along dimension 0 depends on dynamic sizes}}
  %1 = linalg.generic {indexing_maps = [#id2, affine_map<(i, j) -> (i * 2 + j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<?x2xf32>) outs(%0 : tensor<?xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
  } -> tensor<?xf32>
  return %1 : tensor<?xf32>
}

// -----

// Too many points to look at each, and no sum of multiples.
func.func @too_many_points(%d: tensor<2500xf32>, %x: tensor<5000xf32>, %f: f32) -> tensor<2500xf32> {
  %0 = linalg.fill ins(%f : f32) outs(%d : tensor<2500xf32>) -> tensor<2500xf32>
  // expected-remark @+1 {{stays: its content is needed: the output map has too many points along dimension 0 to look at each of them}}
  %1 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i floordiv 2)>], iterator_types = ["parallel"]}
      ins(%x : tensor<5000xf32>) outs(%0 : tensor<2500xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
  } -> tensor<2500xf32>
  return %1 : tensor<2500xf32>
}

// -----

// Masked and partial writes.
func.func @partial(%d: tensor<8xf32>, %f: f32, %m: vector<8xi1>, %x: tensor<4xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %c0 = arith.constant 0 : index
  %0 = linalg.fill ins(%f : f32) outs(%d : tensor<8xf32>) -> tensor<8xf32>
  %v = vector.broadcast %f : f32 to vector<8xf32>
  %w = vector.broadcast %f : f32 to vector<4xf32>
  // expected-remark @+1 {{operand #1 of 'vector.transfer_write', an init, stays: its content is needed: the op reads it, or leaves a part of it as it was}}
  %1 = vector.transfer_write %v, %0[%c0], %m {in_bounds = [true]} : vector<8xf32>, tensor<8xf32>
  // expected-remark @+1 {{operand #1 of 'vector.transfer_write', an init, stays: its content is needed: the op reads it, or leaves a part of it as it was}}
  %2 = vector.transfer_write %w, %0[%c0] {in_bounds = [true]} : vector<4xf32>, tensor<8xf32>
  // expected-remark @+1 {{operand #1 of 'tensor.insert_slice', an init, stays: its content is needed: the op reads it, or leaves a part of it as it was}}
  %3 = tensor.insert_slice %x into %0[2] [4] [1] : tensor<4xf32> into tensor<8xf32>
  return %1, %2, %3 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}

// -----

// A cast or a slice between.
func.func @views(%d: tensor<8xf32>, %x: tensor<?xf32>, %y: tensor<4xf32>, %f: f32) -> (tensor<?xf32>, tensor<4xf32>) {
  %0 = linalg.fill ins(%f : f32) outs(%d : tensor<8xf32>) -> tensor<8xf32>
  %c = tensor.cast %0 : tensor<8xf32> to tensor<?xf32>
  // expected-remark @+1 {{operand #1 of 'linalg.exp', an init, stays: it is a view of the computed tensor, with another type or shape: 'tensor.cast'}}
  %1 = linalg.exp ins(%x : tensor<?xf32>) outs(%c : tensor<?xf32>) -> tensor<?xf32>
  %s = tensor.extract_slice %0[2] [4] [1] : tensor<8xf32> to tensor<4xf32>
  // expected-remark @+1 {{operand #1 of 'linalg.exp', an init, stays: it is a view of the computed tensor, with another type or shape: 'tensor.extract_slice'}}
  %2 = linalg.exp ins(%y : tensor<4xf32>) outs(%s : tensor<4xf32>) -> tensor<4xf32>
  return %1, %2 : tensor<?xf32>, tensor<4xf32>
}

// -----

// The value is an input as well, or the payload reads it by itself: the dependence stays.
#id = affine_map<(i) -> (i)>
func.func @also_an_input(%d: tensor<8xf32>, %x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = linalg.exp ins(%x : tensor<8xf32>) outs(%d : tensor<8xf32>) -> tensor<8xf32>
  // expected-remark @+1 {{operand #1 of 'linalg.negf', an init, stays: the op has another use of the same value, so it depends on it anyway}}
  %1 = linalg.negf ins(%0 : tensor<8xf32>) outs(%0 : tensor<8xf32>) -> tensor<8xf32>
  // expected-remark @+1 {{operand #1 of 'linalg.generic', an init, stays: the op has another use of the same value, so it depends on it anyway}}
  %2 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<8xf32>) outs(%0 : tensor<8xf32>) {
    ^bb0(%in: f32, %out: f32):
      %i = linalg.index 0 : index
      %v = tensor.extract %0[%i] : tensor<8xf32>
      linalg.yield %v : f32
  } -> tensor<8xf32>
  return %1, %2 : tensor<8xf32>, tensor<8xf32>
}

// -----

// The first op makes a buffer, since it must not write the argument; the second one may have that buffer.
func.func @buffer_is_there(%d: tensor<8xf32> {bufferization.writable = false}, %x: tensor<8xf32>, %i: index) -> (tensor<8xf32>, f32) {
  %0 = linalg.exp ins(%x : tensor<8xf32>) outs(%d : tensor<8xf32>) -> tensor<8xf32>
  %r = tensor.extract %0[%i] : tensor<8xf32>
  // expected-remark @+1 {{operand #1 of 'linalg.negf', an init, stays: replacing it would cost a copy or an allocation}}
  %1 = linalg.negf ins(%x : tensor<8xf32>) outs(%0 : tensor<8xf32>) -> tensor<8xf32>
  return %1, %r : tensor<8xf32>, f32
}

// -----

#csr = #sparse_tensor.encoding<{map = (i, j) -> (i : dense, j : compressed)}>
func.func @encoding(%d: tensor<8x8xf32, #csr>, %x: tensor<8x8xf32, #csr>) -> tensor<8x8xf32, #csr> {
  %0 = linalg.abs ins(%x : tensor<8x8xf32, #csr>) outs(%d : tensor<8x8xf32, #csr>) -> tensor<8x8xf32, #csr>
  // expected-remark @+1 {{operand #1 of 'linalg.negf', an init, stays: its type has an encoding, so no other tensor can replace it}}
  %1 = linalg.negf ins(%x : tensor<8x8xf32, #csr>) outs(%0 : tensor<8x8xf32, #csr>) -> tensor<8x8xf32, #csr>
  return %1 : tensor<8x8xf32, #csr>
}

// -----

// What cannot be analysed cannot be judged.
func.func @not_analysed(%x: tensor<8xf32>, %f: f32) {
  %o = dispatch.binding set(0) binding(1) : !dispatch.writeonly<tensor<8xf32>>
  %e = tensor.empty() : tensor<8xf32>
  %0 = linalg.fill ins(%f : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %1 = linalg.exp ins(%x : tensor<8xf32>) outs(%0 : tensor<8xf32>) -> tensor<8xf32>
  // expected-remark @+1 {{no init of the function is replaced: 'dispatch.store' accesses memory that has to become a value first; run inplace-promote-bindings}}
  dispatch.store %1, %o : tensor<8xf32> -> !dispatch.writeonly<tensor<8xf32>>
  return
}
