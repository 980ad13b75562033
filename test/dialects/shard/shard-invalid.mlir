// RUN: inplace-opt %s --split-input-file --verify-diagnostics --inplace-one-shot-bufferize=bufferize-function-boundaries

shard.grid @g(shape = 2x?)
func.func @unknown_grid(%t: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{'shard.all_reduce' is on a grid of unknown extents; give 'shard.grid' a static shape}}
  %0 = shard.all_reduce %t on @g grid_axes = [0] : tensor<4xf32> -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

shard.grid @g(shape = 2)
func.func @average(%t: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{'shard.all_reduce' reduces f32 by average, but MPI has max, min, sum, product, bitwise_and, bitwise_or, bitwise_xor}}
  %0 = shard.all_reduce %t on @g grid_axes = [0] reduction = average : tensor<4xf32> -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

shard.grid @g(shape = 2)
func.func @half(%t: tensor<4xf16>) -> tensor<4xf16> {
  // expected-error @+1 {{'shard.all_reduce' is on elements f16, but MPI has i8, i16, i32, i64, f32, f64}}
  %0 = shard.all_reduce %t on @g grid_axes = [0] : tensor<4xf16> -> tensor<4xf16>
  return %0 : tensor<4xf16>
}

// -----

shard.grid @g(shape = 2)
func.func @bits(%t: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{'shard.all_reduce' reduces f32 by bitwise_and}}
  %0 = shard.all_reduce %t on @g grid_axes = [0] reduction = bitwise_and : tensor<4xf32> -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

shard.grid @g(shape = 2)
func.func @anybody(%t: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{'shard.recv' receives from any rank, so that its result depends on their turns; name a source}}
  %0 = shard.recv %t on @g grid_axes = [0] : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

shard.grid @g(shape = 2)
func.func @dynamic_halo(%t: tensor<4x4xf32>, %w: i64) -> tensor<4x4xf32> {
  // expected-error @+1 {{'shard.update_halo' has halos of unknown width, but needs static ones}}
  %0 = shard.update_halo %t on @g split_axes = [[0]] halo_sizes = [1, %w] : tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// -----

shard.grid @g(shape = 2)
func.func @rooted(%t: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{'shard.reduce' is not bufferized; use a collective that gives every rank its result}}
  %0 = shard.reduce %t on @g grid_axes = [0] root = [0] : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

shard.grid @g(shape = 2)
func.func @annotated(%t: tensor<4xf32>) -> tensor<4xf32> {
  %s = shard.sharding @g split_axes = [[0]] : !shard.sharding
  // expected-error @+1 {{'shard.shard' says how a tensor is split; partition the program first, by inplace-shard or mi.shard}}
  %0 = shard.shard %t to %s : tensor<4xf32>
  return %0 : tensor<4xf32>
}
