// passes: inplace-one-shot-bufferize{bufferize-function-boundaries=true warn-written-arguments=false  analysis-heuristic=fuzzer analysis-fuzzer-seed=1}
// after: canonicalize,cse,inplace-deallocate
// protects: yes
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
  %cv6x = arith.constant 106.0 : f32
  %v6 = tensor.insert %cv6x into %a[%y0] : tensor<8xf32>
  %pv7 = arith.constant 0 : index
  %cv7x = tensor.extract %b[%pv7] : tensor<8xf32>
  %v7 = tensor.insert %cv7x into %v6[%c2] : tensor<8xf32>
  %t0 = arith.cmpi ult, %j0, %limit : index
  cf.cond_br %t0, ^go0, ^end0
^end0:
  return %b, %v7 : tensor<8xf32>, tensor<8xf32>
^go0:
  %m0 = arith.remui %j0, %c2 : index
  %d0 = arith.cmpi eq, %m0, %c1 : index
  cf.cond_br %d0, ^b1(%j0, %v7, %v6 : index, tensor<8xf32>, tensor<8xf32>), ^b2(%j0 : index)
^b1(%i1: index, %v1: tensor<8xf32>, %v2: tensor<8xf32>):
  %j1 = arith.addi %i1, %c1 : index
  %x1 = arith.remui %j1, %limit : index
  %y1 = arith.minui %x1, %c3 : index
  %pv8 = arith.constant 7 : index
  %cv8x = tensor.extract %v6[%pv8] : tensor<8xf32>
  %v8 = tensor.insert %cv8x into %a[%c2] : tensor<8xf32>
  %pv9 = arith.constant 4 : index
  %cv9x = arith.constant 109.0 : f32
  %v9 = tensor.insert %cv9x into %v2[%pv9] : tensor<8xf32>
  %t1 = arith.cmpi ult, %j1, %limit : index
  cf.cond_br %t1, ^go1, ^end1
^end1:
  return %v1, %v8 : tensor<8xf32>, tensor<8xf32>
^go1:
  %m1 = arith.remui %j1, %c2 : index
  %d1 = arith.cmpi eq, %m1, %c1 : index
  cf.cond_br %d1, ^b1(%j1, %v2, %v9 : index, tensor<8xf32>, tensor<8xf32>), ^b2(%j1 : index)
^b2(%i2: index):
  %j2 = arith.addi %i2, %c1 : index
  %x2 = arith.remui %j2, %limit : index
  %y2 = arith.minui %x2, %c3 : index
  %v10 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
  ins(%v7 : tensor<8xf32>) outs(%v6 : tensor<8xf32>) {
  ^bb0(%p: f32, %q: f32):
    %s = arith.addf %p, %q : f32
    linalg.yield %s : f32 } -> tensor<8xf32>
  %t2 = arith.cmpi ult, %j2, %limit : index
  cf.cond_br %t2, ^go2, ^end2
^end2:
  return %v7, %b : tensor<8xf32>, tensor<8xf32>
^go2:
  %m2 = arith.remui %j2, %c2 : index
  %d2 = arith.cmpi eq, %m2, %c1 : index
  cf.cond_br %d2, ^b3(%j2, %v7, %v7, %k : index, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>), ^b3(%j2, %v7, %v6, %v6 : index, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>)
^b3(%i3: index, %v3: tensor<8xf32>, %v4: tensor<8xf32>, %v5: tensor<8xf32>):
  %j3 = arith.addi %i3, %c1 : index
  %x3 = arith.remui %j3, %limit : index
  %y3 = arith.minui %x3, %c3 : index
  %pv11 = arith.constant 6 : index
  %cv11x = arith.constant 111.0 : f32
  %v11 = tensor.insert %cv11x into %v3[%pv11] : tensor<8xf32>
  %pv12 = arith.constant 1 : index
  %cv12x = arith.constant 112.0 : f32
  %v12 = tensor.insert %cv12x into %v5[%pv12] : tensor<8xf32>
  %sv13 = tensor.extract_slice %k[0] [4] [1] : tensor<8xf32> to tensor<4xf32>
  %fv13 = linalg.fill ins(%f : f32) outs(%sv13 : tensor<4xf32>) -> tensor<4xf32>
  %v13 = tensor.insert_slice %fv13 into %v12[4] [4] [1] : tensor<4xf32> into tensor<8xf32>
  return %v12, %v11 : tensor<8xf32>, tensor<8xf32>
}
