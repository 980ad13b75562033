// RUN: inplace-opt %s --split-input-file --verify-diagnostics

// Each operation of the dispatch dialect that breaks a rule is refused with one error.

func.func @store_to_readonly(%v: tensor<4xf32>) {
  %b = dispatch.binding set(0) binding(0) : !dispatch.readonly<tensor<4xf32>>
  // expected-error @+1 {{'dispatch.store' op stores to a readonly binding; declare it as !dispatch.writeonly or !dispatch.readwrite to store to it}}
  dispatch.store %v, %b : tensor<4xf32> -> !dispatch.readonly<tensor<4xf32>>
  return
}

// -----

func.func @load_from_writeonly() {
  %b = dispatch.binding set(0) binding(0) : !dispatch.writeonly<tensor<4xf32>>
  // expected-error @+1 {{'dispatch.load' op loads from a writeonly binding; declare it as !dispatch.readonly or !dispatch.readwrite to load from it}}
  %0 = dispatch.load %b : !dispatch.writeonly<tensor<4xf32>> -> tensor<4xf32>
  return
}

// -----

func.func @commit_to_readonly(%v: tensor<4xf32>) {
  %b = dispatch.binding set(0) binding(0) : !dispatch.readonly<tensor<4xf32>>
  %c = dispatch.contents %b : !dispatch.readonly<tensor<4xf32>> -> tensor<4xf32>
  // expected-error @+1 {{'dispatch.commit' op commits to a readonly binding; declare it}}
  dispatch.commit %v, %c : tensor<4xf32>
  return
}

// -----

func.func @negative_set() {
  // expected-error @+1 {{'dispatch.binding' op has set -1; it must be 0 or more}}
  %b = dispatch.binding set(-1) binding(0) : !dispatch.readonly<tensor<4xf32>>
  return
}

// -----

func.func @negative_binding() {
  // expected-error @+1 {{'dispatch.binding' op has binding -3; it must be 0 or more}}
  %b = dispatch.binding set(0) binding(-3) : !dispatch.readonly<tensor<4xf32>>
  return
}

// -----

func.func @binding_of_a_tensor() {
  // expected-error @+1 {{has a result of type 'tensor<4xf32>'; it must be a dispatch type or, after bufferization, a memref}}
  %b = dispatch.binding set(0) binding(0) : tensor<4xf32>
  return
}

// -----

func.func @binding_with_too_few_sizes(%n: index) {
  // expected-error @+1 {{has 1 size, but '!dispatch.readonly<tensor<?x?xf32>>' has 2 dynamic sizes; give each dynamic size, or none and tie them with dispatch.tie_shape}}
  %b = dispatch.binding set(0) binding(0) sizes(%n) : !dispatch.readonly<tensor<?x?xf32>>
  return
}

// -----

func.func @memref_with_too_many_sizes(%n: index) {
  // expected-error @+1 {{has 2 sizes, but 'memref<4x?xf32>' has 1 dynamic size}}
  %b = dispatch.binding set(0) binding(0) sizes(%n, %n) : memref<4x?xf32>
  return
}

// -----

func.func @tie_shape_without_sizes(%b: !dispatch.readonly<tensor<?xf32>>) {
  // expected-error @+1 {{'dispatch.tie_shape' op has 0 sizes, but '!dispatch.readonly<tensor<?xf32>>' has 1 dynamic size; give each of them}}
  %t = dispatch.tie_shape %b, [] : !dispatch.readonly<tensor<?xf32>>
  return
}

// -----

func.func @tie_shape_of_a_tensor(%b: tensor<4xf32>) {
  // expected-error @+1 {{has an operand of type 'tensor<4xf32>'; it must be a dispatch type or, after bufferization, a memref}}
  %t = dispatch.tie_shape %b, [] : tensor<4xf32>
  return
}

// -----

func.func @load_from_a_tensor(%b: tensor<4xf32>) {
  // expected-error @+1 {{has a source of type 'tensor<4xf32>'; it must be a binding, such as}}
  %0 = dispatch.load %b : tensor<4xf32> -> tensor<4xf32>
  return
}

// -----

func.func @store_of_a_memref(%v: memref<4xf32>, %b: !dispatch.writeonly<tensor<4xf32>>) {
  // expected-error @+1 {{has a value of type 'memref<4xf32>'; it must be a ranked tensor}}
  dispatch.store %v, %b : memref<4xf32> -> !dispatch.writeonly<tensor<4xf32>>
  return
}

// -----

func.func @whole_of_another_shape(%b: !dispatch.readonly<tensor<4xf32>>) {
  // expected-error @+1 {{has a result of type 'tensor<?xf32>', but all of the binding is a 'tensor<4xf32>'; cast it, or give offsets, sizes and strides}}
  %0 = dispatch.load %b : !dispatch.readonly<tensor<4xf32>> -> tensor<?xf32>
  return
}

