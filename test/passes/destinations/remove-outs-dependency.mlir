// RUN: inplace-opt %s --split-input-file --inplace-remove-outs-dependency | filecheck %s
// RUN: inplace-opt %s --split-input-file --inplace-remove-outs-dependency --inplace-remove-outs-dependency | filecheck %s
// RUN: inplace-opt %s --split-input-file --inplace-remove-outs-dependency=mode=empty | filecheck %s --check-prefix=EMPTY

// The example of the issue: the fill has no use any more. With mode=empty the sizes come from the top destination.
#id2 = affine_map<(i, j) -> (i, j)>
// CHECK-LABEL: func.func @issue
// CHECK-SAME:    %[[D:[a-z0-9]+]]: tensor<?x?xf32>, %[[X:[a-z0-9]+]]: tensor<?x?xf32>
// CHECK-NEXT:    linalg.generic
// CHECK-SAME:      outs(%[[D]] : tensor<?x?xf32>)
// EMPTY-LABEL: func.func @issue
// EMPTY-SAME:    %[[D:[a-z0-9]+]]: tensor<?x?xf32>, %[[X:[a-z0-9]+]]: tensor<?x?xf32>
// EMPTY-NOT:     linalg.fill
// EMPTY:         %[[M:.*]] = tensor.dim %[[D]]
// EMPTY:         %[[N:.*]] = tensor.dim %[[D]]
// EMPTY:         %[[E:.*]] = tensor.empty(%[[M]], %[[N]])
// EMPTY:         linalg.generic
// EMPTY-SAME:      outs(%[[E]] : tensor<?x?xf32>)
func.func @issue(%d: tensor<?x?xf32>, %x: tensor<?x?xf32>, %f: f32) -> tensor<?x?xf32> {
  %0 = linalg.fill ins(%f : f32) outs(%d : tensor<?x?xf32>) -> tensor<?x?xf32>
  %1 = linalg.generic {indexing_maps = [#id2, #id2], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<?x?xf32>) outs(%0 : tensor<?x?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %s = arith.addf %in, %in : f32
      linalg.yield %s : f32
  } -> tensor<?x?xf32>
  return %1 : tensor<?x?xf32>
}

// -----

// The outs walk up to the top destination, through named ops, and the producers die.
// CHECK-LABEL: func.func @chain
// CHECK-SAME:    %[[D:[a-z0-9]+]]: tensor<8xf32>, %[[X:[a-z0-9]+]]: tensor<8xf32>
// CHECK-NEXT:    %[[R:.*]] = linalg.negf ins(%[[X]] : tensor<8xf32>) outs(%[[D]] : tensor<8xf32>)
// CHECK-NEXT:    return %[[R]]
func.func @chain(%d: tensor<8xf32>, %x: tensor<8xf32>, %f: f32) -> tensor<8xf32> {
  %0 = linalg.fill ins(%f : f32) outs(%d : tensor<8xf32>) -> tensor<8xf32>
  %1 = linalg.exp ins(%x : tensor<8xf32>) outs(%0 : tensor<8xf32>) -> tensor<8xf32>
  %2 = linalg.copy ins(%x : tensor<8xf32>) outs(%1 : tensor<8xf32>) -> tensor<8xf32>
  %3 = linalg.negf ins(%x : tensor<8xf32>) outs(%2 : tensor<8xf32>) -> tensor<8xf32>
  return %3 : tensor<8xf32>
}

// -----

// The tied init of THAT result; the other result keeps the producer alive.
#id = affine_map<(i) -> (i)>
// CHECK-LABEL: func.func @second_result
// CHECK-SAME:    %[[D:[a-z0-9]+]]: tensor<8xf32>, %[[B:[a-z0-9]+]]: tensor<8xf32>, %[[X:[a-z0-9]+]]: tensor<8xf32>
// CHECK:         %[[P:.*]]:2 = linalg.generic
// CHECK:         linalg.exp ins(%[[X]] : tensor<8xf32>) outs(%[[B]] : tensor<8xf32>)
func.func @second_result(%d: tensor<8xf32>, %b: tensor<8xf32>, %x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0:2 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<8xf32>) outs(%d, %b : tensor<8xf32>, tensor<8xf32>) {
    ^bb0(%in: f32, %o0: f32, %o1: f32):
      %n = arith.negf %in : f32
      linalg.yield %in, %n : f32, f32
  } -> (tensor<8xf32>, tensor<8xf32>)
  %1 = linalg.exp ins(%x : tensor<8xf32>) outs(%0#1 : tensor<8xf32>) -> tensor<8xf32>
  return %0#0, %1 : tensor<8xf32>, tensor<8xf32>
}

// -----

// Casts that lead back to the type.
// CHECK-LABEL: func.func @casts
// CHECK-SAME:    %[[D:[a-z0-9]+]]: tensor<8xf32>
// CHECK-NEXT:    linalg.exp {{.*}} outs(%[[D]] : tensor<8xf32>)
func.func @casts(%d: tensor<8xf32>, %x: tensor<8xf32>, %f: f32) -> tensor<8xf32> {
  %0 = linalg.fill ins(%f : f32) outs(%d : tensor<8xf32>) -> tensor<8xf32>
  %1 = tensor.cast %0 : tensor<8xf32> to tensor<?xf32>
  %2 = linalg.fill ins(%f : f32) outs(%1 : tensor<?xf32>) -> tensor<?xf32>
  %3 = tensor.cast %2 : tensor<?xf32> to tensor<8xf32>
  %4 = linalg.exp ins(%x : tensor<8xf32>) outs(%3 : tensor<8xf32>) -> tensor<8xf32>
  return %4 : tensor<8xf32>
}

// -----

// The init alone gives the sizes; indices in the payload read nothing.
#id = affine_map<(i) -> (i)>
// CHECK-LABEL: func.func @sizes_and_indices
// CHECK-SAME:    %[[D:[a-z0-9]+]]: tensor<?xindex>
// CHECK-NEXT:    linalg.generic
// CHECK-SAME:      outs(%[[D]] : tensor<?xindex>)
// CHECK-NOT:     tensor.dim
func.func @sizes_and_indices(%d: tensor<?xindex>, %f: index) -> tensor<?xindex> {
  %0 = linalg.fill ins(%f : index) outs(%d : tensor<?xindex>) -> tensor<?xindex>
  %1 = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%0 : tensor<?xindex>) {
    ^bb0(%out: index):
      %i = linalg.index 0 : index
      linalg.yield %i : index
  } -> tensor<?xindex>
  return %1 : tensor<?xindex>
}

