// RUN: inplace-opt %s --allow-unregistered-dialect --split-input-file --verify-diagnostics --inplace-one-shot-bufferize=bufferize-function-boundaries

func.func @unknown_op(%t: tensor<4xf32>) {
  // expected-error @+1 {{op 'test.op' works on tensors but has no bufferization model; register one (entry point mlir_inplace.op_models), lower the op first, or set allow-unknown-ops=true}}
  "test.op"(%t) : (tensor<4xf32>) -> ()
  return
}

// -----

func.func @every_op_is_named(%t: tensor<4xf32>) {
  // expected-error @+1 {{op 'test.one' works on tensors but has no bufferization model}}
  "test.one"(%t) : (tensor<4xf32>) -> ()
  // expected-note @+1 {{op 'test.two' works on tensors but has no bufferization model}}
  "test.two"(%t) : (tensor<4xf32>) -> ()
  return
}

// -----

// expected-error @+1 {{'func.func' has a block that cannot be reached from the first one; remove it first (upstream pass canonicalize)}}
func.func @unreachable(%t: tensor<4xf32>) -> tensor<4xf32> {
  return %t : tensor<4xf32>
^never:
  return %t : tensor<4xf32>
}

// -----

func.func @branch_of_others(%t: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{op 'test.branch' works on tensors but has no bufferization model}}
  "test.branch"(%t)[^end] : (tensor<4xf32>) -> ()
// expected-note @-1 {{op 'test.branch' branches to a block with tensor arguments, but has no model of the operands that it forwards to them}}
^end(%x: tensor<4xf32>):
  return %x : tensor<4xf32>
}

// -----

func.func @to_tensor_without_restrict(%m: memref<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{'bufferization.to_tensor' without restrict may alias any other memref, which the analysis cannot follow; add restrict if the tensor is the only way to this memory}}
  %0 = bufferization.to_tensor %m : memref<4xf32> to tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @materialize_without_restrict(%t: tensor<4xf32>, %m: memref<4xf32>) {
  // expected-error @+1 {{'bufferization.materialize_in_destination' into a memref needs the attribute restrict, or one bufferization.to_tensor of the memref in front of it; add it if the memref is written through this op only}}
  bufferization.materialize_in_destination %t in writable %m : (tensor<4xf32>, memref<4xf32>) -> ()
  return
}

// -----

func.func @materialize_in_front_of_the_wrapper(%t: tensor<4xf32>, %m: memref<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{needs the attribute restrict, or one bufferization.to_tensor of the memref in front of it}}
  bufferization.materialize_in_destination %t in writable %m : (tensor<4xf32>, memref<4xf32>) -> ()
  %0 = bufferization.to_tensor %m restrict : memref<4xf32> to tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @materialize_in_a_memref_whose_tensor_is_read_later(%t: tensor<4xf32>, %m: memref<4xf32>, %i: index) -> f32 {
  %0 = bufferization.to_tensor %m restrict writable : memref<4xf32> to tensor<4xf32>
  // expected-error @+1 {{operand #1 must be bufferized in-place, but a value that is read later would be overwritten}}
  bufferization.materialize_in_destination %t in writable %m : (tensor<4xf32>, memref<4xf32>) -> ()
  %1 = tensor.extract %0[%i] : tensor<4xf32>
  return %1 : f32
}

// -----

func.func @materialize_with_restrict_in_a_memref_whose_tensor_is_read_later(%t: tensor<4xf32>, %m: memref<4xf32>, %i: index) -> f32 {
  %0 = bufferization.to_tensor %m restrict writable : memref<4xf32> to tensor<4xf32>
  // expected-error @+1 {{operand #1 must be bufferized in-place, but a value that is read later would be overwritten}}
  bufferization.materialize_in_destination %t in restrict writable %m : (tensor<4xf32>, memref<4xf32>) -> ()
  %1 = tensor.extract %0[%i] : tensor<4xf32>
  return %1 : f32
}

// -----

