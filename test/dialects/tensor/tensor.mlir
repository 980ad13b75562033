// RUN: inplace-opt %s --inplace-one-shot-bufferize=bufferize-function-boundaries | filecheck %s

// CHECK-LABEL: func.func @insert_and_extract(
// CHECK-SAME:    %[[T:.*]]: memref<8xf32, strided<[?], offset: ?>>, %[[F:.*]]: f32, %[[I:.*]]: index)
// CHECK-NEXT:    %[[V:.*]] = memref.load %[[T]][%[[I]]]
// CHECK-NEXT:    memref.store %[[F]], %[[T]][%[[I]]]
// CHECK-NEXT:    return %[[T]], %[[V]]
func.func @insert_and_extract(%t: tensor<8xf32>, %f: f32, %i: index) -> (tensor<8xf32>, f32) {
  %0 = tensor.extract %t[%i] : tensor<8xf32>
  %1 = tensor.insert %f into %t[%i] : tensor<8xf32>
  return %1, %0 : tensor<8xf32>, f32
}

// CHECK-LABEL: func.func @extract_after_insert(
// CHECK-SAME:    %[[T:.*]]: memref<8xf32, strided<[?], offset: ?>>
// CHECK-NEXT:    %[[A:.*]] = memref.alloc() {alignment = 64 : i64} : memref<8xf32>
// CHECK-NEXT:    memref.copy %[[T]], %[[A]]
// CHECK-NEXT:    memref.store %{{.*}}, %[[A]][
// CHECK-NEXT:    %[[V:.*]] = memref.load %[[T]][
// CHECK-NEXT:    return %[[A]], %[[V]]
func.func @extract_after_insert(%t: tensor<8xf32>, %f: f32, %i: index) -> (tensor<8xf32>, f32) {
  %0 = tensor.insert %f into %t[%i] : tensor<8xf32>
  %1 = tensor.extract %t[%i] : tensor<8xf32>
  return %0, %1 : tensor<8xf32>, f32
}

// CHECK-LABEL: func.func @slice_is_a_subview(
// CHECK-SAME:    %[[T:.*]]: memref<8x8xf32
// CHECK-NEXT:    %[[S:.*]] = memref.subview %[[T]][%{{.*}}, 1] [2, %{{.*}}] [1, 3] : {{.*}} to memref<2x?xf32, strided<[?, ?], offset: ?>>
// CHECK-NEXT:    return %[[S]]
func.func @slice_is_a_subview(%t: tensor<8x8xf32>, %i: index, %n: index) -> tensor<2x?xf32> {
  %0 = tensor.extract_slice %t[%i, 1] [2, %n] [1, 3] : tensor<8x8xf32> to tensor<2x?xf32>
  return %0 : tensor<2x?xf32>
}

// CHECK-LABEL: func.func @slice_drops_dimensions(
// CHECK:         memref.subview %{{.*}}[2, 0] [1, 4] [1, 1] : memref<3x4xf32> to memref<4xf32, strided<[1], offset: 8>>
func.func @slice_drops_dimensions(%f: f32) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<3x4xf32>
  %0 = linalg.fill ins(%f : f32) outs(%e : tensor<3x4xf32>) -> tensor<3x4xf32>
  %1 = tensor.extract_slice %0[2, 0] [1, 4] [1, 1] : tensor<3x4xf32> to tensor<4xf32>
  return %1 : tensor<4xf32>
}

// CHECK-LABEL: func.func @slice_is_copied(
// CHECK-SAME:    %[[T:.*]]: memref<8xf32, strided<[?], offset: ?>>
// CHECK-NEXT:    %[[S:.*]] = memref.subview %[[T]]
// CHECK-NEXT:    %[[A:.*]] = memref.alloc() {{.*}} : memref<4xf32>
// CHECK-NEXT:    memref.copy %[[S]], %[[A]]
// CHECK-NEXT:    memref.store %{{.*}}, %[[T]][
// CHECK-NEXT:    return %[[T]], %[[A]]
func.func @slice_is_copied(%t: tensor<8xf32>, %f: f32, %i: index) -> (tensor<8xf32>, tensor<4xf32>) {
  %0 = tensor.extract_slice %t[%i] [4] [1] : tensor<8xf32> to tensor<4xf32>
  %1 = tensor.insert %f into %t[%i] : tensor<8xf32>
  return %1, %0 : tensor<8xf32>, tensor<4xf32>
}

// CHECK-LABEL: func.func @insert_slice_copies(
// CHECK-SAME:    %[[S:.*]]: memref<4xf32, {{.*}}, %[[T:.*]]: memref<8xf32, {{.*}}, %[[I:.*]]: index)
// CHECK-NEXT:    %[[V:.*]] = memref.subview %[[T]][%[[I]]] [4] [1]
// CHECK-NEXT:    memref.copy %[[S]], %[[V]]
// CHECK-NEXT:    return %[[T]]
func.func @insert_slice_copies(%s: tensor<4xf32>, %t: tensor<8xf32>, %i: index) -> tensor<8xf32> {
  %0 = tensor.insert_slice %s into %t[%i] [4] [1] : tensor<4xf32> into tensor<8xf32>
  return %0 : tensor<8xf32>
}

