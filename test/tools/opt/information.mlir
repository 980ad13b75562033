// RUN: inplace-opt --version | filecheck %s --check-prefix=VERSION
// RUN: inplace-opt --help | filecheck %s --check-prefix=HELP
// RUN: inplace-opt --list-passes | filecheck %s --check-prefix=LIST
// RUN: inplace-opt --show-dialects | filecheck %s --check-prefix=DIALECTS

// VERSION: inplace-opt {{[0-9]+\.[0-9]+}}
// VERSION-NEXT: MLIR bindings: {{.*}} LLVM {{[0-9]+}}

// HELP: usage: inplace-opt [file|-] [flags] [passes]
// HELP: --pass-pipeline=PIPELINE
// HELP: --verify-each[=true|false] (default: true)
// HELP: --inplace-one-shot-bufferize
// HELP: bufferize-function-boundaries=<bool> (default: false)
// HELP: exit codes:

// LIST: --inplace-one-shot-bufferize
// DIALECTS: Available Dialects: {{.*}}arith, {{.*}}dispatch, {{.*}}linalg, {{.*}}tensor
