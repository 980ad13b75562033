// RUN: inplace-opt %s --split-input-file --inplace-outline-kernels=repeats=2 | filecheck %s

// The same op on other buffers: one function, to which addresses are passed. Each output is an allocation of which no
// other part is passed; so is the input of the second call, but not that of the first.
// CHECK-LABEL: func.func @chain
func.func @chain(%a: memref<32x32xf32>, %b: memref<32x32xf32>) -> memref<32x32xf32> {
  // CHECK: %[[X:.*]] = memref.alloc
  // CHECK-NEXT: memref.extract_aligned_pointer_as_index %[[X]]
  // CHECK-NEXT: arith.index_cast
  // CHECK-NEXT: %[[PX:.*]] = llvm.inttoptr
  // CHECK: call @inplace_kernel(%[[PA:.*]], %[[PB:.*]], %[[PX]]) : (!llvm.ptr, !llvm.ptr, !llvm.ptr) -> ()
  // CHECK: call @inplace_kernel(%[[PX]], %[[PB]], %{{.*}})
  // CHECK-NOT: linalg
  // CHECK: return
  %x = memref.alloc() : memref<32x32xf32>
  linalg.matmul ins(%a, %b : memref<32x32xf32>, memref<32x32xf32>) outs(%x : memref<32x32xf32>)
  %y = memref.alloc() : memref<32x32xf32>
  linalg.matmul ins(%x, %b : memref<32x32xf32>, memref<32x32xf32>) outs(%y : memref<32x32xf32>)
  return %y : memref<32x32xf32>
}
// CHECK: func.func private @inplace_kernel(%{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr {llvm.noalias}) attributes {llvm.linkage = #llvm.linkage<internal>, llvm.no_inline}
// CHECK: linalg.matmul ins({{.*}} : memref<32x32xf32>, memref<32x32xf32>) outs({{.*}} : memref<32x32xf32>)

// -----

// What is used twice must be used twice; another attribute, type or constant is another body.
// CHECK-LABEL: func.func @different
// CHECK-NOT: call
// CHECK: return
func.func @different(%a: memref<32x32xf32>, %b: memref<32x32xf32>, %c: memref<32x32xf32, strided<[64, 1]>>) {
  %0 = arith.constant 0.0 : f32
  %1 = arith.constant 1.0 : f32
  linalg.add ins(%a, %b : memref<32x32xf32>, memref<32x32xf32>) outs(%b : memref<32x32xf32>)
  linalg.add ins(%a, %b : memref<32x32xf32>, memref<32x32xf32>) outs(%a : memref<32x32xf32>)
  linalg.add ins(%a, %a : memref<32x32xf32>, memref<32x32xf32>) outs(%a : memref<32x32xf32>)
  linalg.sub ins(%a, %b : memref<32x32xf32>, memref<32x32xf32>) outs(%b : memref<32x32xf32>)
  linalg.sub {mark} ins(%a, %b : memref<32x32xf32>, memref<32x32xf32>) outs(%b : memref<32x32xf32>)
  linalg.mul ins(%a, %b : memref<32x32xf32>, memref<32x32xf32>) outs(%b : memref<32x32xf32>)
  linalg.mul ins(%a, %c : memref<32x32xf32>, memref<32x32xf32, strided<[64, 1]>>) outs(%b : memref<32x32xf32>)
  linalg.fill ins(%0 : f32) outs(%a : memref<32x32xf32>)
  linalg.fill ins(%1 : f32) outs(%a : memref<32x32xf32>)
  return
}

// -----

// Nests of loops with bounds that move along, and a value that does not. Views of one buffer may be the same memory:
// nothing is exclusive. A layout that is not static is passed on as a memref.
// CHECK-LABEL: func.func @nests
// CHECK: call @inplace_kernel(%{{.*}}, %[[S:.*]], %{{.*}}) : (!llvm.ptr, f32, memref<64xf32, strided<[1], offset: ?>>)
// CHECK: call @inplace_kernel(%{{.*}}, %[[S]], %{{.*}})
// CHECK: func.func private @inplace_kernel(%{{.*}}: !llvm.ptr, %{{.*}}: f32, %{{.*}}: memref<64xf32, strided<[1], offset: ?>>)
// CHECK: %[[C64:.*]] = arith.constant 64 : index
// CHECK: scf.for {{.*}} to %[[C64]]
func.func @nests(%s: f32, %o: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %m = memref.alloc() : memref<256xf32>
  %a = memref.subview %m[0] [64] [1] : memref<256xf32> to memref<64xf32, strided<[1]>>
  %b = memref.subview %m[%o] [64] [1] : memref<256xf32> to memref<64xf32, strided<[1], offset: ?>>
  scf.for %i = %c0 to %c64 step %c1 {
    %x = memref.load %a[%i] : memref<64xf32, strided<[1]>>
    %y = arith.addf %x, %s : f32
    memref.store %y, %b[%i] : memref<64xf32, strided<[1], offset: ?>>
  }
  scf.for %j = %c0 to %c64 step %c1 {
    %x = memref.load %a[%j] : memref<64xf32, strided<[1]>>
    %y = arith.addf %x, %s : f32
    memref.store %y, %b[%j] : memref<64xf32, strided<[1], offset: ?>>
  }
  return
}

