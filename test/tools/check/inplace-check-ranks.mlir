// RUN: inplace-check %s --ranks 4 --rounds 3 | filecheck %s
// RUN: not inplace-check %s --ranks 2 --reduce 2>&1 | filecheck %s --check-prefix=USAGE
// RUN: not inplace-check %S/../../../examples/sharded/summa.mlir --ranks 3 2>&1 | filecheck %s --check-prefix=GRID
// RUN: inplace-check %S/../../../examples/sharded/summa.mlir --ranks 4 --rounds 1 | filecheck %s --check-prefix=SUMMA
// RUN: not inplace-check %S/../../../examples/sharded/stencil.mlir --ranks 2 2>&1 | filecheck %s --check-prefix=ONE
// RUN: inplace-check %S/../../../examples/mlp.mlir --ranks 2 | filecheck %s --check-prefix=LARGE
// RUN: not inplace-check %S/../../../examples/dispatch_matmul.mlir --ranks 2 2>&1 | filecheck %s --check-prefix=NOTHING

// LARGE: 8 shardings on 2 ranks: none differ
// NOTHING: nothing was compared: no public function of one block is defined for the inputs that were drawn
// ONE: the program is that of one rank (inplace.grid is set), so there is no whole one to compare with; give the annotated program before inplace-shard
// CHECK: 3 shardings on 4 ranks: none differ
// USAGE: --ranks goes with -e, --seed, --rounds and --tolerance only
// GRID: the program is for a grid of [2, 2], which is not of 3 ranks
// SUMMA: 1 sharding on 4 ranks: none differ
func.func @main(%a: tensor<5x6xf32>, %b: tensor<6x7xf32>, %c: tensor<5x7xf32>) -> tensor<5x7xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<5x6xf32>, tensor<6x7xf32>) outs(%c : tensor<5x7xf32>) -> tensor<5x7xf32>
  return %0 : tensor<5x7xf32>
}