// CHECK-LABEL: func.func @insert_slice_into_a_dimension_of_one(
// CHECK-SAME:    %[[S:.*]]: memref<4xf32, {{.*}}, %[[T:.*]]: memref<8x4xf32
// CHECK-NEXT:    %[[V:.*]] = memref.subview %[[T]][3, 0] [1, 4] [1, 1] : {{.*}} to memref<4xf32, strided<[?], offset: ?>>
// CHECK-NEXT:    memref.copy %[[S]], %[[V]]
// CHECK-NEXT:    return %[[T]]
func.func @insert_slice_into_a_dimension_of_one(%s: tensor<4xf32>, %t: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %0 = tensor.insert_slice %s into %t[3, 0] [1, 4] [1, 1] : tensor<4xf32> into tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}

// CHECK-LABEL: func.func @insert_slice_where_it_is(
// CHECK-SAME:    %[[T:.*]]: memref<8xf32
// CHECK-NEXT:    %[[S:.*]] = memref.subview %[[T]]
// CHECK-NEXT:    linalg.exp ins(%[[S]] : {{.*}}) outs(%[[S]] :
// CHECK-NEXT:    return %[[T]]
func.func @insert_slice_where_it_is(%t: tensor<8xf32>, %i: index) -> tensor<8xf32> {
  %0 = tensor.extract_slice %t[%i] [4] [1] : tensor<8xf32> to tensor<4xf32>
  %1 = linalg.exp ins(%0 : tensor<4xf32>) outs(%0 : tensor<4xf32>) -> tensor<4xf32>
  %2 = tensor.insert_slice %1 into %t[%i] [4] [1] : tensor<4xf32> into tensor<8xf32>
  return %2 : tensor<8xf32>
}

// CHECK-LABEL: func.func @insert_slice_elsewhere(
// CHECK-SAME:    %[[T:.*]]: memref<8xf32, {{.*}}, %[[I:.*]]: index, %[[J:.*]]: index)
// CHECK-NEXT:    %[[S:.*]] = memref.subview %[[T]][%[[I]]]
// CHECK-NEXT:    %[[A:.*]] = memref.alloc() {{.*}} : memref<4xf32>
// CHECK-NEXT:    linalg.exp ins(%[[S]] : {{.*}}) outs(%[[A]] :
// CHECK-NEXT:    %[[V:.*]] = memref.subview %[[T]][%[[J]]]
// CHECK-NEXT:    memref.copy %[[A]], %[[V]]
// CHECK-NEXT:    return %[[T]]
func.func @insert_slice_elsewhere(%t: tensor<8xf32>, %i: index, %j: index) -> tensor<8xf32> {
  %0 = tensor.extract_slice %t[%i] [4] [1] : tensor<8xf32> to tensor<4xf32>
  %1 = linalg.exp ins(%0 : tensor<4xf32>) outs(%0 : tensor<4xf32>) -> tensor<4xf32>
  %2 = tensor.insert_slice %1 into %t[%j] [4] [1] : tensor<4xf32> into tensor<8xf32>
  return %2 : tensor<8xf32>
}

// CHECK-LABEL: func.func @cast(
// CHECK:         memref.cast %{{.*}} : memref<8xf32> to memref<?xf32>
func.func @cast(%f: f32) -> tensor<?xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %0 = linalg.fill ins(%f : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %1 = tensor.cast %0 : tensor<8xf32> to tensor<?xf32>
  return %1 : tensor<?xf32>
}

// CHECK-LABEL: func.func @cast_keeps_strides(
// CHECK-NEXT:    memref.cast %{{.*}} : memref<8xf32, strided<[?], offset: ?>> to memref<?xf32, strided<[?], offset: ?>>
func.func @cast_keeps_strides(%t: tensor<8xf32>) -> tensor<?xf32> {
  %0 = tensor.cast %t : tensor<8xf32> to tensor<?xf32>
  return %0 : tensor<?xf32>
}

// CHECK-LABEL: func.func @dim_and_rank(
// CHECK-SAME:    %[[T:.*]]: memref<?x4xf32
// CHECK:         %[[D:.*]] = memref.dim %[[T]], %c0
// CHECK-NEXT:    %[[R:.*]] = memref.rank %[[T]]
// CHECK-NEXT:    return %[[D]], %[[R]]
func.func @dim_and_rank(%t: tensor<?x4xf32>) -> (index, index) {
  %c0 = arith.constant 0 : index
  %0 = tensor.dim %t, %c0 : tensor<?x4xf32>
  %1 = tensor.rank %t : tensor<?x4xf32>
  return %0, %1 : index, index
}