// -----

func.func @store_of_another_element_type(%v: tensor<4xi32>, %b: !dispatch.writeonly<tensor<4xf32>>) {
  // expected-error @+1 {{has a value of type 'tensor<4xi32>', but all of the binding is a 'tensor<4xf32>'}}
  dispatch.store %v, %b : tensor<4xi32> -> !dispatch.writeonly<tensor<4xf32>>
  return
}

// -----

func.func @slice_of_another_element_type(%b: !dispatch.readonly<tensor<4xf32>>) {
  // expected-error @+1 {{has a result of type 'tensor<2xf64>', but the slice is a 'tensor<2xf32>'}}
  %0 = dispatch.load %b[0] [2] [1] : !dispatch.readonly<tensor<4xf32>> -> tensor<2xf64>
  return
}

// -----

func.func @slice_of_another_shape(%b: !dispatch.readonly<tensor<4x4xf32>>) {
  // expected-error @+1 {{has a result of type 'tensor<2x2xf32>', but the slice is a 'tensor<2x3xf32>'}}
  %0 = dispatch.load %b[0, 0] [2, 3] [1, 1] : !dispatch.readonly<tensor<4x4xf32>> -> tensor<2x2xf32>
  return
}

// -----

func.func @static_result_of_a_dynamic_slice(%b: !dispatch.readonly<tensor<4xf32>>, %n: index) {
  // expected-error @+1 {{has a result of type 'tensor<2xf32>', but the slice is a 'tensor<?xf32>'}}
  %0 = dispatch.load %b[0] [%n] [1] : !dispatch.readonly<tensor<4xf32>> -> tensor<2xf32>
  return
}

// -----

func.func @drops_what_is_not_one(%v: tensor<3xf32>, %b: !dispatch.writeonly<tensor<4x4xf32>>) {
  // expected-error @+1 {{has a value of type 'tensor<3xf32>', but the slice is a 'tensor<2x3xf32>'; only sizes that are the constant 1 may be left out}}
  dispatch.store %v, %b[0, 0] [2, 3] [1, 1] : tensor<3xf32> -> !dispatch.writeonly<tensor<4x4xf32>>
  return
}

// -----

func.func @drops_what_is_dynamic(%b: !dispatch.readonly<tensor<4x4xf32>>, %n: index) {
  // expected-error @+1 {{has a result of type 'tensor<3xf32>', but the slice is a 'tensor<?x3xf32>'}}
  %0 = dispatch.load %b[0, 0] [%n, 3] [1, 1] : !dispatch.readonly<tensor<4x4xf32>> -> tensor<3xf32>
  return
}

// -----

func.func @too_few_offsets(%b: !dispatch.readonly<tensor<4x4xf32>>) {
  // expected-error @+1 {{has 1 offset, but 'tensor<4x4xf32>' has rank 2; give one each}}
  %0 = dispatch.load %b[0] [2, 2] [1, 1] : !dispatch.readonly<tensor<4x4xf32>> -> tensor<2x2xf32>
  return
}

// -----

func.func @too_many_strides(%b: !dispatch.readonly<tensor<4xf32>>) {
  // expected-error @+1 {{has 2 strides, but 'tensor<4xf32>' has rank 1; give one each}}
  %0 = dispatch.load %b[0] [2] [1, 1] : !dispatch.readonly<tensor<4xf32>> -> tensor<2xf32>
  return
}

// -----

func.func @only_offsets(%b: !dispatch.readonly<tensor<4xf32>>) {
  // expected-error @+1 {{has 0 sizes, but 'tensor<4xf32>' has rank 1; give one each}}
  %0 = dispatch.load %b[0] [] [] : !dispatch.readonly<tensor<4xf32>> -> tensor<4xf32>
  return
}

// -----

func.func @negative_offset(%b: !dispatch.readonly<tensor<4xf32>>) {
  // expected-error @+1 {{has offset -1 in dimension 0; offsets are 0 or more}}
  %0 = dispatch.load %b[-1] [2] [1] : !dispatch.readonly<tensor<4xf32>> -> tensor<2xf32>
  return
}

// -----

func.func @negative_size(%b: !dispatch.readonly<tensor<4xf32>>) {
  // expected-error @+1 {{has size -2 in dimension 0; sizes are 0 or more}}
  %0 = dispatch.load %b[0] [-2] [1] : !dispatch.readonly<tensor<4xf32>> -> tensor<2xf32>
  return
}

// -----

func.func @zero_stride(%b: !dispatch.readonly<tensor<4x4xf32>>) {
  // expected-error @+1 {{has stride 0 in dimension 1; strides are 1 or more}}
  %0 = dispatch.load %b[0, 0] [2, 2] [1, 0] : !dispatch.readonly<tensor<4x4xf32>> -> tensor<2x2xf32>
  return
}

