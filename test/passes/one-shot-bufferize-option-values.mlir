// RUN: inplace-opt %s --verify-diagnostics --inplace-one-shot-bufferize='buffer-alignment=48'

// expected-error @+1 {{buffer-alignment is 48, but must be 0 or a power of two}}
module {
}
