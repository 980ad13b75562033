// RUN: not inplace-opt %s --inplace-vector-math='functions=exp,log3' 2>&1 | filecheck %s

// CHECK: error: unknown function 'log3'; did you mean 'log'?; known are acos, acosh, asin, asinh, atan, atan2, atanh, cbrt, cos, cosh, erf, exp, exp2, expm1, log, log10, log1p, log2, powf, remf, rsqrt, sin, sinh, tan, tanh, divsi, divui, remsi, remui
func.func @f() {
  return
}
