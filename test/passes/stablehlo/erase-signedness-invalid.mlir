// RUN: inplace-opt %s --inplace-erase-signedness --verify-diagnostics

func.func @f(%x: tensor<4xui8>) -> tensor<4xui8> {
  // expected-error @below {{stablehlo.divide may compute something else on signless integers; lower it first, as with stablehlo-legalize-to-linalg}}
  %0 = stablehlo.divide %x, %x : tensor<4xui8>
  return %0 : tensor<4xui8>
}
