// RUN: inplace-opt %s --inplace-prefetch-panels='machine="l1=small"' --verify-diagnostics

// expected-error @+1 {{the property 'l1' of a machine must be a positive integer, got 'small'}}
func.func @f() {
  return
}
