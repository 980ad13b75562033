// Functions for C (main.c), of matrices of any size: one updates its argument, one returns a new array, one a number.
//
//   inplace-compile examples/ahead_of_time/rows.mlir -o librows.so --header rows.h --optimize \
//     --target-cpu x86-64-v2,x86-64-v3,x86-64-v4
//   cc examples/ahead_of_time/main.c -I. -L. -lrows -Wl,-rpath,. -o rows && ./rows

#all = affine_map<(i, j) -> (i, j)>
#rows = affine_map<(i, j) -> (i)>

// Subtracts from each row its mean, in place.
func.func @center(%a: tensor<?x?xf32> {bufferization.writable = true}) -> tensor<?x?xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %a, %c0 : tensor<?x?xf32>
  %n = tensor.dim %a, %c1 : tensor<?x?xf32>
  %some = arith.cmpi sgt, %n, %c0 : index
  cf.assert %some, "rows without elements have no mean"

  %e = tensor.empty(%m) : tensor<?xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %sums = linalg.reduce { arith.addf } ins(%a : tensor<?x?xf32>) outs(%z : tensor<?xf32>) dimensions = [1]
  %count_int = arith.index_cast %n : index to i64
  %count = arith.sitofp %count_int : i64 to f32
  %centered = linalg.generic {indexing_maps = [#rows, #all], iterator_types = ["parallel", "parallel"]}
      ins(%sums : tensor<?xf32>) outs(%a : tensor<?x?xf32>) {
  ^bb0(%sum: f32, %x: f32):
    %mean = arith.divf %sum, %count : f32
    %0 = arith.subf %x, %mean : f32
    linalg.yield %0 : f32
  } -> tensor<?x?xf32>
  return %centered : tensor<?x?xf32>
}

// The products of all pairs of rows: a matrix times its transpose.
func.func @gram(%a: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %a, %c0 : tensor<?x?xf32>
  %n = tensor.dim %a, %c1 : tensor<?x?xf32>
  %e0 = tensor.empty(%n, %m) : tensor<?x?xf32>
  %transposed = linalg.transpose ins(%a : tensor<?x?xf32>) outs(%e0 : tensor<?x?xf32>) permutation = [1, 0]
  %e1 = tensor.empty(%m, %m) : tensor<?x?xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e1 : tensor<?x?xf32>) -> tensor<?x?xf32>
  %gram = linalg.matmul ins(%a, %transposed : tensor<?x?xf32>, tensor<?x?xf32>) outs(%z : tensor<?x?xf32>)
      -> tensor<?x?xf32>
  return %gram : tensor<?x?xf32>
}

// The sum of the diagonal of a 3x3 matrix, and its diagonal.
func.func @trace(%a: tensor<3x3xf32>) -> (f32, tensor<3xf32>) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %e = tensor.empty() : tensor<3xf32>
  %sum, %diagonal = scf.for %i = %c0 to %c3 step %c1 iter_args(%s = %zero, %d = %e) -> (f32, tensor<3xf32>) {
    %x = tensor.extract %a[%i, %i] : tensor<3x3xf32>
    %next = arith.addf %s, %x : f32
    %longer = tensor.insert %x into %d[%i] : tensor<3xf32>
    scf.yield %next, %longer : f32, tensor<3xf32>
  }
  return %sum, %diagonal : f32, tensor<3xf32>
}

// RUN: inplace-compile %s -o %t.o --header %t.h --prefix rows
// RUN: filecheck %s --input-file %t.h
// CHECK: ROWS_OUT_OF_MEMORY = 2,
// CHECK: :18:3: rows without elements have no mean
// CHECK: int rows_center(const rows_f32_2d *a);
// CHECK: int rows_gram(const rows_f32_2d *a, rows_f32_2d *result);
// CHECK: int rows_trace(const rows_f32_2d *a, float *result0, const rows_f32_1d *result1);
