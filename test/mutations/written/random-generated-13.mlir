// passes: inplace-convert-to-destination-style,inplace-one-shot-bufferize{bufferize-function-boundaries=true warn-written-arguments=false  function-boundary-type-conversion=identity-layout-map}
// after: canonicalize,cse,inplace-deallocate
// protects: yes
// runs: [[["int64", null, 3], ["int64", null, 4], ["int64", null, 2], ["bool", null, true], ["bool", null, true], ["float32", [6], 1], ["int32", [4], 18]], [["int64", null, 0], ["int64", null, 4], ["int64", null, 0], ["bool", null, true], ["bool", null, false], ["float32", [6], 6], ["int32", [4], 23]], [["int64", null, 1], ["int64", null, 4], ["int64", null, 0], ["bool", null, false], ["bool", null, true], ["float32", [6], 11], ["int32", [4], 28]]]
ml_program.global private @g1(dense<1.0> : tensor<2x2xf32>) : tensor<2x2xf32>
ml_program.global private mutable @g0(dense<31.0> : tensor<4xf32>) : tensor<4xf32>
func.func private @f24(%n: index, %m: index, %i: index, %p: i1, %q: i1, %v4: tensor<5x5xf32>, %v5: tensor<?xf32>, %v6: tensor<?xf32>) -> (tensor<5x5xf32>, tensor<?xf32>, tensor<?xf32>) {
  %v7 = tensor.extract_slice %v5[0] [1] [1] : tensor<?xf32> to tensor<1xf32>
  %v8 = tensor.insert_slice %v7 into %v5[0] [1] [1] : tensor<1xf32> into tensor<?xf32>
  %v10 = scf.forall (%v9) in (%m) shared_outs(%v11 = %v8) -> (tensor<?xf32>) {
    %v12 = arith.constant 69.0 : f32
    %v13 = tensor.empty() : tensor<f32>
    %v14 = linalg.fill ins(%v12 : f32) outs(%v13 : tensor<f32>) -> tensor<f32>
    %v15 = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []}
       ins(%v14 : tensor<f32>) outs(%v14 : tensor<f32>) {
    ^bb0(%e16: f32, %e17: f32):
    %v18 = arith.addf %e16, %e17 : f32
    %v19 = arith.constant 1.0 : f32
    %v20 = arith.minimumf %v18, %v19 : f32
    linalg.yield %v20 : f32
    } -> tensor<f32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %v15 into %v11[%v9] [1] [1] : tensor<f32> into tensor<?xf32>
    }
  }
  %v21 = arith.constant 4.0 : f32
  %v22 = tensor.empty(%m) : tensor<?xf32>
  %v23 = linalg.fill ins(%v21 : f32) outs(%v22 : tensor<?xf32>) -> tensor<?xf32>
  return %v4, %v23, %v6 : tensor<5x5xf32>, tensor<?xf32>, tensor<?xf32>
}
func.func @main(%n: index, %m: index, %i: index, %p: i1, %q: i1, %v25: tensor<6xf32> {bufferization.writable = true}, %v26: tensor<?xi32> {bufferization.writable = false}) -> (tensor<1xf32>) {
  %v27 = linalg.map { arith.subf } ins(%v25, %v25 : tensor<6xf32>, tensor<6xf32>) outs(%v25 : tensor<6xf32>)
  %v28 = arith.constant dense<[1, 6]> : tensor<2xi64>
  %c6_29 = arith.constant 6 : index
  %v30 = tensor.reshape %v25(%v28) : (tensor<6xf32>, tensor<2xi64>) -> tensor<1x?xf32>
  %v31:2 = scf.if %p -> (tensor<6xf32>, tensor<6xf32>) {
    %c1_32 = arith.constant 1 : index
    %v33 = arith.cmpi sgt, %m, %c1_32 : index
    %v34:2 = scf.if %v33 -> (tensor<6xf32>, tensor<6xf32>) {
      %c0_35 = arith.constant 0 : index
      %v36 = arith.constant 53.0 : f32
      %v37 = tensor.insert %v36 into %v30[%c0_35, %c0_35] : tensor<1x?xf32>
      %v38 = tensor.empty() : tensor<6x1xf32>
      %v39 = linalg.fill ins(%v36 : f32) outs(%v38 : tensor<6x1xf32>) -> tensor<6x1xf32>
      %v40 = arith.constant 2.0 : f32
      %v41 = linalg.pack %v25 padding_value(%v40 : f32) outer_dims_perm = [0] inner_dims_pos = [0] inner_tiles = [1] into %v39 : tensor<6xf32> -> tensor<6x1xf32>
      %v42:2 = scf.execute_region -> (tensor<6xf32>, tensor<6x1xf32>) {
        %v43 = arith.subf %v39, %v39 : tensor<6x1xf32>
        %v44 = tensor.empty() : tensor<6x1xf32>
        %v45 = linalg.fill ins(%v36 : f32) outs(%v44 : tensor<6x1xf32>) -> tensor<6x1xf32>
        scf.yield %v25, %v45 : tensor<6xf32>, tensor<6x1xf32>
      }
      %v46 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
         ins(%v42#0 : tensor<6xf32>) outs(%v42#0 : tensor<6xf32>) {
      ^bb0(%e47: f32, %e48: f32):
      %v49 = arith.subf %e48, %e47 : f32
      linalg.yield %v49 : f32
      } -> tensor<6xf32>
      scf.yield %v25, %v46 : tensor<6xf32>, tensor<6xf32>
    } else {
      %v50 = arith.constant 28.0 : f32
      %v51 = tensor.empty() : tensor<4xf32>
      %v52 = linalg.fill ins(%v50 : f32) outs(%v51 : tensor<4xf32>) -> tensor<4xf32>
      ml_program.global_store @g0 = %v52 : tensor<4xf32>
      %v53 = tensor.insert_slice %v52 into %v52[0] [4] [1] : tensor<4xf32> into tensor<4xf32>
      scf.yield %v25, %v25 : tensor<6xf32>, tensor<6xf32>
    }
    scf.yield %v27, %v27 : tensor<6xf32>, tensor<6xf32>
  } else {
    %v54 = arith.constant 79.0 : f32
    %v55 = tensor.empty() : tensor<f32>
    %v56 = linalg.fill ins(%v54 : f32) outs(%v55 : tensor<f32>) -> tensor<f32>
    %v57 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>], iterator_types = ["reduction"]}
       ins(%v27 : tensor<6xf32>) outs(%v56 : tensor<f32>) {
    ^bb0(%e58: f32, %e59: f32):
    %v60 = arith.minimumf %e58, %e59 : f32
    linalg.yield %v60 : f32
    } -> tensor<f32>
    %v61 = tensor.expand_shape %v27 [[0, 1]] output_shape [1, 6] : tensor<6xf32> into tensor<1x6xf32>
    %c1_62 = arith.constant 1 : index
    %v63 = arith.minsi %c6_29, %c1_62 : index
    %v64 = tensor.extract_slice %v25[0] [%v63] [1] : tensor<6xf32> to tensor<?xf32>
    %v65 = tensor.extract_slice %v64[0] [%n] [2] : tensor<?xf32> to tensor<?xf32>
    %v66 = linalg.fill ins(%v54 : f32) outs(%v65 : tensor<?xf32>) -> tensor<?xf32>
    %v67 = tensor.insert_slice %v66 into %v64[0] [%n] [2] : tensor<?xf32> into tensor<?xf32>
    %v68 = tensor.insert_slice %v67 into %v27[0] [%v63] [1] : tensor<?xf32> into tensor<6xf32>
    %v69 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
       ins(%v27 : tensor<6xf32>) outs(%v68 : tensor<6xf32>) {
    ^bb0(%e70: f32, %e71: f32):
    %v72 = arith.minimumf %e71, %e70 : f32
    %v73 = arith.constant 6.0 : f32
    %v74 = arith.addf %v72, %v73 : f32
    linalg.yield %v74 : f32
    } -> tensor<6xf32>
    scf.yield %v25, %v69 : tensor<6xf32>, tensor<6xf32>
  }
  %v75 = scf.execute_region -> (tensor<6xf32>) {
    %v76 = tensor.expand_shape %v31#0 [[0, 1]] output_shape [2, 3] : tensor<6xf32> into tensor<2x3xf32>
    %v77 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
       ins(%v27 : tensor<6xf32>) outs(%v27 : tensor<6xf32>) {
    ^bb0(%e78: f32, %e79: f32):
    %v80 = arith.maximumf %e78, %e79 : f32
    %v81 = arith.constant 2.0 : f32
    %v82 = arith.subf %v80, %v81 : f32
    linalg.yield %v82 : f32
    } -> tensor<6xf32>
    scf.yield %v77 : tensor<6xf32>
  }
  %v83 = tensor.extract_slice %v31#1[5] [1] [2] : tensor<6xf32> to tensor<1xf32>
  %v84 = arith.constant dense<[7.0, 8.0, 9.0, 10.0]> : tensor<4xf32>
  %v85 = tensor.expand_shape %v27 [[0, 1]] output_shape [6, 1] : tensor<6xf32> into tensor<6x1xf32>
  %v86 = arith.constant dense<[[4]]> : tensor<1x1xindex>
  %v87 = tensor.gather %v31#0[%v86] gather_dims([0]) : (tensor<6xf32>, tensor<1x1xindex>) -> tensor<1xf32>
  return %v87 : tensor<1xf32>
}
