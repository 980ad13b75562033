// RUN: inplace-opt %s --split-input-file --verify-diagnostics --cse

// expected-error @+1 {{attribute 'inplace.grid' is array<i64: 2, 0>, but must be array<i64: …> with the extents of a grid, each at least 1; remove it or correct it}}
module attributes {inplace.grid = array<i64: 2, 0>} {}

// -----

// expected-error @+1 {{argument 0 has 'inplace.sharding', but the module has no 'inplace.grid'; add it}}
func.func private @no_grid(tensor<2xf32> {inplace.sharding = [[0]], inplace.whole_type = tensor<4xf32>})

// -----

module attributes {inplace.grid = array<i64: 2>} {
  // expected-error @+1 {{result 0 has 'inplace.sharding' without 'inplace.whole_type'; add it}}
  func.func private @no_whole() -> (tensor<2xf32> {inplace.sharding = [[0]]})
}

// -----

module attributes {inplace.grid = array<i64: 2>} {
  // expected-error @+1 {{argument 0 has 'inplace.halo' without 'inplace.sharding'; add it}}
  func.func private @no_sharding(tensor<2xf32> {inplace.halo = array<i64: 1, 1>})
}

// -----

module attributes {inplace.grid = array<i64: 2>} {
  // expected-error @+1 {{attribute 'inplace.whole_type' is f32, but must be the type of a ranked tensor (argument 0); remove it or correct it}}
  func.func private @no_tensor(tensor<2xf32> {inplace.sharding = [[0]], inplace.whole_type = f32})
}

// -----

module attributes {inplace.grid = array<i64: 2>} {
  // expected-error-re @+1 {{attribute 'inplace.sharding' is {{.*}}, but must be for each of 2 dimensions a list of axes of the grid, each axis once}}
  func.func private @twice(tensor<2x2xf32> {inplace.sharding = [[0], [0]], inplace.whole_type = tensor<4x4xf32>})
}

// -----

module attributes {inplace.grid = array<i64: 2>} {
  // expected-error-re @+1 {{attribute 'inplace.sharding' is {{.*}}, but must be for each of 1 dimensions}}
  func.func private @no_such_axis(tensor<2xf32> {inplace.sharding = [[1]], inplace.whole_type = tensor<4xf32>})
}

// -----

module attributes {inplace.grid = array<i64: 2>} {
  // expected-error @+1 {{attribute 'inplace.sharding' is 0 : i64, but must be for each of 1 dimensions}}
  func.func private @no_list(tensor<2xf32> {inplace.sharding = 0, inplace.whole_type = tensor<4xf32>})
}

// -----

module attributes {inplace.grid = array<i64: 2>} {
  // expected-error @+1 {{attribute 'inplace.whole_type' is tensor<5xf32>, but must be a type of which tensor<2xf32> is the shard (argument 0)}}
  func.func private @uneven(tensor<2xf32> {inplace.sharding = [[0]], inplace.whole_type = tensor<5xf32>})
}

// -----

module attributes {inplace.grid = array<i64: 2>} {
  // expected-error @+1 {{attribute 'inplace.halo' is array<i64: 1>, but must be array<i64: …> with the widths before and after each of 1 dimensions (argument 0)}}
  func.func private @no_pair(tensor<3xf32> {inplace.sharding = [[0]], inplace.whole_type = tensor<4xf32>, inplace.halo = array<i64: 1>})
}

// -----

module attributes {inplace.grid = array<i64: 4>} {
  // expected-error @+1 {{attribute 'inplace.halo' is array<i64: 2, 2>, but must be 0 where no axis splits, and at most the least part, as dimension 0 is not}}
  func.func private @wide(tensor<5xf32> {inplace.sharding = [[0]], inplace.whole_type = tensor<4xf32>, inplace.halo = array<i64: 2, 2>})
}

// -----

module attributes {inplace.grid = array<i64: 2, 2>} {
  func.func private @right(
    tensor<?x3xf32> {inplace.sharding = [[0], [1]], inplace.whole_type = tensor<5x6xf32>},
    tensor<5x?xf32> {inplace.sharding = [[0, 1], []], inplace.whole_type = tensor<16x?xf32>, inplace.halo = array<i64: 1, 0, 0, 0>},
    memref<?xf32> {inplace.sharding = [[1]], inplace.whole_type = tensor<?xf32>}
  ) -> (tensor<4x3xf32> {inplace.sharding = [[0], [1]], inplace.whole_type = tensor<8x6xf32>})
}
