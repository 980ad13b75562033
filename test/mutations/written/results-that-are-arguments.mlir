// passes: inplace-one-shot-bufferize{bufferize-function-boundaries=true warn-written-arguments=false }
// after: canonicalize,cse,inplace-deallocate
// protects: yes
// runs: [[["float32", [8], 1], ["float32", [8], 101], ["int64", null, 3]], [["float32", [4], 1], ["float32", [4], 101], ["int64", null, 2]], [["float32", [2], 1], ["float32", [2], 101], ["int64", null, 1]]]
func.func private @tail(%t: tensor<?xf32>, %n: index) -> tensor<?xf32> {
  %r = tensor.extract_slice %t[1] [%n] [1] : tensor<?xf32> to tensor<?xf32>
  return %r : tensor<?xf32>
}
func.func @main(%t: tensor<?xf32>, %u: tensor<?xf32>, %k: index) -> (tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 1 : index
  %l = scf.for %i = %c0 to %c1 step %c1 iter_args(%x = %t) -> (tensor<?xf32>) {
    %a = func.call @tail(%x, %n) : (tensor<?xf32>, index) -> tensor<?xf32>
    scf.yield %a : tensor<?xf32>
  }
  return %l : tensor<?xf32>
}