// -----

// A reduction has an init, too. Its other uses stay.
// CHECK-LABEL: func.func @reduction
// CHECK-SAME:    %[[D:[a-z0-9]+]]: tensor<3xf32>
// CHECK-NEXT:    %[[R:.*]] = linalg.reduce {{.*}} outs(%[[D]] : tensor<3xf32>)
// CHECK-NEXT:    %[[Y:.*]] = tensor.extract %[[R]]
// CHECK-NEXT:    linalg.exp {{.*}} outs(%[[D]] : tensor<3xf32>)
func.func @reduction(%d: tensor<3xf32>, %y: tensor<3x4xf32>, %x: tensor<3xf32>, %i: index) -> (tensor<3xf32>, f32) {
  %0 = linalg.reduce { arith.addf } ins(%y : tensor<3x4xf32>) outs(%d : tensor<3xf32>) dimensions = [1]
  %r = tensor.extract %0[%i] : tensor<3xf32>
  %1 = linalg.exp ins(%x : tensor<3xf32>) outs(%0 : tensor<3xf32>) -> tensor<3xf32>
  return %1, %r : tensor<3xf32>, f32
}

// -----

// Two inits collapse onto one value: one of the results needs a buffer of its own, as before.
#id = affine_map<(i) -> (i)>
// CHECK-LABEL: func.func @collapse
// CHECK-SAME:    %[[D:[a-z0-9]+]]: tensor<8xf32>, %[[X:[a-z0-9]+]]: tensor<8xf32>
// CHECK-NEXT:    linalg.generic
// CHECK-SAME:      outs(%[[D]], %[[D]] : tensor<8xf32>, tensor<8xf32>)
func.func @collapse(%d: tensor<8xf32>, %x: tensor<8xf32>, %f: f32) -> (tensor<8xf32>, tensor<8xf32>) {
  %a = linalg.fill ins(%f : f32) outs(%d : tensor<8xf32>) -> tensor<8xf32>
  %b = linalg.exp ins(%x : tensor<8xf32>) outs(%d : tensor<8xf32>) -> tensor<8xf32>
  %0:2 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<8xf32>) outs(%a, %b : tensor<8xf32>, tensor<8xf32>) {
    ^bb0(%in: f32, %o0: f32, %o1: f32):
      %n = arith.negf %in : f32
      linalg.yield %in, %n : f32, f32
  } -> (tensor<8xf32>, tensor<8xf32>)
  return %0#0, %0#1 : tensor<8xf32>, tensor<8xf32>
}

