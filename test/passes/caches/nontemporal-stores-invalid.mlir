// RUN: inplace-opt %s --inplace-nontemporal-stores='machine="l3=large"' --verify-diagnostics

// expected-error @+1 {{the property 'l3' of a machine must be a positive integer, got 'large'}}
func.func @f() {
  return
}
