// RUN: inplace-opt %s --verify-diagnostics --inplace-one-shot-bufferize='buffer-alignment=48'
// RUN: not inplace-opt %s --inplace-one-shot-bufferize='analysis-fuzzer-seed=-1' 2>&1 | filecheck %s --check-prefix=SEED
// RUN: not inplace-opt %s --inplace-one-shot-bufferize='dump-alias-sets' 2>&1 | filecheck %s --check-prefix=DUMP
// RUN: not inplace-opt %s --inplace-one-shot-bufferize='copy-before-write test-analysis-only' 2>&1 | filecheck %s --check-prefix=COPY
// RUN: not inplace-opt %s --inplace-one-shot-bufferize='analysis-heuristic=bottom-down' 2>&1 | filecheck %s --check-prefix=HEURISTIC
// RUN: not inplace-opt %s --inplace-one-shot-bufferize='analysis-fuzzer-seed=x' 2>&1 | filecheck %s --check-prefix=NUMBER
// RUN: not inplace-opt %s --inplace-one-shot-bufferize='no-analysis-func-filter=f' 2>&1 | filecheck %s --check-prefix=FILTER
// RUN: not inplace-opt %s --inplace-one-shot-bufferize='unknown-type-conversion=infer-layout-map' 2>&1 | filecheck %s --check-prefix=LAYOUT

// FILTER: error: no-analysis-func-filter needs bufferize-function-boundaries=true
// LAYOUT: option 'unknown-type-conversion' needs one of: fully-dynamic-layout-map, identity-layout-map, found 'infer-layout-map'
// SEED: error: analysis-fuzzer-seed is -1, but must not be negative
// DUMP: error: dump-alias-sets annotates an analysis, so it needs test-analysis-only=true
// COPY: error: copy-before-write skips the analysis that test-analysis-only shows; set one of them to false
// HEURISTIC: option 'analysis-heuristic' needs one of: cheapest, optimal, bottom-up, top-down, bottom-up-from-terminators, fuzzer, found 'bottom-down'
// NUMBER: option 'analysis-fuzzer-seed' needs int, found 'x'

// expected-error @+1 {{buffer-alignment is 48, but must be 0 or a power of two}}
module {
}
