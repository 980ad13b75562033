// passes: inplace-one-shot-bufferize{bufferize-function-boundaries=true warn-written-arguments=false  analysis-heuristic=fuzzer analysis-fuzzer-seed=36}
// after: inplace-drop-equivalent-results,inplace-results-to-out-params,inplace-hoist-allocations,canonicalize,cse,inplace-deallocate
// protects: yes
// runs: [[["int64", null, 2], ["int64", null, 5], ["int64", null, 3], ["bool", null, true], ["bool", null, false], ["int64", [6], 1], ["int64", [6], 18]], [["int64", null, 0], ["int64", null, 2], ["int64", null, 0], ["bool", null, false], ["bool", null, false], ["int64", [6], 6], ["int64", [6], 23]], [["int64", null, 1], ["int64", null, 2], ["int64", null, 0], ["bool", null, true], ["bool", null, true], ["int64", [6], 11], ["int64", [6], 28]]]
ml_program.global private @g1(dense<9.0> : tensor<1xbf16>) : tensor<1xbf16>
ml_program.global private mutable @g0(dense<25> : tensor<1x2xi32>) : tensor<1x2xi32>
func.func private @b153(%n: index, %m: index, %i: index, %p: i1, %q: i1, %v3: tensor<?x2x1x2xi8>, %v4: tensor<?x?x3xindex>) -> (tensor<?x2x1x2xi8>) {
  %c1_5 = arith.constant 1 : index
  %c2_6 = arith.constant 2 : index
  %c3_7 = arith.constant 3 : index
  %c7_8 = arith.constant 7 : index
  %c0_9 = arith.constant 0 : index
  %v18 = arith.constant 99 : i8
  %v19 = tensor.empty() : tensor<1xi8>
  %v20 = linalg.fill ins(%v18 : i8) outs(%v19 : tensor<1xi8>) -> tensor<1xi8>
  %v21 = tensor.empty() : tensor<1xi8>
  %v22 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
     ins(%v20, %v20 : tensor<1xi8>, tensor<1xi8>) outs(%v21 : tensor<1xi8>) {
  ^bb0(%e23: i8, %e24: i8, %e25: i8):
  %v26 = arith.addi %e24, %e23 : i8
  linalg.yield %v26 : i8
  } -> tensor<1xi8>
  %v27 = arith.addi %c0_9, %c1_5 : index
  %v28 = arith.cmpi slt, %v27, %c7_8 : index
  cf.cond_br %v28, ^go0, ^end0
^end0:
    return %v3 : tensor<?x2x1x2xi8>
^go0:
    %v29 = arith.constant 52 : index
    %v30 = bufferization.alloc_tensor(%m, %m) : tensor<?x?x3xindex>
    %v31 = linalg.fill ins(%v29 : index) outs(%v30 : tensor<?x?x3xindex>) -> tensor<?x?x3xindex>
    %v32 = arith.remui %v27, %c2_6 : index
    %v33 = arith.cmpi eq, %v32, %c1_5 : index
    cf.cond_br %v33, ^b2(%v27, %v4, %v31 : index, tensor<?x?x3xindex>, tensor<?x?x3xindex>), ^b1(%v27, %v3 : index, tensor<?x2x1x2xi8>)
^b1(%v10: index, %v11: tensor<?x2x1x2xi8>):
  %v34:3 = scf.while (%v35 = %c0_9, %v37 = %v11, %v38 = %v11) : (index, tensor<?x2x1x2xi8>, tensor<?x2x1x2xi8>) -> (index, tensor<?x2x1x2xi8>, tensor<?x2x1x2xi8>) {
    %v39 = arith.constant 90 : i32
    %v40 = tensor.empty() : tensor<1x2xi32>
    %v41 = linalg.fill ins(%v39 : i32) outs(%v40 : tensor<1x2xi32>) -> tensor<1x2xi32>
    ml_program.global_store @g0 = %v41 : tensor<1x2xi32>
    %v42 = linalg.min ins(%v41, %v41 : tensor<1x2xi32>, tensor<1x2xi32>) outs(%v41 : tensor<1x2xi32>) -> tensor<1x2xi32>
    %v43 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
       outs(%v38 : tensor<?x2x1x2xi8>) {
    ^bb0(%e44: i8):
    %v45 = arith.constant 5 : i8
    %v46 = arith.subi %e44, %v45 : i8
    linalg.yield %v46 : i8
    } -> tensor<?x2x1x2xi8>
    %v47 = arith.cmpi slt, %v35, %c3_7 : index
    scf.condition(%v47) %v35, %v38, %v43 : index, tensor<?x2x1x2xi8>, tensor<?x2x1x2xi8>
  } do {
  ^bb0(%v36: index, %v48: tensor<?x2x1x2xi8>, %v49: tensor<?x2x1x2xi8>):
    %v50 = tensor.cast %v22 : tensor<1xi8> to tensor<?xi8>
    %v53 = scf.for %v51 = %c0_9 to %n step %c1_5 iter_args(%v52 = %v50) -> (tensor<?xi8>) {
      %v54 = tensor.dim %v52, %c0_9 : tensor<?xi8>
      %v55:2 = scf.if %p -> (tensor<?x2x1x2xi8>, tensor<?x2x1x2xi8>) {
        %v56 = arith.constant dense<1> : tensor<i8>
        %v57 = tensor.empty() : tensor<1xi8>
        %v58 = linalg.broadcast ins(%v56 : tensor<i8>) outs(%v57 : tensor<1xi8>) dimensions = [0]
        %v59 = tensor.extract_slice %v50[0] [%c1_5] [1] : tensor<?xi8> to tensor<?xi8>
        %v60 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
           ins(%v59 : tensor<?xi8>) outs(%v59 : tensor<?xi8>) {
        ^bb0(%e61: i8, %e62: i8):
        %v63 = arith.minsi %e62, %e61 : i8
        linalg.yield %v63 : i8
        } -> tensor<?xi8>
        %v64 = tensor.insert_slice %v60 into %v50[0] [%c1_5] [1] : tensor<?xi8> into tensor<?xi8>
        %v65 = tensor.cast %v48 : tensor<?x2x1x2xi8> to tensor<?x?x?x2xi8>
        %v66 = tensor.empty(%n) : tensor<?x2x1x2xi8>
        %v67 = linalg.fill ins(%v18 : i8) outs(%v66 : tensor<?x2x1x2xi8>) -> tensor<?x2x1x2xi8>
        %v68 = tensor.cast %v65 : tensor<?x?x?x2xi8> to tensor<?x2x1x2xi8>
        %v69 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
           outs(%v67 : tensor<?x2x1x2xi8>) {
        ^bb0(%e70: i8):
        %v71 = arith.constant 4 : i8
        %v72 = arith.muli %e70, %v71 : i8
        linalg.yield %v72 : i8
        } -> tensor<?x2x1x2xi8>
        scf.yield %v69, %v68 : tensor<?x2x1x2xi8>, tensor<?x2x1x2xi8>
      } else {
        %v73 = tensor.empty(%v54) : tensor<?xi8>
        %v74 = linalg.fill ins(%v18 : i8) outs(%v73 : tensor<?xi8>) -> tensor<?xi8>
        %v75 = linalg.add ins(%v52, %v74 : tensor<?xi8>, tensor<?xi8>) outs(%v52 : tensor<?xi8>) -> tensor<?xi8>
        %v76 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
           outs(%v11 : tensor<?x2x1x2xi8>) {
        ^bb0(%e77: i8):
        %v78 = arith.constant 9 : i8
        %v79 = arith.xori %e77, %v78 : i8
        linalg.yield %v79 : i8
        } -> tensor<?x2x1x2xi8>
        scf.yield %v48, %v76 : tensor<?x2x1x2xi8>, tensor<?x2x1x2xi8>
      }
      %v80 = tensor.empty(%c1_5) : tensor<?xi8>
      %v81 = tensor.cast %v20 : tensor<1xi8> to tensor<?xi8>
      %v84:2 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
         ins(%v22, %v50 : tensor<1xi8>, tensor<?xi8>) outs(%v80, %v81 : tensor<?xi8>, tensor<?xi8>) {
      ^bb0(%e85: i8, %e86: i8, %e87: i8, %e88: i8):
      %v89 = arith.minsi %e86, %e85 : i8
      %v90 = arith.minsi %e86, %e88 : i8
      %v91 = arith.subi %v90, %e85 : i8
      linalg.yield %v89, %v91 : i8, i8
      } -> (tensor<?xi8>, tensor<?xi8>)
      %v93 = scf.for %v92 = %c0_9 to %c3_7 step %c1_5 iter_args(%v94 = %v11) -> (tensor<?x2x1x2xi8>) {
        %v95 = tensor.extract_slice %v49[%v51, 0, %c0_9, 0] [%v51, 2, 1, 2] [1, 1, 1, 1] : tensor<?x2x1x2xi8> to tensor<?x2x2xi8>
        %v96 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
           outs(%v95 : tensor<?x2x2xi8>) {
        ^bb0(%e97: i8):
        %v98 = arith.constant 7 : i8
        %v99 = arith.muli %e97, %v98 : i8
        linalg.yield %v99 : i8
        } -> tensor<?x2x2xi8>
        %v100 = tensor.insert_slice %v96 into %v49[%v51, 0, %c0_9, 0] [%v51, 2, 1, 2] [1, 1, 1, 1] : tensor<?x2x2xi8> into tensor<?x2x1x2xi8>
        %v101 = linalg.max ins(%v49, %v100 : tensor<?x2x1x2xi8>, tensor<?x2x1x2xi8>) outs(%v100 : tensor<?x2x1x2xi8>) -> tensor<?x2x1x2xi8>
        %v102 = tensor.empty(%v51) : tensor<?x2xi8>
        %v103 = linalg.fill ins(%v18 : i8) outs(%v102 : tensor<?x2xi8>) -> tensor<?x2xi8>
        %v104 = linalg.broadcast ins(%v103 : tensor<?x2xi8>) outs(%v95 : tensor<?x2x2xi8>) dimensions = [2]
        %v105 = tensor.empty() : tensor<2x4xi8>
        %v106 = linalg.fill ins(%v18 : i8) outs(%v105 : tensor<2x4xi8>) -> tensor<2x4xi8>
        %v107 = arith.constant 16 : i8
        %v108 = tensor.empty(%v51) : tensor<?x4xi8>
        %v109 = linalg.fill ins(%v107 : i8) outs(%v108 : tensor<?x4xi8>) -> tensor<?x4xi8>
        %v110 = linalg.matmul ins(%v103, %v106 : tensor<?x2xi8>, tensor<2x4xi8>) outs(%v109 : tensor<?x4xi8>) -> tensor<?x4xi8>
        %v111 = linalg.fill ins(%v107 : i8) outs(%v100 : tensor<?x2x1x2xi8>) -> tensor<?x2x1x2xi8>
        scf.yield %v111 : tensor<?x2x1x2xi8>
      }
      %v112 = tensor.extract_slice %v52[0] [%v54] [1] : tensor<?xi8> to tensor<?xi8>
      %v113 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
         outs(%v112 : tensor<?xi8>) {
      ^bb0(%e114: i8):
      %v115 = arith.constant 49 : i8
      linalg.yield %v115 : i8
      } -> tensor<?xi8>
      scf.yield %v113 : tensor<?xi8>
    }
    %v116 = tensor.dim %v53, %c0_9 : tensor<?xi8>
    %v117 = ml_program.global_load_const @g1 : tensor<1xbf16>
    %v118 = arith.addi %v36, %c1_5 : index
    %v119 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
       outs(%v48 : tensor<?x2x1x2xi8>) {
    ^bb0(%e120: i8):
    %v121 = arith.constant 9 : i8
    %v122 = arith.xori %e120, %v121 : i8
    linalg.yield %v122 : i8
    } -> tensor<?x2x1x2xi8>
    %v123 = arith.constant 63 : i8
    %v124 = tensor.empty(%n) : tensor<?x2x1x2xi8>
    %v125 = linalg.fill ins(%v123 : i8) outs(%v124 : tensor<?x2x1x2xi8>) -> tensor<?x2x1x2xi8>
    scf.yield %v118, %v119, %v49 : index, tensor<?x2x1x2xi8>, tensor<?x2x1x2xi8>
  }
  %v126 = linalg.transpose ins(%v4 : tensor<?x?x3xindex>) outs(%v4 : tensor<?x?x3xindex>) permutation = [1, 0, 2]
  %v127 = arith.addi %v10, %c1_5 : index
  %v128 = arith.cmpi slt, %v127, %c7_8 : index
  cf.cond_br %v128, ^go1, ^end1
^end1:
    return %v11 : tensor<?x2x1x2xi8>
^go1:
    cf.br ^b3(%v127, %v11, %v126 : index, tensor<?x2x1x2xi8>, tensor<?x?x3xindex>)
^b2(%v12: index, %v13: tensor<?x?x3xindex>, %v14: tensor<?x?x3xindex>):
  %v130 = shape.const_witness true
  %v129:2 = shape.assuming %v130 -> (tensor<?x?x3xindex>, tensor<?x?x3xindex>) {
    %v131 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]}
       ins(%v13 : tensor<?x?x3xindex>) outs(%v14 : tensor<?x?x3xindex>) {
    ^bb0(%e132: index, %e133: index):
    %v134 = arith.constant 1 : index
    %v135 = arith.minsi %e132, %v134 : index
    linalg.yield %v135 : index
    } -> tensor<?x?x3xindex>
    shape.assuming_yield %v13, %v131 : tensor<?x?x3xindex>, tensor<?x?x3xindex>
  }
  %v136 = arith.constant 41 : i32
  %v137 = tensor.empty() : tensor<1x2xi32>
  %v138 = linalg.fill ins(%v136 : i32) outs(%v137 : tensor<1x2xi32>) -> tensor<1x2xi32>
  ml_program.global_store @g0 = %v138 : tensor<1x2xi32>
  %v139 = arith.addi %v12, %c1_5 : index
  %v140 = arith.cmpi slt, %v139, %c7_8 : index
  cf.cond_br %v140, ^go2, ^end2
