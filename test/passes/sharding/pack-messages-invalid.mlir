// RUN: inplace-opt %s --inplace-pack-messages --verify-diagnostics

func.func @no_strides(%a: memref<4x4xf32, affine_map<(i, j) -> (i + j, j)>>, %i: i32) {
  %comm = mpi.comm_world : !mpi.comm
  // expected-error @+1 {{it needs a rank and strides; copy it first}}
  mpi.send(%a, %i, %i, %comm) : memref<4x4xf32, affine_map<(i, j) -> (i + j, j)>>, i32, i32
  return
}
