// One clear line for input that cannot be read.
// RUN: not inplace-opt %t.missing 2>&1 | filecheck %s --check-prefix=MISSING --match-full-lines
// RUN: not inplace-opt %S 2>&1 | filecheck %s --check-prefix=FOLDER
// RUN: not inplace-opt /dev/null 2>&1 | filecheck %s --check-prefix=EMPTY --match-full-lines
// RUN: not inplace-opt --no-such-flag 2>&1 | filecheck %s --check-prefix=FLAG --match-full-lines

// MISSING: inplace-opt: error: cannot open input file '{{.*}}.missing': No such file or directory
// FOLDER: inplace-opt: error: cannot open input file '{{.*}}': Is a directory
// EMPTY: inplace-opt: error: '/dev/null' is empty; expected MLIR text
// FLAG: inplace-opt: error: unknown flag '--no-such-flag' (--help lists the flags)
