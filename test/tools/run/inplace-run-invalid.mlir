// RUN: not inplace-run %s 2>&1 | filecheck %s --check-prefix=MISSING
// RUN: not inplace-run %s --arg nowhere.npy 2>&1 | filecheck %s --check-prefix=FILE
// RUN: not inplace-run %s --arg 3xf32:ones 2>&1 | filecheck %s --check-prefix=SHAPE
// RUN: not inplace-run %s -e other 2>&1 | filecheck %s --check-prefix=ENTRY
// RUN: not inplace-run %s --arg ones --check a0+1 2>&1 | filecheck %s --check-prefix=DIFFERENT
// RUN: not inplace-run %s --no-such-flag 2>&1 | filecheck %s --check-prefix=FLAG

// MISSING:   inplace-run: error: argument 0 of 'main' (tensor<4xf32>) is missing; give it with --arg random
// FILE:      inplace-run: error: argument 0: cannot read 'nowhere.npy': No such file or directory
// SHAPE:     inplace-run: error: argument 0: expected shape 4 for tensor<4xf32>, got 3
// ENTRY:     inplace-run: error: the program has no entry point 'other'; it has: main
// DIFFERENT: inplace-run: error: result 0 differs from NumPy by 1 at [0]: got 1.0, expected 2.0
// FLAG:      inplace-run: error: unrecognized arguments: --no-such-flag
func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  return %a : tensor<4xf32>
}
