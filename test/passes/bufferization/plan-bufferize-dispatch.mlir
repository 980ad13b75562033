// RUN: inplace-opt %s --split-input-file --verify-diagnostics --inplace-plan-bufferize=print-plan | filecheck %s

// A tile is computed in the output; what it starts as is copied there, because its binding is only read.

// CHECK-LABEL: func.func @tile()
// CHECK-DAG:     %[[A:.*]] = dispatch.binding set(0) binding(0) : memref<4x8xf32>
// CHECK-DAG:     %[[I:.*]] = dispatch.binding set(0) binding(1) : memref<4x8xf32>
// CHECK-DAG:     %[[O:.*]] = dispatch.binding set(0) binding(2) : memref<4x8xf32>
// CHECK:         scf.for %[[P:.*]] = {{[^(]*}} {
// CHECK-DAG:       %[[AV:.*]] = memref.subview %[[A]][%[[P]], 0] [1, 8] [1, 1]
// CHECK-DAG:       %[[IV:.*]] = memref.subview %[[I]][%[[P]], 0] [1, 8] [1, 1]
// CHECK-DAG:       %[[OV:.*]] = memref.subview %[[O]][%[[P]], 0] [1, 8] [1, 1]
// CHECK:           memref.copy %[[IV]], %[[OV]]
// CHECK-NEXT:      linalg.generic {{.*}} ins(%[[AV]] : {{.*}} outs(%[[OV]] :
// CHECK-NOT:     memref.subview
// CHECK:         return

#id = affine_map<(d0, d1) -> (d0, d1)>
// expected-remark @+1 {{plan of @tile: 3 classes, 1 stored, 1 copy}}
func.func @tile() {
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  // expected-remark @+1 {{class 0: readonly memory of set 0 binding 0 from byte 0, as %1}}
  %a = dispatch.binding set(0) binding(0) : !dispatch.readonly<tensor<4x8xf32>>
  // expected-remark @+2 {{class 1: readonly memory of set 0 binding 1 from byte 0, as %3}}
  // expected-note @+1 {{the value lies in the readonly memory of set 0 binding 1 from byte 0, as %3}}
  %i = dispatch.binding set(0) binding(1) : !dispatch.readonly<tensor<4x8xf32>>
  // expected-remark @+1 {{class 2: writeonly memory of set 0 binding 2 from byte 0, as %5; stored, computed in place}}
  %o = dispatch.binding set(0) binding(2) : !dispatch.writeonly<tensor<4x8xf32>>
  %x = dispatch.workgroup_id 0 : index
  // expected-note @+4 {{%7 is %5: region argument ('scf.for')}}
  // expected-note @+3 {{%arg1 is %5: region argument ('scf.for')}}
  // expected-note @+2 {{%7 is %inserted_slice: value yielded out of a region ('scf.yield')}}
  // expected-note @+1 {{%arg1 is %inserted_slice: value yielded out of a region ('scf.yield')}}
  scf.for %p = %x to %c4 step %c1 {
    // expected-note @+1 {{%extracted_slice is a slice of %1: load tied to its binding ('tensor.extract_slice')}}
    %l = dispatch.load %a[%p, 0] [1, 8] [1, 1] : !dispatch.readonly<tensor<4x8xf32>> -> tensor<1x8xf32>
    // expected-note @+1 {{%extracted_slice_0 is a slice of %3: load tied to its binding ('tensor.extract_slice')}}
    %t = dispatch.load %i[%p, 0] [1, 8] [1, 1] : !dispatch.readonly<tensor<4x8xf32>> -> tensor<1x8xf32>
    // expected-remark @+3 {{%extracted_slice_0, operand #0 of 'bufferization.materialize_in_destination', is copied to its target: the value is in another binding}}
    // expected-note @+2 {{%8 is %extracted_slice_1: destination of an update ('bufferization.materialize_in_destination')}}
    // expected-note @+1 {{%9 is %8: init read by the op ('linalg.generic')}}
    %d = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
        ins(%l : tensor<1x8xf32>) outs(%t : tensor<1x8xf32>) {
      ^bb0(%u: f32, %v: f32):
        %w = arith.addf %u, %v : f32
        linalg.yield %w : f32
    } -> tensor<1x8xf32>
    // expected-note @+4 {{%extracted_slice_1 is a slice of %arg1: load tied to its binding ('tensor.extract_slice')}}
    // expected-note @+3 {{%inserted_slice is %arg1: store tied to its target ('tensor.insert_slice')}}
    // expected-note @+2 {{%9 is a slice of %arg1: value computed in the slice that it is stored to ('tensor.insert_slice')}}
    // expected-note @+1 {{%7 is %5: contents left in their binding ('dispatch.commit')}}
    dispatch.store %d, %o[%p, 0] [1, 8] [1, 1] : tensor<1x8xf32> -> !dispatch.writeonly<tensor<4x8xf32>>
  }
  return
}