// CHECK-LABEL: func.func @reshapes(
// CHECK-SAME:    %[[T:.*]]: memref<8xf32
// CHECK-NEXT:    %[[E:.*]] = memref.expand_shape %[[T]] {{\[\[}}0, 1]] output_shape [2, 4] : {{.*}} into memref<2x4xf32, strided<[?, ?], offset: ?>>
// CHECK-NEXT:    %[[A:.*]] = memref.alloc() {{.*}} : memref<2x4xf32>
// CHECK-NEXT:    linalg.fill {{.*}} outs(%[[A]] :
// CHECK-NEXT:    %[[C:.*]] = memref.collapse_shape %[[A]] {{\[\[}}0, 1]] : memref<2x4xf32> into memref<8xf32>
// CHECK-NEXT:    return %[[E]], %[[C]]
func.func @reshapes(%t: tensor<8xf32>, %f: f32) -> (tensor<2x4xf32>, tensor<8xf32>) {
  %0 = tensor.expand_shape %t [[0, 1]] output_shape [2, 4] : tensor<8xf32> into tensor<2x4xf32>
  %e = tensor.empty() : tensor<2x4xf32>
  %1 = linalg.fill ins(%f : f32) outs(%e : tensor<2x4xf32>) -> tensor<2x4xf32>
  %2 = tensor.collapse_shape %1 [[0, 1]] : tensor<2x4xf32> into tensor<8xf32>
  return %0, %2 : tensor<2x4xf32>, tensor<8xf32>
}

// CHECK-LABEL: func.func @expand_dynamic(
// CHECK-NEXT:    memref.expand_shape %{{.*}} {{\[\[}}0, 1]] output_shape [%{{.*}}, 4] : {{.*}} into memref<?x4xf32, strided<[?, ?], offset: ?>>
func.func @expand_dynamic(%t: tensor<?xf32>, %n: index) -> tensor<?x4xf32> {
  %0 = tensor.expand_shape %t [[0, 1]] output_shape [%n, 4] : tensor<?xf32> into tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}

// CHECK-LABEL: func.func @collapse_of_strided_rows_is_a_copy(
// CHECK-SAME:    %[[T:.*]]: memref<4x4xf32, strided<[?, ?], offset: ?>>
// CHECK-NEXT:    %[[A:.*]] = memref.alloc() {{.*}} : memref<4x4xf32>
// CHECK-NEXT:    memref.copy %[[T]], %[[A]]
// CHECK-NEXT:    memref.collapse_shape %[[A]] {{.*}} : memref<4x4xf32> into memref<16xf32>
func.func @collapse_of_strided_rows_is_a_copy(%t: tensor<4x4xf32>) -> tensor<16xf32> {
  %0 = tensor.collapse_shape %t [[0, 1]] : tensor<4x4xf32> into tensor<16xf32>
  return %0 : tensor<16xf32>
}

// CHECK-LABEL: func.func @empty(
// CHECK-SAME:    %[[N:.*]]: index, %{{.*}}: f32
// CHECK-NEXT:    %[[A:.*]] = memref.alloc(%[[N]]) {{.*}} : memref<?x4xf32>
// CHECK-NEXT:    memref.store %{{.*}}, %[[A]][
// CHECK-NEXT:    return %[[A]]
func.func @empty(%n: index, %f: f32, %i: index) -> tensor<?x4xf32> {
  %e = tensor.empty(%n) : tensor<?x4xf32>
  %0 = tensor.insert %f into %e[%i, %i] : tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}

