// RUN: inplace-explain %s | filecheck %s --strict-whitespace
// RUN: inplace-explain -format=json - < %s | filecheck %s --check-prefix=JSON
// RUN: inplace-explain %s -o %t.html && filecheck %s --check-prefix=PAGE --input-file %t.html

// CHECK: {{^}}0 of 1 operands in-place, 1 allocation (20 bytes), 1 copy (20 bytes){{$}}
// CHECK-NEXT: inplace-explain.mlir:23:8: allocation and copy of memref<5xf32>, 20 bytes: the old content is read later
// CHECK-NEXT: {{^}}    %0 = tensor.insert %x into %t[%i] : tensor<5xf32>{{$}}
// CHECK-NEXT: operand #1 of 'tensor.insert' writes the buffer
// CHECK-NEXT: operand #0 of 'tensor.extract' reads the old content
// CHECK-NEXT: the content is defined here
// CHECK-NEXT: change: move the read by 'tensor.extract' in line 24 in front of 'tensor.insert' in line 23

// JSON: "allocated_bytes": 20,
// JSON: "location": "<stdin>:23:8"
// JSON: "origins": [
// JSON-NEXT: "argument"

// PAGE: <!DOCTYPE html>
// PAGE: <title>Allocations and copies of inplace-explain.mlir</title>
// PAGE: move the read by 'tensor.extract' in line 24
func.func @main(%t: tensor<5xf32>, %x: f32, %i: index) -> (tensor<5xf32>, f32) {

  %0 = tensor.insert %x into %t[%i] : tensor<5xf32>
  %1 = tensor.extract %t[%i] : tensor<5xf32>
  return %0, %1 : tensor<5xf32>, f32
}
