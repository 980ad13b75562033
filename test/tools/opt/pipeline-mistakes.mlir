// Every mistake in a pipeline is shown with its place, and nothing runs.
// RUN: not inplace-opt %s --pass-pipeline='builtin.module(func.func(canonicalise))' 2>&1 | filecheck %s --check-prefix=UNKNOWN --match-full-lines --strict-whitespace
// RUN: not inplace-opt %s --pass-pipeline='builtin.module(inplace-one-shot-bufferise)' 2>&1 | filecheck %s --check-prefix=OURS
// RUN: not inplace-opt %s --inplace-one-shot-bufferize='bufferize-function-boundary' 2>&1 | filecheck %s --check-prefix=OPTION
// RUN: not inplace-opt %s --inplace-one-shot-bufferize='bufferize-function-boundaries=perhaps' 2>&1 | filecheck %s --check-prefix=TYPE
// RUN: not inplace-opt %s --canonicalize='max-iterations=many' 2>&1 | filecheck %s --check-prefix=UPSTREAM
// RUN: not inplace-opt %s --pass-pipeline='builtin.module(cse' 2>&1 | filecheck %s --check-prefix=OPEN
// RUN: not inplace-opt %s --inplace-one-shot-bufferise 2>&1 | filecheck %s --check-prefix=FLAG

//      UNKNOWN:inplace-opt: pipeline:1:26: error: unknown pass 'canonicalise'; did you mean 'canonicalize'?
// UNKNOWN-NEXT:builtin.module(func.func(canonicalise))
// UNKNOWN-NEXT:                         ^~~~~~~~~~~~

// OURS: unknown pass 'inplace-one-shot-bufferise'; did you mean 'inplace-one-shot-bufferize'?
// OPTION: unknown option 'bufferize-function-boundary'; did you mean 'bufferize-function-boundaries'?
// TYPE: option 'bufferize-function-boundaries' needs bool, found 'perhaps'
// UPSTREAM: option 'max-iterations' of pass 'canonicalize': 'many' value invalid
// OPEN: this '(' of 'builtin.module' is never closed
// FLAG: unknown flag '--inplace-one-shot-bufferise'; did you mean '--inplace-one-shot-bufferize'?
module {}
