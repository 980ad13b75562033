// A matmul in tiles, as tiling leaves it: three loops carry the whole result, take a tile out of it, multiply into the
// tile, and put it back. On tensors every trip makes a new 128x64 tensor. Bufferized in place, the tile is a view of
// the result, the put-back is nothing, and the result is the only allocation of the program.
//
//   inplace-run examples/tiled_matmul.mlir --arg random --arg random --check 'a0 @ a1' --memory-stats
//   inplace-opt examples/tiled_matmul.mlir --inplace-one-shot-bufferize='bufferize-function-boundaries'

func.func @main(%A: tensor<128x96xf32>, %B: tensor<96x64xf32>) -> tensor<128x64xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %tile = arith.constant 32 : index
  %m = arith.constant 128 : index
  %n = arith.constant 64 : index
  %k = arith.constant 96 : index

  %empty = tensor.empty() : tensor<128x64xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<128x64xf32>) -> tensor<128x64xf32>
  %C = scf.for %i = %c0 to %m step %tile iter_args(%Ci = %start) -> tensor<128x64xf32> {
    %Cn = scf.for %j = %c0 to %n step %tile iter_args(%Cj = %Ci) -> tensor<128x64xf32> {
      %Cp = scf.for %p = %c0 to %k step %tile iter_args(%Ck = %Cj) -> tensor<128x64xf32> {
        %a = tensor.extract_slice %A[%i, %p] [32, 32] [1, 1] : tensor<128x96xf32> to tensor<32x32xf32>
        %b = tensor.extract_slice %B[%p, %j] [32, 32] [1, 1] : tensor<96x64xf32> to tensor<32x32xf32>
        %c = tensor.extract_slice %Ck[%i, %j] [32, 32] [1, 1] : tensor<128x64xf32> to tensor<32x32xf32>
        %d = linalg.matmul ins(%a, %b : tensor<32x32xf32>, tensor<32x32xf32>) outs(%c : tensor<32x32xf32>)
            -> tensor<32x32xf32>
        %next = tensor.insert_slice %d into %Ck[%i, %j] [32, 32] [1, 1] : tensor<32x32xf32> into tensor<128x64xf32>
        scf.yield %next : tensor<128x64xf32>
      }
      scf.yield %Cp : tensor<128x64xf32>
    }
    scf.yield %Cn : tensor<128x64xf32>
  }
  return %C : tensor<128x64xf32>
}

// RUN: inplace-run %s --arg random --arg random --check 'a0 @ a1' --memory-stats | filecheck %s --check-prefix=TRAFFIC
// TRAFFIC: allocations: 1 (1 for results)
// TRAFFIC-SAME: copies: 0 (0 bytes)

// RUN: inplace-opt %s --inplace-one-shot-bufferize='bufferize-function-boundaries' | filecheck %s
// CHECK-LABEL: func.func @main
// CHECK-NOT: tensor
// CHECK: %[[C:.*]] = memref.alloc()
// CHECK-NOT: memref.alloc
// CHECK-NOT: memref.copy
// CHECK: scf.for
// CHECK: scf.for
// CHECK: scf.for
// CHECK: %[[TILE:.*]] = memref.subview %[[C]][
// CHECK-NEXT: linalg.matmul {{.*}} outs(%[[TILE]] :
// CHECK-NEXT: }
// CHECK-NOT: memref.copy
// CHECK: return %[[C]]
