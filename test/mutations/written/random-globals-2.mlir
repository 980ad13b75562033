// passes: inplace-remove-outs-dependency,inplace-one-shot-bufferize{bufferize-function-boundaries=true warn-written-arguments=false  }
// after: inplace-drop-equivalent-results,inplace-results-to-out-params,inplace-hoist-allocations,canonicalize,cse,inplace-deallocate
// protects: no
// runs: [[["int", null, 2], ["int", null, 5], ["int", null, 2], ["bool", null, true], ["bool", null, true], ["int64", [3, 3, 1], 1], ["float64", [4, 6], 18.0], ["float32", [2, 2, 1], 35.0], ["int64", [4], 52]], [["int", null, 0], ["int", null, 3], ["int", null, 1], ["bool", null, false], ["bool", null, true], ["int64", [3, 3, 1], 6], ["float64", [4, 6], 23.0], ["float32", [2, 0, 1], 0], ["int64", [4], 57]], [["int", null, 3], ["int", null, 1], ["int", null, 2], ["bool", null, true], ["bool", null, false], ["int64", [3, 3, 1], 11], ["float64", [4, 6], 28.0], ["float32", [2, 3, 1], 45.0], ["int64", [4], 62]]]
ml_program.global private @g1(dense<51.0> : tensor<2x1xf64>) : tensor<2x1xf64>
ml_program.global private mutable @g0(dense<18.0> : tensor<3xbf16>) : tensor<3xbf16>
func.func @main(%n: index, %m: index, %i: index, %p: i1, %q: i1, %v1: tensor<3x3x1xindex> {bufferization.writable = true}, %v2: tensor<4x6xf64>, %v3: tensor<2x?x1xf32>, %v4: tensor<4xindex> {bufferization.writable = true}) -> (tensor<4xf64>, tensor<4xf64>, tensor<f64>) {
  %v5 = linalg.map { arith.subf } ins(%v3, %v3 : tensor<2x?x1xf32>, tensor<2x?x1xf32>) outs(%v3 : tensor<2x?x1xf32>)
  %v6 = arith.constant -6.0 : f64
  %v7 = tensor.empty() : tensor<4xf64>
  %v8 = linalg.fill ins(%v6 : f64) outs(%v7 : tensor<4xf64>) -> tensor<4xf64>
  %v9 = tensor.empty() : tensor<4x6xf64>
  %v10 = linalg.broadcast ins(%v8 : tensor<4xf64>) outs(%v9 : tensor<4x6xf64>) dimensions = [1]
  %v11 = tensor.empty() : tensor<f64>
  %v12 = linalg.fill ins(%v6 : f64) outs(%v11 : tensor<f64>) -> tensor<f64>
  %v13 = tensor.insert_slice %v12 into %v8[0] [1] [2] : tensor<f64> into tensor<4xf64>
  %c4_14 = arith.constant 4 : index
  %c3_15 = arith.constant 3 : index
  %v16 = arith.minsi %c4_14, %c3_15 : index
  %v17 = tensor.extract_slice %v8[0] [%v16] [1] : tensor<4xf64> to tensor<?xf64>
  %c0_18 = arith.constant 0 : index
  %c1_19 = arith.constant 1 : index
  %v20:2 = scf.while (%v21 = %c0_18, %v23 = %v5) : (index, tensor<2x?x1xf32>) -> (index, tensor<2x?x1xf32>) {
    %v24 = tensor.empty(%c0_18) : tensor<?xf64>
    %v25 = linalg.fill ins(%v6 : f64) outs(%v24 : tensor<?xf64>) -> tensor<?xf64>
    %v26 = tensor.insert_slice %v25 into %v17[1] [%c0_18] [1] : tensor<?xf64> into tensor<?xf64>
    %v27 = arith.constant 92.0 : f32
    %v28 = bufferization.alloc_tensor(%n) : tensor<2x?x1xf32>
    %v29 = linalg.fill ins(%v27 : f32) outs(%v28 : tensor<2x?x1xf32>) -> tensor<2x?x1xf32>
    %v30 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v5 : tensor<2x?x1xf32>) outs(%v29 : tensor<2x?x1xf32>) {
    ^bb0(%e31: f32, %e32: f32):
    %v33 = arith.addf %e32, %e31 : f32
    linalg.yield %v33 : f32
    } -> tensor<2x?x1xf32>
    %v34 = arith.cmpi slt, %v21, %c3_15 : index
    scf.condition(%v34) %v21, %v30 : index, tensor<2x?x1xf32>
  } do {
  ^bb0(%v22: index, %v35: tensor<2x?x1xf32>):
    %v36 = tensor.cast %v8 : tensor<4xf64> to tensor<?xf64>
    %v39 = scf.for %v37 = %c0_18 to %i step %c1_19 iter_args(%v38 = %v36) -> (tensor<?xf64>) {
      %v40 = tensor.dim %v38, %c0_18 : tensor<?xf64>
      %v41 = tensor.cast %v13 : tensor<4xf64> to tensor<?xf64>
      %v44 = scf.for %v42 = %c0_18 to %n step %c1_19 iter_args(%v43 = %v41) -> (tensor<?xf64>) {
        %v45 = tensor.dim %v43, %c0_18 : tensor<?xf64>
        %v46 = arith.constant dense<[16.0, 17.0, 18.0]> : tensor<3xbf16>
        ml_program.global_store @g0 = %v46 : tensor<3xbf16>
        %v47 = tensor.extract_slice %v43[0] [%c0_18] [1] : tensor<?xf64> to tensor<?xf64>
        scf.yield %v47 : tensor<?xf64>
      }
      %v48 = tensor.dim %v44, %c0_18 : tensor<?xf64>
      %v49 = arith.constant 66.0 : f64
      %v50 = tensor.empty(%i) : tensor<?xf64>
      %v51 = linalg.fill ins(%v49 : f64) outs(%v50 : tensor<?xf64>) -> tensor<?xf64>
      %v52 = tensor.insert_slice %v51 into %v41[%v22] [%i] [1] : tensor<?xf64> into tensor<?xf64>
      %c2_53 = arith.constant 2 : index
      %v54 = arith.minsi %v40, %c2_53 : index
      %v55 = tensor.extract_slice %v38[0] [%v54] [1] : tensor<?xf64> to tensor<?xf64>
      %v56 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
        outs(%v55 : tensor<?xf64>) {
      ^bb0(%e57: f64):
      %v58 = arith.constant 92.0 : f64
      linalg.yield %v58 : f64
      } -> tensor<?xf64>
      scf.yield %v56 : tensor<?xf64>
    }
    %v59 = tensor.dim %v39, %c0_18 : tensor<?xf64>
    %v60 = arith.addi %v22, %c1_19 : index
    scf.yield %v60, %v35 : index, tensor<2x?x1xf32>
  }
  %v62 = scf.for %v61 = %c0_18 to %c1_19 step %c1_19 iter_args(%v63 = %v13) -> (tensor<4xf64>) {
    %c2_64 = arith.constant 2 : index
    %v66 = scf.for %v65 = %c0_18 to %c2_64 step %c1_19 iter_args(%v67 = %v8) -> (tensor<4xf64>) {
      %v68:3 = scf.while (%v69 = %c0_18, %v71 = %v20#1, %v72 = %v5) : (index, tensor<2x?x1xf32>, tensor<2x?x1xf32>) -> (index, tensor<2x?x1xf32>, tensor<2x?x1xf32>) {
        %v73 = arith.minsi %n, %c1_19 : index
        %v74 = tensor.extract_slice %v3[1, 0, 0] [1, %v73, 1] [1, 1, 1] : tensor<2x?x1xf32> to tensor<?xf32>
        %v75 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
          ins(%v72 : tensor<2x?x1xf32>) outs(%v72 : tensor<2x?x1xf32>) {
        ^bb0(%e76: f32, %e77: f32):
        %v78 = arith.subf %e77, %e76 : f32
        linalg.yield %v78 : f32
        } -> tensor<2x?x1xf32>
        %v79 = arith.cmpi slt, %v69, %c2_64 : index
        scf.condition(%v79) %v69, %v72, %v75 : index, tensor<2x?x1xf32>, tensor<2x?x1xf32>
      } do {
      ^bb0(%v70: index, %v80: tensor<2x?x1xf32>, %v81: tensor<2x?x1xf32>):
        %v82 = tensor.extract_slice %v63[1] [2] [1] : tensor<4xf64> to tensor<2xf64>
        %v83 = linalg.fill ins(%v6 : f64) outs(%v82 : tensor<2xf64>) -> tensor<2xf64>
        %v84 = tensor.insert_slice %v83 into %v63[1] [2] [1] : tensor<2xf64> into tensor<4xf64>
        %v85 = linalg.map { arith.subf } ins(%v80, %v5 : tensor<2x?x1xf32>, tensor<2x?x1xf32>) outs(%v3 : tensor<2x?x1xf32>)
        %v86 = arith.addi %v70, %c1_19 : index
        scf.yield %v86, %v81, %v81 : index, tensor<2x?x1xf32>, tensor<2x?x1xf32>
      }
      %v87 = arith.minsi %c2_64, %c4_14 : index
      %v88 = tensor.cast %v20#1 : tensor<2x?x1xf32> to tensor<?x?x1xf32>
      %v89 = tensor.insert_slice %v88 into %v68#1[0, 0, 0] [%v87, %n, 1] [1, 1, 1] : tensor<?x?x1xf32> into tensor<2x?x1xf32>
      %v90 = tensor.insert %v6 into %v12[] : tensor<f64>
      %v91 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
        ins(%v63 : tensor<4xf64>) outs(%v8 : tensor<4xf64>) {
      ^bb0(%e92: f64, %e93: f64):
      %v94 = arith.subf %e92, %e93 : f64
      linalg.yield %v94 : f64
      } -> tensor<4xf64>
      scf.yield %v91 : tensor<4xf64>
    }
    scf.yield %v66 : tensor<4xf64>
  }
  %v96 = scf.for %v95 = %c0_18 to %c1_19 step %c1_19 iter_args(%v97 = %v13) -> (tensor<4xf64>) {
    %v98 = arith.constant dense<[1, 4]> : tensor<2xi64>
    %v99 = tensor.reshape %v97(%v98) : (tensor<4xf64>, tensor<2xi64>) -> tensor<1x4xf64>
    %v100 = tensor.rank %v99 : tensor<1x4xf64>
    %v101 = tensor.extract_slice %v99[%c0_18, %i] [%v95, 1] [1, 1] : tensor<1x4xf64> to tensor<?xf64>
    %v102 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%v99 : tensor<1x4xf64>) outs(%v99 : tensor<1x4xf64>) {
    ^bb0(%e103: f64, %e104: f64):
    %v105 = arith.constant 2.0 : f64
    %v106 = arith.subf %e103, %v105 : f64
    linalg.yield %v106 : f64
    } -> tensor<1x4xf64>
    %v107 = arith.constant dense<[4]> : tensor<1xi64>
    %v108 = tensor.reshape %v102(%v107) : (tensor<1x4xf64>, tensor<1xi64>) -> tensor<4xf64>
    scf.yield %v108 : tensor<4xf64>
  }
  %v109:3 = scf.while (%v110 = %c0_18, %v112 = %v8, %v113 = %v96) : (index, tensor<4xf64>, tensor<4xf64>) -> (index, tensor<4xf64>, tensor<4xf64>) {
    %v114 = tensor.empty() : tensor<4xf64>
    %v115 = linalg.fill ins(%v6 : f64) outs(%v114 : tensor<4xf64>) -> tensor<4xf64>
    %v116 = arith.constant -1.0 : f64
    %v117 = tensor.empty() : tensor<4xf64>
    %v118 = linalg.fill ins(%v116 : f64) outs(%v117 : tensor<4xf64>) -> tensor<4xf64>
    %v119 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%v118 : tensor<4xf64>) outs(%v113 : tensor<4xf64>) {
    ^bb0(%e120: f64, %e121: f64):
    %v122 = arith.constant 1.0 : f64
    %v123 = arith.subf %e120, %v122 : f64
    linalg.yield %v123 : f64
    } -> tensor<4xf64>
    %v124 = arith.cmpi slt, %v110, %c4_14 : index
    scf.condition(%v124) %v110, %v119, %v115 : index, tensor<4xf64>, tensor<4xf64>
  } do {
  ^bb0(%v111: index, %v125: tensor<4xf64>, %v126: tensor<4xf64>):
    %v127 = tensor.extract_slice %v126[0] [%c3_15] [1] : tensor<4xf64> to tensor<?xf64>
    %v128 = linalg.fill ins(%v6 : f64) outs(%v127 : tensor<?xf64>) -> tensor<?xf64>
    %v129 = tensor.insert_slice %v128 into %v8[0] [%c3_15] [1] : tensor<?xf64> into tensor<4xf64>
    %v130 = arith.addi %v111, %c1_19 : index
    %v131 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%v129 : tensor<4xf64>) outs(%v8 : tensor<4xf64>) {
    ^bb0(%e132: f64, %e133: f64):
    %v134 = arith.constant 5.0 : f64
    %v135 = arith.subf %e132, %v134 : f64
    linalg.yield %v135 : f64
    } -> tensor<4xf64>
    scf.yield %v130, %v131, %v125 : index, tensor<4xf64>, tensor<4xf64>
  }
  return %v8, %v109#2, %v12 : tensor<4xf64>, tensor<4xf64>, tensor<f64>
}