// -----

// A destination that must not be written is none: an empty tensor takes its place.
// CHECK-LABEL: func.func @read_only
// CHECK-SAME:    %[[D:[a-z0-9]+]]: tensor<?xf32>
// CHECK-NEXT:    %[[C0:.*]] = arith.constant 0
// CHECK-NEXT:    %[[N:.*]] = tensor.dim %[[D]], %[[C0]]
// CHECK-NEXT:    %[[E:.*]] = tensor.empty(%[[N]])
// CHECK-NEXT:    linalg.exp {{.*}} outs(%[[E]] : tensor<?xf32>)
func.func @read_only(%d: tensor<?xf32> {bufferization.writable = false}, %x: tensor<?xf32>, %f: f32) -> tensor<?xf32> {
  %0 = linalg.fill ins(%f : f32) outs(%d : tensor<?xf32>) -> tensor<?xf32>
  %1 = linalg.exp ins(%x : tensor<?xf32>) outs(%0 : tensor<?xf32>) -> tensor<?xf32>
  return %1 : tensor<?xf32>
}

// -----

// CHECK-LABEL: func.func @constant
// CHECK-NEXT:    %[[E:.*]] = tensor.empty() : tensor<8xf32>
// CHECK-NEXT:    linalg.exp {{.*}} outs(%[[E]] : tensor<8xf32>)
// CHECK-NEXT:    return
func.func @constant(%x: tensor<8xf32>) -> tensor<8xf32> {
  %d = arith.constant dense<1.0> : tensor<8xf32>
  %1 = linalg.exp ins(%x : tensor<8xf32>) outs(%d : tensor<8xf32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}

// -----

// Results of loops and branches are tied by what they yield; a swap of two tensors that came from one place as well.
// CHECK-LABEL: func.func @regions
// CHECK-SAME:    %[[D:[a-z0-9]+]]: tensor<?xf32>, %[[X:[a-z0-9]+]]: tensor<?xf32>
// CHECK-NEXT:    %[[R:.*]] = linalg.exp ins(%[[X]] : tensor<?xf32>) outs(%[[D]] : tensor<?xf32>)
// CHECK-NEXT:    return %[[R]]
func.func @regions(%d: tensor<?xf32>, %x: tensor<?xf32>, %f: f32, %n: index, %c: i1) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %d) -> tensor<?xf32> {
    %y = tensor.insert %f into %a[%i] : tensor<?xf32>
    scf.yield %y : tensor<?xf32>
  }
  %1 = scf.if %c -> tensor<?xf32> {
    %y = linalg.fill ins(%f : f32) outs(%0 : tensor<?xf32>) -> tensor<?xf32>
    scf.yield %y : tensor<?xf32>
  } else {
    scf.yield %0 : tensor<?xf32>
  }
  %2 = scf.forall (%i) in (%n) shared_outs(%o = %1) -> tensor<?xf32> {
    %v = tensor.extract_slice %x[%i] [1] [1] : tensor<?xf32> to tensor<1xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %v into %o[%i] [1] [1] : tensor<1xf32> into tensor<?xf32>
    }
  }
  %3:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %2, %b = %1) -> (tensor<?xf32>, tensor<?xf32>) {
    scf.yield %b, %a : tensor<?xf32>, tensor<?xf32>
  }
  %4 = linalg.exp ins(%x : tensor<?xf32>) outs(%3#1 : tensor<?xf32>) -> tensor<?xf32>
  return %4 : tensor<?xf32>
}

// -----

// A loop may yield a tensor of another size: there is no tied init.
// CHECK-LABEL: func.func @resized
// CHECK:         %[[L:.*]] = scf.for
// CHECK:         linalg.fill {{.*}} outs(%[[L]] : tensor<?xf32>)
func.func @resized(%d: tensor<?xf32>, %f: f32, %n: index) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %d) -> tensor<?xf32> {
    %y = tensor.empty(%i) : tensor<?xf32>
    %z = linalg.fill ins(%f : f32) outs(%y : tensor<?xf32>) -> tensor<?xf32>
    scf.yield %z : tensor<?xf32>
  }
  %1 = linalg.fill ins(%f : f32) outs(%0 : tensor<?xf32>) -> tensor<?xf32>
  return %1 : tensor<?xf32>
}

