// passes: inplace-one-shot-bufferize{bufferize-function-boundaries=true warn-written-arguments=false}
// after: canonicalize,cse,inplace-deallocate
// protects: yes
// runs: [[["float32", [8], 1], ["float32", [8], 101], ["f", null, 101.5], ["int64", null, 4], ["int64", null, 1], ["int64", null, 2], ["bool", null, true]], [["float32", [8], 1], ["float32", [8], 101], ["f", null, 101.5], ["int64", null, 4], ["int64", null, 0], ["int64", null, 1], ["bool", null, false]], [["float32", [8], 1], ["float32", [8], 101], ["f", null, 101.5], ["int64", null, 3], ["int64", null, 2], ["int64", null, 0], ["bool", null, true]]]
!v = tensor<8xf32>
!h = tensor<4xf32>
!m = tensor<4x4xf32>
!d = tensor<?xf32>
#id = affine_map<(d0) -> (d0)>
#id2 = affine_map<(d0, d1) -> (d0, d1)>
#swap = affine_map<(d0, d1) -> (d1, d0)>
#row = affine_map<(d0, d1) -> (d0)>
func.func @main(%t: !v loc("t"), %u: !v loc("u"), %f: f32, %i: index, %j: index, %n: index, %p: i1) -> (!v) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
%l:1 = scf.for %k = %c0 to %n step %c1 iter_args(%a = %t) -> (!v) {

      %x = arith.select %p, %a, %u : !v loc("x")
      scf.yield %x : !v loc("y")
    
} loc("for")
return %l#0 : !v
}