// CHECK-LABEL: func.func @empty_used_twice(
// CHECK:         %[[A:.*]] = memref.alloc(%{{.*}}) {{.*}} : memref<?xf32>
// CHECK:         %[[B:.*]] = memref.alloc(%{{.*}}) {{.*}} : memref<?xf32>
// CHECK-NOT:     memref.copy
// CHECK:         return %[[B]], %[[A]]
func.func @empty_used_twice(%n: index, %f: f32) -> (tensor<?xf32>, tensor<?xf32>) {
  %e = tensor.empty(%n) : tensor<?xf32>
  %0 = linalg.fill ins(%f : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %1 = linalg.fill ins(%f : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  return %0, %1 : tensor<?xf32>, tensor<?xf32>
}

// CHECK-LABEL: func.func @from_elements(
// CHECK-SAME:    %[[F:.*]]: f32, %[[G:.*]]: f32)
// CHECK:         memref.store %[[F]], %[[A:.*]][%c0, %c0] : memref<1x2xf32>
// CHECK-NEXT:    memref.store %[[G]], %[[A]][%c0, %c1] : memref<1x2xf32>
// CHECK-NEXT:    return %[[A]]
func.func @from_elements(%f: f32, %g: f32) -> tensor<1x2xf32> {
  %0 = tensor.from_elements %f, %g : tensor<1x2xf32>
  return %0 : tensor<1x2xf32>
}

// CHECK-LABEL: func.func @from_one_element(
// CHECK:         memref.store %{{.*}}, %{{.*}}[] : memref<f32>
func.func @from_one_element(%f: f32) -> tensor<f32> {
  %0 = tensor.from_elements %f : tensor<f32>
  return %0 : tensor<f32>
}

// CHECK-LABEL: func.func @splat(
// CHECK-SAME:    %[[F:.*]]: f32, %[[N:.*]]: index)
// CHECK-NEXT:    %[[A:.*]] = memref.alloc(%[[N]]) {{.*}} : memref<?xf32>
// CHECK-NEXT:    linalg.fill ins(%[[F]] : f32) outs(%[[A]] : memref<?xf32>)
// CHECK-NEXT:    return %[[A]]
func.func @splat(%f: f32, %n: index) -> tensor<?xf32> {
  %0 = tensor.splat %f[%n] : tensor<?xf32>
  return %0 : tensor<?xf32>
}

// CHECK-LABEL: func.func @generate(
// CHECK-SAME:    %[[N:.*]]: index)
// CHECK-NEXT:    %[[A:.*]] = memref.alloc(%[[N]]) {{.*}} : memref<?x3xindex>
// CHECK-NEXT:    linalg.generic {{.*}} iterator_types = ["parallel", "parallel"]} outs(%[[A]] : memref<?x3xindex>) {
// CHECK:         %[[I:.*]] = linalg.index 0
// CHECK-NEXT:    %[[J:.*]] = linalg.index 1
// CHECK-NEXT:    %[[S:.*]] = arith.addi %[[I]], %[[J]]
// CHECK-NEXT:    linalg.yield %[[S]] : index
// CHECK:         return %[[A]]
func.func @generate(%n: index) -> tensor<?x3xindex> {
  %0 = tensor.generate %n {
  ^bb0(%i: index, %j: index):
    %1 = arith.addi %i, %j : index
    tensor.yield %1 : index
  } : tensor<?x3xindex>
  return %0 : tensor<?x3xindex>
}

// CHECK-LABEL: func.func @generate_reads_another_tensor(
// CHECK-SAME:    %[[T:.*]]: memref<8xf32
// CHECK:         linalg.generic
// CHECK:         memref.load %[[T]][
// CHECK:         }
// CHECK-NEXT:    memref.store %{{.*}}, %[[T]][
// CHECK-NEXT:    return %{{.*}}, %[[T]]
func.func @generate_reads_another_tensor(%t: tensor<8xf32>, %f: f32, %i: index) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = tensor.generate {
  ^bb0(%j: index):
    %1 = tensor.extract %t[%j] : tensor<8xf32>
    tensor.yield %1 : f32
  } : tensor<8xf32>
  %2 = tensor.insert %f into %t[%i] : tensor<8xf32>
  return %0, %2 : tensor<8xf32>, tensor<8xf32>
}

// CHECK-LABEL: func.func @pad(
// CHECK-SAME:    %[[T:.*]]: memref<?x4xf32, {{.*}}, %[[N:.*]]: index)
// CHECK:         %[[D:.*]] = memref.dim %[[T]], %c0
// CHECK:         %[[A:.*]] = memref.alloc(%{{.*}}) {{.*}} : memref<?x6xf32>
// CHECK-NEXT:    %[[F:.*]] = arith.constant 0.0
// CHECK-NEXT:    linalg.fill ins(%[[F]] : f32) outs(%[[A]] :
// CHECK-NEXT:    %[[M:.*]] = memref.subview %[[A]][%[[N]], 1] [%[[D]], 4] [1, 1]
// CHECK-NEXT:    memref.copy %[[T]], %[[M]]
// CHECK-NEXT:    return %[[A]]
func.func @pad(%t: tensor<?x4xf32>, %n: index) -> tensor<?x6xf32> {
  %0 = tensor.pad %t low[%n, 1] high[2, 1] {
  ^bb0(%i: index, %j: index):
    %f = arith.constant 0.0 : f32
    tensor.yield %f : f32
  } : tensor<?x4xf32> to tensor<?x6xf32>
  return %0 : tensor<?x6xf32>
}

// What is beside a large source is filled, and nothing else.
// CHECK-LABEL: func.func @pad_around(
// CHECK-SAME:    %[[T:.*]]: memref<64x32xf32
// CHECK:         %[[A:.*]] = memref.alloc() {{.*}} : memref<67x34xf32>
// CHECK-NOT:     linalg.fill {{.*}} memref<67x34xf32>
// CHECK:         %[[UP:.*]] = memref.subview %[[A]][0, 0] [1, 34] [1, 1]
// CHECK-NEXT:    linalg.fill ins(%{{.*}}) outs(%[[UP]] :
// CHECK-NEXT:    %[[DOWN:.*]] = memref.subview %[[A]][65, 0] [2, 34] [1, 1]
// CHECK-NEXT:    linalg.fill ins(%{{.*}}) outs(%[[DOWN]] :
// CHECK-NEXT:    %[[RIGHT:.*]] = memref.subview %[[A]][1, 32] [64, 2] [1, 1]
// CHECK-NEXT:    linalg.fill ins(%{{.*}}) outs(%[[RIGHT]] :
// CHECK-NEXT:    %[[M:.*]] = memref.subview %[[A]][1, 0] [64, 32] [1, 1]
// CHECK-NEXT:    memref.copy %[[T]], %[[M]]
func.func @pad_around(%t: tensor<64x32xf32>) -> tensor<67x34xf32> {
  %0 = tensor.pad %t low[1, 0] high[2, 2] {
  ^bb0(%i: index, %j: index):
    %f = arith.constant 0.0 : f32
    tensor.yield %f : f32
  } : tensor<64x32xf32> to tensor<67x34xf32>
  return %0 : tensor<67x34xf32>
}

// All is filled around a source that is less than half of the result, or has less than 1024 elements.
// CHECK-LABEL: func.func @pad_wide(
// CHECK:         linalg.fill {{.*}} : memref<128x64xf32>)
// CHECK:         linalg.fill {{.*}} : memref<33x32xf32>)
func.func @pad_wide(%t: tensor<64x32xf32>, %u: tensor<31x32xf32>) -> (tensor<128x64xf32>, tensor<33x32xf32>) {
  %f = arith.constant 0.0 : f32
  %0 = tensor.pad %t low[64, 32] high[0, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %f : f32
  } : tensor<64x32xf32> to tensor<128x64xf32>
  %1 = tensor.pad %u low[1, 0] high[1, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %f : f32
  } : tensor<31x32xf32> to tensor<33x32xf32>
  return %0, %1 : tensor<128x64xf32>, tensor<33x32xf32>
}

// CHECK-LABEL: func.func @pad_computed(
// CHECK-SAME:    %[[T:.*]]: memref<4xindex
// CHECK-NEXT:    %[[A:.*]] = memref.alloc() {{.*}} : memref<6xindex>
// CHECK-NEXT:    linalg.generic {{.*}} outs(%[[A]] :
// CHECK:         %[[I:.*]] = linalg.index 0
// CHECK-NEXT:    linalg.yield %[[I]]
// CHECK:         %[[M:.*]] = memref.subview %[[A]][1] [4] [1]
// CHECK-NEXT:    memref.copy %[[T]], %[[M]]
func.func @pad_computed(%t: tensor<4xindex>) -> tensor<6xindex> {
  %0 = tensor.pad %t low[1] high[1] {
  ^bb0(%i: index):
    tensor.yield %i : index
  } : tensor<4xindex> to tensor<6xindex>
  return %0 : tensor<6xindex>
}

// CHECK-LABEL: func.func @reshaped_and_put_back(
// CHECK:         %[[S:.*]] = memref.subview %[[T:.*]][2] [4] [1]
// CHECK-NEXT:    %[[E:.*]] = memref.expand_shape %[[S]]
// CHECK-NEXT:    linalg.exp ins(%[[E]] : {{.*}}) outs(%[[E]] :
// CHECK-NOT:     memref.copy
// CHECK:         return %[[T]]
func.func @reshaped_and_put_back(%f: f32) -> tensor<8xf32> {
  %t = tensor.splat %f : tensor<8xf32>
  %0 = tensor.extract_slice %t[2] [4] [1] : tensor<8xf32> to tensor<4xf32>
  %1 = tensor.expand_shape %0 [[0, 1]] output_shape [2, 2] : tensor<4xf32> into tensor<2x2xf32>
  %2 = linalg.exp ins(%1 : tensor<2x2xf32>) outs(%1 : tensor<2x2xf32>) -> tensor<2x2xf32>
  %3 = tensor.collapse_shape %2 [[0, 1]] : tensor<2x2xf32> into tensor<4xf32>
  %4 = tensor.insert_slice %3 into %t[2] [4] [1] : tensor<4xf32> into tensor<8xf32>
  return %4 : tensor<8xf32>
}

// CHECK-LABEL: func.func @reshaped_in_a_copy_and_put_back(
// CHECK-SAME:    %[[T:.*]]: memref<
// CHECK-NEXT:    %[[S:.*]] = memref.subview %[[T]]
// CHECK-NEXT:    %[[A:.*]] = memref.alloc() {{.*}} : memref<2x2xf32>
// CHECK-NEXT:    memref.copy %[[S]], %[[A]]
// CHECK-NEXT:    %[[C:.*]] = memref.collapse_shape %[[A]]
// CHECK-NEXT:    linalg.exp ins(%[[C]] : {{.*}}) outs(%[[C]] :
// CHECK-NEXT:    %[[E:.*]] = memref.expand_shape %[[C]]
// CHECK:         memref.copy %[[E]], %{{.*}}
// CHECK-NEXT:    return %[[T]]
func.func @reshaped_in_a_copy_and_put_back(%t: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = tensor.extract_slice %t[0, 0] [2, 2] [1, 1] : tensor<4x4xf32> to tensor<2x2xf32>
  %1 = tensor.collapse_shape %0 [[0, 1]] : tensor<2x2xf32> into tensor<4xf32>
  %2 = linalg.exp ins(%1 : tensor<4xf32>) outs(%1 : tensor<4xf32>) -> tensor<4xf32>
  %3 = tensor.expand_shape %2 [[0, 1]] output_shape [2, 2] : tensor<4xf32> into tensor<2x2xf32>
  %4 = tensor.insert_slice %3 into %t[0, 0] [2, 2] [1, 1] : tensor<2x2xf32> into tensor<4x4xf32>
  return %4 : tensor<4x4xf32>
}

// CHECK-LABEL: func.func @gather_keeping_dimensions(
// CHECK-SAME:    %[[T:.*]]: memref<4x5x6xf32{{.*}}>, %[[I:.*]]: memref<?x2xi32
// CHECK:         %[[D:.*]] = memref.dim %[[I]], %c0
// CHECK-NEXT:    %[[A:.*]] = memref.alloc(%[[D]]) {{.*}} : memref<?x1x5x1xf32>
// CHECK-NEXT:    linalg.generic {{.*}} outs(%[[A]] :
// CHECK:           %[[N:.*]] = linalg.index 0
// CHECK:           %[[J:.*]] = linalg.index 2
// CHECK:           %[[X:.*]] = memref.load %[[I]][%[[N]], %c0{{.*}}]
// CHECK-NEXT:      %[[A0:.*]] = arith.index_cast %[[X]]
// CHECK:           %[[Y:.*]] = memref.load %[[I]][%[[N]], %c1{{.*}}]
// CHECK-NEXT:      %[[A2:.*]] = arith.index_cast %[[Y]]
// CHECK-NEXT:      memref.load %[[T]][%[[A0]], %[[J]], %[[A2]]]
// CHECK:         return %[[A]]
func.func @gather_keeping_dimensions(%t: tensor<4x5x6xf32>, %i: tensor<?x2xi32>) -> tensor<?x1x5x1xf32> {
  %0 = tensor.gather %t[%i] gather_dims([0, 2]) : (tensor<4x5x6xf32>, tensor<?x2xi32>) -> tensor<?x1x5x1xf32>
  return %0 : tensor<?x1x5x1xf32>
}

// CHECK-LABEL: func.func @scatter_in_place(
// CHECK-SAME:    %[[S:.*]]: memref<2x3xf32{{.*}}>, %[[T:.*]]: memref<4x3xf32{{.*}}>, %[[I:.*]]: memref<2x1xindex
// CHECK-NOT:     memref.alloc
// CHECK:         scf.for %[[N:.*]] = %{{.*}} to %c2
// CHECK:           %[[X:.*]] = memref.load %[[I]][%[[N]], %c0{{.*}}]
// CHECK:           scf.for %[[J:.*]] = %{{.*}} to %c3
// CHECK-NEXT:        %[[V:.*]] = memref.load %[[S]][%[[N]], %[[J]]]
// CHECK-NEXT:        memref.store %[[V]], %[[T]][%[[X]], %[[J]]]
// CHECK:         return %[[T]]
func.func @scatter_in_place(%s: tensor<2x3xf32>, %t: tensor<4x3xf32>, %i: tensor<2x1xindex>) -> tensor<4x3xf32> {
  %0 = tensor.scatter %s into %t[%i] scatter_dims([0]) unique
    : (tensor<2x3xf32>, tensor<4x3xf32>, tensor<2x1xindex>) -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}

// CHECK-LABEL: func.func @scatter_into_a_copy(
// CHECK-SAME:    %[[S:.*]]: memref<2xf32{{.*}}>, %[[T:.*]]: memref<4xf32
// CHECK-NEXT:    %[[A:.*]] = memref.alloc() {{.*}} : memref<4xf32>
// CHECK-NEXT:    memref.copy %[[T]], %[[A]]
// CHECK:           memref.store %{{.*}}, %[[A]][
// CHECK:         return %[[A]], %[[T]]
func.func @scatter_into_a_copy(%s: tensor<2xf32>, %t: tensor<4xf32>, %i: tensor<2x1xindex>)
    -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = tensor.scatter %s into %t[%i] scatter_dims([0]) unique
    : (tensor<2xf32>, tensor<4xf32>, tensor<2x1xindex>) -> tensor<4xf32>
  return %0, %t : tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func.func @scatter_a_part_of_the_destination(
// CHECK-SAME:    %[[T:.*]]: memref<4xf32
// CHECK:         %[[V:.*]] = memref.subview %[[T]][0] [2] [1]
// CHECK-NEXT:    %[[A:.*]] = memref.alloc() {{.*}} : memref<2xf32>
// CHECK-NEXT:    memref.copy %[[V]], %[[A]]
// CHECK:           %[[X:.*]] = memref.load %[[A]][
// CHECK-NEXT:      memref.store %[[X]], %[[T]][
func.func @scatter_a_part_of_the_destination(%t: tensor<4xf32>, %i: tensor<2x1xindex>) -> tensor<4xf32> {
  %s = tensor.extract_slice %t[0] [2] [1] : tensor<4xf32> to tensor<2xf32>
  %0 = tensor.scatter %s into %t[%i] scatter_dims([0]) unique
    : (tensor<2xf32>, tensor<4xf32>, tensor<2x1xindex>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @concat(
// CHECK-SAME:    %[[X:.*]]: memref<2x?xf32{{.*}}>, %[[Y:.*]]: memref<2x0xf32{{.*}}>, %[[Z:.*]]: memref<2x3xf32
// CHECK:         %[[N:.*]] = memref.dim %[[X]], %c1
// CHECK:         %[[SUM:.*]] = arith.addi %c3{{.*}}, %[[N]]
// CHECK-NEXT:    %[[A:.*]] = memref.alloc(%[[SUM]]) {{.*}} : memref<2x?xf32>
// CHECK-NEXT:    %[[L:.*]] = memref.subview %[[A]][0, 0] [2, %[[N]]] [1, 1]
// CHECK-NEXT:    memref.copy %[[X]], %[[L]]
// CHECK-NEXT:    %[[R:.*]] = memref.subview %[[A]][0, %[[N]]] [2, 3] [1, 1]
// CHECK-NEXT:    memref.copy %[[Z]], %[[R]]
// CHECK-NEXT:    return %[[A]]
func.func @concat(%x: tensor<2x?xf32>, %y: tensor<2x0xf32>, %z: tensor<2x3xf32>) -> tensor<2x?xf32> {
  %0 = tensor.concat dim(1) %x, %y, %z : (tensor<2x?xf32>, tensor<2x0xf32>, tensor<2x3xf32>) -> tensor<2x?xf32>
  return %0 : tensor<2x?xf32>
}

// CHECK-LABEL: func.func @bitcast(
// CHECK-SAME:    %[[T:.*]]: memref<?xf32
// CHECK:         %[[A:.*]] = memref.alloc(%{{.*}}) {{.*}} : memref<?xi32>
// CHECK-NEXT:    linalg.generic {{.*}} ins(%[[T]] : {{.*}}) outs(%[[A]] :
// CHECK:           arith.bitcast %{{.*}} : f32 to i32
// CHECK:         return %[[A]]
func.func @bitcast(%t: tensor<?xf32>) -> tensor<?xi32> {
  %0 = tensor.bitcast %t : tensor<?xf32> to tensor<?xi32>
  return %0 : tensor<?xi32>
}

// CHECK-LABEL: func.func @bitcast_to_other_signs(
// CHECK:         builtin.unrealized_conversion_cast %{{.*}} : si8 to i8
// CHECK-NEXT:    builtin.unrealized_conversion_cast %{{.*}} : i8 to ui8
func.func @bitcast_to_other_signs(%t: tensor<4xsi8>) -> tensor<4xui8> {
  %0 = tensor.bitcast %t : tensor<4xsi8> to tensor<4xui8>
  return %0 : tensor<4xui8>
}

// CHECK-LABEL: func.func @bitcast_of_the_shape_alone(
// CHECK-NEXT:    memref.cast %{{.*}} : memref<?xf32, strided<[?], offset: ?>> to memref<4xf32, strided<[?], offset: ?>>
// CHECK-NEXT:    return
func.func @bitcast_of_the_shape_alone(%t: tensor<?xf32>) -> tensor<4xf32> {
  %0 = tensor.bitcast %t : tensor<?xf32> to tensor<4xf32>
  return %0 : tensor<4xf32>
}

// The shape is not read, as the type tells it, and the rows of a contiguous buffer stay where they are.

// CHECK-LABEL: func.func @reshape_to_a_static_shape(
// CHECK:         %[[A:.*]] = memref.alloc() {{.*}} : memref<4x6xf32>
// CHECK:         %[[V:.*]] = memref.subview %[[A]][2, 0] [2, 6] [1, 1]
// CHECK-NEXT:    %[[C:.*]] = memref.collapse_shape %[[V]] {{\[\[}}0, 1]] : {{.*}} into memref<12xf32, strided<[1], offset: 12>>
// CHECK-NEXT:    %[[E:.*]] = memref.expand_shape %[[C]] {{\[\[}}0, 1]] output_shape [3, 4] : {{.*}} into memref<3x4xf32, strided<[4, 1], offset: 12>>
// CHECK-NEXT:    return %[[E]]
func.func @reshape_to_a_static_shape(%f: f32, %s: tensor<2xindex>) -> tensor<3x4xf32> {
  %e = tensor.empty() : tensor<4x6xf32>
  %0 = linalg.fill ins(%f : f32) outs(%e : tensor<4x6xf32>) -> tensor<4x6xf32>
  %1 = tensor.extract_slice %0[2, 0] [2, 6] [1, 1] : tensor<4x6xf32> to tensor<2x6xf32>
  %2 = tensor.reshape %1(%s) : (tensor<2x6xf32>, tensor<2xindex>) -> tensor<3x4xf32>
  return %2 : tensor<3x4xf32>
}

// CHECK-LABEL: func.func @reshape_to_a_dynamic_shape(
// CHECK-SAME:    %[[T:.*]]: memref<?x4xf32{{.*}}>, %[[S:.*]]: memref<2xi32
// CHECK:         %[[A:.*]] = memref.alloc(%{{.*}}) {{.*}} : memref<?x4xf32>
// CHECK-NEXT:    memref.copy %[[T]], %[[A]]
// CHECK-NEXT:    %[[C:.*]] = memref.collapse_shape %[[A]] {{\[\[}}0, 1]] : memref<?x4xf32> into memref<?xf32>
// CHECK:         %[[L:.*]] = memref.load %[[S]][%c0{{.*}}]
// CHECK-NEXT:    %[[N:.*]] = arith.index_cast %[[L]]
// CHECK-NEXT:    memref.expand_shape %[[C]] {{\[\[}}0, 1]] output_shape [%[[N]], 2] : memref<?xf32> into memref<?x2xf32>
func.func @reshape_to_a_dynamic_shape(%t: tensor<?x4xf32>, %s: tensor<2xi32>) -> tensor<?x2xf32> {
  %0 = tensor.reshape %t(%s) : (tensor<?x4xf32>, tensor<2xi32>) -> tensor<?x2xf32>
  return %0 : tensor<?x2xf32>
}

// CHECK-LABEL: func.func @reshape_to_an_unknown_rank(
// CHECK-SAME:    %[[S:.*]]: memref<?xi32
// CHECK:         %[[X:.*]] = memref.alloc(%{{.*}}) {{.*}} : memref<?xindex>
// CHECK-NEXT:    linalg.generic {{.*}} ins(%[[S]] : {{.*}}) outs(%[[X]] :
// CHECK:         memref.reshape %{{.*}}(%[[X]]) : (memref<4xf32>, memref<?xindex>) -> memref<*xf32>
func.func @reshape_to_an_unknown_rank(%s: tensor<?xi32>, %f: f32) -> tensor<*xf32> {
  %0 = tensor.splat %f : tensor<4xf32>
  %1 = tensor.reshape %0(%s) : (tensor<4xf32>, tensor<?xi32>) -> tensor<*xf32>
  return %1 : tensor<*xf32>
}

// CHECK-LABEL: func.func @unranked(
// CHECK-SAME:    %[[T:.*]]: memref<*xf32>
// CHECK:         %[[R:.*]] = memref.cast %[[T]] : memref<*xf32> to memref<?xf32, strided<[?], offset: ?>>
// CHECK-NEXT:    memref.store %{{.*}}, %[[R]][
// CHECK-NEXT:    memref.dim %[[T]], %{{.*}} : memref<*xf32>
// CHECK-NEXT:    memref.rank %[[T]] : memref<*xf32>
// CHECK-NEXT:    return %[[T]]
func.func @unranked(%t: tensor<*xf32>, %f: f32, %i: index) -> (tensor<*xf32>, index, index) {
  %0 = tensor.cast %t : tensor<*xf32> to tensor<?xf32>
  %1 = tensor.insert %f into %0[%i] : tensor<?xf32>
  %2 = tensor.cast %1 : tensor<?xf32> to tensor<*xf32>
  %3 = tensor.dim %2, %i : tensor<*xf32>
  %4 = tensor.rank %2 : tensor<*xf32>
  return %2, %3, %4 : tensor<*xf32>, index, index
}

// CHECK-LABEL: func.func @unranked_copied_at_its_rank(
// CHECK-SAME:    %[[T:.*]]: memref<*xf32>
// CHECK:         %[[R:.*]] = memref.cast %[[T]] : memref<*xf32> to memref<?xf32, strided<[?], offset: ?>>
// CHECK:         %[[A:.*]] = memref.alloc(%{{.*}}) {{.*}} : memref<?xf32>
// CHECK-NEXT:    memref.copy %[[R]], %[[A]]
// CHECK-NEXT:    memref.store %{{.*}}, %[[A]][
// CHECK-NEXT:    return %[[A]], %[[T]]
func.func @unranked_copied_at_its_rank(%t: tensor<*xf32>, %f: f32, %i: index) -> (tensor<?xf32>, tensor<*xf32>) {
  %0 = tensor.cast %t : tensor<*xf32> to tensor<?xf32>
  %1 = tensor.insert %f into %0[%i] : tensor<?xf32>
  return %1, %t : tensor<?xf32>, tensor<*xf32>
}

// CHECK-LABEL: func.func @unranked_copied_before_the_cast(
// CHECK-SAME:    %[[T:.*]]: memref<4xf32
// CHECK-NEXT:    %[[A:.*]] = memref.alloc() {{.*}} : memref<4xf32>
// CHECK-NEXT:    memref.copy %[[T]], %[[A]]
// CHECK-NEXT:    %[[U:.*]] = memref.cast %[[A]] : memref<4xf32> to memref<*xf32>
// CHECK-NEXT:    call @unranked_callee(%[[U]]
// CHECK-NEXT:    return %[[U]], %[[T]]
func.func @unranked_copied_before_the_cast(%t: tensor<4xf32>, %f: f32, %i: index) -> (tensor<*xf32>, tensor<4xf32>) {
  %0 = tensor.cast %t : tensor<4xf32> to tensor<*xf32>
  %1 = call @unranked_callee(%0, %f, %i) : (tensor<*xf32>, f32, index) -> tensor<*xf32>
  return %1, %t : tensor<*xf32>, tensor<4xf32>
}

func.func private @unranked_callee(%t: tensor<*xf32>, %f: f32, %i: index) -> tensor<*xf32> {
  %0 = tensor.cast %t : tensor<*xf32> to tensor<?xf32>
  %1 = tensor.insert %f into %0[%i] : tensor<?xf32>
  %2 = tensor.cast %1 : tensor<?xf32> to tensor<*xf32>
  return %2 : tensor<*xf32>
}