// -----

// Inserts and transfers are producers, and users where they overwrite everything.
// CHECK-LABEL: func.func @inserts
// CHECK-SAME:    %[[D:[a-z0-9]+]]: tensor<8xf32>, %[[X:[a-z0-9]+]]: tensor<8xf32>
// CHECK-NOT:     tensor.insert %
// CHECK-NOT:     linalg.fill
// CHECK:         vector.transfer_write {{.*}}, %[[D]]
// CHECK-NOT:     tensor.insert_slice %{{.*}} into %{{.*}}[0] [4]
// CHECK:         tensor.insert_slice %[[X]] into %[[D]][0] [8] [1]
func.func @inserts(%d: tensor<8xf32>, %x: tensor<8xf32>, %f: f32, %i: index) -> (tensor<8xf32>, f32) {
  %c0 = arith.constant 0 : index
  %0 = linalg.fill ins(%f : f32) outs(%d : tensor<8xf32>) -> tensor<8xf32>
  %1 = tensor.insert %f into %0[%i] : tensor<8xf32>
  %v = vector.broadcast %f : f32 to vector<8xf32>
  %2 = vector.transfer_write %v, %1[%c0] {in_bounds = [true]} : vector<8xf32>, tensor<8xf32>
  %r = tensor.extract %2[%i] : tensor<8xf32>
  %p = tensor.extract_slice %x[0] [4] [1] : tensor<8xf32> to tensor<4xf32>
  %3 = tensor.insert_slice %p into %2[0] [4] [1] : tensor<4xf32> into tensor<8xf32>
  %4 = tensor.insert_slice %x into %3[0] [8] [1] : tensor<8xf32> into tensor<8xf32>
  return %4, %r : tensor<8xf32>, f32
}

// -----

// The only element is all of the tensor; one of several is not.
// CHECK-LABEL: func.func @only_element
// CHECK-SAME:    %[[D:[a-z0-9]+]]: tensor<f32>, %[[E:[a-z0-9]+]]: tensor<1x1xf32>, %[[B:[a-z0-9]+]]: tensor<2xf32>
// CHECK-NEXT:    tensor.insert %{{.*}} into %[[D]][]
// CHECK-NEXT:    tensor.insert %{{.*}} into %[[E]][
// CHECK-NEXT:    %[[F:.*]] = linalg.fill ins(%{{.*}}) outs(%[[B]]
// CHECK-NEXT:    tensor.insert %{{.*}} into %[[F]][
func.func @only_element(%d: tensor<f32>, %e: tensor<1x1xf32>, %b: tensor<2xf32>, %f: f32, %g: f32, %i: index) -> (tensor<f32>, tensor<1x1xf32>, tensor<2xf32>) {
  %0 = linalg.fill ins(%f : f32) outs(%d : tensor<f32>) -> tensor<f32>
  %1 = tensor.insert %g into %0[] : tensor<f32>
  %2 = linalg.fill ins(%f : f32) outs(%e : tensor<1x1xf32>) -> tensor<1x1xf32>
  %3 = tensor.insert %g into %2[%i, %i] : tensor<1x1xf32>
  %4 = linalg.fill ins(%f : f32) outs(%b : tensor<2xf32>) -> tensor<2xf32>
  %5 = tensor.insert %g into %4[%i] : tensor<2xf32>
  return %1, %3, %5 : tensor<f32>, tensor<1x1xf32>, tensor<2xf32>
}

// -----

// CHECK-LABEL: func.func @other_linalg_ops
// CHECK-SAME:    %[[D:[a-z0-9]+]]: tensor<2x4xf32>, %[[X:[a-z0-9]+]]: tensor<8xf32>, %[[G:[a-z0-9]+]]: tensor<8xf32>
// CHECK-NEXT:    %[[P:.*]] = linalg.pack %[[X]] {{.*}} into %[[D]]
// CHECK-NEXT:    linalg.softmax {{.*}} outs(%[[G]] : tensor<8xf32>)
// CHECK-NEXT:    linalg.unpack %[[P]] {{.*}} into %[[G]]
func.func @other_linalg_ops(%d: tensor<2x4xf32>, %x: tensor<8xf32>, %g: tensor<8xf32>, %f: f32)
    -> (tensor<2x4xf32>, tensor<8xf32>, tensor<8xf32>) {
  %0 = linalg.fill ins(%f : f32) outs(%d : tensor<2x4xf32>) -> tensor<2x4xf32>
  %1 = linalg.pack %x inner_dims_pos = [0] inner_tiles = [4] into %0 : tensor<8xf32> -> tensor<2x4xf32>
  %2 = linalg.fill ins(%f : f32) outs(%g : tensor<8xf32>) -> tensor<8xf32>
  %3 = linalg.softmax dimension(0) ins(%x : tensor<8xf32>) outs(%2 : tensor<8xf32>) -> tensor<8xf32>
  %4 = linalg.unpack %1 inner_dims_pos = [0] inner_tiles = [4] into %3 : tensor<2x4xf32> -> tensor<8xf32>
  return %1, %3, %4 : tensor<2x4xf32>, tensor<8xf32>, tensor<8xf32>
}

