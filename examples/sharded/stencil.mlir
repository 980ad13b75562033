// Steps of a five-point stencil, with the rows split over the ranks: written for one rank, as halos are not made by
// inplace-shard. A shard has one row of each neighbour around its own; shard.update_halo exchanges these in the tensor
// itself. The first and last row and column of the whole are its border, and stay.
//
//   inplace-opt examples/sharded/stencil.mlir --inplace-one-shot-bufferize=bufferize-function-boundaries

#here = affine_map<(i, j) -> (i, j)>

module attributes {inplace.grid = array<i64: 2>} {
  shard.grid @grid(shape = 2)

  func.func @main(
      %u: tensor<?x12xf32> {bufferization.writable = true, inplace.sharding = [[0], []],
          inplace.whole_type = tensor<19x12xf32>, inplace.halo = array<i64: 1, 1, 0, 0>},
      %w: tensor<?x12xf32> {bufferization.writable = true, inplace.sharding = [[0], []],
          inplace.whole_type = tensor<19x12xf32>, inplace.halo = array<i64: 1, 1, 0, 0>},
      %steps: index)
      -> (tensor<?x12xf32> {inplace.sharding = [[0], []], inplace.whole_type = tensor<19x12xf32>,
          inplace.halo = array<i64: 1, 1, 0, 0>},
          tensor<?x12xf32> {inplace.sharding = [[0], []], inplace.whole_type = tensor<19x12xf32>,
          inplace.halo = array<i64: 1, 1, 0, 0>}) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %quarter = arith.constant 0.25 : f32
    %rows = tensor.dim %u, %c0 : tensor<?x12xf32>
    %own = arith.subi %rows, %c2 : index
    %r:2 = scf.for %t = %c0 to %steps step %c1 iter_args(%a = %u, %b = %w) -> (tensor<?x12xf32>, tensor<?x12xf32>) {
      %h = shard.update_halo %a on @grid split_axes = [[0]] halo_sizes = [1, 1] : tensor<?x12xf32>
      %n = tensor.extract_slice %h[0, 1] [%own, 10] [1, 1] : tensor<?x12xf32> to tensor<?x10xf32>
      %s = tensor.extract_slice %h[2, 1] [%own, 10] [1, 1] : tensor<?x12xf32> to tensor<?x10xf32>
      %l = tensor.extract_slice %h[1, 0] [%own, 10] [1, 1] : tensor<?x12xf32> to tensor<?x10xf32>
      %e = tensor.extract_slice %h[1, 2] [%own, 10] [1, 1] : tensor<?x12xf32> to tensor<?x10xf32>
      %o = tensor.extract_slice %b[1, 1] [%own, 10] [1, 1] : tensor<?x12xf32> to tensor<?x10xf32>
      %x = linalg.generic {
          indexing_maps = [#here, #here, #here, #here, #here], iterator_types = ["parallel", "parallel"]}
          ins(%n, %s, %l, %e : tensor<?x10xf32>, tensor<?x10xf32>, tensor<?x10xf32>, tensor<?x10xf32>)
          outs(%o : tensor<?x10xf32>) {
        ^bb0(%p0: f32, %p1: f32, %p2: f32, %p3: f32, %old: f32):
          %s0 = arith.addf %p0, %p1 : f32
          %s1 = arith.addf %p2, %p3 : f32
          %s2 = arith.addf %s0, %s1 : f32
          %s3 = arith.mulf %s2, %quarter : f32
          linalg.yield %s3 : f32
        } -> tensor<?x10xf32>
      %y = tensor.insert_slice %x into %b[1, 1] [%own, 10] [1, 1] : tensor<?x10xf32> into tensor<?x12xf32>
      scf.yield %y, %h : tensor<?x12xf32>, tensor<?x12xf32>
    }
    return %r#0, %r#1 : tensor<?x12xf32>, tensor<?x12xf32>
  }
}

// RUN: inplace-opt %s --inplace-one-shot-bufferize=bufferize-function-boundaries | filecheck %s
// CHECK-NOT: memref.alloc
// CHECK-NOT: memref.copy
// CHECK: @inplace_mpi_sendrecv
// CHECK-NOT: memref.alloc
// CHECK-NOT: memref.copy
