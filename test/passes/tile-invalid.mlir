// RUN: not inplace-opt %s --inplace-tile='tile-sizes=4,-1' 2>&1 | filecheck %s --check-prefix=NEGATIVE
// RUN: not inplace-opt %s --inplace-tile='tile-sizes=4,0,4 interchange=1,0' 2>&1 | filecheck %s --check-prefix=ORDER
// RUN: not inplace-opt %s --inplace-tile='tile-sizes=4,0,4 peel=1' 2>&1 | filecheck %s --check-prefix=PEEL

// NEGATIVE: error: tile sizes must not be negative, got -1
// ORDER: error: 'interchange' must name each tiled loop once: 0, 2; got 1, 0
// PEEL: error: 'peel' names 1, but the tiled loops are 0, 2
func.func @f() {
  return
}
