// RUN: inplace-opt %s --inplace-lower-hlo-sort --canonicalize | filecheck %s

// Any comparator. 100 elements: widths 1, 4, 16 and 64, each merged twice; one line of scratch for all rows.
// CHECK-LABEL: func.func @merges
//   CHECK-DAG:   %[[C4:.*]] = arith.constant 4 : index
//   CHECK-DAG:   %[[C5:.*]] = arith.constant 5 : index
//       CHECK:   %[[SCRATCH:.*]] = tensor.empty() : tensor<100xf32>
//       CHECK:   scf.for %[[I:.*]] = %{{.*}} to %[[C5]] step %{{.*}} iter_args(%[[X:.*]] = %arg0) -> (tensor<5x100xf32>)
//       CHECK:     %[[ROW:.*]] = tensor.extract_slice %[[X]][%[[I]], 0] [1, 100] [1, 1] : tensor<5x100xf32> to tensor<100xf32>
//       CHECK:     %[[SORTED:.*]]:2 = scf.for %{{.*}} to %[[C4]] step %{{.*}} iter_args(%[[A:.*]] = %[[ROW]], %[[B:.*]] = %[[SCRATCH]])
//       CHECK:       %[[MERGED:.*]] = scf.for {{.*}} iter_args(%{{.*}} = %[[B]])
//       CHECK:         tensor.extract %[[A]]
//       CHECK:         stablehlo.compare
//       CHECK:       %[[BACK:.*]] = scf.for {{.*}} iter_args(%{{.*}} = %[[A]])
//       CHECK:         tensor.extract %[[MERGED]]
//       CHECK:       scf.yield %[[BACK]], %[[MERGED]]
//       CHECK:     tensor.insert_slice %[[SORTED]]#0 into %[[X]][%[[I]], 0] [1, 100] [1, 1]
func.func @merges(%x: tensor<5x100xf32>) -> tensor<5x100xf32> {
  %0 = "stablehlo.sort"(%x) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %k = stablehlo.constant dense<1.0> : tensor<f32>
    %c = stablehlo.add %a, %k : tensor<f32>
    %1 = stablehlo.compare LT, %c, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }) : (tensor<5x100xf32>) -> tensor<5x100xf32>
  return %0 : tensor<5x100xf32>
}

// A key of 32 bits that tells the element: no places, no copy of a row. As many pairs of bytes as the range has. Lines
// of that many elements are sorted in a function, which says how, for passes that know of vectors.
// CHECK-LABEL: func.func private @sort(%arg0: tensor<5x100xi32>) -> tensor<5x100xi32>
//  CHECK-SAME:   attributes {inplace.sort = {descending = false, dim = 1 : i64, order = "signed"}}
//   CHECK-NOT:   stablehlo
//   CHECK-DAG:   %[[A:.*]] = tensor.empty() : tensor<100xi32>
//   CHECK-DAG:   %[[COUNTS:.*]] = tensor.empty() : tensor<256xi32>
//       CHECK:   scf.for {{.*}} -> (tensor<5x100xi32>)
//       CHECK:     %[[ROW:.*]] = tensor.extract_slice
//       CHECK:     %[[KEYS:.*]]:3 = scf.for
//       CHECK:       tensor.extract %[[ROW]]
//       CHECK:       arith.xori %{{.*}}, %c-2147483648_i32
//       CHECK:     %[[RANGE:.*]] = arith.subi %[[KEYS]]#1, %[[KEYS]]#0
//       CHECK:     math.ctlz %[[RANGE]]
//       CHECK:     scf.for %{{.*}} iter_args(%{{.*}} = %[[KEYS]]#2, {{.*}}, %{{.*}} = %[[COUNTS]])
//   CHECK-NOT:   stablehlo
// CHECK-LABEL: func.func @digits
//       CHECK:   call @sort(%arg0)
func.func @digits(%x: tensor<5x100xi32>) -> tensor<5x100xi32> {
  %0 = "stablehlo.sort"(%x) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %1 = stablehlo.compare LT, %a, %b, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }) : (tensor<5x100xi32>) -> tensor<5x100xi32>
  return %0 : tensor<5x100xi32>
}

// Only places are used: of elements there is no copy, and the operand that numbers them is not read.
// CHECK-LABEL: func.func @ranks
//   CHECK-NOT:   tensor.empty() : tensor<20xf32>
//       CHECK:   tensor.empty() : tensor<24xi64>
//       CHECK:   %[[PLACES:.*]] = tensor.empty() : tensor<20xi32>
//       CHECK:   vector.transfer_read
//       CHECK:   %[[RANKS:.*]]:3 = scf.for %{{.*}} = %c0 to %c20
//       CHECK:     arith.cmpi slt, %{{.*}}, %{{.*}} : vector<8xi64>
//       CHECK:   vector.transfer_write %[[RANKS]]#0
//       CHECK:   scf.for {{.*}} iter_args(%{{.*}} = %[[PLACES]])
func.func @ranks(%x: tensor<20xf32>) -> tensor<20xi32> {
  %i = stablehlo.iota dim = 0 : tensor<20xi32>
  %0:2 = "stablehlo.sort"(%x, %i) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>, %m: tensor<i32>, %n: tensor<i32>):
    %1 = stablehlo.compare GT, %a, %b, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }) : (tensor<20xf32>, tensor<20xi32>) -> (tensor<20xf32>, tensor<20xi32>)
  return %0#1 : tensor<20xi32>
}

