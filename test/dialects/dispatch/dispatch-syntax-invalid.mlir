// RUN: inplace-opt %s --split-input-file --verify-diagnostics

// The lighter text form of the dispatch dialect, written wrongly: one error where reading stopped.

func.func @no_such_operation() {
  // expected-error @+1 {{there is no operation 'dispatch.lode'; there are binding, tie_shape, load,}}
  %0 = dispatch.lode %b : !dispatch.readonly<tensor<4xf32>> -> tensor<4xf32>
  return
}

// -----

func.func @no_strides(%b: !dispatch.readonly<tensor<4xf32>>) {
  // expected-error @+1 {{expected '[' with the strides, after the sizes, found ':'}}
  %0 = dispatch.load %b[0] [4] : !dispatch.readonly<tensor<4xf32>> -> tensor<4xf32>
  return
}

// -----

func.func @over_two_lines(%b: !dispatch.readonly<tensor<4xf32>>) {
  // expected-error @+1 {{expected '->' after the type of the binding, found the end of the line}}
  %0 = dispatch.load %b : !dispatch.readonly<tensor<4xf32>>
    -> tensor<4xf32>
  return
}

// -----

func.func @nothing_behind_the_name(%b: !dispatch.readonly<tensor<4xf32>>) {
  // expected-error @+1 {{'dispatch.load' must have its operands behind it, on its line}}
  dispatch.load
    %b : !dispatch.readonly<tensor<4xf32>> -> tensor<4xf32>
  return
}

// -----

// expected-error @+1 {{expected base type 'builtin.tensor' but got 'builtin.integer'}}
func.func @no_tensor(%b: !dispatch.readonly<i32>) {
  return
}
