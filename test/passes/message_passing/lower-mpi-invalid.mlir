// RUN: inplace-opt %s --split-input-file --verify-diagnostics --inplace-lower-mpi

func.func @columns(%m: memref<4xf32, strided<[5]>>) {
  %c = mpi.comm_world : !mpi.comm
  // expected-error @+1 {{'mpi.allreduce' needs elements that lie one after the other, got memref<4xf32, strided<[5]>>; copy them into an allocation}}
  mpi.allreduce(%m, %m, MPI_SUM, %c) : memref<4xf32, strided<[5]>>, memref<4xf32, strided<[5]>>
  return
}

// -----

func.func @half(%m: memref<4xf16>) {
  %c = mpi.comm_world : !mpi.comm
  // expected-error @+1 {{MPI has no such reduction of f16; convert the elements before}}
  mpi.allreduce(%m, %m, MPI_SUM, %c) : memref<4xf16>, memref<4xf16>
  return
}

// -----

func.func @places(%m: memref<4xf32>) {
  %c = mpi.comm_world : !mpi.comm
  // expected-error @+1 {{MPI has no such reduction of f32; convert the elements before}}
  mpi.allreduce(%m, %m, MPI_MAXLOC, %c) : memref<4xf32>, memref<4xf32>
  return
}

// -----

func.func @sum_of_bits(%m: memref<4xi1>) {
  %c = mpi.comm_world : !mpi.comm
  // expected-error @+1 {{MPI has no such reduction of i1; convert the elements before}}
  mpi.allreduce(%m, %m, MPI_SUM, %c) : memref<4xi1>, memref<4xi1>
  return
}

// -----

func.func @argument(%m: memref<4xf32>, %c: !mpi.comm) {
  // expected-error @+1 {{a !mpi.comm comes from an argument; make it where it is used}}
  mpi.allreduce(%m, %m, MPI_SUM, %c) : memref<4xf32>, memref<4xf32>
  return
}

// -----

func.func private @other(!mpi.comm)
func.func @passed_on() {
  // expected-note @+1 {{it is made here}}
  %c = mpi.comm_world : !mpi.comm
  // expected-error @+1 {{'func.call' passes a !mpi.comm on; use it in the block that makes it}}
  call @other(%c) : (!mpi.comm) -> ()
  return
}

// -----

func.func @other_code() -> i1 {
  %code = mpi.init : !mpi.retval
  // expected-error @+1 {{only MPI_SUCCESS can be checked: other codes have other numbers in each MPI}}
  %is = mpi.retval_check %code = <MPI_ERR_BUFFER> : i1
  return %is : i1
}

// -----

func.func private @inplace_mpi_exchange_parts_2_0_all_1d_f32(memref<4xf32>, memref<8xf32>, !mpi.comm)
func.func @parts(%x: memref<4xf32>, %t: memref<8xf32>) {
  %c = mpi.comm_world : !mpi.comm
  // expected-error @+1 {{'@inplace_mpi_exchange_parts_2_0_all_1d_f32' is more than one message; run inplace-exchange-in-turn before}}
  call @inplace_mpi_exchange_parts_2_0_all_1d_f32(%x, %t, %c) : (memref<4xf32>, memref<8xf32>, !mpi.comm) -> ()
  return
}

// -----

func.func @tag_of_exchanges(%m: memref<4xf32>, %to: i32) {
  %c = mpi.comm_world : !mpi.comm
  %tag = arith.constant 32767 : i32
  // expected-error @+1 {{tag 32767 is that of the exchanges of shard ops; use another one}}
  mpi.send(%m, %tag, %to, %c) : memref<4xf32>, i32, i32
  return
}