func.func @materialize_in_a_memref_that_must_not_be_written(%t: tensor<4xf32>, %m: memref<4xf32>) {
  %0 = bufferization.to_tensor %m restrict : memref<4xf32> to tensor<4xf32>
  // expected-error @+1 {{operand #1 must be bufferized in-place, but the buffer must not be written}}
  bufferization.materialize_in_destination %t in writable %m : (tensor<4xf32>, memref<4xf32>) -> ()
  return
}

// -----

func.func @elementwise_of_an_unranked_tensor(%t: tensor<*xf32>) -> tensor<*xf32> {
  // expected-error @+1 {{'math.exp' needs ranked dense tensors for all operands and results, but has types tensor<*xf32>; lower it to linalg first}}
  %0 = math.exp %t : tensor<*xf32>
  return %0 : tensor<*xf32>
}

// -----

func.func @two_ways_to_one_memref(%m: memref<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  // expected-error @+1 {{'bufferization.to_tensor' is marked 'writable', but there is another to_tensor of the same memref; make one tensor and use it twice}}
  %0 = bufferization.to_tensor %m restrict writable : memref<4xf32> to tensor<4xf32>
  %1 = bufferization.to_tensor %m restrict : memref<4xf32> to tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// -----

func.func @layout_without_strides(%m: memref<8xf32, affine_map<(d0) -> (d0 floordiv 4, d0 mod 4)>>) -> tensor<8xf32> {
  // expected-error @+1 {{whose layout has no strides, is not supported; copy it to a strided memref}}
  %0 = bufferization.to_tensor %m restrict : memref<8xf32, affine_map<(d0) -> (d0 floordiv 4, d0 mod 4)>> to tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

func.func @tensor_reduction(%t: tensor<4xf32>, %n: index) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error @+1 {{'scf.parallel' reduces values of tensor<4xf32>, but tensors cannot be reduced; combine the tensors in an scf.for, or reduce their elements}}
  %0 = scf.parallel (%i) = (%c0) to (%n) step (%c1) init (%t) -> tensor<4xf32> {
    scf.reduce(%t : tensor<4xf32>) {
    ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>):
      scf.reduce.return %b : tensor<4xf32>
    }
  }
  return %0 : tensor<4xf32>
}

// -----

func.func private @callee(tensor<4xf32>)

func.func @function_address() {
  // expected-error @+1 {{'func.constant' takes the address of a function on tensors, whose type would change; call the function directly, or do not bufferize function boundaries}}
  %0 = func.constant @callee : (tensor<4xf32>) -> ()
  return
}

// -----

func.func @unranked_copy(%t: tensor<*xf32>, %u: tensor<*xf32>, %n: index) -> tensor<*xf32> {
  %0 = scf.for %i = %n to %n step %n iter_args(%a = %t) -> tensor<*xf32> {
    // expected-error @+1 {{operand #0 is unranked and cannot be copied, but the yielded buffer is not equivalent to the loop-carried one}}
    scf.yield %u : tensor<*xf32>
  }
  return %0 : tensor<*xf32>
}

// -----

func.func @softmax(%t: tensor<4xi32>, %u: tensor<4xi32>) -> tensor<4xi32> {
  // expected-error @+1 {{'linalg.softmax' needs floating-point elements, but has i32; convert them first}}
  %0 = linalg.softmax dimension(0) ins(%t : tensor<4xi32>) outs(%u : tensor<4xi32>) -> tensor<4xi32>
  return %0 : tensor<4xi32>
}

// -----