^end2:
    return %v3 : tensor<?x2x1x2xi8>
^go2:
    %v141 = arith.constant -4 : index
    %v142 = tensor.empty(%m, %m) : tensor<?x?x3xindex>
    %v143 = linalg.fill ins(%v141 : index) outs(%v142 : tensor<?x?x3xindex>) -> tensor<?x?x3xindex>
    %v144 = arith.remui %v139, %c3_7 : index
    %v145 = arith.index_cast %v144 : index to i32
    "cf.switch"(%v145, %v139, %v3, %v129#0, %v139, %v13, %v143, %v139, %v3)[^b3, ^b2, ^b1] <{case_operand_segments = array<i32: 3, 2>, case_values = dense<[1, 2]> : vector<2xi32>, operandSegmentSizes = array<i32: 1, 3, 5>}> : (i32, index, tensor<?x2x1x2xi8>, tensor<?x?x3xindex>, index, tensor<?x?x3xindex>, tensor<?x?x3xindex>, index, tensor<?x2x1x2xi8>) -> ()
^b3(%v15: index, %v16: tensor<?x2x1x2xi8>, %v17: tensor<?x?x3xindex>):
  %v146 = bufferization.alloc_tensor() : tensor<i8>
  %v147 = linalg.fill ins(%v18 : i8) outs(%v146 : tensor<i8>) -> tensor<i8>
  %v148 = tensor.insert_slice %v147 into %v22[0] [1] [1] : tensor<i8> into tensor<1xi8>
  %v149 = arith.addi %v15, %c1_5 : index
  %v150 = arith.cmpi slt, %v149, %c7_8 : index
  cf.cond_br %v150, ^go3, ^end3
^end3:
    return %v3 : tensor<?x2x1x2xi8>
^go3:
    %v151 = arith.remui %v149, %c3_7 : index
    %v152 = arith.index_cast %v151 : index to i32
    "cf.switch"(%v152, %v149, %v17, %v17, %v149, %v4, %v4, %v149, %v3, %v17)[^b2, ^b2, ^b3] <{case_operand_segments = array<i32: 3, 3>, case_values = dense<[1, 2]> : vector<2xi32>, operandSegmentSizes = array<i32: 1, 3, 6>}> : (i32, index, tensor<?x?x3xindex>, tensor<?x?x3xindex>, index, tensor<?x?x3xindex>, tensor<?x?x3xindex>, index, tensor<?x2x1x2xi8>, tensor<?x?x3xindex>) -> ()
}
func.func @main(%n: index, %m: index, %i: index, %p: i1, %q: i1, %v154: tensor<6xindex> {bufferization.writable = true}, %v155: tensor<6xindex> {bufferization.writable = false}) -> (tensor<2xi32>) {
  %v156 = arith.constant dense<[[10, 11]]> : tensor<1x2xi32>
  ml_program.global_store @g0 = %v156 : tensor<1x2xi32>
  %c1_157 = arith.constant 1 : index
  %c0_158 = arith.constant 0 : index
  %v160 = scf.for %v159 = %c0_158 to %c1_157 step %c1_157 iter_args(%v161 = %v155) -> (tensor<6xindex>) {
    %v162 = linalg.map { arith.subi } ins(%v156, %v156 : tensor<1x2xi32>, tensor<1x2xi32>) outs(%v156 : tensor<1x2xi32>)
    scf.yield %v161 : tensor<6xindex>
  }
  %v163:2 = scf.while (%v164 = %c0_158, %v166 = %v156) : (index, tensor<1x2xi32>) -> (index, tensor<1x2xi32>) {
    %v167 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
       ins(%v156 : tensor<1x2xi32>) outs(%v166 : tensor<1x2xi32>) {
    ^bb0(%e168: i32, %e169: i32):
    %v170 = arith.minsi %e169, %e168 : i32
    linalg.yield %v170 : i32
    } -> tensor<1x2xi32>
    %v171 = arith.cmpi slt, %v164, %n : index
    scf.condition(%v171) %v164, %v167 : index, tensor<1x2xi32>
  } do {
  ^bb0(%v165: index, %v172: tensor<1x2xi32>):
    %v173 = arith.constant 78 : i32
    %v174 = tensor.empty() : tensor<1xi32>
    %v175 = linalg.fill ins(%v173 : i32) outs(%v174 : tensor<1xi32>) -> tensor<1xi32>
    %v176 = tensor.empty() : tensor<2xi32>
    %v177 = linalg.fill ins(%v173 : i32) outs(%v176 : tensor<2xi32>) -> tensor<2xi32>
    %v178 = linalg.matvec ins(%v156, %v177 : tensor<1x2xi32>, tensor<2xi32>) outs(%v175 : tensor<1xi32>) -> tensor<1xi32>
    %v179 = arith.addi %v165, %c1_157 : index
    scf.yield %v179, %v156 : index, tensor<1x2xi32>
  }
  %v180 = arith.constant dense<[58, 59]> : tensor<2xi32>
  %v181 = linalg.broadcast ins(%v180 : tensor<2xi32>) outs(%v156 : tensor<1x2xi32>) dimensions = [0]
  %v182 = arith.constant -5 : i32
  %v183 = tensor.empty() : tensor<i32>
  %v184 = linalg.fill ins(%v182 : i32) outs(%v183 : tensor<i32>) -> tensor<i32>
  %v185 = linalg.dot ins(%v180, %v180 : tensor<2xi32>, tensor<2xi32>) outs(%v184 : tensor<i32>) -> tensor<i32>
  %v186 = linalg.sub ins(%v180, %v180 : tensor<2xi32>, tensor<2xi32>) outs(%v180 : tensor<2xi32>) -> tensor<2xi32>
  %v187 = linalg.add ins(%v186, %v180 : tensor<2xi32>, tensor<2xi32>) outs(%v180 : tensor<2xi32>) -> tensor<2xi32>
  %c2_188 = arith.constant 2 : index
  %v189 = tensor.cast %v180 : tensor<2xi32> to tensor<?xi32>
  return %v186 : tensor<2xi32>
}
