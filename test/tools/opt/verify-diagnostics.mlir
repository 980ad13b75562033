// RUN: inplace-opt %s --split-input-file --verify-diagnostics
// RUN: inplace-opt %s --split-input-file --verify-diagnostics=only-expected

// expected-error @+2 {{custom op 'retrun' is unknown}}
func.func @from_the_parser() {
  retrun
}

// -----

func.func @twice() { return } // expected-note {{see existing symbol definition here}}
// expected-error-re @below {{redefinition of symbol {{(named )?}}'twice'}}
func.func @twice() { return }
