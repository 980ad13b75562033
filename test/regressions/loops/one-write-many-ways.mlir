// Each way into the loop around ^write got a buffer, four in all, because what is written there would destroy %t.
// COUNTS: 1 0
// ARGUMENTS: true 1 true false false 3xf32:iota 3xf32:ones
// ARGUMENTS: true 2 true true false 3xf32:ones 3xf32:iota
func.func @main(%c: i1, %k: i32, %p: i1, %q: i1, %r: i1, %s: tensor<3xf32>, %t: tensor<3xf32>) -> (tensor<3xf32>, f32) {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : f32
  cf.cond_br %c, ^start, ^old
^old:
  return %t, %one : tensor<3xf32>, f32
^start:
  %0 = tensor.empty() : tensor<3xf32>
  cf.switch %k : i32, [
    default: ^left(%0 : tensor<3xf32>),
    1: ^right(%0 : tensor<3xf32>),
    2: ^choose
  ]
^write(%x: tensor<3xf32>, %y: tensor<3xf32>):
  %w = linalg.fill ins(%one : f32) outs(%x : tensor<3xf32>) -> tensor<3xf32>
  cf.cond_br %r, ^again, ^end
^end:
  %v = tensor.extract %w[%c0] : tensor<3xf32>
  return %t, %v : tensor<3xf32>, f32
^again:
  cf.switch %k : i32, [
    default: ^left(%w : tensor<3xf32>),
    1: ^write(%y, %x : tensor<3xf32>, tensor<3xf32>),
    2: ^choose
  ]
^choose:
  cf.cond_br %p, ^both, ^old
^both:
  cf.cond_br %q, ^write(%t, %t : tensor<3xf32>, tensor<3xf32>), ^left(%t : tensor<3xf32>)
^left(%l: tensor<3xf32>):
  cf.cond_br %q, ^turn, ^old
^right(%m: tensor<3xf32>):
  cf.cond_br %p, ^on, ^old
^on:
  cf.cond_br %q, ^turn, ^write(%m, %t : tensor<3xf32>, tensor<3xf32>)
^turn:
  cf.cond_br %q, ^last, ^old
^last:
  cf.switch %k : i32, [
    default: ^right(%t : tensor<3xf32>),
    1: ^right(%t : tensor<3xf32>),
    2: ^right(%s : tensor<3xf32>)
  ]
}
