// passes: inplace-remove-outs-dependency{mode=empty},inplace-one-shot-bufferize{bufferize-function-boundaries=true warn-written-arguments=false  analysis-heuristic=fuzzer analysis-fuzzer-seed=1}
// after: canonicalize,cse,inplace-deallocate
// protects: no
// runs: [[["float32", [1], 1], ["float32", [1], 101], ["float32", [1, 2], 201], ["float32", [1, 2], 301]]]
func.func @main(%a0: tensor<1xf32>, %a1: tensor<1xf32>, %a2: tensor<1x?xf32> {bufferization.writable = false}, %a3: tensor<1x?xf32>) -> (tensor<1xf32>, tensor<1x?xf32>) {
%n0 = arith.constant 1 : index
%n1 = arith.constant 2 : index
%n0_trips = arith.constant 0 : index
%n1_trips = arith.constant 1 : index
%n2_trips = arith.constant 2 : index
%c0 = arith.constant 0 : index
%c1 = arith.constant 1 : index
%true = arith.constant true
%false = arith.constant false
%v1 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
          iterator_types = ["parallel", "parallel"]} ins(%a0 : tensor<1xf32>) outs(%a2 : tensor<1x?xf32>) {
          ^bb0(%in: f32, %out: f32):
            linalg.yield %in : f32
        } -> tensor<1x?xf32>
%v2 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
          iterator_types = ["parallel", "parallel"]} ins(%a0 : tensor<1xf32>) outs(%a2 : tensor<1x?xf32>) {
          ^bb0(%in: f32, %out: f32):
            linalg.yield %in : f32
        } -> tensor<1x?xf32>
%v4 = scf.if %false -> tensor<1xf32> {
          %v3 = linalg.negf ins(%a1 : tensor<1xf32>) outs(%a1 : tensor<1xf32>) -> tensor<1xf32>
          scf.yield %v3 : tensor<1xf32>
        } else {
          scf.yield %a1 : tensor<1xf32>
        }
%v5 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
          iterator_types = ["parallel", "reduction"]} ins(%v2 : tensor<1x?xf32>) outs(%v4 : tensor<1xf32>) {
          ^bb0(%in: f32, %out: f32):
            linalg.yield %in : f32
        } -> tensor<1xf32>
%v6 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
          iterator_types = ["parallel", "reduction"]} ins(%a2 : tensor<1x?xf32>) outs(%v5 : tensor<1xf32>) {
          ^bb0(%in: f32, %out: f32):
            %s = arith.addf %in, %out : f32
linalg.yield %s : f32
        } -> tensor<1xf32>
%v7 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
          iterator_types = ["parallel", "parallel"]} ins(%v1 : tensor<1x?xf32>) outs(%v2 : tensor<1x?xf32>) {
          ^bb0(%in: f32, %out: f32):
            %k = linalg.index 0 : index
            %l = arith.index_cast %k : index to i32
            %m = arith.sitofp %l : i32 to f32
            %s = arith.addf %in, %m : f32
            linalg.yield %s : f32
        } -> tensor<1x?xf32>
%v8 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i, 0)>],
          iterator_types = ["parallel"]} ins(%v6 : tensor<1xf32>) outs(%v2 : tensor<1x?xf32>) {
          ^bb0(%in: f32, %out: f32):
            linalg.yield %in : f32
        } -> tensor<1x?xf32>
%v9 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
          iterator_types = ["parallel", "parallel"]} ins(%v7 : tensor<1x?xf32>) outs(%v4 : tensor<1xf32>) {
          ^bb0(%in: f32, %out: f32):
            linalg.yield %in : f32
        } -> tensor<1xf32>
%v10 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
          iterator_types = ["parallel", "parallel"]} ins(%v7 : tensor<1x?xf32>) outs(%v5 : tensor<1xf32>) {
          ^bb0(%in: f32, %out: f32):
            linalg.yield %in : f32
        } -> tensor<1xf32>
%v11 = linalg.negf ins(%v8 : tensor<1x?xf32>) outs(%v2 : tensor<1x?xf32>) -> tensor<1x?xf32>
%v13 = scf.if %true -> tensor<1xf32> {
          %v12 = linalg.negf ins(%a0 : tensor<1xf32>) outs(%v5 : tensor<1xf32>) -> tensor<1xf32>
          scf.yield %v12 : tensor<1xf32>
        } else {
          scf.yield %v5 : tensor<1xf32>
        }
%v14 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
          iterator_types = ["parallel", "parallel"]} ins(%a2 : tensor<1x?xf32>) outs(%v2 : tensor<1x?xf32>) {
          ^bb0(%in: f32, %out: f32):
            %s = arith.addf %in, %out : f32
linalg.yield %s : f32
        } -> tensor<1x?xf32>
%f14 = arith.constant 5.0 : f32
%v15 = linalg.fill ins(%f14 : f32) outs(%v11 : tensor<1x?xf32>) -> tensor<1x?xf32>
%v17 = scf.if %false -> tensor<1xf32> {
          %v16 = linalg.negf ins(%v6 : tensor<1xf32>) outs(%v6 : tensor<1xf32>) -> tensor<1xf32>
          scf.yield %v16 : tensor<1xf32>
        } else {
          scf.yield %v6 : tensor<1xf32>
        }
return %v10, %v11 : tensor<1xf32>, tensor<1x?xf32>
}