// -----

// Small ops stay, in loops also those that are not large; so do bodies with calls, and those that free what they are
// given.
// CHECK-LABEL: func.func @kept
// CHECK-NOT: inplace_kernel
// CHECK: return
func.func private @unknown()
func.func @kept(%a: memref<4x4xf32>, %b: memref<32x32xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  linalg.exp ins(%a : memref<4x4xf32>) outs(%a : memref<4x4xf32>)
  linalg.exp ins(%a : memref<4x4xf32>) outs(%a : memref<4x4xf32>)
  scf.for %i = %c0 to %n step %c1 {
    linalg.abs ins(%b : memref<32x32xf32>) outs(%b : memref<32x32xf32>)
    linalg.abs ins(%b : memref<32x32xf32>) outs(%b : memref<32x32xf32>)
  }
  scf.for %i = %c0 to %n step %c1 {
    func.call @unknown() : () -> ()
  }
  scf.for %i = %c0 to %n step %c1 {
    func.call @unknown() : () -> ()
  }
  %t = arith.constant true
  scf.for %i = %c0 to %c1 step %c1 {
    memref.dealloc %b : memref<32x32xf32>
  }
  scf.for %i = %c0 to %c1 step %c1 {
    memref.dealloc %b : memref<32x32xf32>
  }
  return
}

// -----

// The name is taken; and large ops in loops are worth a call.
// CHECK-LABEL: func.func @inplace_kernel
// CHECK: scf.for
// CHECK: call @inplace_kernel_0
// CHECK: call @inplace_kernel_0
// CHECK: func.func private @inplace_kernel_0
func.func @inplace_kernel(%b: memref<64x64xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    linalg.abs ins(%b : memref<64x64xf32>) outs(%b : memref<64x64xf32>)
    linalg.abs ins(%b : memref<64x64xf32>) outs(%b : memref<64x64xf32>)
  }
  return
}

// -----

// What differs in the size of an outermost dimension only is one function, which is given it.
// CHECK-LABEL: func.func @rows
// CHECK-DAG: %[[C8:.*]] = llvm.mlir.constant(8 : i64)
// CHECK-DAG: call @inplace_kernel(%{{.*}}, %{{.*}}, %{{.*}}) : (!llvm.ptr, !llvm.ptr, i64) -> ()
// CHECK: %[[C9:.*]] = llvm.mlir.constant(9 : i64)
// CHECK-NEXT: call @inplace_kernel(%{{.*}}, %{{.*}}, %[[C9]]) : (!llvm.ptr, !llvm.ptr, i64) -> ()
// CHECK: func.func private @inplace_kernel(%[[A:.*]]: !llvm.ptr, %[[B:.*]]: !llvm.ptr, %[[N:.*]]: i64) attributes
// CHECK: llvm.insertvalue %[[N]], %{{.*}}[3, 0]
// CHECK: linalg.exp ins(%{{.*}} : memref<?x64xf32>) outs(%{{.*}} : memref<?x64xf32, strided<[64, 1], offset: 64>>)
func.func @rows(%a: memref<8x64xf32>, %b: memref<9x64xf32>, %c: memref<8x64xf32, strided<[64, 1], offset: 64>>,
                %d: memref<9x64xf32, strided<[64, 1], offset: 64>>) {
  linalg.exp ins(%a : memref<8x64xf32>) outs(%c : memref<8x64xf32, strided<[64, 1], offset: 64>>)
  linalg.exp ins(%b : memref<9x64xf32>) outs(%d : memref<9x64xf32, strided<[64, 1], offset: 64>>)
  return
}

// -----

// Columns are not: their size is a stride.
// CHECK-LABEL: func.func @columns
// CHECK-NOT: call
// CHECK: return
func.func @columns(%a: memref<64x8xf32>, %b: memref<64x9xf32>) {
  linalg.exp ins(%a : memref<64x8xf32>) outs(%a : memref<64x8xf32>)
  linalg.exp ins(%b : memref<64x9xf32>) outs(%b : memref<64x9xf32>)
  return
}

// -----

// Loops become one function, and what is inside of them goes along, though it is large enough for a function itself.
// CHECK-LABEL: func.func @loops
// CHECK-COUNT-3: call @inplace_kernel(
// CHECK-NOT: linalg.fill
// CHECK: return
func.func @loops(%a: memref<64x128xf32>, %b: memref<64x128xf32>, %d: memref<64x128xf32>, %x: f32, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    linalg.fill ins(%x : f32) outs(%a : memref<64x128xf32>)
  }
  scf.for %i = %c0 to %n step %c1 {
    linalg.fill ins(%x : f32) outs(%b : memref<64x128xf32>)
  }
  scf.for %i = %c0 to %n step %c1 {
    linalg.fill ins(%x : f32) outs(%d : memref<64x128xf32>)
  }
  return
}
// CHECK: func.func private @inplace_kernel(
// CHECK: scf.for
// CHECK: linalg.fill
// CHECK-NOT: func.func private
