// RUN: inplace-opt %s --split-input-file --inplace-shard --verify-diagnostics

// expected-error @+1 {{2 grids were found, but one of static shape is needed}}
module {
  shard.grid @g(shape = 2)
  shard.grid @h(shape = 2)
  func.func @f(%a: tensor<4xf32>) -> tensor<4xf32> {
    %s = shard.sharding @g split_axes = [[0]] : !shard.sharding
    %0 = shard.shard %a to %s : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}

// -----

shard.grid @g(shape = 2)
func.func @dynamic(%a: tensor<?xf32>) -> tensor<?xf32> {
  %s = shard.sharding @g split_axes = [[0]] : !shard.sharding
  // expected-error @+1 {{dimension 0 of tensor<?xf32> is to be split, so its size must be static}}
  %0 = shard.shard %a to %s : tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

shard.grid @g(shape = 2)
func.func @halo(%a: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{shardings with halos or offsets are not partitioned; leave them out}}
  %s = shard.sharding @g split_axes = [[0]] halo_sizes = [1, 1] : !shard.sharding
  %0 = shard.shard %a to %s : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

shard.grid @g(shape = 2)
func.func @in_a_branch(%a: tensor<4xf32>, %p: i1) -> tensor<4xf32> {
  %s = shard.sharding @g split_axes = [[0]] : !shard.sharding
  %r = scf.if %p -> tensor<4xf32> {
    // expected-error @+1 {{an annotation must be in a function, or in an 'scf.for' of one; move it there}}
    %0 = shard.shard %a to %s : tensor<4xf32>
    scf.yield %0 : tensor<4xf32>
  } else {
    scf.yield %a : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// -----

shard.grid @g(shape = 2)
func.func @callee(%a: tensor<4xf32>) -> tensor<4xf32> {
  %s = shard.sharding @g split_axes = [[0]] : !shard.sharding
  %0 = shard.shard %a to %s : tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func @caller(%a: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{@callee is partitioned, so that its types change; call it from outside only}}
  %0 = call @callee(%a) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

shard.grid @g(shape = 2)
func.func @communicates(%a: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %s = shard.sharding @g split_axes = [[0]] : !shard.sharding
  %0 = shard.shard %a to %s : tensor<4x6xf32>
  // expected-error @+1 {{'shard.all_reduce' is of a program for one rank, but annotations are of one for all; leave out either}}
  %1 = shard.all_reduce %0 on @g grid_axes = [0] : tensor<4x6xf32> -> tensor<4x6xf32>
  return %1 : tensor<4x6xf32>
}

// -----

shard.grid @g(shape = 2)
func.func @asks_for_its_rank(%a: tensor<4xf32>) -> (tensor<4xf32>, i32) {
  %s = shard.sharding @g split_axes = [[0]] : !shard.sharding
  %0 = shard.shard %a to %s : tensor<4xf32>
  // expected-error @+1 {{'mpi.comm_world' is of a program for one rank}}
  %c = mpi.comm_world : !mpi.comm
  %rank = mpi.comm_rank(%c) : i32
  return %0, %rank : tensor<4xf32>, i32
}
