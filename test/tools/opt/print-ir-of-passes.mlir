// Dumps before and after named passes, ours and upstream's; named pipelines are taken pass by pass.
// RUN: inplace-opt %s --inplace-canonicalize --cse --symbol-dce --mlir-print-ir-before=inplace-canonicalize,symbol-dce --mlir-print-ir-after=cse -o /dev/null 2>&1 | grep "IR Dump" | filecheck %s --match-full-lines
// RUN: inplace-opt %s --buffer-deallocation-pipeline --mlir-print-ir-after=expand-realloc -o /dev/null 2>&1 | grep "IR Dump" | filecheck %s --check-prefix=INNER
// RUN: not inplace-opt %s --cse --mlir-print-ir-before=csee 2>&1 | filecheck %s --check-prefix=BEFORE
// RUN: not inplace-opt %s --cse --mlir-print-ir-after=cse,inplace-til 2>&1 | filecheck %s --check-prefix=AFTER
// RUN: not inplace-opt %s --cse --mlir-print-ir-after=cse,, 2>&1 | filecheck %s --check-prefix=COMMA
// RUN: not inplace-opt %s --debug-only=inplace-til 2>&1 | filecheck %s --check-prefix=DEBUG

//      CHECK: // -----// IR Dump Before CanonicalizePass: inplace-canonicalize //----- //
// CHECK-NEXT: // -----// IR Dump After CSEPass: cse //----- //
// CHECK-NEXT: // -----// IR Dump Before SymbolDCEPass: symbol-dce //----- //

// INNER: IR Dump After ExpandReallocPass: expand-realloc{emit-deallocs=false} //----- //
// INNER-NOT: IR Dump

// BEFORE: inplace-opt: error: --mlir-print-ir-before: unknown pass 'csee'; did you mean 'cse'?
// AFTER: inplace-opt: error: --mlir-print-ir-after: unknown pass 'inplace-til'; did you mean 'inplace-tile'?
// COMMA: inplace-opt: error: argument --mlir-print-ir-after: needs names between commas, got 'cse,,'
// DEBUG: inplace-opt: error: --debug-only: unknown pass 'inplace-til'; did you mean 'inplace-tile'?
func.func @f() { return }
