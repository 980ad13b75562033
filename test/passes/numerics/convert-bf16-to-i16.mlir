// RUN: inplace-opt %s --inplace-convert-bf16-to-i16 | filecheck %s

// CHECK-LABEL: llvm.func @signature(
//  CHECK-SAME:     %[[X:.*]]: f16, %[[P:.*]]: !llvm.ptr) -> f16
//       CHECK:   %[[BITS:.*]] = llvm.bitcast %[[X]] : f16 to i16
//       CHECK:   %[[OLD:.*]] = llvm.load %[[P]] : !llvm.ptr -> i16
//       CHECK:   llvm.store %[[BITS]], %[[P]] : i16, !llvm.ptr
//       CHECK:   %[[RESULT:.*]] = llvm.bitcast %[[OLD]] : i16 to f16
//       CHECK:   llvm.return %[[RESULT]] : f16
llvm.func @signature(%x: bf16, %p: !llvm.ptr) -> bf16 {
  %old = llvm.load %p : !llvm.ptr -> bf16
  llvm.store %x, %p : bf16, !llvm.ptr
  llvm.return %old : bf16
}

// CHECK: llvm.func @declared(f16, !llvm.struct<(vector<4xf16>, array<2 x f16>)>) -> vector<8xf16>
llvm.func @declared(bf16, !llvm.struct<(vector<4xbf16>, array<2 x bf16>)>) -> vector<8xbf16>