// -----

func.func @negative_stride(%v: tensor<2xf32>, %b: !dispatch.writeonly<tensor<4xf32>>) {
  // expected-error @+1 {{has stride -1 in dimension 0; strides are 1 or more}}
  dispatch.store %v, %b[3] [2] [-1] : tensor<2xf32> -> !dispatch.writeonly<tensor<4xf32>>
  return
}

// -----

func.func @runs_out(%b: !dispatch.readonly<tensor<4x8xf32>>) {
  // expected-error @+1 {{reaches element 8 in dimension 1, which has 8; the slice must be inside}}
  %0 = dispatch.load %b[0, 2] [4, 3] [1, 3] : !dispatch.readonly<tensor<4x8xf32>> -> tensor<4x3xf32>
  return
}

// -----

func.func @runs_out_wherever_it_starts(%v: tensor<5xf32>, %b: !dispatch.readwrite<tensor<4xf32>>, %i: index) {
  // expected-error @+1 {{reaches element 4 in dimension 0, which has 4; the slice must be inside}}
  dispatch.store %v, %b[%i] [5] [1] : tensor<5xf32> -> !dispatch.readwrite<tensor<4xf32>>
  return
}

// -----

func.func @starts_outside(%b: !dispatch.readonly<tensor<4xf32>>, %n: index) {
  // expected-error @+1 {{has offset 5 in dimension 0, which has 4; the slice must be inside}}
  %0 = dispatch.load %b[5] [%n] [1] : !dispatch.readonly<tensor<4xf32>> -> tensor<?xf32>
  return
}

// -----

func.func @offset_of_another_type(%b: !dispatch.readonly<tensor<4xf32>>, %i: i32) {
  // expected-error @+1 {{has operand 1 of type 'i32'; it must be index: use arith.index_cast}}
  %0 = "dispatch.load"(%b, %i) {operandSegmentSizes = array<i32: 1, 1, 0, 0>, static_offsets = array<i64: -9223372036854775808>, static_sizes = array<i64: 2>, static_strides = array<i64: 1>} : (!dispatch.readonly<tensor<4xf32>>, i32) -> tensor<2xf32>
  return
}

// -----

func.func @push_constant_of_a_float() {
  // expected-error @+1 {{has a result of type 'f32'; push constants are index or integers: convert it afterwards}}
  %0 = dispatch.push_constant 0 : f32
  return
}

// -----

func.func @negative_push_constant() {
  // expected-error @+1 {{has index -1; it must be 0 or more}}
  %0 = dispatch.push_constant -1 : index
  return
}

// -----

func.func @fourth_dimension() {
  // expected-error @+1 {{'dispatch.workgroup_id' op has dimension 3; a grid has the dimensions 0, 1 and 2}}
  %0 = dispatch.workgroup_id 3 : index
  return
}

// -----

func.func @negative_dimension() {
  // expected-error @+1 {{'dispatch.workgroup_size' op has dimension -1; it must be 0 or more}}
  %0 = dispatch.workgroup_size -1 : index
  return
}

// -----

func.func @count_of_another_type() {
  // expected-error @+1 {{'dispatch.workgroup_count' op has a result of type 'i32'; it must be index}}
  %0 = dispatch.workgroup_count 0 : i32
  return
}

// -----

func.func @contents_of_another_type(%b: !dispatch.readwrite<tensor<4xf32>>) {
  // expected-error @+1 {{has a result of type 'tensor<?xf32>'; it must be the binding's, 'tensor<4xf32>'}}
  %0 = dispatch.contents %b : !dispatch.readwrite<tensor<4xf32>> -> tensor<?xf32>
  return
}

// -----

func.func @commit_to_an_argument(%v: tensor<4xf32>) {
  // expected-error @+1 {{commits to a block argument; operand 1 must be the result of dispatch.contents}}
  dispatch.commit %v, %v : tensor<4xf32>
  return
}

// -----

func.func @commit_to_a_load(%b: !dispatch.readwrite<tensor<4xf32>>) {
  %0 = dispatch.load %b : !dispatch.readwrite<tensor<4xf32>> -> tensor<4xf32>
  // expected-error @+1 {{commits to a result of 'dispatch.load'; operand 1 must be the result of dispatch.contents}}
  dispatch.commit %0, %0 : tensor<4xf32>
  return
}

// -----

func.func @commit_of_another_type(%v: tensor<?xf32>, %b: !dispatch.readwrite<tensor<4xf32>>) {
  %0 = dispatch.contents %b : !dispatch.readwrite<tensor<4xf32>> -> tensor<4xf32>
  // expected-error @+1 {{commits a 'tensor<?xf32>', but the contents are a 'tensor<4xf32>'; cast the value}}
  "dispatch.commit"(%v, %0) : (tensor<?xf32>, tensor<4xf32>) -> ()
  return
}