func.func @unranked(%t: tensor<*xf32>, %s: tensor<2xindex>) -> tensor<?x?xf32> {
  // expected-error @+1 {{'tensor.reshape' of tensor<*xf32> needs elements that lie contiguously, but nothing is known about the layout of an unranked tensor; cast it to a ranked tensor first}}
  %0 = tensor.reshape %t(%s) : (tensor<*xf32>, tensor<2xindex>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// -----

func.func @unranked_bitcast(%t: tensor<*xf32>) -> tensor<*xi32> {
  // expected-error @+1 {{'tensor.bitcast' makes tensor<*xi32> of tensor<*xf32>, but the elements of a buffer are converted one by one, for which its rank must be known; cast one of them to a ranked tensor}}
  %0 = tensor.bitcast %t : tensor<*xf32> to tensor<*xi32>
  return %0 : tensor<*xi32>
}

// -----

func.func private @overwrite(%t: tensor<*xf32>, %f: f32) -> tensor<*xf32> {
  %0 = tensor.cast %t : tensor<*xf32> to tensor<4xf32>
  %1 = linalg.fill ins(%f : f32) outs(%0 : tensor<4xf32>) -> tensor<4xf32>
  %2 = tensor.cast %1 : tensor<4xf32> to tensor<*xf32>
  return %2 : tensor<*xf32>
}

func.func @unranked_passed_and_read_later(%t: tensor<*xf32>, %f: f32) -> (tensor<*xf32>, tensor<*xf32>) {
  // expected-error @+1 {{operand #0 is unranked and cannot be copied, but a value that is read later would be overwritten}}
  %0 = call @overwrite(%t, %f) : (tensor<*xf32>, f32) -> tensor<*xf32>
  return %0, %t : tensor<*xf32>, tensor<*xf32>
}

// -----

func.func @negative_padding(%t: tensor<4xf32>, %f: f32) -> tensor<3xf32> {
  // expected-error @+1 {{'tensor.pad' has the padding -1 in dimension 0, but must not be negative; take elements away with tensor.extract_slice}}
  %0 = tensor.pad %t low[0] high[-1] {
  ^bb0(%i: index):
    tensor.yield %f : f32
  } : tensor<4xf32> to tensor<3xf32>
  return %0 : tensor<3xf32>
}

// -----

func.func @encoding() {
  // expected-error @+1 {{tensor<4xf32, "sparse"> has an encoding, but only dense tensors have buffers here; lower or remove the encoding}}
  %0 = tensor.empty() : tensor<4xf32, "sparse">
  return
}

// -----

// A function that is refused does not keep the others from being looked at.

func.func @good(%t: tensor<4xf32>) -> tensor<4xf32> {
  return %t : tensor<4xf32>
}

func.func @bad(%t: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{op 'test.op' works on tensors}}
  %0 = "test.op"(%t) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = func.call @good(%0) : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

func.func @calls_bad(%t: tensor<4xf32>) -> tensor<4xf32> {
  %0 = func.call @bad(%t) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// expected-error @+1 {{argument #1 of type tensor<4x4xf32> has the bufferization.buffer_layout affine_map<(d0, d1) -> (d0 floordiv 2, d1, d0 mod 2)>, which is no strided layout of that rank; write strided<[...], offset: ...>, or remove the attribute}}
func.func @layout_without_strides(%f: f32, %t: tensor<4x4xf32> {bufferization.buffer_layout = affine_map<(d0, d1) -> (d0 floordiv 2, d1, d0 mod 2)>}) {
  return
}

// -----

// expected-error @+1 {{argument #0 of type tensor<2x2xf32> has the bufferization.buffer_layout strided<[4, 1], offset: ?>, which a contiguous buffer that a call passes does not have; do not call it in this module, or remove the attribute}}
func.func private @layout_of_a_tile(tensor<2x2xf32> {bufferization.buffer_layout = strided<[4, 1], offset: ?>})

func.func @calls_it(%t: tensor<2x2xf32>) {
  call @layout_of_a_tile(%t) : (tensor<2x2xf32>) -> ()
  return
}

// -----

// expected-error @+1 {{tensor<4x!test.quantity> has elements of type !test.quantity, which no memref can have; convert them to another type first}}
func.func @elements_without_memory(%t: tensor<4x!test.quantity>) -> tensor<4x!test.quantity> {
  return %t : tensor<4x!test.quantity>
}
