// passes: inplace-one-shot-bufferize{bufferize-function-boundaries=true warn-written-arguments=false  analysis-heuristic=top-down}
// after: canonicalize,cse,inplace-deallocate
// protects: no
// runs: [[["float32", [8], 1000], ["float32", [8], 2000], ["int64", null, 0]], [["float32", [8], 1000], ["float32", [8], 2000], ["int64", null, 1]], [["float32", [8], 1000], ["float32", [8], 2000], ["int64", null, 2]]]
#id = affine_map<(d0) -> (d0)>
func.func @main(%a: tensor<8xf32>, %b: tensor<8xf32>, %n: index) -> (tensor<8xf32>, tensor<8xf32>) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %limit = arith.constant 12 : index
  %f = arith.constant 5.0 : f32
  %k = arith.constant dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]> : tensor<8xf32>

  %i0 = arith.remui %n, %c3 : index
  %j0 = arith.addi %i0, %c1 : index
  %x0 = arith.remui %j0, %limit : index
  %y0 = arith.minui %x0, %c3 : index
  %v3 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
  ins(%b : tensor<8xf32>) outs(%b : tensor<8xf32>) {
  ^bb0(%p: f32, %q: f32):
    %s = arith.addf %p, %q : f32
    linalg.yield %s : f32 } -> tensor<8xf32>
  %pv4 = arith.constant 3 : index
  %cv4x = arith.constant 104.0 : f32
  %v4 = tensor.insert %cv4x into %b[%pv4] : tensor<8xf32>
  %v5 = linalg.fill ins(%f : f32) outs(%v3 : tensor<8xf32>) -> tensor<8xf32>
  %t0 = arith.cmpi ult, %j0, %limit : index
  cf.cond_br %t0, ^go0, ^end0
^end0:
  return %v3, %v5 : tensor<8xf32>, tensor<8xf32>
^go0:
  cf.br ^b2(%j0, %v3, %v5 : index, tensor<8xf32>, tensor<8xf32>)
^b2(%i2: index, %v1: tensor<8xf32>, %v2: tensor<8xf32>):
  %j2 = arith.addi %i2, %c1 : index
  %x2 = arith.remui %j2, %limit : index
  %y2 = arith.minui %x2, %c3 : index
  %v6 = linalg.fill ins(%f : f32) outs(%v2 : tensor<8xf32>) -> tensor<8xf32>
  %pv7 = arith.constant 7 : index
  %cv7x = tensor.extract %v2[%pv7] : tensor<8xf32>
  %v7 = tensor.insert %cv7x into %v2[%c2] : tensor<8xf32>
  %t2 = arith.cmpi ult, %j2, %limit : index
  cf.cond_br %t2, ^go2, ^end2
^end2:
  return %v7, %v7 : tensor<8xf32>, tensor<8xf32>
^go2:
  %m2 = arith.remui %j2, %c2 : index
  %d2 = arith.cmpi eq, %m2, %c1 : index
  cf.cond_br %d2, ^b2(%j2, %v6, %v7 : index, tensor<8xf32>, tensor<8xf32>), ^b2(%j2, %v6, %v1 : index, tensor<8xf32>, tensor<8xf32>)
}