// -----

// Loops besides those of the output that surely run; a broadcast, a sum of loops and a constant that cover the output.
#id2 = affine_map<(i, j) -> (i, j)>
// CHECK-LABEL: func.func @covering_maps
// CHECK-SAME:    %[[D:[a-z0-9]+]]: tensor<3xf32>, %[[E:[a-z0-9]+]]: tensor<12xf32>, %[[F:[a-z0-9]+]]: tensor<1x3xf32>
// CHECK:         outs(%[[D]] : tensor<3xf32>)
// CHECK:         outs(%[[E]] : tensor<12xf32>)
// CHECK:         outs(%[[F]] : tensor<1x3xf32>)
func.func @covering_maps(%d: tensor<3xf32>, %e: tensor<12xf32>, %g: tensor<1x3xf32>, %x: tensor<3x4xf32>, %f: f32)
    -> (tensor<3xf32>, tensor<12xf32>, tensor<1x3xf32>) {
  %0 = linalg.fill ins(%f : f32) outs(%d : tensor<3xf32>) -> tensor<3xf32>
  %1 = linalg.generic {indexing_maps = [#id2, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<3x4xf32>) outs(%0 : tensor<3xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
  } -> tensor<3xf32>
  %2 = linalg.fill ins(%f : f32) outs(%e : tensor<12xf32>) -> tensor<12xf32>
  %3 = linalg.generic {indexing_maps = [#id2, affine_map<(i, j) -> (i * 4 + j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<3x4xf32>) outs(%2 : tensor<12xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
  } -> tensor<12xf32>
  %4 = linalg.fill ins(%f : f32) outs(%g : tensor<1x3xf32>) -> tensor<1x3xf32>
  %5 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (0, i)>], iterator_types = ["parallel"]}
      ins(%1 : tensor<3xf32>) outs(%4 : tensor<1x3xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
  } -> tensor<1x3xf32>
  return %1, %3, %5 : tensor<3xf32>, tensor<12xf32>, tensor<1x3xf32>
}

// -----

// What the program asks for as a destination, and what stays in memory for other code, is not touched in any mode.
// CHECK-LABEL: func.func @asked_for
// CHECK:         %[[F:.*]] = linalg.fill
// CHECK:         bufferization.materialize_in_destination %{{.*}} in %[[F]]
// EMPTY-LABEL: func.func @asked_for
// EMPTY:         %[[F:.*]] = linalg.fill
// EMPTY:         bufferization.materialize_in_destination %{{.*}} in %[[F]]
func.func @asked_for(%d: tensor<8xf32>, %x: tensor<8xf32>, %f: f32) -> tensor<8xf32> {
  %0 = linalg.fill ins(%f : f32) outs(%d : tensor<8xf32>) -> tensor<8xf32>
  %1 = bufferization.materialize_in_destination %x in %0 : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}

// -----

// A producer with an effect does not die.
#id = affine_map<(i) -> (i)>
// CHECK-LABEL: func.func @effects
// CHECK-SAME:    %[[D:[a-z0-9]+]]: tensor<8xf32>
// CHECK:         func.call @print
// CHECK:         linalg.exp {{.*}} outs(%[[D]] : tensor<8xf32>)
func.func private @print(f32)
func.func @effects(%d: tensor<8xf32>, %x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<8xf32>) outs(%d : tensor<8xf32>) {
    ^bb0(%in: f32, %out: f32):
      func.call @print(%in) : (f32) -> ()
      linalg.yield %in : f32
  } -> tensor<8xf32>
  %1 = linalg.exp ins(%x : tensor<8xf32>) outs(%0 : tensor<8xf32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}
