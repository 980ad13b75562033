// RUN: inplace-opt %s --inplace-one-shot-bufferize=bufferize-function-boundaries | filecheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>
#swap = affine_map<(d0, d1) -> (d1, d0)>
#row = affine_map<(d0, d1) -> (d0)>
#first = affine_map<(d0, d1) -> (d0, 0)>

// CHECK-LABEL: func.func @fill(
// CHECK-SAME:    %[[T:.*]]: memref<
// CHECK-NEXT:    linalg.fill {{.*}} outs(%[[T]] : memref<4xf32, strided<[?], offset: ?>>)
// CHECK-NEXT:    return %[[T]]
func.func @fill(%t: tensor<4xf32>, %f: f32) -> tensor<4xf32> {
  %0 = linalg.fill ins(%f : f32) outs(%t : tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @named_ops(
// CHECK-SAME:    %[[A:.*]]: memref<{{.*}}, %[[B:.*]]: memref<{{.*}}, %[[C:.*]]: memref<{{.*}}) ->
// CHECK-NEXT:    linalg.matmul ins(%[[A]], %[[B]] : {{.*}}) outs(%[[C]] :
// CHECK-NEXT:    linalg.exp ins(%[[C]] : {{.*}}) outs(%[[C]] :
// CHECK-NEXT:    linalg.transpose ins(%[[C]] : {{.*}}) outs(%[[A]] : {{.*}}) permutation = [1, 0]
// CHECK-NEXT:    return %[[A]]
func.func @named_ops(%a: tensor<4x4xf32>, %b: tensor<4x4xf32>, %c: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<4x4xf32>, tensor<4x4xf32>) outs(%c : tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = linalg.exp ins(%0 : tensor<4x4xf32>) outs(%0 : tensor<4x4xf32>) -> tensor<4x4xf32>
  %2 = linalg.transpose ins(%1 : tensor<4x4xf32>) outs(%a : tensor<4x4xf32>) permutation = [1, 0]
  return %2 : tensor<4x4xf32>
}

// CHECK-LABEL: func.func @map_and_reduce(
// CHECK-SAME:    %[[A:.*]]: memref<{{.*}}, %[[B:.*]]: memref<
// CHECK-NEXT:    linalg.reduce { arith.addf } ins(%[[A]] : {{.*}}) outs(%[[B]] : {{.*}}) dimensions = [1]
// CHECK-NEXT:    linalg.map { math.exp } ins(%[[A]] : {{.*}}) outs(%[[A]] :
// CHECK-NEXT:    return %[[A]], %[[B]]
func.func @map_and_reduce(%a: tensor<4x4xf32>, %b: tensor<4xf32>) -> (tensor<4x4xf32>, tensor<4xf32>) {
  %0 = linalg.reduce { arith.addf } ins(%a : tensor<4x4xf32>) outs(%b : tensor<4xf32>) dimensions = [1]
  %1 = linalg.map { math.exp } ins(%a : tensor<4x4xf32>) outs(%a : tensor<4x4xf32>)
  return %1, %0 : tensor<4x4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func.func @payload_reads_the_init(
// CHECK-SAME:    %[[A:.*]]: memref<{{.*}}, %[[B:.*]]: memref<
// CHECK-NEXT:    %[[N:.*]] = memref.alloc()
// CHECK-NEXT:    memref.copy %[[B]], %[[N]]
// CHECK-NEXT:    linalg.generic {{.*}} ins(%[[A]] : {{.*}}) outs(%[[N]] :
// CHECK:         return %[[N]], %[[B]]
func.func @payload_reads_the_init(%a: tensor<4x4xf32>, %b: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a : tensor<4x4xf32>) outs(%b : tensor<4x4xf32>) {
  ^bb0(%x: f32, %y: f32):
    %1 = arith.addf %x, %y : f32
    linalg.yield %1 : f32
  } -> tensor<4x4xf32>
  return %0, %b : tensor<4x4xf32>, tensor<4x4xf32>
}

// CHECK-LABEL: func.func @payload_overwrites_the_init(
// CHECK-SAME:    %[[A:.*]]: memref<{{.*}}, %[[B:.*]]: memref<
// CHECK-NEXT:    %[[N:.*]] = memref.alloc()
// CHECK-NEXT:    linalg.generic {{.*}} ins(%[[A]] : {{.*}}) outs(%[[N]] :
// CHECK:         return %[[N]], %[[B]]
func.func @payload_overwrites_the_init(%a: tensor<4x4xf32>, %b: tensor<4x4xf32>)
    -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a : tensor<4x4xf32>) outs(%b : tensor<4x4xf32>) {
  ^bb0(%x: f32, %y: f32):
    %1 = arith.addf %x, %x : f32
    linalg.yield %1 : f32
  } -> tensor<4x4xf32>
  return %0, %b : tensor<4x4xf32>, tensor<4x4xf32>
}

// CHECK-LABEL: func.func @elementwise_over_its_input(
// CHECK-SAME:    %[[A:.*]]: memref<
// CHECK-NEXT:    linalg.generic {{.*}} ins(%[[A]] : {{.*}}) outs(%[[A]] :
func.func @elementwise_over_its_input(%a: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a : tensor<4x4xf32>) outs(%a : tensor<4x4xf32>) {
  ^bb0(%x: f32, %y: f32):
    linalg.yield %x : f32
  } -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// CHECK-LABEL: func.func @transposed_over_its_input(
// CHECK-SAME:    %[[A:.*]]: memref<
// CHECK-NEXT:    %[[N:.*]] = memref.alloc()
// CHECK-NEXT:    linalg.generic {{.*}} ins(%[[A]] : {{.*}}) outs(%[[N]] :
func.func @transposed_over_its_input(%a: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = linalg.generic {indexing_maps = [#swap, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a : tensor<4x4xf32>) outs(%a : tensor<4x4xf32>) {
  ^bb0(%x: f32, %y: f32):
    linalg.yield %x : f32
  } -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// CHECK-LABEL: func.func @partly_overwritten(
// CHECK-SAME:    %[[A:.*]]: memref<{{.*}}, %[[B:.*]]: memref<
// CHECK-NEXT:    %[[N:.*]] = memref.alloc()
// CHECK-NEXT:    memref.copy %[[B]], %[[N]]
// CHECK-NEXT:    linalg.generic {{.*}} ins(%[[A]] : {{.*}}) outs(%[[N]] :
func.func @partly_overwritten(%a: tensor<4x4xf32>, %b: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  %0 = linalg.generic {indexing_maps = [#id, #first], iterator_types = ["parallel", "parallel"]}
      ins(%a : tensor<4x4xf32>) outs(%b : tensor<4x4xf32>) {
  ^bb0(%x: f32, %y: f32):
    linalg.yield %x : f32
  } -> tensor<4x4xf32>
  return %0, %b : tensor<4x4xf32>, tensor<4x4xf32>
}

// CHECK-LABEL: func.func @reduction_that_may_not_run(
// CHECK-SAME:    %[[A:.*]]: memref<{{.*}}, %[[B:.*]]: memref<
// CHECK-NEXT:    %[[N:.*]] = memref.alloc()
// CHECK-NEXT:    memref.copy %[[B]], %[[N]]
// CHECK-NEXT:    linalg.generic {{.*}} ins(%[[A]] : {{.*}}) outs(%[[N]] :
func.func @reduction_that_may_not_run(%a: tensor<4x?xf32>, %b: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%a : tensor<4x?xf32>) outs(%b : tensor<4xf32>) {
  ^bb0(%x: f32, %y: f32):
    linalg.yield %x : f32
  } -> tensor<4xf32>
  return %0, %b : tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func.func @reduction_that_runs(
// CHECK-SAME:    %[[A:.*]]: memref<{{.*}}, %[[B:.*]]: memref<
// CHECK-NEXT:    %[[N:.*]] = memref.alloc()
// CHECK-NEXT:    linalg.generic {{.*}} ins(%[[A]] : {{.*}}) outs(%[[N]] :
func.func @reduction_that_runs(%a: tensor<4x3xf32>, %b: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%a : tensor<4x3xf32>) outs(%b : tensor<4xf32>) {
  ^bb0(%x: f32, %y: f32):
    linalg.yield %x : f32
  } -> tensor<4xf32>
  return %0, %b : tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func.func @several_results(
// CHECK-SAME:    %[[A:.*]]: memref<{{.*}}, %[[B:.*]]: memref<
// CHECK-NEXT:    linalg.generic {{.*}} outs(%[[A]], %[[B]] :
// CHECK-NEXT:    ^bb0(%[[X:.*]]: f32, %[[Y:.*]]: f32):
// CHECK-NEXT:    linalg.yield %[[Y]], %[[X]]
// CHECK:         return %[[B]], %[[A]]
func.func @several_results(%a: tensor<4xf32>, %b: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0:2 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      outs(%a, %b : tensor<4xf32>, tensor<4xf32>) {
  ^bb0(%x: f32, %y: f32):
    linalg.yield %y, %x : f32, f32
  } -> (tensor<4xf32>, tensor<4xf32>)
  return %0#1, %0#0 : tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func.func @payload_captures_a_tensor(
// CHECK-SAME:    %[[A:.*]]: memref<{{.*}}, %[[B:.*]]: memref<
// CHECK-NEXT:    linalg.generic {{.*}} outs(%[[A]] :
// CHECK:         memref.load %[[B]][
func.func @payload_captures_a_tensor(%a: tensor<4xf32>, %b: tensor<4xf32>, %i: index) -> tensor<4xf32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      outs(%a : tensor<4xf32>) {
  ^bb0(%x: f32):
    %1 = tensor.extract %b[%i] : tensor<4xf32>
    linalg.yield %1 : f32
  } -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @buffers_stay(
// CHECK-SAME:    %[[A:.*]]: memref<4xf32>
// CHECK-NEXT:    linalg.fill {{.*}} outs(%[[A]] : memref<4xf32>)
// CHECK-NEXT:    return
func.func @buffers_stay(%a: memref<4xf32>, %f: f32) {
  linalg.fill ins(%f : f32) outs(%a : memref<4xf32>)
  return
}

// CHECK-LABEL: func.func @attributes_stay(
// CHECK-NEXT:    linalg.fill {kept} ins(
func.func @attributes_stay(%t: tensor<4xf32>, %f: f32) -> tensor<4xf32> {
  %0 = linalg.fill {kept} ins(%f : f32) outs(%t : tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @pack_full_tiles(
// CHECK-SAME:    %[[T:[^:]*]]: memref<8x6xf32{{.*}}, %[[U:[^:]*]]: memref<4x2x3x2xf32
// CHECK-NEXT:    linalg.generic {indexing_maps = [#[[M:.*]], #[[I:.*]]], {{.*}} ins(%[[T]] : {{.*}}) outs(%[[U]]
// CHECK-NEXT:    ^bb0(%[[X:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT:      linalg.yield %[[X]]
// CHECK:         return %[[U]]
func.func @pack_full_tiles(%t: tensor<8x6xf32>, %u: tensor<4x2x3x2xf32>) -> tensor<4x2x3x2xf32> {
  %0 = linalg.pack %t inner_dims_pos = [1, 0] inner_tiles = [3, 2] into %u : tensor<8x6xf32> -> tensor<4x2x3x2xf32>
  return %0 : tensor<4x2x3x2xf32>
}

// CHECK-LABEL: func.func @pack_padded(
// CHECK-SAME:    %[[T:[^:]*]]: memref<7xf32{{.*}}, %[[F:[^:]*]]: f32, %[[U:[^:]*]]: memref<4x2xf32
// CHECK:         linalg.generic {{.*}} outs(%[[U]]
// CHECK:           %[[O:.*]] = linalg.index 0
// CHECK:           arith.muli %[[O]]
// CHECK:           arith.cmpi ult
// CHECK-NEXT:      %[[E:.*]] = scf.if
// CHECK-NEXT:        memref.load %[[T]]
// CHECK:           } else {
// CHECK-NEXT:        scf.yield %[[F]]
// CHECK:           linalg.yield %[[E]]
func.func @pack_padded(%t: tensor<7xf32>, %f: f32, %u: tensor<4x2xf32>) -> tensor<4x2xf32> {
  %0 = linalg.pack %t padding_value(%f : f32) inner_dims_pos = [0] inner_tiles = [2] into %u
      : tensor<7xf32> -> tensor<4x2xf32>
  return %0 : tensor<4x2xf32>
}

// The destination is read later.
// CHECK-LABEL: func.func @unpack_copy(
// CHECK-SAME:    %[[T:[^:]*]]: memref<4x2xf32{{.*}}, %[[U:[^:]*]]: memref<7xf32
// CHECK-NEXT:    %[[A:.*]] = memref.alloc()
// CHECK-NOT:     memref.copy
// CHECK:         linalg.generic {{.*}} outs(%[[A]]
// CHECK:           arith.remui
// CHECK:           arith.divui
// CHECK:           memref.load %[[T]]
// CHECK:         return %[[A]], %[[U]]
func.func @unpack_copy(%t: tensor<4x2xf32>, %u: tensor<7xf32>) -> (tensor<7xf32>, tensor<7xf32>) {
  %0 = linalg.unpack %t inner_dims_pos = [0] inner_tiles = [2] into %u : tensor<4x2xf32> -> tensor<7xf32>
  return %0, %u : tensor<7xf32>, tensor<7xf32>
}

// CHECK-LABEL: func.func @softmax_over_its_input(
// CHECK-SAME:    %[[T:[^:]*]]: memref<4x?xf32
// CHECK-NOT:     memref.alloc
// CHECK:         scf.for %[[I:.*]] = %{{.*}} to %{{.*}} step %{{.*}} {
// CHECK:           scf.for {{.*}} iter_args
// CHECK:             arith.maximumf
// CHECK:           scf.for {{.*}} iter_args
// CHECK:             math.exp
// CHECK:             memref.store %{{.*}}, %[[T]][%[[I]],
// CHECK:           scf.for
// CHECK:             arith.divf
// CHECK:         return %[[T]]
func.func @softmax_over_its_input(%t: tensor<4x?xf32>) -> tensor<4x?xf32> {
  %0 = linalg.softmax dimension(1) ins(%t : tensor<4x?xf32>) outs(%t : tensor<4x?xf32>) -> tensor<4x?xf32>
  return %0 : tensor<4x?xf32>
}
