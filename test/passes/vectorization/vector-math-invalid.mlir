// RUN: not inplace-opt %s --inplace-vector-math='functions=exp,log3' 2>&1 | filecheck %s

// CHECK: error: unknown function 'log3'; did you mean 'log'?; known are atan, cos, erf, exp, exp2, expm1, log, log10, log1p, log2, rsqrt, sin, tan, tanh
func.func @f() {
  return
}
