// RUN: inplace-run %s --arg 4xi4:iota --arg 3 --print-result | filecheck %s --check-prefix=RESULT
// RUN: not inplace-run %s --arg 4xi4:iota --arg 0 2>&1 | filecheck %s --check-prefix=FAULT
// RUN: inplace-run %s --arg 4xi4:iota --arg 3 --dump-ir=bufferize 2>&1 | filecheck %s --check-prefix=DUMP
// RUN: not inplace-run %s --dump-ir=list 2>&1 | filecheck %s --check-prefix=STAGES

// RESULT:      result: tensor<4xi4>
// RESULT-NEXT: [0, 0, 0, 1]
// FAULT:       inplace-run: error: {{.*}}inplace-run-fault.mlir:23:{{[0-9]+}}: 'llvm.sdiv' ended the process with SIGFPE (an integer
// DUMP:        // -----// IR Dump After bufferize //----- //
// DUMP:        func.func @main(%{{.*}}: memref<4xi4
// DUMP-NOT:    @unreached
// STAGES:      there is no stage 'list'; the stages are, in order: tensors, bufferize, boundary, deallocate, buffers, functions, llvm, linked
func.func @unreached(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tosa.exp %a : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func @main(%a: tensor<4xi4>, %b: i4) -> tensor<4xi4> {
  %0 = tensor.empty() : tensor<4xi4>
  %1 = linalg.generic {
    indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
    ins(%a : tensor<4xi4>) outs(%0 : tensor<4xi4>) {
  ^bb0(%x: i4, %y: i4):
    %quotient = llvm.sdiv %x, %b : i4
    linalg.yield %quotient : i4
  } -> tensor<4xi4>
  return %1 : tensor<4xi4>
}
