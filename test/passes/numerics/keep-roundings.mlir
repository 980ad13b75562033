// RUN: inplace-opt %s --inplace-keep-roundings | filecheck %s
// RUN: inplace-opt %s --inplace-keep-roundings --canonicalize | filecheck %s --check-prefix=FOLDED

// CHECK-LABEL: func.func @casts
//       CHECK:   %[[NARROW:.*]] = arith.truncf %arg0 : f32 to bf16
//       CHECK:   %[[WIDE:.*]] = arith.extf %[[NARROW]] : bf16 to f32
//       CHECK:   return %[[WIDE]] : f32
// FOLDED-LABEL: func.func @casts
//       FOLDED:   arith.truncf
//       FOLDED:   arith.extf
func.func @casts(%a: f32) -> f32 {
  %0 = arith.truncf %a fastmath<contract> : f32 to bf16
  %1 = arith.extf %0 fastmath<contract> : bf16 to f32
  return %1 : f32
}

// Other flags stay, those of `fast` too.
// CHECK-LABEL: func.func @flags
//       CHECK:   arith.truncf %arg0 fastmath<nnan> : vector<[4]xf32> to vector<[4]xf16>
//       CHECK:   arith.extf %{{.*}} fastmath<reassoc,nnan,ninf,nsz,arcp,afn> : vector<[4]xf16> to vector<[4]xf32>
func.func @flags(%a: vector<[4]xf32>) -> vector<[4]xf32> {
  %0 = arith.truncf %a fastmath<nnan,contract> : vector<[4]xf32> to vector<[4]xf16>
  %1 = arith.extf %0 fastmath<fast> : vector<[4]xf16> to vector<[4]xf32>
  return %1 : vector<[4]xf32>
}

// Other ops keep the permission, and casts without it are left alone.
// CHECK-LABEL: func.func @others
//       CHECK:   arith.mulf %arg0, %arg0 fastmath<contract> : f32
//       CHECK:   arith.truncf %{{.*}} to_nearest_even fastmath<nnan> : f32 to f16
func.func @others(%a: f32) -> f16 {
  %0 = arith.mulf %a, %a fastmath<contract> : f32
  %1 = arith.truncf %0 to_nearest_even fastmath<nnan> : f32 to f16
  return %1 : f16
}
