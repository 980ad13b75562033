// RUN: inplace-opt %s --inplace-channels-last --split-input-file --verify-diagnostics

// expected-error @+1 {{attribute 'inplace.held' is 3 : i64, but must be without a value; remove it or correct it}}
func.func @f(%w: tensor<4xf32> {inplace.held = 3}) {
  return
}

// -----

// expected-error @+1 {{but must be a shape and an order of its dimensions, and what is cut off, as inplace-pack-weights writes them; remove it or correct it}}
func.func @g(%w: tensor<4xf32> {inplace.held, inplace.rearranged = {order = array<i64: 1, 1>, shape = array<i64: 2, 2>}}) {
  return
}

// -----

// expected-error @+1 {{but must be a shape and an order of its dimensions, and what is cut off, as inplace-pack-weights writes them}}
func.func @cut(%w: tensor<4xf32> {inplace.held, inplace.rearranged = {cut = array<i64: 1>, order = array<i64: 0, 1>, rest = array<i64: 0>, shape = array<i64: 2, 1>}}) {
  return
}

// -----

// expected-error @+1 {{but must be a shape and an order of its dimensions, and what is cut off, as inplace-pack-weights writes them}}
func.func @rest(%w: tensor<4xf32> {inplace.held, inplace.rearranged = {cut = array<i64: 0, 2>, order = array<i64: 0, 1>, shape = array<i64: 2, 1>}}) {
  return
}

// -----

// RUN: not inplace-opt %s --inplace-channels-last='machine="vectors=4"' --split-input-file 2>&1 | filecheck %s
// CHECK: error: unknown property 'vectors' of a machine; known are vector-bits, registers, l1, l2, l3, cores, load-bits
func.func @h(%w: tensor<4xf32> {inplace.held}) {
  return
}