// Groups of 16 rows, the last one of which begins with row 4: rows of scratch hold a place of all of them. A group with a
// zero or NaN is sorted row by row.
// CHECK-LABEL: func.func @groups
//   CHECK-DAG:   %[[C2:.*]] = arith.constant 2 : index
//   CHECK-DAG:   %[[C4:.*]] = arith.constant 4 : index
//       CHECK:   %[[ROWS:.*]] = tensor.empty() : tensor<30x16xi32>
//       CHECK:   scf.for %{{.*}} to %[[C2]] {{.*}} iter_args(%{{.*}} = %arg0)
//       CHECK:     arith.minui %{{.*}}, %[[C4]]
//       CHECK:     %[[READ:.*]]:2 = scf.for {{.*}} iter_args(%{{.*}} = %[[ROWS]]
//       CHECK:     scf.if %[[READ]]#1
//       CHECK:       tensor.extract_slice
//       CHECK:     } else {
//       CHECK:       arith.minsi {{.*}} : vector<16xi32>
//       CHECK:       arith.maxsi {{.*}} : vector<16xi32>
func.func @groups(%x: tensor<20x30xf32>) -> tensor<20x30xf32> {
  %0 = "stablehlo.sort"(%x) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.compare LT, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }) : (tensor<20x30xf32>) -> tensor<20x30xf32>
  return %0 : tensor<20x30xf32>
}

// A size that is not known: places might not fit.
// CHECK-LABEL: func.func @dynamic
//       CHECK:   stablehlo.compare
func.func @dynamic(%x: tensor<?xi32>) -> tensor<?xi32> {
  %0 = "stablehlo.sort"(%x) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %1 = stablehlo.compare LT, %a, %b, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }) : (tensor<?xi32>) -> tensor<?xi32>
  return %0 : tensor<?xi32>
}

// One element is sorted.
// CHECK-LABEL: func.func @one
//  CHECK-NEXT:   return %arg0
func.func @one(%x: tensor<1xf32>) -> tensor<1xf32> {
  %0 = "stablehlo.sort"(%x) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }) : (tensor<1xf32>) -> tensor<1xf32>
  return %0 : tensor<1xf32>
}

// One function for both sorts of one kind, another one for the third. Unsigned integers say so.
// CHECK-LABEL: func.func private @sort_0(%arg0: tensor<80xi32>) -> tensor<80xi32>
//  CHECK-SAME:   {inplace.sort = {descending = true, dim = 0 : i64, order = "unsigned"}}
// CHECK-LABEL: func.func private @sort_1(%arg0: tensor<80xi32>) -> tensor<80xi32>
//  CHECK-SAME:   {inplace.sort = {descending = false, dim = 0 : i64, order = "unsigned"}}
// CHECK-LABEL: func.func @calls
//       CHECK:   %[[A:.*]] = call @sort_0(%arg0)
//       CHECK:   %[[B:.*]] = call @sort_0(%[[A]])
//       CHECK:   call @sort_1(%[[B]])
func.func @calls(%x: tensor<80xi32>, %y: tensor<80xf32>) -> tensor<80xi32> {
  %0 = "stablehlo.sort"(%x) <{dimension = 0 : i64}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %3 = stablehlo.compare GT, %a, %b, UNSIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %3 : tensor<i1>
  }) : (tensor<80xi32>) -> tensor<80xi32>
  %1:2 = "stablehlo.sort"(%y, %0) <{dimension = 0 : i64}> ({
  ^bb0(%m: tensor<f32>, %n: tensor<f32>, %a: tensor<i32>, %b: tensor<i32>):
    %3 = stablehlo.compare GT, %a, %b, UNSIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %3 : tensor<i1>
  }) : (tensor<80xf32>, tensor<80xi32>) -> (tensor<80xf32>, tensor<80xi32>)
  %2 = "stablehlo.sort"(%1#1) <{dimension = 0 : i64}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %3 = stablehlo.compare LT, %a, %b, UNSIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %3 : tensor<i1>
  }) : (tensor<80xi32>) -> tensor<80xi32>
  return %2 : tensor<80xi32>
}

// No functions: both results are used; elements of 16 bits; columns; lines that are short.
// CHECK-LABEL: func.func @in_place
//   CHECK-NOT:   call
//       CHECK:   return
func.func @in_place(%x: tensor<80xf32>, %i: tensor<80xi32>, %y: tensor<80xi16>, %z: tensor<80x80xi32>)
    -> (tensor<80xf32>, tensor<80xi32>, tensor<80xi16>, tensor<80x80xi32>, tensor<80x80xi32>, tensor<8x10xf32>) {
  %0:2 = "stablehlo.sort"(%x, %i) <{dimension = 0 : i64}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>, %m: tensor<i32>, %n: tensor<i32>):
    %5 = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %5 : tensor<i1>
  }) : (tensor<80xf32>, tensor<80xi32>) -> (tensor<80xf32>, tensor<80xi32>)
  %1 = "stablehlo.sort"(%y) <{dimension = 0 : i64}> ({
  ^bb0(%a: tensor<i16>, %b: tensor<i16>):
    %5 = stablehlo.compare LT, %a, %b : (tensor<i16>, tensor<i16>) -> tensor<i1>
    stablehlo.return %5 : tensor<i1>
  }) : (tensor<80xi16>) -> tensor<80xi16>
  %2 = "stablehlo.sort"(%z) <{dimension = 0 : i64}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %5 = stablehlo.compare LT, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %5 : tensor<i1>
  }) : (tensor<80x80xi32>) -> tensor<80x80xi32>
  %r = stablehlo.reshape %x : (tensor<80xf32>) -> tensor<8x10xf32>
  %3 = "stablehlo.sort"(%r) <{dimension = 1 : i64}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %5 = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %5 : tensor<i1>
  }) : (tensor<8x10xf32>) -> tensor<8x10xf32>
  return %0#0, %0#1, %1, %2, %2, %3
    : tensor<80xf32>, tensor<80xi32>, tensor<80xi16>, tensor<80x80xi32>, tensor<80x80xi32>, tensor<8x10xf32>
}
