// RUN: not inplace-opt %s --inplace-tabulate-calls=fewest=0 2>&1 | filecheck %s --check-prefix=FEWEST
// RUN: not inplace-opt %s --inplace-tabulate-calls=of-kind=0 2>&1 | filecheck %s --check-prefix=KIND

// FEWEST: error: fewest must be at least 1, got 0
// KIND: error: of_kind must be at least 1, got 0
module {
  func.func @f() {
    return
  }
}