// Numbers in structs and arrays are cast one by one.
// CHECK-LABEL: llvm.func @calls(
//  CHECK-SAME:     %[[PAIR:.*]]: !llvm.struct<(f16, i32)>, %[[F:.*]]: !llvm.ptr) -> !llvm.array<2 x f16>
//       CHECK:   %[[NUMBER:.*]] = llvm.extractvalue %[[PAIR]][0] : !llvm.struct<(f16, i32)>
//       CHECK:   %[[BITS:.*]] = llvm.bitcast %[[NUMBER]] : f16 to i16
//       CHECK:   llvm.insertvalue %[[BITS]], %{{.*}}[0] : !llvm.struct<(i16, i32)>
//       CHECK:   %[[CARRIED:.*]] = llvm.extractvalue %{{.*}}[0] : !llvm.struct<(i16, i32)>
//       CHECK:   %[[PASSED:.*]] = llvm.bitcast %[[CARRIED]] : i16 to f16
//       CHECK:   llvm.call %[[F]](%[[PASSED]]) vararg(!llvm.func<array<2 x f16> (f16, ...)>) : !llvm.ptr, (f16) -> !llvm.array<2 x f16>
//       CHECK:   llvm.extractvalue %{{.*}}[1] : !llvm.array<2 x f16>
//       CHECK:   llvm.insertvalue %{{.*}}[1] : !llvm.array<2 x f16>
llvm.func @calls(%pair: !llvm.struct<(bf16, i32)>, %f: !llvm.ptr) -> !llvm.array<2 x bf16> {
  %x = llvm.extractvalue %pair[0] : !llvm.struct<(bf16, i32)>
  %results = llvm.call %f(%x) vararg(!llvm.func<array<2 x bf16> (bf16, ...)>) {fastmathFlags = #llvm.fastmath<nnan>} : !llvm.ptr, (bf16) -> !llvm.array<2 x bf16>
  llvm.return %results : !llvm.array<2 x bf16>
}

// A number that is not finite as f16 may be as bf16.
// CHECK-LABEL: llvm.func @moves
//       CHECK:   llvm.br ^bb1(%{{.*}} : vector<[4]xi16>)
//       CHECK:   ^bb1(%[[LOOP:.*]]: vector<[4]xi16>):
//       CHECK:   %[[CHOSEN:.*]] = llvm.select %{{.*}}, %[[LOOP]], %{{.*}} : i1, vector<[4]xi16>
//       CHECK:   llvm.cond_br %{{.*}}, ^bb1(%[[CHOSEN]] : vector<[4]xi16>), ^bb2
//       CHECK:   llvm.atomicrmw xchg %{{.*}}, %{{.*}} acq_rel : !llvm.ptr, i16
llvm.func @moves(%x: vector<[4]xbf16>, %c: i1, %p: !llvm.ptr) {
  llvm.br ^loop(%x : vector<[4]xbf16>)
^loop(%y: vector<[4]xbf16>):
  %0 = llvm.select %c, %y, %x {fastmathFlags = #llvm.fastmath<ninf>} : i1, vector<[4]xbf16>
  llvm.cond_br %c, ^loop(%0 : vector<[4]xbf16>), ^done
^done:
  %zero = llvm.mlir.constant(0 : i32) : i32
  %1 = llvm.extractelement %0[%zero : i32] : vector<[4]xbf16>
  %2 = llvm.atomicrmw xchg %p, %1 acq_rel : !llvm.ptr, bf16
  llvm.return
}

// Bits are there already.
// CHECK-LABEL: llvm.func @bits
//  CHECK-NEXT:   %[[SAME:.*]] = llvm.bitcast %arg0 : vector<2xf16> to vector<2xi16>
//  CHECK-NEXT:   llvm.bitcast %[[SAME]] : vector<2xi16> to i32
//  CHECK-NEXT:   llvm.return %[[SAME]] : vector<2xi16>
llvm.func @bits(%x: vector<2xbf16>) -> vector<2xi16> {
  %0 = llvm.bitcast %x : vector<2xbf16> to vector<2xi16>
  %1 = llvm.bitcast %x : vector<2xbf16> to i32
  llvm.return %0 : vector<2xi16>
}

// CHECK: llvm.mlir.global internal constant @numbers(dense<[1.000000e+00, 0x7F81]> : tensor<2xbf16>) {{.*}} : !llvm.array<2 x bf16>
llvm.mlir.global internal constant @numbers(dense<[1.0, 0x7F81]> : tensor<2xbf16>) : !llvm.array<2 x bf16>

// Constants are cast by whoever folds them, types in memory tell sizes.
// CHECK-LABEL: llvm.func @constants
//       CHECK:   %[[C:.*]] = llvm.mlir.constant(0x7F81 : bf16) : bf16
//       CHECK:   %[[BITS:.*]] = llvm.bitcast %[[C]] : bf16 to i16
//       CHECK:   %[[P:.*]] = llvm.getelementptr %{{.*}}[1] : (!llvm.ptr) -> !llvm.ptr, bf16
//       CHECK:   llvm.store %[[BITS]], %[[P]] : i16, !llvm.ptr
llvm.func @constants() {
  %c = llvm.mlir.constant(0x7F81 : bf16) : bf16
  %address = llvm.mlir.addressof @numbers : !llvm.ptr
  %p = llvm.getelementptr %address[1] : (!llvm.ptr) -> !llvm.ptr, bf16
  llvm.store %c, %p : bf16, !llvm.ptr
  llvm.return
}

// CHECK-LABEL: llvm.func @sum(
//       CHECK:   %[[WORD:.*]] = llvm.zext %{{.*}} : i16 to i32
//       CHECK:   %[[HIGH:.*]] = llvm.shl %[[WORD]], %{{.*}} : i32
//       CHECK:   %[[WIDE:.*]] = llvm.bitcast %[[HIGH]] : i32 to f32
//       CHECK:   %[[SUM:.*]] = llvm.fadd %[[WIDE]], %{{.*}} {fastmathFlags = #llvm.fastmath<contract>} : f32
//       CHECK:   llvm.fcmp "uno" %[[SUM]], %[[SUM]] : f32
//       CHECK:   llvm.select %{{.*}} : i1, i16
//       CHECK:   llvm.fcmp "olt" %{{.*}}, %{{.*}} : f32
llvm.func @sum(%x: bf16, %y: bf16) -> i1 {
  %0 = llvm.fadd %x, %y {fastmathFlags = #llvm.fastmath<contract>} : bf16
  %1 = llvm.fcmp "olt" %0, %y : bf16
  llvm.return %1 : i1
}

// Nothing is rounded where nothing is lost, and no f32 is extended to f32.
// CHECK-LABEL: llvm.func @exact
//   CHECK-NOT:   fcmp
//       CHECK:   %[[SIZE:.*]] = llvm.intr.fabs(%{{.*}}) : (vector<4xf32>) -> vector<4xf32>
//       CHECK:   %[[WORD:.*]] = llvm.bitcast %[[SIZE]] : vector<4xf32> to vector<4xi32>
//       CHECK:   %[[MOVED:.*]] = llvm.lshr %[[WORD]], %{{.*}} : vector<4xi32>
//       CHECK:   %[[BITS:.*]] = llvm.trunc %[[MOVED]] : vector<4xi32> to vector<4xi16>
//       CHECK:   llvm.fpext %{{.*}} : vector<4xf32> to vector<4xf64>
//       CHECK:   llvm.fptosi %{{.*}} : vector<4xf32> to vector<4xi8>
//   CHECK-NOT:   fpext
llvm.func @exact(%x: vector<4xbf16>) -> vector<4xf32> {
  %0 = llvm.intr.fabs(%x) : (vector<4xbf16>) -> vector<4xbf16>
  %1 = llvm.fpext %0 : vector<4xbf16> to vector<4xf64>
  %2 = llvm.fptosi %0 : vector<4xbf16> to vector<4xi8>
  %3 = llvm.fpext %0 : vector<4xbf16> to vector<4xf32>
  llvm.return %3 : vector<4xf32>
}

// CHECK-LABEL: llvm.func @unknown
//       CHECK:   %[[NARROW:.*]] = llvm.bitcast %{{.*}} : i16 to bf16
//       CHECK:   %[[SINE:.*]] = llvm.intr.sin(%[[NARROW]]) : (bf16) -> bf16
//       CHECK:   llvm.bitcast %[[SINE]] : bf16 to i16
//       CHECK:   llvm.fptrunc %{{.*}} : f64 to bf16
llvm.func @unknown(%x: bf16, %y: f64) -> bf16 {
  %0 = llvm.intr.sin(%x) : (bf16) -> bf16
  %1 = llvm.fptrunc %y : f64 to bf16
  llvm.return %0 : bf16
}

// CHECK-LABEL: llvm.func @atomics
//       CHECK:   llvm.call @inplace.atomic_fadd_bf16_0(%{{.*}}, %{{.*}}) : (!llvm.ptr, f16) -> f16
//       CHECK:   llvm.call @inplace.atomic_fmaximum_bf16_1(%{{.*}}, %{{.*}}) : (!llvm.ptr<1>, f16) -> f16
//       CHECK:   llvm.call @inplace.atomic_fadd_bf16_0(%{{.*}}, %{{.*}}) : (!llvm.ptr, f16) -> f16
//       CHECK:   llvm.atomicrmw fadd %{{.*}} acq_rel : !llvm.ptr, f16
//       CHECK:   llvm.atomicrmw fadd %{{.*}} acq_rel : !llvm.ptr, vector<2xbf16>
llvm.func @atomics(%x: bf16, %p: !llvm.ptr, %q: !llvm.ptr<1>, %h: f16, %v: vector<2xbf16>) {
  %0 = llvm.atomicrmw fadd %p, %x acq_rel : !llvm.ptr, bf16
  %1 = llvm.atomicrmw fmaximum %q, %x acq_rel : !llvm.ptr<1>, bf16
  %2 = llvm.atomicrmw fadd %p, %x acq_rel : !llvm.ptr, bf16
  %3 = llvm.atomicrmw fadd %p, %h acq_rel : !llvm.ptr, f16
  %4 = llvm.atomicrmw fadd %p, %v acq_rel : !llvm.ptr, vector<2xbf16>
  llvm.return
}

// Structs with a name get another one.
// CHECK-LABEL: llvm.func @named(
//  CHECK-SAME:     %[[PAIR:.*]]: !llvm.struct<"{{.*}}", (f16, i32)>, %{{.*}}: !llvm.ptr)
//       CHECK:   llvm.store %{{.*}}, %{{.*}} : !llvm.struct<"{{.*}}", (i16, i32)>, !llvm.ptr
llvm.func @named(%pair: !llvm.struct<"pair", (bf16, i32)>, %p: !llvm.ptr) {
  llvm.store %pair, %p : !llvm.struct<"pair", (bf16, i32)>, !llvm.ptr
  llvm.return
}

// CHECK-LABEL: llvm.func internal @inplace.atomic_fadd_bf16_0(
//  CHECK-SAME:     %[[P:.*]]: !llvm.ptr, %{{.*}}: f16) -> f16
//       CHECK:   %[[FIRST:.*]] = llvm.load %[[P]] atomic monotonic {alignment = 2 : i64} : !llvm.ptr -> i16
//       CHECK:   llvm.br ^bb1(%[[FIRST]] : i16)
//       CHECK: ^bb1(%[[OLD:.*]]: i16):
//       CHECK:   llvm.fadd %{{.*}} : f32
//       CHECK:   %[[FOUND:.*]] = llvm.cmpxchg %[[P]], %[[OLD]], %{{.*}} seq_cst seq_cst : !llvm.ptr, i16
//       CHECK:   %[[NOW:.*]] = llvm.extractvalue %[[FOUND]][0]
//       CHECK:   llvm.cond_br %{{.*}}, ^bb2, ^bb1(%[[NOW]] : i16)
// CHECK-LABEL: llvm.func internal @inplace.atomic_fmaximum_bf16_1(
//       CHECK:   llvm.intr.maximum(%{{.*}}, %{{.*}}) : (f32, f32) -> f32
