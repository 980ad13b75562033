// RUN: not inplace-opt %s --inplace-tile='tile-sizes=4,-1' 2>&1 | filecheck %s --check-prefix=NEGATIVE
// RUN: not inplace-opt %s --inplace-tile='tile-sizes=4,0,4 interchange=1,0' 2>&1 | filecheck %s --check-prefix=ORDER
// RUN: not inplace-opt %s --inplace-tile='tile-sizes=4,0,4 peel=1' 2>&1 | filecheck %s --check-prefix=PEEL
// RUN: not inplace-opt %s --inplace-tile='tile-sizes=9223372036854775808' 2>&1 | filecheck %s --check-prefix=LARGE
// RUN: not inplace-opt %s --inplace-tile='tile-sizes=4 ops=linalg.matmul,matmul' 2>&1 | filecheck %s --check-prefix=NAME
// RUN: inplace-opt %s --inplace-tile='tile-sizes=4 ops=matmul' --allow-unregistered-dialect

// NEGATIVE: error: tile sizes must not be negative, got -1
// ORDER: error: 'interchange' must name each tiled loop once: 0, 2; got 1, 0
// LARGE: error: tile sizes must be at most 9223372036854775807, got 9223372036854775808
// NAME: error: ops names 'matmul', but no operation is called so; correct the name or leave it out
// PEEL: error: 'peel' names 1, but the tiled loops are 0, 2
func.func @f() {
  return
}
