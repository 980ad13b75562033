// RUN: inplace-check %s | filecheck %s
// RUN: inplace-check - -entry-point=main -seed=3 -rounds=2 < %s | filecheck %s --check-prefix=ROUNDS
// RUN: inplace-check %s -e main --arg 5xf32:random --arg 5xf32:iota | filecheck %s --check-prefix=GIVEN

// CHECK:      'main': 8 input sets, compared with upstream's bufferization with a copy before every write
// CHECK-NEXT:   allocations: 8 (8 for results), frees: 0, copies: 0 (0 bytes), leaked: 0 bytes, bad frees: 0
// CHECK-NEXT:   equal

// ROUNDS: 'main': 2 input sets, compared with
// ROUNDS: equal

// GIVEN: 'main': 1 input set, compared with
// GIVEN: equal
func.func @main(%a: tensor<?xf32>, %b: tensor<?xf32>) -> tensor<?xf32> {
  %0 = linalg.sub ins(%a, %b : tensor<?xf32>, tensor<?xf32>) outs(%b : tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
