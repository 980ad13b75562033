// A kernel on interface bindings, as a GPU runs it: C += A * B, in tiles. A workgroup at (x, y) of the grid computes
// each tile of C that is its own; the sizes are known only when the program runs, and a tile at an edge is smaller.
// Bufferized, each tile is a view of the memory of its binding, and nothing is allocated or copied.
//
// The arguments are A, B and C, the sizes m, n and k, and the grid: size of a tile in x and y, workgroups in x and y.
//
//   inplace-run examples/dispatch_matmul.mlir --arg 5x3xf32:random --arg 3x7xf32:random --arg 5x7xf32:ones \
//     --arg 5 --arg 7 --arg 3 --arg 2 --arg 4 --arg 1 --arg 2 --check 'a2 + a0 @ a1' --memory-stats

#rest = affine_map<(i)[tile, size] -> (tile, size - i)>

func.func @main() {
  %m = dispatch.push_constant 0 : index
  %n = dispatch.push_constant 1 : index
  %k = dispatch.push_constant 2 : index
  %A = dispatch.binding set(0) binding(0) sizes(%m, %k) : !dispatch.readonly<tensor<?x?xf32>>
  %B = dispatch.binding set(0) binding(1) sizes(%k, %n) : !dispatch.readonly<tensor<?x?xf32>>
  %C = dispatch.binding set(0) binding(2) sizes(%m, %n) : !dispatch.readwrite<tensor<?x?xf32>>

  %size_x = dispatch.workgroup_size 0 : index
  %size_y = dispatch.workgroup_size 1 : index
  %count_x = dispatch.workgroup_count 0 : index
  %count_y = dispatch.workgroup_count 1 : index
  %x = dispatch.workgroup_id 0 : index
  %y = dispatch.workgroup_id 1 : index
  %first_i = arith.muli %y, %size_y : index
  %step_i = arith.muli %count_y, %size_y : index
  %first_j = arith.muli %x, %size_x : index
  %step_j = arith.muli %count_x, %size_x : index

  scf.for %i = %first_i to %m step %step_i {
    %rows = affine.min #rest(%i)[%size_y, %m]
    scf.for %j = %first_j to %n step %step_j {
      %columns = affine.min #rest(%j)[%size_x, %n]
      %a = dispatch.load %A[%i, 0] [%rows, %k] [1, 1] : !dispatch.readonly<tensor<?x?xf32>> -> tensor<?x?xf32>
      %b = dispatch.load %B[0, %j] [%k, %columns] [1, 1] : !dispatch.readonly<tensor<?x?xf32>> -> tensor<?x?xf32>
      %c = dispatch.load %C[%i, %j] [%rows, %columns] [1, 1] : !dispatch.readwrite<tensor<?x?xf32>> -> tensor<?x?xf32>
      %d = linalg.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
      dispatch.store %d, %C[%i, %j] [%rows, %columns] [1, 1] : tensor<?x?xf32> -> !dispatch.readwrite<tensor<?x?xf32>>
    }
  }
  return
}

// RUN: inplace-run %s --arg 5x3xf32:random --arg 3x7xf32:random --arg 5x7xf32:ones --arg 5 --arg 7 --arg 3 \
// RUN:   --arg 2 --arg 4 --arg 1 --arg 2 --check 'a2 + a0 @ a1' --memory-stats | filecheck %s --check-prefix=TRAFFIC
// TRAFFIC: allocations: 0
// TRAFFIC-SAME: copies: 0 (0 bytes)

// RUN: inplace-opt %s --inplace-one-shot-bufferize --inplace-lower-dispatch | filecheck %s
// CHECK-LABEL: func.func @main
// CHECK-SAME: (%[[A:[^:]*]]: memref<?x?xf32> {bufferization.access = "read"
// CHECK-SAME: %[[B:[^:]*]]: memref<?x?xf32> {bufferization.access = "read"
// CHECK-SAME: %[[C:[^:]*]]: memref<?x?xf32> {bufferization.access = "read-write", bufferization.writable = true
// CHECK-NOT: memref.copy
// CHECK-NOT: memref.alloc
// CHECK: scf.forall
// CHECK: scf.for
// CHECK: scf.for
// CHECK-DAG: %[[TA:.*]] = memref.subview %[[A]][
// CHECK-DAG: %[[TB:.*]] = memref.subview %[[B]][
// CHECK-DAG: %[[TC:.*]] = memref.subview %[[C]][
// CHECK: linalg.matmul ins(%[[TA]], %[[TB]] : {{.*}} outs(%[[TC]] :
// CHECK-NOT: memref.copy
// CHECK: return
